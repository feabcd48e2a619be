#pragma once

#include <algorithm>

#include <talus/certify/certificate.hpp>
#include <talus/problem/solution.hpp>

namespace talus::driver::detail {

/// Sweeps until the certificate holds: ‖Δr‖/‖r‖ of a sweep is 2 to 3 times the natural map in
/// practice, so it is certified when that falls below twice the tolerance; if the certificate
/// disagrees the gate moves in proportion, and sweeps continue.
/// @param run sweeps to a gate: SolveReport(Real). @param certify the certificate of the impulses
/// at hand.
/// @return the last report: converged if certified, stalled at a fixed point of the sweep that is
/// no solution, or round-off.
template <class Run, class Certify>
problem::SolveReport sweep_until_certified(Real tolerance, const Run& run, const Certify& certify) {
  using problem::SolveStatus;
  Real gate = 2 * tolerance;
  for (;;) {
    problem::SolveReport report = run(gate);
    const Real excess = certify();
    if (excess <= 1) {
      report.status = SolveStatus::converged;
      return report;
    }
    if (report.status != SolveStatus::converged) return report;
    if (report.residual == 0) {
      report.status = SolveStatus::stalled;
      return report;
    }
    gate = report.residual * std::clamp(0.9 / excess, 0.1, 0.9);
  }
}

}  // namespace talus::driver::detail
