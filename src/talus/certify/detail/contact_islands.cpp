#include <talus/certify/detail/contact_islands.hpp>

#include <algorithm>
#include <span>

#include <talus/base/disjoint_sets.hpp>

namespace talus::certify::detail {
namespace {

using problem::kLanes;
using problem::RigidContact;

/// Calls visit(bodies) with pieces of the list of all bodies that contacts and rows join, in order;
/// until it says false. @return whether it never did.
template <class Visit>
bool for_joined_bodies(const RigidContact& problem, const Visit& visit) {
  for (const problem::CentralBatch& batch : problem.central.batches)
    if (!visit(std::span(batch.body_a)) || !visit(std::span(batch.body_b))) return false;
  for (const problem::GeneralContact& contact : problem.general) {
    const std::uint32_t pair[] = {contact.body_a, contact.body_b};
    if (!visit(std::span(pair))) return false;
  }
  return std::all_of(problem.rows.parts.begin(), problem.rows.parts.end(),
                     [&](const problem::RowPart& of) { return visit(std::span(&of.body, 1)); });
}

}  // namespace

std::shared_ptr<const ContactIslands> ContactIslands::of(const RigidContact& problem) {
  static thread_local std::shared_ptr<const ContactIslands> last;
  if (last == nullptr || !last->are_of(problem))
    last = std::shared_ptr<const ContactIslands>(new ContactIslands(problem));
  return last;
}

bool ContactIslands::are_of(const RigidContact& problem) const {
  const std::size_t bodies =
      2 * (kLanes * problem.central.batches.size() + problem.general.size()) +
      problem.rows.parts.size();
  const bool is_alike = is_movable_.size() == problem.bodies.size() && body_.size() == bodies &&
                        of_slot_.size() == kLanes * problem.central.batches.size() +
                                               problem.general.size() + problem.rows.size() &&
                        row_first_ == problem.rows.first;
  if (!is_alike) return false;
  for (std::size_t i = 0; i < is_movable_.size(); ++i)
    if ((is_movable_[i] != 0) != (problem.bodies[i].inverse_mass > 0)) return false;
  auto own = body_.begin();
  return for_joined_bodies(problem, [&](auto joined) {
    const bool is_same = std::equal(joined.begin(), joined.end(), own);
    own += static_cast<std::ptrdiff_t>(joined.size());
    return is_same;
  });
}

ContactIslands::ContactIslands(const RigidContact& problem) : row_first_(problem.rows.first) {
  const auto bodies = static_cast<std::uint32_t>(problem.bodies.size());
  is_movable_.reserve(bodies);
  for (const problem::BodyVelocity& body : problem.bodies)
    is_movable_.push_back(body.inverse_mass > 0 ? 1 : 0);
  (void)for_joined_bodies(problem, [&](auto joined) {
    body_.insert(body_.end(), joined.begin(), joined.end());
    return true;
  });

  DisjointSets joined(bodies);
  constexpr std::uint32_t kEmpty = UINT32_MAX;
  std::vector<std::uint32_t> owner;  // a movable body of every slot, or any if there is none
  const auto join = [&](std::uint32_t& own, std::uint32_t body) {
    if (own == kEmpty || is_movable_[own] == 0)
      own = body;
    else if (is_movable_[body] != 0)
      joined.join(own, body);
  };
  for (const problem::CentralBatch& batch : problem.central.batches)
    for (int l = 0; l < kLanes; ++l) {
      std::uint32_t& own = owner.emplace_back(kEmpty);
      if (batch.body_a[l] == bodies) continue;
      join(own, batch.body_a[l]);
      join(own, batch.body_b[l]);
    }
  for (const problem::GeneralContact& contact : problem.general) {
    std::uint32_t& own = owner.emplace_back(kEmpty);
    join(own, contact.body_a);
    join(own, contact.body_b);
  }
  for (Index j = 0; j < problem.rows.size(); ++j) {
    std::uint32_t& own = owner.emplace_back(kEmpty);
    problem.rows.for_each_part(j, [&](const problem::RowPart& of) { join(own, of.body); });
  }

  constexpr std::int32_t kNone = -1;
  std::vector<std::int32_t> number(bodies, kNone);  // of the set of a root
  of_slot_.reserve(owner.size());
  for (const std::uint32_t own : owner) {
    if (own == kEmpty) {
      of_slot_.push_back(0);
      continue;
    }
    std::int32_t& island = number[joined.root(own)];
    if (island == kNone) island = static_cast<std::int32_t>(count_++);
    of_slot_.push_back(static_cast<std::uint32_t>(island));
  }
  of_body_.assign(bodies, kNone);
  for (std::uint32_t i = 0; i < bodies; ++i)
    if (is_movable_[i] != 0) of_body_[i] = number[joined.root(i)];
}

}  // namespace talus::certify::detail
