#include <talus/dynamics/tracked_contacts.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/parallel/executor.hpp>

namespace talus::dynamics {

using collision::Pair;
using problem::CentralBatch;
using problem::kLanes;

TrackedContacts::TrackedContacts(const RigidBodies& bodies) : bodies_(bodies) {
  const model::Model& model = bodies.model();
  for (const model::ContactLaw& law : model.laws)
    has_restitution_ = has_restitution_ || law.restitution > 0;
  for (Index i = 0; i < model.body_count(); ++i) is_movable_.push_back(bodies.is_dynamic(i));
  balls_.resize(model.bodies.size());
  plane_normal_.resize(model.bodies.size(), Vec3::Zero());
}

/// Balls that are not near enough to bear anything now.
bool TrackedContacts::is_apart(Pair pair, std::span<const Vec3> position) const {
  constexpr Real kNear = 1e-3;  // of the smaller radius
  const Real a = bodies_.ball_radius(pair.a), b = bodies_.ball_radius(pair.b);
  if (a == 0 || b == 0) return false;
  const Real distance = a + b + kNear * std::min(a, b);
  const Vec3 difference = bodies_.model().cell.nearest(position[pair.b] - position[pair.a]);
  return difference.squaredNorm() > distance * distance;
}

void TrackedContacts::rebuild(std::span<const Pair> pairs, std::span<const Vec3> position,
                              problem::RigidContact& problem,
                              std::vector<problem::ImpulseBatch>& impulse) {
  old_pairs_.swap(pairs_);
  old_slot_.swap(problem.central.slot);
  old_impulse_.swap(impulse);
  pairs_.assign(pairs.begin(), pairs.end());
  scheduled_.resize(pairs.size());
  friction_.resize(pairs.size());
  is_apart_.resize(pairs.size());
  for (std::size_t c = 0; c < pairs.size(); ++c) {
    scheduled_[c] = {pairs[c].a, pairs[c].b};
    friction_[c] = bodies_.law(pairs[c].a, pairs[c].b).friction;
    is_apart_[c] = is_apart(pairs[c], position);
  }
  bodies_.folded(position, place_);
  schedule_.build(scheduled_, place_, is_movable_, is_apart_);
  problem.lay_out_central(schedule_, scheduled_, friction_);

  impulse.assign(problem.central.batches.size(), {});
  std::size_t old = 0;
  for (std::size_t c = 0; c < pairs_.size(); ++c) {
    while (old < old_pairs_.size() && old_pairs_[old] < pairs_[c]) ++old;
    if (old == old_pairs_.size() || old_pairs_[old] != pairs_[c]) continue;
    const std::uint32_t from = old_slot_[old], to = problem.central.slot[c];
    if (from / kLanes >= old_impulse_.size()) continue;  // no step has been solved yet
    for (int k = 0; k < 3; ++k)
      impulse[to / kLanes].r[k][to % kLanes] = old_impulse_[from / kLanes].r[k][from % kLanes];
  }
  gap_.assign(kLanes * problem.central.batches.size(), std::numeric_limits<Real>::infinity());
}

void TrackedContacts::place(const model::State& state) {
  const Index count = static_cast<Index>(balls_.size());
  constexpr Index kGrain = 4096;
  parallel::for_ranges(count, kGrain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Vec3& x = state.position[i];
      balls_[i] = {x.x(), x.y(), x.z(), bodies_.ball_radius(i)};
    }
  });
  for (const Index i : bodies_.planes()) {
    const Pose X_WP = bodies_.shape_pose(i, state);
    plane_normal_[i] = X_WP.q * Vec3::UnitZ();
    balls_[i] = {X_WP.p.x(), X_WP.p.y(), X_WP.p.z(), 0};
  }
}

/// Eight pairs of balls.
template <bool is_periodic>
void TrackedContacts::refresh_batch(std::uint32_t k, const BiasLaw& law, CentralBatch& batch) {
  Real* gaps = gap_.data() + std::size_t{k} * kLanes;
  Real slop[kLanes], distance[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const Ball& a = balls_[batch.body_a[l]];
    const Ball& b = balls_[batch.body_b[l]];
    batch.normal[0][l] = b.x - a.x;
    batch.normal[1][l] = b.y - a.y;
    batch.normal[2][l] = b.z - a.z;
    gaps[l] = a.radius + b.radius;
    slop[l] = law.slop * std::min(a.radius, b.radius);
  }
  if constexpr (is_periodic) {
    const PeriodicCell& cell = bodies_.model().cell;
    for (int axis = 0; axis < 3; ++axis) {
      const Real length = cell.length()[axis], inverse_length = cell.inverse_length()[axis];
      Real(&d)[kLanes] = batch.normal[axis];
      for (int l = 0; l < kLanes; ++l) d[l] -= length * nearest_whole(d[l] * inverse_length);
    }
  }
  Real(&x)[kLanes] = batch.normal[0], (&y)[kLanes] = batch.normal[1],
  (&z)[kLanes] = batch.normal[2];
  for (int l = 0; l < kLanes; ++l) distance[l] = std::sqrt(x[l] * x[l] + y[l] * y[l] + z[l] * z[l]);
  const Real h = law.step_size, reduction = law.error_reduction;
  for (int l = 0; l < kLanes; ++l) {
    // Concentric balls have no normal; any one is right, and this one is always the same.
    const bool has_normal = distance[l] > 0;
    const Real length = has_normal ? distance[l] : 1;
    x[l] = x[l] / length;
    y[l] = y[l] / length;
    z[l] = has_normal ? z[l] / length : 1;
    const Real gap = distance[l] - gaps[l];
    gaps[l] = gap;
    batch.bias[l] = (gap > 0 ? gap : reduction * std::min(Real(0), gap + slop[l])) / h;
  }
}

