#include <talus/stepping/detail/planar_unmet_contacts.hpp>

#include <algorithm>
#include <iterator>
#include <map>

#include <talus/stepping/detail/planar_late_contacts.hpp>

namespace talus::stepping::detail {
namespace {

/// The pair of shapes of a contact, or null. @param near in the order of their contacts.
const dynamics::ShapePair* shapes_of(const std::vector<dynamics::ShapePair>& near, Index contact) {
  const auto after =
      std::upper_bound(near.begin(), near.end(), contact,
                       [](Index of, const dynamics::ShapePair& pair) { return of < pair.first; });
  if (after == near.begin()) return nullptr;
  const dynamics::ShapePair& pair = *std::prev(after);
  return pair.has(contact) ? &pair : nullptr;
}

}  // namespace

std::unordered_set<Index> PlanarUnmetContacts::find(
    const dynamics::System& machine, const VecX& q, const VecX& q_end,
    std::span<const Acting> contacts,
    std::span<const dynamics::ConstraintFactor::Response> responses, const VecX& way) {
  std::vector<dynamics::ShapePair> near;
  dynamics::near_on_the_way(machine, q, q_end, near);
  std::map<Index, std::vector<std::size_t>> acting;  // rows of pairs, by their first contacts
  std::unordered_set<Index> stays;
  for (const Acting& contact : contacts) {
    const dynamics::ShapePair* pair = shapes_of(near, contact.contact);
    if (pair == nullptr || left_out_.contains(pair->first)) continue;
    if (contact.stays) stays.insert(pair->first);
    std::vector<std::size_t>& rows = acting[pair->first];
    rows.insert(rows.end(), contact.rows.begin(), contact.rows.end());
  }
  std::unordered_set<Index> unmet;
  VecX end = q_end;
  for (const auto& [first, rows] : acting) {
    if (rows.empty() || stays.contains(first)) continue;
    const dynamics::ShapePair& pair = *shapes_of(near, first);
    for (const std::size_t row : rows) responses[row].add_to(end, -way[static_cast<Index>(row)]);
    if (stay_apart(machine, pair, q, end)) {
      left_out_.insert(first);
      for (Index i = first; i < first + pair.count; ++i) unmet.insert(i);
    }
    for (const std::size_t row : rows)
      for (const auto& part : responses[row].parts)
        end.segment<3>(3 * part.body) = q_end.segment<3>(3 * part.body);
  }
  return unmet;
}

}  // namespace talus::stepping::detail
