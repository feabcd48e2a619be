#include <talus/dynamics/persistent_contacts.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>

#include <talus/distribute/deal.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>
#include <talus/parallel/shared_sets.hpp>

namespace talus::dynamics {

using collision::Pair;
using problem::CentralBatch;
using problem::kLanes;

namespace {

constexpr Index kPairsPerPiece = 4096;
constexpr Real kGuard = 2;  // ways: how fast balls that pass may close all the same

/// Smallest distance from the origin of a point that goes from x to x + way.
Real least_distance(const Vec3& x, const Vec3& way) {
  const Real length2 = way.squaredNorm();
  const Real time = length2 > 0 ? std::clamp(-x.dot(way) / length2, Real(0), Real(1)) : Real(0);
  return (x + time * way).norm();
}

}  // namespace

PersistentContacts::PersistentContacts(const RigidBodies& bodies) : bodies_(bodies) {
  const model::Model& model = bodies.model();
  for (const model::InterfaceLaw& law : model.laws)
    has_restitution_ = has_restitution_ || law.impact.restitution > 0;
  for (Index i = 0; i < model.body_count(); ++i) is_movable_.push_back(bodies.is_dynamic(i));
  balls_.resize(model.bodies.size());
  plane_normal_.resize(model.bodies.size(), Vec3::Zero());
}

bool is_late(const RigidBodies& bodies, Pair pair, std::span<const Vec3> position) {
  constexpr Real kNearlyClosed = 1e-3;  // of the smaller radius
  const Real a = bodies.ball_radius(pair.a), b = bodies.ball_radius(pair.b);
  if (a == 0 || b == 0) return false;
  const Real distance = a + b + kNearlyClosed * std::min(a, b);
  const Vec3 difference = bodies.model().cell.nearest(position[pair.b] - position[pair.a]);
  return difference.squaredNorm() > distance * distance;
}

/// The pairs of the largest island, and all others; one part where it has less than half of them.
void PersistentContacts::find_parts() {
  const auto count = static_cast<Index>(scheduled_.size());
  parallel::SharedSets sets(std::ssize(is_movable_));
  parallel::for_ranges(count, kPairsPerPiece, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      if (const auto [a, b] = scheduled_[c]; is_movable_[a] != 0 && is_movable_[b] != 0)
        sets.join(a, b);
  });
  const auto root = [&](problem::ScheduledPair pair) {
    return sets.root(is_movable_[pair.a] != 0 ? pair.a : pair.b);
  };
  std::vector<Index> size(is_movable_.size(), 0);  // pairs of an island, by its root
  for (const problem::ScheduledPair pair : scheduled_) ++size[root(pair)];
  const auto largest = std::max_element(size.begin(), size.end());
  for (std::vector<Index>& part : parts_) part.clear();
  if (largest == size.end() || *largest == count || 2 * *largest < count) return;
  for (Index c = 0; c < count; ++c)
    parts_[Index{root(scheduled_[c])} == largest - size.begin() ? 0 : 1].push_back(c);
}

/// Lays out the central contacts, one part after the other, each as if it were alone.
void PersistentContacts::lay_out(problem::RigidContact& problem) {
  problem::CentralContacts& own = problem.central;
  find_parts();
  first_colours_ = 0;
  if (parts_[0].empty()) {
    schedule_.build(scheduled_, own.place, is_movable_, own.is_late);
    problem.lay_out_central(schedule_, scheduled_, friction_);
    return;
  }
  problem::CentralContacts all;
  all.slot.resize(scheduled_.size());
  all.colours = {0};
  for (const std::vector<Index>& part : parts_) {
    part_pairs_.clear();
    part_friction_.clear();
    part_is_late_.clear();
    for (const Index c : part) {
      part_pairs_.push_back(scheduled_[c]);
      part_friction_.push_back(friction_[c]);
      part_is_late_.push_back(own.is_late[c]);
    }
    schedule_.build(part_pairs_, own.place, is_movable_, part_is_late_);
    problem.lay_out_central(schedule_, part_pairs_, part_friction_);
    const auto batches = static_cast<std::uint32_t>(all.batches.size());
    const auto tiles = static_cast<std::uint32_t>(all.tiles.size());
    all.batches.insert(all.batches.end(), own.batches.begin(), own.batches.end());
    for (std::size_t k = 0; k < part.size(); ++k)
      all.slot[part[k]] = own.slot[k] + kLanes * batches;
    for (const problem::Tile tile : own.tiles)
      all.tiles.push_back({tile.first + batches, tile.checked + batches, tile.end + batches});
    for (std::size_t k = 1; k < own.colours.size(); ++k)
      all.colours.push_back(own.colours[k] + tiles);
    if (first_colours_ == 0) first_colours_ = std::ssize(all.colours) - 1;
  }
  own.batches.swap(all.batches);
  own.slot.swap(all.slot);
  own.tiles.swap(all.tiles);
  own.colours.swap(all.colours);
}

