#include <talus/stepping/detail/late_contacts.hpp>

#include <algorithm>
#include <limits>
#include <tuple>

#include <talus/collision/way.hpp>
#include <talus/stepping/detail/overlap.hpp>

namespace talus::stepping::detail {
namespace {

constexpr Real kLeastWay = 4e-3;  // of the smallest size

auto name_of(const collision::Contact& contact) {
  return std::tuple(contact.a, contact.b, contact.feature);
}

bool is_same(const collision::Contact& one, const collision::Contact& other) {
  return name_of(one) == name_of(other);
}

bool is_before(const collision::Contact& one, const collision::Contact& other) {
  return name_of(one) < name_of(other);
}

}  // namespace

void LateContacts::measure(const model::State& before, const model::State& after,
                           const std::vector<collision::Contact>& known,
                           std::span<const unsigned char> carried) {
  dynamics::RigidBodies& bodies = contacts_.bodies();
  const Index count = before.body_count();
  if (least_way_ < 0) {
    Real smallest = std::numeric_limits<Real>::infinity();
    for (Index i = 0; i < count; ++i)
      if (bodies.is_dynamic(i)) smallest = std::min(smallest, bodies.size(i));
    least_way_ = kLeastWay * smallest;
  }
  deepest_ = {};
  overlaps_.clear();
  still_.assign(count, 1);
  bool is_any_moving = false;
  for (Index i = 0; i < count; ++i) {
    const Real shift = (after.position[i] - before.position[i]).norm();
    const Real turn = before.orientation[i].angularDistance(after.orientation[i]);
    if (shift + turn * bodies.turning_reach(i) <= least_way_) continue;
    still_[i] = 0;
    is_any_moving = true;
  }
  if (!is_any_moving) return;
  bodies.detector().detect_reached(dynamics::RigidBodies::placement(before),
                                   dynamics::RigidBodies::placement(after), bodies.sizes(), kLate,
                                   still_, has_tracked_, overlaps_);
  const auto share_of = [&](const collision::Contact& overlap) {
    return -overlap.gap / std::min(bodies.size(overlap.a), bodies.size(overlap.b));
  };
  const auto count_in = [&](const collision::ReachedContact& reached) {
    const auto& [overlap, way] = reached;
    const Real share = share_of(overlap);
    if (way < deepest_.way || (way == deepest_.way && share > deepest_.share))
      deepest_ = {deepest_.depth, share, way, overlap.a, overlap.b};
  };
  // What is as deep as it was before the step is not of this step, and what was carried is no new
  // contact while the step may be certified with it.
  std::erase_if(overlaps_, [&](const collision::ReachedContact& reached) {
    const collision::Contact& overlap = reached.contact;
    deepest_.depth = std::max(deepest_.depth, -overlap.gap);
    const auto by_pair = [](const auto& one, const auto& other) {
      return std::tuple(one.a, one.b) < std::tuple(other.a, other.b);
    };
    const auto [first, last] = std::equal_range(known.begin(), known.end(), overlap, by_pair);
    Real earlier = 0;
    bool is_carried = false;
    for (auto contact = first; contact != last; ++contact) {
      if (!std::binary_search(late_.begin(), late_.end(), *contact, is_before))
        earlier = std::min(earlier, contact->gap);
      is_carried = is_carried || (!carried.empty() && carried[contact - known.begin()] != 0 &&
                                  is_same(*contact, overlap));
    }
    if (overlap.gap >= earlier - kLate * std::min(bodies.size(overlap.a), bodies.size(overlap.b)))
      return true;
    count_in(reached);
    return is_carried && reached.share == 1 && share_of(overlap) <= kMostOverlap;
  });
}

std::string LateContacts::too_deep() const {
  const model::Model& model = contacts_.bodies().model();
  if (deepest_.way < 1) return passage_in_step(model, deepest_.a, deepest_.b);
  if (deepest_.share <= kMostOverlap) return "";
  return overlap_after_step(model, deepest_.a, deepest_.b, deepest_.depth, deepest_.share);
}

void LateContacts::judge(StepReport& report) const {
  report.max_penetration = std::max(report.max_penetration, deepest_.depth);
  const std::string why = too_deep();
  if (why.empty() || !report.is_certified()) return;
  report.status = problem::SolveStatus::stalled;
  report.detail = why;
}

bool LateContacts::add(const model::State& before, const model::State& after) {
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  const collision::Placement start = dynamics::RigidBodies::placement(before),
                             end = dynamics::RigidBodies::placement(after);
  for (const auto& [overlap, share] : overlaps_) {
    const collision::Way way({start.at(overlap.a), start.at(overlap.b)},
                             {end.at(overlap.a), end.at(overlap.b)}, bodies.is_dynamic(overlap.a),
                             bodies.is_dynamic(overlap.b));
    collision::Contact late = overlap;
    way.take_back(share, bodies.model().cell, late);
    late_.push_back(late);
  }
  if (overlaps_.empty()) return false;
  // The newest of a name counts.
  std::reverse(late_.begin(), late_.end());
  std::stable_sort(late_.begin(), late_.end(), is_before);
  late_.erase(std::unique(late_.begin(), late_.end(), is_same), late_.end());
  return true;
}

void LateContacts::merge_into(std::vector<collision::Contact>& contacts) const {
  if (late_.empty()) return;
  std::vector<collision::Contact> all = late_;  // first, so that they are kept
  all.insert(all.end(), contacts.begin(), contacts.end());
  std::stable_sort(all.begin(), all.end(), is_before);
  all.erase(std::unique(all.begin(), all.end(), is_same), all.end());
  contacts.swap(all);
}

}  // namespace talus::stepping::detail