/// Any contact: with a plane, with restitution, with θ < 1.
void TrackedContacts::refresh_slot(std::uint32_t slot, const model::State& state,
                                   const BiasLaw& law, problem::RigidContact& problem) {
  CentralBatch& batch = problem.central.batches[slot / kLanes];
  const std::uint32_t l = slot % kLanes;
  const std::uint32_t a = batch.body_a[l], b = batch.body_b[l];
  if (a == problem.bodies.size()) return;  // empty
  const Ball &ball_a = balls_[a], &ball_b = balls_[b];
  const Vec3 difference = bodies_.model().cell.nearest(
      Vec3(ball_b.x - ball_a.x, ball_b.y - ball_a.y, ball_b.z - ball_a.z));
  Vec3 normal;
  Real gap;
  if (ball_a.radius > 0 && ball_b.radius > 0) {
    const Real distance = difference.norm();
    normal = distance > 0 ? Vec3(difference / distance) : Vec3(Vec3::UnitZ());
    gap = distance - (ball_a.radius + ball_b.radius);
  } else {
    normal = ball_a.radius > 0 ? Vec3(-plane_normal_[b]) : plane_normal_[a];
    gap = normal.dot(difference) - (ball_a.radius + ball_b.radius);
  }
  const Real size = ball_a.radius > 0 && ball_b.radius > 0 ? std::min(ball_a.radius, ball_b.radius)
                                                           : ball_a.radius + ball_b.radius;
  Real approach = 0, free_approach = 0, restitution = 0;
  if (law.theta < 1 || has_restitution_) {  // the spin of a ball does not move its nearest point
    restitution = bodies_.law(a, b).restitution;
    approach = normal.dot(state.velocity[b] - state.velocity[a]);
    free_approach = normal.dot(problem.bodies[b].v - problem.bodies[a].v);
  }
  for (int k = 0; k < 3; ++k) batch.normal[k][l] = normal[k];
  batch.bias[l] = contact_bias(law, gap, law.slop * size, restitution, approach, free_approach);
  gap_[slot] = gap;
}

void TrackedContacts::refresh(const model::State& state, const BiasLaw& law,
                              problem::RigidContact& problem) {
  place(state);
  problem::CentralContacts& central = problem.central;
  const bool is_plain = law.theta == 1 && !has_restitution_;
  const bool is_periodic = bodies_.model().cell.is_periodic();
  tile_gap_.assign(central.tiles.size(), 0);
  parallel::for_each(static_cast<Index>(central.tiles.size()), [&](Index t) {
    const problem::Tile tile = central.tiles[t];
    const std::uint32_t first_slow = is_plain ? tile.checked : tile.first;
    for (std::uint32_t k = tile.first; k < first_slow; ++k)
      is_periodic ? refresh_batch<true>(k, law, central.batches[k])
                  : refresh_batch<false>(k, law, central.batches[k]);
    for (std::uint32_t slot = first_slow * kLanes; slot < tile.end * kLanes; ++slot)
      refresh_slot(slot, state, law, problem);
    Real smallest = 0;
    for (std::uint32_t slot = tile.first * kLanes; slot < tile.end * kLanes; ++slot)
      smallest = std::min(smallest, gap_[slot]);
    tile_gap_[t] = smallest;
  });
  max_penetration_ = 0;
  for (const Real gap : tile_gap_) max_penetration_ = std::max(max_penetration_, -gap);
}

Vec3 TrackedContacts::point(const problem::CentralContacts& contacts, Index contact) const {
  const problem::CentralContact c = contacts.at(contact);
  const Ball& a = balls_[c.body_a];
  const Ball& b = balls_[c.body_b];
  const Real half = gap(contacts, contact) / 2;
  if (a.radius > 0) return Vec3(a.x, a.y, a.z) + (a.radius + half) * c.normal;
  return Vec3(b.x, b.y, b.z) - (b.radius + half) * c.normal;
}

}  // namespace talus::dynamics