void PersistentContacts::rebuild(std::span<const Pair> pairs, std::span<const Vec3> position,
                                 problem::RigidContact& problem,
                                 std::vector<problem::ImpulseBatch>& impulse) {
  old_pairs_.swap(pairs_);
  old_slot_.swap(problem.central.slot);
  old_impulse_.swap(impulse);
  parallel::assign(pairs, pairs_);
  scheduled_.resize(pairs.size());
  friction_.resize(pairs.size());
  std::vector<unsigned char>& late = problem.central.is_late;
  late.resize(pairs.size());
  const auto count = static_cast<Index>(pairs.size());
  parallel::for_ranges(count, kPairsPerPiece, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) scheduled_[c] = {pairs[c].a, pairs[c].b};
  });
  distribute::write_items(std::span(friction_), kPairsPerPiece, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      friction_[c] = bodies_.law(pairs[c].a, pairs[c].b).friction.coefficient;
  });
  distribute::write_items(std::span(late), kPairsPerPiece, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) late[c] = is_late(bodies_, pairs[c], position) ? 1 : 0;
  });
  bodies_.folded(position, problem.central.place);
  lay_out(problem);
  impulse.resize(problem.central.batches.size());
  take_impulses(problem.central.slot, impulse);

  const std::size_t slots = kLanes * problem.central.batches.size();
  turning_.resize(slots);
  gap_.resize(slots);
  parallel::for_ranges(static_cast<Index>(slots), kPairsPerPiece, [&](Index begin, Index end) {
    for (Index slot = begin; slot < end; ++slot) {
      const CentralBatch& batch = problem.central.batches[slot / kLanes];
      const Index l = slot % kLanes;
      turning_[slot] = 1 / batch.inverse_tangential[l] - 1 / batch.inverse_normal[l];  // α is 1
      gap_[slot] = std::numeric_limits<Real>::infinity();
    }
  });
  returned_.clear();
  passing_.clear();
}

/// Impulses of pairs that were there before, in the old slots, into the new ones; 0 of others.
void PersistentContacts::take_impulses(std::span<const std::uint32_t> slot,
                                       std::vector<problem::ImpulseBatch>& impulse) const {
  parallel::fill(impulse, {});
  const auto count = static_cast<Index>(pairs_.size());
  const auto key = [](Pair pair) { return std::uint64_t{pair.a} << 32 | pair.b; };  // rises as they
  parallel::for_ranges(count, kPairsPerPiece, [&](Index begin, Index end) {
    auto old = std::lower_bound(old_pairs_.begin(), old_pairs_.end(), pairs_[begin]);
    for (Index c = begin; c < end; ++c) {
      const std::uint64_t own = key(pairs_[c]);
      while (old != old_pairs_.end() && key(*old) < own) ++old;
      if (old == old_pairs_.end()) return;
      if (key(*old) != own) continue;
      const std::uint32_t from = old_slot_[static_cast<std::size_t>(old - old_pairs_.begin())];
      if (from / kLanes >= old_impulse_.size()) continue;  // no step has been solved yet
      for (int k = 0; k < 3; ++k)
        impulse[slot[c] / kLanes].r[k][slot[c] % kLanes] =
            old_impulse_[from / kLanes].r[k][from % kLanes];
    }
  });
}

