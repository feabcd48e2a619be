#include <talus/certify/detail/rigid_islands.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <talus/base/disjoint_sets.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::certify::detail {
namespace {

using problem::BodyVelocity;
using problem::GeneralContact;
using problem::RigidContact;

constexpr Index kDemandsPerPiece = 256;

/// What a central contact has to answer; its island is filled in later.
Demand central_demand(const RigidContact& problem, Index c) {
  const problem::CentralContact contact = problem.central.at(c);
  const BodyVelocity& a = problem.bodies[contact.body_a];
  const BodyVelocity& b = problem.bodies[contact.body_b];
  const Vec3& n = contact.normal;
  const Vec3 speed = b.v - a.v + contact.arm * n.cross(a.s + b.s) + contact.bias * n;
  const Real trace = 3 * (a.inverse_mass + b.inverse_mass) +
                     2 * contact.arm * contact.arm * (a.inverse_inertia + b.inverse_inertia);
  return {0, std::max(Real(0), -speed.dot(n)), speed.norm(), 3 / trace, problem.force_speed};
}

/// The same of a general contact; cohesion holds what would open more slowly than it can pull.
Demand general_demand(const RigidContact& problem, Index c) {
  const GeneralContact& contact = problem.general[c];
  Vec3 speed = relative_velocity(contact, problem.bodies);
  const Real rho = 3 / block_trace(problem, contact);
  Real held = 0;
  if (!problem.resistance.empty()) {
    const problem::Resistance& resistance = problem.resistance[c];
    held = resistance.cohesion / rho;
    if (!resistance.compliance.isZero(0))
      speed = felt_share(block(problem, contact), contact.normal, resistance.compliance) * speed;
  }
  const Real normal = speed.dot(contact.normal);
  return {0, std::max(-normal, std::min(normal, held)), speed.norm(), rho, problem.force_speed};
}

/// The same of a row.
Demand row_demand_of(const RigidContact& problem, Index row) {
  const Real rate = problem::row_rate(problem, row, problem.bodies);
  const Real rho = row_rho(problem, row);
  return {0, row_demand(problem, row, rho, rate), std::abs(rate), rho, problem.force_speed};
}

}  // namespace

Vec3 relative_velocity(const GeneralContact& contact, const std::vector<BodyVelocity>& bodies) {
  const BodyVelocity& a = bodies[contact.body_a];
  const BodyVelocity& b = bodies[contact.body_b];
  return b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a) +
         contact.bias * contact.normal;
}

// tr(−[a]ₓ S [a]ₓ) = ‖a‖² tr S − a·S a for each side.
Real block_trace(const RigidContact& problem, const GeneralContact& contact) {
  const auto side = [&](std::uint32_t body, const Vec3& arm) {
    const Mat3& s = problem.inverse_inertia[body];
    return 3 * problem.bodies[body].inverse_mass + arm.squaredNorm() * s.trace() - arm.dot(s * arm);
  };
  return side(contact.body_a, contact.arm_a) + side(contact.body_b, contact.arm_b);
}

Mat3 block(const RigidContact& problem, const GeneralContact& contact) {
  const auto side = [&](std::uint32_t body, const Vec3& arm) {
    Mat3 turned;  // columns S (a × eᵢ); their velocities of the point are (S (a × eᵢ)) × a
    for (Index i = 0; i < 3; ++i)
      turned.col(i) = (problem.inverse_inertia[body] * arm.cross(Vec3::Unit(i))).cross(arm);
    turned.diagonal().array() += problem.bodies[body].inverse_mass;
    return turned;
  };
  return side(contact.body_a, contact.arm_a) + side(contact.body_b, contact.arm_b);
}

Mat3 felt_share(const Mat3& block, const Vec3& n, const Mat3& compliance) {
  const Real along = n.dot(block * n), across = (block.trace() - along) / 2;
  const Mat3 on_normal = n * n.transpose();
  const Mat3 inverse = on_normal / along + (Mat3::Identity() - on_normal) / across;
  return (Mat3::Identity() + inverse * compliance).inverse();
}

Real row_rho(const RigidContact& problem, Index row) {
  const Real inverse = problem.rows.compliance[row] + problem::row_block(problem, row);
  return inverse > 0 ? 1 / inverse : Real(0);
}

