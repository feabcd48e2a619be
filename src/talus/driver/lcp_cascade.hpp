#pragma once

#include <talus/driver/options.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::driver {

// Solvers of LCPs that other files need, as in SolverEntry.

/// Unknowns that Lemke's method takes: two dense matrices, 2 × 288 MB.
inline constexpr Index kLargestLemke = 6000;

/// The report where there are more: capacity_exceeded.
[[nodiscard]] problem::SolveReport too_large_for_lemke(Index size);

/// Lemke's method, up to kLargestLemke.
[[nodiscard]] problem::SolveReport run_lemke(const problem::Lcp& lcp, const Options& options,
                                             const solve::ExternalResidual& external_residual,
                                             VecX& z);

/// "auto" of LCPs: what is likely to be fastest first, then what is sure.
///
/// Small problems and those with much fill-in go to Lemke's method at once. Those whose factors are
/// sparse (chains, grids; decided by counting on the pattern) try MPRGP where M is symmetric, then
/// Fischer–Burmeister, which iterates as long as its residual falls, then Lemke from the support of
/// the best answer. A ray that proves the problem infeasible ends the cascade; after
/// one that proves nothing, or a failure, Fischer–Burmeister has the last word. Each run is a stage
/// of the report; the answer is the best of all, and the ray of Lemke is kept if none is certified.
/// @param z in: start, n numbers; out: the answer.
[[nodiscard]] problem::SolveReport run_lcp_cascade(const problem::Lcp& lcp, const Options& options,
                                                   const solve::ExternalResidual& external_residual,
                                                   VecX& z);

}  // namespace talus::driver