void PersistentContacts::place(const model::State& state, const BiasLaw& law,
                               const problem::RigidContact& problem) {
  std::atomic<bool> is_any_fast = false;
  // Balls that pass at a speed w are held back by at most w² h/(2 (r_A + r_B)), and w is at most
  // twice the larger speed: below h g slower ones need no look.
  const Index count = static_cast<Index>(balls_.size());
  constexpr Index kGrain = 4096;
  const auto place_range = [&](Index begin, Index end) {
    bool is_fast = false;
    for (Index i = begin; i < end; ++i) {
      const Vec3& x = state.position[i];
      const Real radius = bodies_.ball_radius(i);
      const Real slow2 = problem.force_speed * radius / (2 * law.step_size);  // squared
      is_fast =
          is_fast || (radius > 0 && (problem.bodies[i].v.squaredNorm() > slow2 ||
                                     (law.theta < 1 && state.velocity[i].squaredNorm() > slow2)));
      balls_[i] = {x.x(), x.y(), x.z(), bodies_.ball_radius(i)};
    }
    if (is_fast) is_any_fast = true;
  };
  if (state.deal != nullptr)
    state.deal->for_here(place_range);
  else
    parallel::for_ranges(count, kGrain, place_range);
  is_any_fast_ = is_any_fast;
  for (const Index i : bodies_.planes()) {
    const Pose X_WP = bodies_.shape_pose(i, state);
    plane_normal_[i] = X_WP.q * Vec3::UnitZ();
    balls_[i] = {X_WP.p.x(), X_WP.p.y(), X_WP.p.z(), 0};
  }
}

/// What contacts are written from.
detail::BallContacts PersistentContacts::balls(const BiasLaw& law, CentralBatch* batches) {
  static_assert(sizeof(Ball) == 4 * sizeof(Real) && sizeof(Vec3) == 3 * sizeof(Real));
  const PeriodicCell& cell = bodies_.model().cell;
  detail::BallContacts data{batches,
                            reinterpret_cast<const Real*>(balls_.data()),
                            reinterpret_cast<const Real*>(plane_normal_.data()),
                            static_cast<std::uint32_t>(balls_.size()),
                            turning_.data(),
                            gap_.data(),
                            law.step_size,
                            law.slop,
                            cell.is_periodic(),
                            {},
                            {}};
  for (int axis = 0; data.is_periodic && axis < 3; ++axis) {
    data.length[axis] = cell.length()[axis];
    data.inverse_length[axis] = cell.inverse_length()[axis];
  }
  return data;
}

