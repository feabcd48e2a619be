#pragma once

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/options.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/newton/rigid_newton.hpp>

namespace talus::driver::detail {

/// Solves one island with rows: by the guess, if it is an answer; by one Newton step from it; by
/// RigidNewton from there, from uniform pressures, and along the path of slowly falling α, each
/// until the certificate of the island meets the tolerance; machines among many grains by
/// JointedNsgs before it. A problem with central contacts, polygons or maximum dissipation is
/// unsupported, and one with moments of contacts under another law than Coulomb's.
/// @param certify of the problem. @param newton which keeps the pattern of this island from step to
/// step. @param solution in: the guess as its impulse; out: the answer with its velocities, its
/// certificate and the solver's report; who is unanswered is the caller's to say.
void solve_jointed_island(const problem::RigidContact& problem,
                          const certify::RigidContactCertifier& certify, const Options& options,
                          solve::RigidNewton& newton, RigidContactSolution& solution);

}  // namespace talus::driver::detail
