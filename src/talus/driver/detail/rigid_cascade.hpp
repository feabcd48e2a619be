#pragma once

#include <talus/driver/detail/newton_stage.hpp>
#include <talus/driver/detail/solve_by_sweeps.hpp>
#include <talus/driver/detail/stopwatch.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

namespace talus::driver::detail {

/// Options of the sweeps that the cascade begins with, over so many contacts.
[[nodiscard]] Options first_sweeps(const problem::RigidContact& problem, Index contacts,
                                   const Options& options);

/// Solves a rigid contact problem without rows by climbing from cheap to strong: "auto".
///
/// Sweeps while they are cheap; then Newton, sweeps, Newton along the path of slowly falling α,
/// each from the best answer so far. The first Newton run is taken where it costs less than a third
/// of what has been spent; where its factors cost more, sweeps continue, four times as many each
/// time. The last one, where sweeps have not done, may cost three times what has been spent. Costs
/// are counted, not measured: the same answers on every machine. Each run is a stage of the report;
/// the answer is the best of all.
/// @param equation what Newton's method solves (make_newton_stage). @param sweeps begun with
/// first_sweeps.
void solve_by_cascade(const problem::RigidContact& problem,
                      const certify::RigidContactCertifier& certify, const Options& options,
                      solve::ContactEquation equation, Sweeps& sweeps,
                      RigidContactSolution& solution);

}  // namespace talus::driver::detail
