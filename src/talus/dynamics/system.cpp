#include <talus/dynamics/system.hpp>

namespace talus::dynamics {

void System::near_contacts(const VecX& q, const VecX& margin, std::vector<Index>& contacts) const {
  std::vector<ShapePair> pairs;
  near_pairs(q, margin, pairs);
  contacts.clear();
  for (const ShapePair& pair : pairs)
    for (Index i = pair.first; i < pair.first + pair.count; ++i) contacts.push_back(i);
  for (Index i = shape_contact_count(); i < contact_count(); ++i) contacts.push_back(i);
}

}  // namespace talus::dynamics