/// A contact with restitution or θ < 1; the arm rounded as refresh_balls() does it.
void PersistentContacts::refresh_slot(std::uint32_t slot, const model::State& state,
                                      const BiasLaw& law, problem::RigidContact& problem,
                                      Depth& deepest) {
  CentralBatch& batch = problem.central.batches[slot / kLanes];
  const std::uint32_t l = slot % kLanes;
  const std::uint32_t a = batch.body_a[l], b = batch.body_b[l];
  if (a == problem.bodies.size()) return;  // empty
  const Ball &ball_a = balls_[a], &ball_b = balls_[b];
  const Vec3 difference = bodies_.model().cell.nearest(
      Vec3(ball_b.x - ball_a.x, ball_b.y - ball_a.y, ball_b.z - ball_a.z));
  Vec3 normal, arm;
  Real gap, alpha = 1;
  if (const Real reach = ball_a.radius + ball_b.radius; ball_a.radius > 0 && ball_b.radius > 0) {
    const Real x = difference.x(), y = difference.y(), z = difference.z();
    const Real distance = std::sqrt(x * x + y * y + z * z);
    const bool has_arm = distance > detail::kLeastArm * reach;
    const Real scale = distance > 0 ? 1 / (has_arm ? reach : distance) : Real(0);
    if (has_arm) alpha = distance * scale;
    normal = distance > 0 ? Vec3(difference / distance) : Vec3(Vec3::UnitZ());
    arm = distance > 0 ? Vec3(scale * difference) : normal;
    gap = distance - reach;
  } else {
    arm = normal = ball_a.radius > 0 ? Vec3(-plane_normal_[b]) : plane_normal_[a];
    gap = normal.dot(difference) - reach;
  }
  const Real size = ball_a.radius > 0 && ball_b.radius > 0 ? std::min(ball_a.radius, ball_b.radius)
                                                           : ball_a.radius + ball_b.radius;
  Real approach = 0, free_approach = 0, restitution = 0;
  if (law.theta < 1 || has_restitution_) {  // the spin of a ball does not move its nearest point
    restitution = bodies_.law(a, b).impact.restitution;
    approach = normal.dot(state.velocity[b] - state.velocity[a]);
    free_approach = normal.dot(problem.bodies[b].v - problem.bodies[a].v);
  }
  const Real inverse = 1 / alpha;
  for (int k = 0; k < 3; ++k) batch.arm[k][l] = arm[k];
  batch.inverse_arm2[l] = inverse * inverse;
  batch.inverse_tangential[l] =
      1 / (1 / batch.inverse_normal[l] + static_cast<float>(alpha * alpha) * turning_[slot]);
  batch.bias[l] = contact_bias(law, gap, restitution, approach, free_approach) * inverse;
  gap_[slot] = gap;
  deepest.penetration = std::max(deepest.penetration, -gap);
  deepest.excess = std::max(deepest.excess, -(gap + law.slop * size));
}

/// How far B goes against A in a step [m].
Vec3 PersistentContacts::way(std::uint32_t slot, const model::State& state, const BiasLaw& law,
                             const problem::RigidContact& problem,
                             std::span<const problem::BodyVelocity> velocity) const {
  const CentralBatch& batch = problem.central.batches[slot / kLanes];
  const std::uint32_t a = batch.body_a[slot % kLanes], b = batch.body_b[slot % kLanes];
  const Vec3 at_end = velocity[b].v - velocity[a].v;
  if (law.theta == 1) return law.step_size * at_end;
  return law.step_size *
         ((1 - law.theta) * (state.velocity[b] - state.velocity[a]) + law.theta * at_end);
}

/// The bias of balls that pass is one that they do not notice. Ranks look at tiles in turn: few
/// pass.
void PersistentContacts::leave_alone(const model::State& state, const BiasLaw& law,
                                     problem::RigidContact& problem) {
  passing_.clear();
  if (!is_any_fast_ || !may_pass_) return;
  const std::vector<problem::Tile>& tiles = problem.central.tiles;
  if (tile_passing_.size() < tiles.size()) tile_passing_.resize(tiles.size());
  const auto lists = std::span(tile_passing_).first(tiles.size());
  const auto look_at = [&](Index t, std::vector<Passing>& passing) {
    add_passing(tiles[t], state, law, problem, passing);
  };
  distribute::make_lists(lists, look_at, distribute::DealBy::in_turn);
  for (const std::vector<Passing>& list : lists)
    for (const auto [bias, slot] : list) {
      passing_.push_back(slot);
      problem.central.batches[slot / kLanes].bias[slot % kLanes] = bias;
    }
}

void PersistentContacts::add_passing(problem::Tile tile, const model::State& state,
                                     const BiasLaw& law, const problem::RigidContact& problem,
                                     std::vector<Passing>& passing) const {
  for (std::uint32_t slot = tile.first * kLanes; slot < tile.end * kLanes; ++slot) {
    const CentralBatch& batch = problem.central.batches[slot / kLanes];
    const std::uint32_t l = slot % kLanes, a = batch.body_a[l], b = batch.body_b[l];
    if (a == problem.bodies.size() || !(gap_[slot] > 0)) continue;
    const Real reach = balls_[a].radius + balls_[b].radius;
    if (balls_[a].radius == 0 || balls_[b].radius == 0) continue;
    const Vec3 moves = way(slot, state, law, problem, problem.bodies);
    const Vec3 apart = reach * Vec3(batch.arm[0][l], batch.arm[1][l], batch.arm[2][l]);
    const Real held_back = -(gap_[slot] + moves.dot(apart) / apart.norm());
    if (held_back <= law.step_size * problem.force_speed) continue;
    if (least_distance(apart, moves) <= reach ||
        std::binary_search(returned_.begin(), returned_.end(), slot))
      continue;
    passing.push_back(
        {(gap_[slot] + kGuard * moves.norm()) / (law.theta * law.step_size) * reach / apart.norm(),
         slot});
  }
}

