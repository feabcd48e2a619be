#pragma once

#include <talus/driver/solve_rigid_contact.hpp>

namespace talus::driver::detail {

/// Solves a rigid contact problem with rows, island by island: those with rows by RigidNewton, from
/// the guess, from uniform pressures, and along the path of slowly falling α, each until the
/// certificate of the island meets the tolerance, machines among many grains by JointedNsgs before
/// it; what no joint holds by solve(). Arguments as
/// there. A problem with central contacts, polygons or maximum dissipation is unsupported, and one
/// with moments of contacts under another law than Coulomb's.
void solve_jointed(const problem::RigidContact& problem, const Options& options,
                   const problem::ContactImpulses& guess, RigidContactSolution& solution);

}  // namespace talus::driver::detail
