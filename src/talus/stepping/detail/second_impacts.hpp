#pragma once

#include <span>

#include <talus/collision/contact.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/laws/step_laws.hpp>
#include <talus/stepping/detail/middle_contacts.hpp>

namespace talus::stepping::detail {

// Second impacts: contacts with restitution that other impacts of the step strike. They did not
// close at the velocities before it, so that Newton's law has nothing to give back there.

/// Whether an impulse is an impact, no weight and no error of the solver: it changes a relative
/// velocity by more than ten steps of gravity and ten tolerances of the speeds about. Velocities in
/// m/s.
[[nodiscard]] bool is_impact(Real change, Real force_speed, Real speed, Real tolerance);

/// How many there are among the contacts of a problem in space.
/// @param pairs of its contacts. @param general its general contacts as they were found. @param
/// turns what biases have for the turning of rows; empty: 0. @param tolerance of the solver [-].
[[nodiscard]] Index second_impacts(const problem::RigidContact& problem,
                                   const driver::RigidContactSolution& solution,
                                   const dynamics::RigidBodies& bodies,
                                   std::span<const collision::Pair> pairs,
                                   std::span<const collision::Contact> general,
                                   std::span<const ContactTurn> turns, Real tolerance);

/// The same of a planar step. @param force_speed what forces change velocities by [m/s]. @param
/// speed the largest about [m/s]. @param tolerance of the solver [-].
[[nodiscard]] Index second_impacts(const laws::StepProblem& problem,
                                   const laws::StepImpulses& answer, Real force_speed, Real speed,
                                   Real tolerance);

}  // namespace talus::stepping::detail
