#include <talus/certify/detail/rigid_islands.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <talus/certify/detail/central_residual.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::certify::detail {
namespace {

using problem::BodyVelocity;
using problem::GeneralContact;
using problem::RigidContact;

constexpr Index kDemandsPerPiece = 256;

/// What a contact or row has to answer, as Demand has it.
struct OwnDemand {
  Real approach = 0, speed2 = 0, rho = 0;
};

/// Of a general contact; cohesion holds what would open more slowly than it can pull.
OwnDemand general_demand(const RigidContact& problem, Index c) {
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
  return {std::max(-normal, std::min(normal, held)), speed.squaredNorm(), rho};
}

/// The same of a row.
OwnDemand row_demand_of(const RigidContact& problem, Index row) {
  const Real rate = problem::row_rate(problem, row, problem.bodies);
  const Real rho = row_rho(problem, row);
  return {row_demand(problem, row, rho, rate), rate * rate, rho};
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

RigidIslands::RigidIslands(const RigidContact& problem, Simd simd)
    : problem_(problem),
      contacts_(ContactIslands::of(problem)),
      first_general_(static_cast<Index>(problem.central.batches.size() * problem::kLanes)) {
  SlotNumbers speed2;
  for (SlotNumbers* numbers : {&rho_, &inverse_scale_, &speed2}) numbers->assign(slot_count(), 0);
  find_demands(simd, speed2);

  std::vector<IslandDemand> islands(std::max<Index>(contacts_->count(), 1));
  is_idle_.assign(islands.size(), 1);
  for_each_run([&](std::uint32_t island, Index begin, Index end) {
    const Real *approach = inverse_scale_.data(), *rho = rho_.data(), *b2 = speed2.data();
    IslandDemand sum = islands[island];
    bool is_idle = true;
    for (Index slot = begin; slot < end; ++slot) {
      sum.add(approach[slot], b2[slot], rho[slot]);
      is_idle = is_idle && approach[slot] <= 0;
    }
    islands[island] = sum;
    if (!is_idle) is_idle_[island] = 0;
  });
  for (Index slot = 0; slot < first_general_; ++slot) central_free2_ += speed2[slot];
  for (const IslandDemand& island : islands)
    least_.push_back(island.least_scale(problem.force_speed));
  find_scales();
}

/// ρ, ‖b‖² and, in the place of 1/V, the approach of every slot.
void RigidIslands::find_demands(Simd simd, SlotNumbers& speed2) {
  const CentralDemands data{problem_.central.batches.data(),
                            reinterpret_cast<const double*>(problem_.bodies.data()),
                            static_cast<std::uint32_t>(problem_.bodies.size()),
                            rho_.data(),
                            inverse_scale_.data(),
                            speed2.data()};
  const CentralResidualKernels& kernels = central_residual_kernels(simd);
  parallel::for_each(static_cast<Index>(problem_.central.tiles.size()),
                     [&](Index t) { kernels.demands(data, problem_.central.tiles[t]); });
  const auto general = static_cast<Index>(problem_.general.size());
  parallel::for_ranges(
      slot_count() - first_general_, kDemandsPerPiece, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          const OwnDemand own =
              i < general ? general_demand(problem_, i) : row_demand_of(problem_, i - general);
          const Index slot = first_general_ + i;
          rho_.data()[slot] = own.rho;
          inverse_scale_.data()[slot] = own.approach;
          speed2.data()[slot] = own.speed2;
        }
      });
}

/// V from the approaches, and what is at stake: V of a body is the largest of its contacts.
void RigidIslands::find_scales() {
  const std::vector<std::int32_t>& island_of_body = contacts_->of_body();
  std::vector<Real> speed(island_of_body.size(), 0);
  for (std::size_t i = 0; i < speed.size(); ++i)
    if (island_of_body[i] >= 0) speed[i] = least_[island_of_body[i]];
  const auto raise = [&](std::uint32_t body, Real scale) {
    speed[body] = std::max(speed[body], scale);
  };
  const Index general = static_cast<Index>(problem_.general.size());
  const auto raise_bodies = [&](Index slot, Real scale) {
    if (slot < first_general_) {
      const problem::CentralBatch& batch = problem_.central.batches[slot / problem::kLanes];
      raise(batch.body_a[slot % problem::kLanes], scale);
      raise(batch.body_b[slot % problem::kLanes], scale);
    } else if (slot < first_general_ + general) {
      const GeneralContact& contact = problem_.general[slot - first_general_];
      raise(contact.body_a, scale);
      raise(contact.body_b, scale);
    } else {
      problem_.rows.for_each_part(slot - first_general_ - general,
                                  [&](const problem::RowPart& of) { raise(of.body, scale); });
    }
  };
  Real* number = inverse_scale_.data();
  for_each_run([&](std::uint32_t island, Index begin, Index end) {
    const Real least = least_[island], inverse = 1 / least;
    for (Index slot = begin; slot < end; ++slot) {
      const Real approach = number[slot];
      if (approach <= least) {
        number[slot] = inverse;
      } else {
        raise_bodies(slot, approach);
        number[slot] = 1 / approach;
      }
    }
  });
  stake_.assign(least_.size(), 0);
  for (std::size_t i = 0; i < speed.size(); ++i)
    if (island_of_body[i] >= 0)
      stake_[island_of_body[i]] += speed[i] * speed[i] / problem_.bodies[i].inverse_mass;
}

}  // namespace talus::certify::detail
