#include <talus/dynamics/planar_contact_numbers.hpp>

#include <algorithm>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/model/machine.hpp>

namespace talus::dynamics {
namespace {

constexpr std::size_t kKnown = std::size_t{1} << 12U;  // a power of two

/// Which pairs of movable bodies joints keep apart, a < b, rising.
std::vector<std::pair<Index, Index>> kept_apart(const model::Model& model) {
  std::vector<std::pair<Index, Index>> pairs;
  if (!model.machine) return pairs;
  for (const model::Joint& joint : model.machine->joints)
    if (!model::can_touch(model, joint.body_a, joint.body_b))
      pairs.push_back(std::minmax(joint.body_a, joint.body_b));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

PlanarContactNumbers::PlanarContactNumbers(const model::Model& model,
                                           const std::vector<geometry::PlanarShape>& shapes)
    : apart_(shapes.size()), known_(kKnown) {
  std::vector<bool> touches(shapes.size(), true);
  if (model.machine)
    for (const Index body : model.machine->visual_only)
      touches[static_cast<std::size_t>(body)] = false;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Kind kind{shapes[i].is_half_plane,
                    model.bodies[static_cast<Index>(i)].kind == model::BodyKind::dynamic,
                    touches[i], static_cast<Index>(shapes[i].corners.size())};
    const auto at = std::find(kinds_.begin(), kinds_.end(), kind) - kinds_.begin();
    if (at == std::ssize(kinds_)) kinds_.push_back(kind);
    kind_of_.push_back(static_cast<std::size_t>(at));
  }
  const std::size_t kinds = kinds_.size();
  for (const Kind& a : kinds_)
    for (const Kind& b : kinds_) contacts_of_kinds_.push_back(count_of(a, b));
  before_.assign((shapes.size() + 1) * kinds, 0);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::copy_n(&before_[i * kinds], kinds, &before_[(i + 1) * kinds]);
    ++before_[(i + 1) * kinds + kind_of_[i]];
  }
  for (const auto& [a, b] : kept_apart(model))
    if (contacts_of(a, b) > 0) apart_[static_cast<std::size_t>(a)].push_back(b);
  const auto n = static_cast<Index>(shapes.size());
  first_of_.push_back(0);
  for (Index a = 0; a < n; ++a) first_of_.push_back(first(a, n));
}

/// How many corners of a shape can touch another one. @param is_first whether the target comes
/// first.
Index PlanarContactNumbers::corners_against(const Kind& target, const Kind& shape, bool is_first) {
  const bool is_point = !target.is_half_plane && target.corners == 1;
  if (shape.is_half_plane || (is_point && (shape.corners > 1 || !is_first))) return 0;
  return shape.corners;
}

/// Contacts of two bodies, a before b, that nothing keeps apart.
Index PlanarContactNumbers::count_of(const Kind& a, const Kind& b) {
  if (!(a.moves || b.moves) || !a.touches || !b.touches) return 0;
  return corners_against(a, b, true) + corners_against(b, a, false);
}

bool PlanarContactNumbers::are_apart(Index a, Index b) const {
  const std::vector<Index>& list = apart_[static_cast<std::size_t>(a)];
  return std::binary_search(list.begin(), list.end(), b);
}

/// The number of contacts before those of (a, b), a < b.
Index PlanarContactNumbers::first(Index a, Index b) const {
  const auto of = static_cast<std::size_t>(a);
  const std::size_t kinds = kinds_.size();
  const std::uint32_t *begin = &before_[(of + 1) * kinds],
                      *end = &before_[static_cast<std::size_t>(b) * kinds];
  const Index* each = &contacts_of_kinds_[kind_of_[of] * kinds];
  Index number = first_of_[of];
  for (std::size_t k = 0; k < kinds; ++k) number += each[k] * (end[k] - begin[k]);
  for (const Index other : apart_[of]) {
    if (other >= b) break;
    number -= contacts_of(a, other);
  }
  return number;
}

ShapePair PlanarContactNumbers::pair(Index a, Index b) const {
  TALUS_ASSERT(a < b);
  const Index count = are_apart(a, b) ? 0 : contacts_of(a, b);
  return {a, b, count > 0 ? first(a, b) : 0, count};
}

CornerCandidate PlanarContactNumbers::find(Index contact) const {
  const auto after = std::upper_bound(first_of_.begin(), first_of_.end(), contact);
  const Index a = after - first_of_.begin() - 1;
  // The last b whose contacts begin here or before: first guessed from the mean of a's contacts.
  Index b = a + 1, end = std::ssize(kind_of_);
  const auto of = static_cast<std::size_t>(a);
  Index guess = b + static_cast<Index>(static_cast<Real>(end - b) *
                                       static_cast<Real>(contact - first_of_[of]) /
                                       static_cast<Real>(first_of_[of + 1] - first_of_[of]));
  for (Index step = 1; end - b > 1; step *= 2) {
    if (guess <= b || guess >= end) guess = b + (end - b) / 2;
    const bool is_before = first(a, guess) <= contact;
    (is_before ? b : end) = guess;
    guess += is_before ? step : -step;
  }
  const Index corner = contact - first(a, b);
  const Index of_b = corners_against(kind(a), kind(b), true);
  return corner < of_b ? CornerCandidate{a, b, static_cast<std::size_t>(corner)}
                       : CornerCandidate{b, a, static_cast<std::size_t>(corner - of_b)};
}

CornerCandidate PlanarContactNumbers::candidate(Index contact) const {
  TALUS_ASSERT(contact >= 0 && contact < count());
  Known& known = known_[static_cast<std::size_t>(contact) & (kKnown - 1)];
  if (known.contact != contact) known = {contact, find(contact)};
  return known.candidate;
}

}  // namespace talus::dynamics
