#pragma once

#include <span>

#include <talus/base/types.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::driver::detail {

/// Errors of a step kick bodies that rest: at a loose tolerance a stack rocks by them for ever,
/// each step a harder problem than the last, and creeps. Solved to this natural map in every step
/// it comes to rest, and takes fewer sweeps in all (bench/README.md, "Bodies that rest").
constexpr Real kRestTolerance = 1e-5;

/// How many sweeps a step may take for that, over those that the tolerance asked for.
constexpr Index kRestPatience = 100;

/// Whether the bodies of a problem are nearly at rest with velocities of its answer:
///   Σ m (‖v‖² + ‖s‖²) ≤ 0.3² Σ m (h a)²,
/// sums over the movable bodies on which impulses act, so that bodies elsewhere do not matter; h a
/// the force speed. Balls alone rest at any tolerance: false without general contacts.
[[nodiscard]] bool is_nearly_at_rest(const problem::RigidContact& problem,
                                     std::span<const problem::BodyVelocity> velocity);

}  // namespace talus::driver::detail
