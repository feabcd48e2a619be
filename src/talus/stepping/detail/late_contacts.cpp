#include <talus/stepping/detail/late_contacts.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include <talus/collision/way.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/overlap.hpp>

namespace talus::stepping::detail {
namespace {

auto name_of(const collision::Contact& contact) {
  return std::tuple(contact.a, contact.b, contact.feature);
}

bool is_same(const collision::Contact& one, const collision::Contact& other) {
  return name_of(one) == name_of(other);
}

bool is_before(const collision::Contact& one, const collision::Contact& other) {
  return name_of(one) < name_of(other);
}

constexpr Real kMostTakenBack = 0.5;  // of a play
constexpr Real kSameCut = 0.999;      // cosine of the angle between normals of one

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
    least_way_ = tolerance::kLeastWay * smallest;
  }
  made_ = kept_ = play_ = {};
  depth_ = 0;
  overlaps_.clear();
  made_overlaps_.clear();
  still_.assign(count, 1);
  bool is_any_moving = false;
  for (Index i = 0; i < count; ++i) {
    const Real shift = (after.position[i] - before.position[i]).norm();
    const auto turn = [&] { return before.orientation[i].angularDistance(after.orientation[i]); };
    if (shift <= least_way_ && shift + turn() * bodies.turning_radius(i) <= least_way_) continue;
    still_[i] = 0;
    is_any_moving = true;
  }

  const auto is_late = [&](const collision::Contact& contact) {
    return std::binary_search(late_.begin(), late_.end(), contact, is_before);
  };
  for (const collision::Contact& contact : known) {
    if (contact.gap >= -tolerance::kLateOverlap * bodies.size(contact) || is_late(contact))
      continue;
    still_[contact.a] = still_[contact.b] = 0;
    is_any_moving = true;
  }
  add_play(after, known);
  if (!is_any_moving) return;
  bodies.detector().detect_reached(dynamics::RigidBodies::placement(before),
                                   dynamics::RigidBodies::placement(after), bodies.sizes(),
                                   tolerance::kLateOverlap, still_, has_persistent_, overlaps_);

  const auto note = [&](const collision::Contact& overlap, Real way, Overlap& worst) {
    const Real share = -overlap.gap / bodies.size(overlap);
    if (way < worst.way || (way == worst.way && share > worst.share))
      worst = {-overlap.gap, share, way, overlap};
  };
  // What is as deep as it was before the step is not made by it, and what was carried is no new
  // contact while the step may be certified with it.
  std::erase_if(overlaps_, [&](const collision::ReachedContact& reached) {
    const collision::Contact& overlap = reached.contact;
    if (bodies.is_compliant(overlap) && reached.share == 1) return true;
    const auto by_pair = [](const auto& one, const auto& other) {
      return std::tuple(one.a, one.b) < std::tuple(other.a, other.b);
    };
    const auto [first, last] = std::equal_range(known.begin(), known.end(), overlap, by_pair);
    Real earlier = 0;
    const auto [first_replaced, last_replaced] =
        std::equal_range(replaced_.begin(), replaced_.end(), overlap, by_pair);
    const auto is_of_shapes = [](const collision::Contact& contact) {
      return !dynamics::JointPlay::has(contact.feature);
    };
    for (auto contact = first_replaced; contact != last_replaced; ++contact)
      earlier = std::min(earlier, contact->gap);
    bool is_carried = false;
    for (auto contact = first; contact != last; ++contact) {
      if (!is_late(*contact) && is_of_shapes(*contact)) earlier = std::min(earlier, contact->gap);
      is_carried = is_carried || (!carried.empty() && carried[contact - known.begin()] != 0 &&
                                  is_same(*contact, overlap));
    }
    const Real size = bodies.size(overlap);
    const bool is_new = overlap.gap < earlier - tolerance::kLateOverlap * size;
    const bool is_made =
        is_new && (reached.share < 1 || earlier >= -tolerance::kMostOverlap * size);
    depth_ = std::max(depth_, -overlap.gap);

    if (is_made) made_overlaps_.push_back(reached);
    note(overlap, is_made ? reached.share : 1, is_made ? made_ : kept_);
    return !is_new ||
           (is_carried && reached.share == 1 && -overlap.gap <= tolerance::kMostOverlap * size);
  });
}

