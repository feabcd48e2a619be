#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/driver/options.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/solution.hpp>

namespace talus::driver {

// The only public entry to the solvers of assembled problems: no answer leaves without its
// certificate. Each solution holds the report of the solver with the final status: converged
// exactly if the certificate meets the tolerance; a claim that the certificate does not confirm
// becomes stalled, and report.residual (the solver's number) and certificate (the verdict) are both
// kept.

/// Answer to an LCP: 0 ≤ z ⟂ w = M z + q ≥ 0.
struct LcpSolution {
  VecX z, w;
  problem::SolveReport report;
  certify::Certificate certificate;
};

/// Answer to a frictional contact problem in local form.
struct FrictionContactSolution {
  VecX impulse;   ///< r, dm, contact frames, normal first [N·s]
  VecX velocity;  ///< relative velocity u = W r + b, dm [m/s]
  problem::SolveReport report;
  certify::Certificate certificate;
};

/// Answer to a frictional contact problem in global form.
struct GlobalFrictionContactSolution {
  VecX impulse;   ///< r, dm [N·s]
  VecX velocity;  ///< relative velocity u = Hᵀ v + w, dm [m/s]
  VecX v;         ///< velocities of the system, n
  problem::SolveReport report;
  certify::Certificate certificate;  ///< of the global form, equation_of_motion included
};

/// Solves an LCP. Solvers: "auto" (lcp_cascade); "lemke" and "fischer_burmeister", which take any
/// M; those of cone problems, which need a symmetric M with a diagonal ≥ 0 (else: unsupported).
/// Where Lemke's method ends on a secondary ray the report has it (problem/lcp.hpp).
///
/// @param problem any; wrong shapes or numbers that are not finite throw InputError.
/// @param options an unknown solver name or an option out of range throws InputError; a solver of
///   another problem class gives the status unsupported.
/// @param guess z to start from, or empty. A guess that is certified already costs no iteration.
[[nodiscard]] LcpSolution solve(const problem::Lcp& problem, const Options& options,
                                const VecX& guess = {});

/// Solves a frictional contact problem in local form. Solvers: "auto" (contact_cascade), "nsgs",
/// "proximal_newton", "ipm"; "lemke", which replaces the cones by pyramids of options.directions
/// sides (exact in 2-D) and is called converged only where the exact Coulomb certificate says so.
/// Under another law (problem.law) the certificate is that law's, and the solvers are those of
/// run_under_law (contact_laws).
/// Arguments as above; guess is r.
[[nodiscard]] FrictionContactSolution solve(const problem::FrictionContact& problem,
                                            const Options& options, const VecX& guess = {});

/// Solves a frictional contact problem in global form by its local form, and recovers
/// v = M⁻¹(H r + f). A singular M, or a contact that moves nothing, throws InputError. Arguments as
/// above.
[[nodiscard]] GlobalFrictionContactSolution solve(const problem::GlobalFrictionContact& problem,
                                                  const Options& options, const VecX& guess = {});

/// Names of all solvers of assembled problems, sorted; "auto" is the default of the problem's
/// class.
[[nodiscard]] std::vector<std::string_view> solver_names();

/// Names of the solvers of frictional contact, in the order of their registry, "auto" first.
[[nodiscard]] std::vector<std::string_view> friction_contact_solver_names();

/// Names of the solvers of LCPs, in the order of their registry, "auto" first.
[[nodiscard]] std::vector<std::string_view> lcp_solver_names();

/// The verdict on the problems of this header: the natural map and the equation of motion (where
/// there is one) are at most options.tolerance, and the plain residual that other libraries print
/// at most options.plain_tolerance.
[[nodiscard]] bool is_within(const certify::Certificate& certificate, const Options& options);

/// Throws InputError with every option that is out of its range, or not the name of a solver.
void validate(const Options& options);

}  // namespace talus::driver
