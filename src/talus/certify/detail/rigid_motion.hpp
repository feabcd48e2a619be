#pragma once

#include <span>
#include <vector>

#include <talus/certify/detail/body_share.hpp>
#include <talus/certify/detail/central_residual.hpp>
#include <talus/certify/detail/rigid_islands.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::certify::detail {

/// NaN is larger than any number.
[[nodiscard]] Real larger_of(Real one, Real other);

/// How far velocities are from those that the impulses of an answer make: ‖v − velocity‖_M /
/// max(‖v‖_M, ‖v_free‖_M) of every island, spins weighted with the mass too; infinite if a body
/// that no force moves has changed.
/// @param velocity of the answer; empty: not judged, 0.
/// @param bodies in: their velocities after all impulses; out: |v| + |s| of both velocities, these
/// and the free ones, in number 7 of their rows, for the central residuals.
/// @param share each rank has the velocities of its bodies only, and gets number 7 of these;
/// collective.
/// @param ratios out: of every island; behind them the largest of a body that is in none.
/// @param kernels nothing depends on them.
void judge_motion(const problem::RigidContact& problem, const RigidIslands& islands,
                  const CentralResidualKernels& kernels,
                  std::span<const problem::BodyVelocity> velocity, const BodyShare& share,
                  std::vector<problem::BodyVelocity>& bodies, std::vector<Real>& ratios);

}  // namespace talus::certify::detail
