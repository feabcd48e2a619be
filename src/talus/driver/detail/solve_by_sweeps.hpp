#pragma once

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/solve_rigid_contact.hpp>

namespace talus::driver::detail {

/// Solves a rigid contact problem without rows by nonsmooth Gauss–Seidel sweeps on the bodies'
/// velocities, to options.tolerance and, where the bodies are nearly at rest, on to kRestTolerance
/// (detail/rest.hpp).
/// @param guess impulses to start from; empty: zero; may be solution.impulse.
void solve_by_sweeps(const problem::RigidContact& problem,
                     const certify::RigidContactCertifier& certify, const Options& options,
                     const problem::ContactImpulses& guess, RigidContactSolution& solution);

/// Whether sweeps ended without an answer that more of them might give.
[[nodiscard]] bool gave_up(const problem::SolveReport& report);

/// What a sweep costs, in block products of a factorisation: about one per contact of balls, four
/// per other contact.
[[nodiscard]] double sweep_cost(const problem::RigidContact& problem);

}  // namespace talus::driver::detail
