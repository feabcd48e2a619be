#pragma once

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/detail/stopwatch.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

namespace talus::driver::detail {

/// Sweeps over one problem, from the first one to where a certificate holds.
struct Sweeps {
  solve::RigidNsgs nsgs;
  problem::SolveReport report;  ///< of the last ones
  Stopwatch watch;              ///< since the first one
};

/// Loads a problem without rows, which must outlive the sweeps, and sweeps until a certificate is
/// likely to hold (detail/gated_sweeps.hpp), or options.max_iterations times.
/// @param guess impulses to start from; empty: zero.
/// @param colours of the central contacts, the first ones, as in RigidNsgs::start; 0: all.
/// @param is_in_parts as in RigidNsgs::start.
void begin_sweeps(const problem::RigidContact& problem, const Options& options,
                  const problem::ContactImpulses& guess, Sweeps& sweeps, Index colours = 0,
                  bool is_in_parts = false);

/// Sweeps on to a gate.
void sweep_to(Real gate, const Options& options, Sweeps& sweeps);

/// Sweeps on until the certificate meets options.tolerance and, where the bodies are nearly at
/// rest, to kRestTolerance (detail/rest.hpp); where that fails, what met options.tolerance is kept.
/// @param sweeps begun with the same problem and options; their answer is handed over.
void end_sweeps(const problem::RigidContact& problem, const certify::RigidContactCertifier& certify,
                const Options& options, Sweeps& sweeps, RigidContactSolution& solution);

/// Sweeps on until the certificate of a problem of balls in parts meets options.tolerance.
/// @param sweeps begun with the same options, in parts; their answer is handed over.
/// @return whether that came about; where not, nothing is handed over.
[[nodiscard]] bool end_sweeps_in_parts(const certify::RigidContactCertifier& certify,
                                       const Options& options, Sweeps& sweeps,
                                       RigidContactSolution& solution);

/// Solves a rigid contact problem without rows by nonsmooth Gauss–Seidel sweeps on the bodies'
/// velocities: both of these. @param guess may be solution.impulse.
void solve_by_sweeps(const problem::RigidContact& problem,
                     const certify::RigidContactCertifier& certify, const Options& options,
                     const problem::ContactImpulses& guess, RigidContactSolution& solution);

/// Whether sweeps ended without an answer that more of them might give.
[[nodiscard]] bool gave_up(const problem::SolveReport& report);

/// What a sweep costs, in block products of a factorisation: about one per contact of balls, four
/// per other contact.
[[nodiscard]] double sweep_cost(const problem::RigidContact& problem);

}  // namespace talus::driver::detail
