#pragma once

#include <talus/driver/options.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::driver {

/// Solves an assembled frictional contact problem by climbing from cheap to strong: "auto".
///
/// First exact Gauss–Seidel while the rate of its residual promises an answer for less than a few
/// steps of Newton's method cost (one from a start that is not 0), whose factors are counted. Then
/// such steps from where the sweeps ended, from a start that is not 0 as many as it takes; sweeps
/// again while they promise one for less than more steps; the interior point, polished by Newton;
/// as many sweeps as have been paid for, and Newton from there; the interior point without the De
/// Saxcé term, and from its best iterate Newton with lagged ones; Newton from other starts (uniform
/// pressures); then runs by turns from the best answer so far and from more and more sweeps, until
/// the external residual is within tolerance or max_iterations (sweeps and factorisations together)
/// are used up. A run of Newton's method or of the interior point ends after five factorisations,
/// or after twice what has been spent where that is more, without halving its residual (or τ); that
/// from a start does not. Costs are counted in block products, not measured: the same answers on
/// every machine. Each run is a stage of the report. The answer is the best of all.
/// @param external_residual certified residual over what is asked; ≤ 1: solved. @param
/// r in: start, dm numbers; out: the answer.
[[nodiscard]] problem::SolveReport run_contact_cascade(
    const problem::FrictionContact& problem, const Options& options,
    const solve::ExternalResidual& external_residual, VecX& r);

}  // namespace talus::driver
