#pragma once

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/solve_rigid_contact.hpp>

namespace talus::driver::detail {

/// Solves a rigid contact problem without rows as one, by the solver that options name
/// (driver/solve_rigid_contact.hpp says which take which laws).
/// @param guess impulses to start from; empty: zero; may be solution.impulse.
void solve_contacts(const problem::RigidContact& problem,
                    const certify::RigidContactCertifier& certify, const Options& options,
                    const problem::ContactImpulses& guess, RigidContactSolution& solution);

}  // namespace talus::driver::detail