/// Joints whose play is exceeded: contacts in place of those that have about the same normal,
/// beside all others.
void LateContacts::add_play(const model::State& after,
                            const std::vector<collision::Contact>& known) {
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  exceeded_.clear();
  if (bodies.play().is_empty()) return;
  played_.clear();
  bodies.play().add(after, {}, {}, played_);
  for (collision::Contact& contact : played_) {
    if (bodies.is_compliant(contact) ||
        contact.gap >= -tolerance::kLateOverlap * bodies.size(contact))
      continue;
    if (const Real share = -contact.gap / bodies.size(contact); share > play_.share)
      play_ = {-contact.gap, share, 1, contact};
    Index cuts = 0, nearest = -1;
    Real cosine = kSameCut;
    for (const collision::Contact& own : known) {
      if (!dynamics::JointPlay::has(own.feature) || own.a != contact.a || own.b != contact.b ||
          dynamics::JointPlay::with_cut(own.feature, 0) != contact.feature)
        continue;
      const Index cut = dynamics::JointPlay::cut(own.feature);
      cuts = std::max(cuts, cut + 1);
      if (const Real own_cosine = own.normal.dot(contact.normal); own_cosine > cosine) {
        cosine = own_cosine;
        nearest = cut;
      }
    }
    contact.feature = dynamics::JointPlay::with_cut(contact.feature, nearest >= 0 ? nearest : cuts);
    exceeded_.push_back(contact);
  }
}

std::vector<std::uint32_t> LateContacts::beyond(Real share) const {
  std::vector<std::uint32_t> bodies;
  for (const collision::ReachedContact& reached : made_overlaps_)
    if (reached.share < 1 ||
        -reached.contact.gap > share * contacts_.bodies().size(reached.contact))
      bodies.insert(bodies.end(), {reached.contact.a, reached.contact.b});
  return bodies;
}

std::string LateContacts::too_deep(bool is_left) const {
  const model::Model& model = contacts_.bodies().model();
  if (play_.share > kMostTakenBack) return overlap_after_step(contacts_.bodies(), play_.contact);
  if (made_.way < 1) return passage_in_step(model, made_.contact.a, made_.contact.b);
  if (made_.share > tolerance::kMostOverlap)
    return overlap_after_step(contacts_.bodies(), made_.contact);
  if (is_left || kept_.share <= tolerance::kMostOverlap) return "";
  return overlap_after_step(contacts_.bodies(), kept_.contact, true);
}

void LateContacts::judge(bool is_left, StepReport& report) const {
  report.max_penetration = std::max(report.max_penetration, depth_);
  const std::string why = too_deep(is_left);
  if (why.empty() || !report.is_certified()) return;
  report.status = problem::SolveStatus::stalled;
  report.detail = why;
}

bool LateContacts::add(const model::State& before, const model::State& moved) {
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  const collision::Placement start = dynamics::RigidBodies::placement(before),
                             end = dynamics::RigidBodies::placement(moved);
  const auto take_back = [&](const collision::Contact& overlap, Real share) {
    const collision::Way way({start.at(overlap.a), start.at(overlap.b)},
                             {end.at(overlap.a), end.at(overlap.b)}, bodies.is_dynamic(overlap.a),
                             bodies.is_dynamic(overlap.b));
    collision::Contact late = overlap;
    way.take_back(share, bodies.model().cell, late);
    late_.push_back(late);
  };
  if (overlaps_.empty() && exceeded_.empty()) return false;
  for (const auto& [overlap, share] : overlaps_) take_back(overlap, share);
  for (const collision::Contact& contact : exceeded_) take_back(contact, 1);
  // The newest of a name counts.
  std::reverse(late_.begin(), late_.end());
  std::stable_sort(late_.begin(), late_.end(), is_before);
  late_.erase(std::unique(late_.begin(), late_.end(), is_same), late_.end());
  return true;
}

void LateContacts::merge_into(std::vector<collision::Contact>& contacts) {
  if (late_.empty()) return;
  replaced_.clear();
  std::set_intersection(contacts.begin(), contacts.end(), late_.begin(), late_.end(),
                        std::back_inserter(replaced_), is_before);
  std::vector<collision::Contact> all = late_;  // first, so that they are kept
  all.insert(all.end(), contacts.begin(), contacts.end());
  std::stable_sort(all.begin(), all.end(), is_before);
  all.erase(std::unique(all.begin(), all.end(), is_same), all.end());
  contacts.swap(all);
}

}  // namespace talus::stepping::detail