bool PersistentContacts::has_met(const model::State& state, const BiasLaw& law,
                                 const problem::RigidContact& problem,
                                 std::span<const problem::BodyVelocity> velocity) {
  constexpr Real kRounding = 1e-12;
  if (!is_any_fast_ || !may_pass_) return false;
  const auto has_met_in = [&](std::uint32_t slot) {
    const CentralBatch& batch = problem.central.batches[slot / kLanes];
    const std::uint32_t l = slot % kLanes;
    const Real reach = balls_[batch.body_a[l]].radius + balls_[batch.body_b[l]].radius;
    const Vec3 apart = reach * Vec3(batch.arm[0][l], batch.arm[1][l], batch.arm[2][l]);
    return least_distance(apart, way(slot, state, law, problem, velocity)) <
           (1 - kRounding) * reach;
  };
  const std::size_t before = returned_.size();
  std::copy_if(passing_.begin(), passing_.end(), std::back_inserter(returned_), has_met_in);
  if (returned_.size() == before) return false;
  if (before > 0) may_pass_ = false;
  std::sort(returned_.begin(), returned_.end());
  return true;
}

void PersistentContacts::refresh(const model::State& state, const BiasLaw& law,
                                 problem::RigidContact& problem) {
  place(state, law, problem);
  problem::CentralContacts& central = problem.central;
  const bool is_plain = law.theta == 1 && !has_restitution_;
  const detail::RefreshBalls refresh_balls = detail::refresh_balls(best_simd());
  const detail::BallContacts data = balls(law, central.batches.data());
  tile_depth_.assign(central.tiles.size(), {});
  const auto refresh_tile = [&](Index t) {
    const problem::Tile tile = central.tiles[t];
    Depth& depth = tile_depth_[t];
    if (is_plain) {
      detail::LeastGaps least;
      refresh_balls(data, tile, least);
      for (int l = 0; l < kLanes; ++l)
        depth = {std::max(depth.penetration, -least.gap[l]),
                 std::max(depth.excess, -least.with_slop[l])};
    } else {
      for (std::uint32_t slot = tile.first * kLanes; slot < tile.end * kLanes; ++slot)
        refresh_slot(slot, state, law, problem, depth);
    }
  };
  if (state.deal != nullptr) {
    const std::span<const std::uint32_t> own = state.deal->own_tiles();
    const auto dealt = static_cast<Index>(state.deal->plan().tile_count());
    const Index count = std::ssize(own);
    parallel::for_each(count + std::ssize(central.tiles) - dealt, [&](Index i) {
      refresh_tile(i < count ? Index{own[i]} : dealt + i - count);
    });
    passing_.clear();
  } else {
    parallel::for_each(static_cast<Index>(central.tiles.size()), refresh_tile);
    leave_alone(state, law, problem);
  }
  deepest_ = {};
  for (const Depth& depth : tile_depth_)
    deepest_ = {std::max(deepest_.penetration, depth.penetration),
                std::max(deepest_.excess, depth.excess)};
}

Vec3 PersistentContacts::point(const problem::CentralContacts& contacts, Index contact) const {
  const problem::CentralContact c = contacts.at(contact);
  const Ball& a = balls_[c.body_a];
  const Ball& b = balls_[c.body_b];
  // Where the arms end.
  if (a.radius > 0) return Vec3(a.x, a.y, a.z) + c.arm * a.radius * c.normal;
  return Vec3(b.x, b.y, b.z) - c.arm * b.radius * c.normal;
}

}  // namespace talus::dynamics
