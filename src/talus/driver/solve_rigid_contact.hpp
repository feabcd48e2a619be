#pragma once

#include <string_view>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/driver/options.hpp>
#include <talus/problem/rigid_contact.hpp>
#include <talus/problem/solution.hpp>

namespace talus::driver {

/// Answer to a rigid contact problem with its certificate.
struct RigidContactSolution {
  problem::ContactImpulses impulse;             ///< r on body B, world [N·s]
  std::vector<problem::BodyVelocity> velocity;  ///< of every body, after the impulses
  problem::SolveReport report;  ///< status: converged only if the certificate meets the tolerance
  certify::Certificate certificate;
  std::vector<Index> unanswered;  ///< movable bodies of islands that are not certified, rising
};

/// Deals the central contacts of a problem out to the ranks of this thread
/// (problem::CentralContacts::deal), where there are any, no other contacts, and enough to share:
/// answers stay the same. Collective. Cost O(contacts); once for a layout.
/// @param colours those of an island with most of the contacts, which come first; 0: all. Tiles of
/// others are not dealt out: each rank has them.
void deal_out(problem::RigidContact& problem, Index colours = 0);

/// Solves a rigid contact problem and certifies the answer: the only public entry.
///
/// "nsgs" works matrix-free on the bodies' velocities; "auto" does the same and, where many sweeps
/// have not been enough, takes Newton's method before it sweeps on, on the assembled form or, where
/// there is none, on the bodies' velocities (detail/newton_stage.hpp); every other solver gets the
/// assembled local form. The solver's claim is checked by certify::certify on
/// the rigid form; a claim that is not confirmed continues with a tighter gate.
/// Newton supports every law (problem.law) but polygons, which go to Lemke's method where they fit.
/// Problems without a local form (problem::has_local_form: contacts that resist rolling or
/// spinning, or friction along one axis alone) are swept, whatever other solver is named.
/// Matrix-free sweeps support all laws where no contact is central, and of central contacts
/// Coulomb's and maximum dissipation; what is left is solved on the assembled form as
/// driver/contact_laws says. Each island is solved alone, until its own certificate meets the
/// tolerance: another one changes no bit of its answer. Those with rows (joints) go to Newton's
/// method on the bodies' velocities (detail/solve_jointed_island.hpp). Iterations are those of the
/// island that took most.
/// @param guess impulses to start from; empty: zero; may be solution.impulse. A guess that is
/// certified already costs one sweep.
/// @param solution in: its buffers are reused; out: the answer. Its report and certificate are the
/// result.
void solve(const problem::RigidContact& problem, const Options& options,
           const problem::ContactImpulses& guess, RigidContactSolution& solution);

/// The same for central contacts that are dealt out, all or those of the island that comes first,
/// of which this rank has its part: bodies and
/// contacts of the problem and impulses of the guess are right where the deal has them here, and so
/// are the impulses and velocities of the answer. Collective.
/// @param solution other than the guess.
/// @return whether sweeps have found an answer, the bits of which are those of solve(); where not,
/// there is none.
[[nodiscard]] bool solve_in_parts(const problem::RigidContact& problem, const Options& options,
                                  const problem::ContactImpulses& guess,
                                  RigidContactSolution& solution);

/// The same for a problem of which a part is another one since its solution: islands whose impulses
/// and velocities still are an answer keep every bit of them.
/// @param solution in: impulses to start from, and the velocities of the last answer; out: the
/// answer.
void solve_again(const problem::RigidContact& problem, const Options& options,
                 RigidContactSolution& solution);

}  // namespace talus::driver
