#pragma once

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/detail/solve_by_sweeps.hpp>
#include <talus/driver/solve_rigid_contact.hpp>

namespace talus::driver::detail {

/// Solves a rigid contact problem without rows as one, by the solver that options name
/// (driver/solve_rigid_contact.hpp says which take which laws).
/// @param guess impulses to start from; empty: zero; may be solution.impulse.
void solve_contacts(const problem::RigidContact& problem,
                    const certify::RigidContactCertifier& certify, const Options& options,
                    const problem::ContactImpulses& guess, RigidContactSolution& solution);

/// The same for a problem in parts (driver::solve_in_parts) that begins with sweeps.
/// @return whether there is an answer; where not, the solution has none.
[[nodiscard]] bool solve_contacts_in_parts(const problem::RigidContact& problem,
                                           const certify::RigidContactCertifier& certify,
                                           const Options& options,
                                           const problem::ContactImpulses& guess,
                                           RigidContactSolution& solution);

/// Whether that begins with sweeps which do not depend on the certificate.
[[nodiscard]] bool begins_with_sweeps(const problem::RigidContact& problem, const Options& options);

/// The same in parts, where it begins with sweeps: up to where the certificate is likely to hold;
/// where it has an excess, on to where it is likely to; and from where sweeps have come to the end.
/// @param sweeps their report is `converged` after either of the first two where they came that
/// far.
/// @param size contacts of the island that the sweeps are over. @param colours and
/// is_in_parts as in begin_sweeps.
void begin_contacts(const problem::RigidContact& problem, const Options& options,
                    const problem::ContactImpulses& guess, Sweeps& sweeps, Index size,
                    Index colours = 0, bool is_in_parts = false);
void continue_contacts(const problem::RigidContact& problem, const Options& options, Real excess,
                       Sweeps& sweeps, Index size);
void end_contacts(const problem::RigidContact& problem,
                  const certify::RigidContactCertifier& certify, const Options& options,
                  Sweeps& sweeps, RigidContactSolution& solution);

}  // namespace talus::driver::detail