Real row_demand(const RigidContact& problem, Index row, Real rho, Real rate) {
  const bool acts = rate < 0 ? problem.rows.upper[row] > 0 : problem.rows.lower[row] < 0;
  if (rho == 0) return acts ? std::abs(rate) : Real(0);
  return std::abs(problem.rows.clamped(row, -rho * rate)) / rho;
}

void SlotNumbers::assign(Index slots, Real value) {
  Batch batch;
  std::fill(std::begin(batch.of), std::end(batch.of), value);
  batches_.assign(slots / problem::kLanes + 1, batch);
}

RigidIslands::RigidIslands(const RigidContact& problem)
    : problem_(problem),
      first_general_(static_cast<Index>(problem.central.batches.size() * problem::kLanes)) {
  const Index contacts = problem.contact_count(), central = problem.central.size();
  const Index count = contacts + problem.rows.size();
  const auto is_movable = [&](std::uint32_t body) { return problem.bodies[body].inverse_mass > 0; };
  const auto for_each_body = [&](Index c, auto&& f) {
    if (c >= contacts) {
      problem.rows.for_each_part(c - contacts, [&](const problem::RowPart& of) { f(of.body); });
    } else if (c >= central) {
      f(problem.general[c - central].body_a);
      f(problem.general[c - central].body_b);
    } else {
      const std::uint32_t slot = problem.central.slot[c];
      const problem::CentralBatch& batch = problem.central.batches[slot / problem::kLanes];
      f(batch.body_a[slot % problem::kLanes]);
      f(batch.body_b[slot % problem::kLanes]);
    }
  };
  std::vector<Demand> demands(count);
  parallel::for_ranges(count, kDemandsPerPiece, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      demands[c] = c < central    ? central_demand(problem, c)
                   : c < contacts ? general_demand(problem, c - central)
                                  : row_demand_of(problem, c - contacts);
  });

  DisjointSets joined(static_cast<Index>(problem.bodies.size()));
  std::vector<std::uint32_t> owner(count, 0);  // a movable body of each, or any if there is none
  for (Index c = 0; c < count; ++c) {
    bool is_owned = false;
    for_each_body(c, [&](std::uint32_t body) {
      if (is_owned && is_movable(body)) joined.join(owner[c], body);
      if (!is_owned) owner[c] = body;
      is_owned = is_owned || is_movable(body);
    });
  }
  constexpr std::int32_t kNone = -1;
  Index islands = 0;
  std::vector<std::int32_t> number(problem.bodies.size(), kNone);  // of the set of a root
  for (Index c = 0; c < count; ++c) {
    std::int32_t& own = number[joined.root(owner[c])];
    if (own == kNone) own = static_cast<std::int32_t>(islands++);
    demands[c].island = own;
  }
  is_idle_.assign(std::max<Index>(islands, 1), 1);
  for (const Demand& demand : demands)
    if (!(demand.approach <= 0)) is_idle_[demand.island] = 0;
  body_island_.assign(problem.bodies.size(), kNone);
  for (std::uint32_t i = 0; i < body_island_.size(); ++i)
    if (is_movable(i)) body_island_[i] = number[joined.root(i)];

  const std::vector<Real> scales = velocity_scales(islands, demands);
  const Index slots = first_general_ + count - central;
  scale_.assign(slots, 1);
  island_.assign(slots, 0);
  std::vector<Real> speed(problem.bodies.size(), 0);  // largest V of a body's contacts
  for (Index c = 0; c < count; ++c) {
    const Index slot = slot_of(c);
    scale_.data()[slot] = scales[c];
    island_[slot] = static_cast<std::uint32_t>(demands[c].island);
    for_each_body(c, [&](std::uint32_t body) { speed[body] = std::max(speed[body], scales[c]); });
  }
  stake_.assign(std::max<Index>(islands, 1), 0);  // empty slots are of island 0
  for (std::size_t i = 0; i < speed.size(); ++i)
    if (body_island_[i] != kNone)
      stake_[body_island_[i]] += speed[i] * speed[i] / problem.bodies[i].inverse_mass;
}

}  // namespace talus::certify::detail
