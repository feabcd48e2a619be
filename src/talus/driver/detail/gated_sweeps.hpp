#pragma once

#include <algorithm>

#include <talus/certify/certificate.hpp>
#include <talus/problem/solution.hpp>

namespace talus::driver::detail {

/// ‖Δr‖/‖r‖ of a sweep is 2 to 3 times the natural map in practice, so it is certified when that
/// falls below twice the tolerance.
[[nodiscard]] constexpr Real first_gate(Real tolerance) { return 2 * tolerance; }

/// Where the certificate does not hold the gate moves in proportion.
/// @param report of the sweeps to the gate before, with a residual > 0.
/// @param excess of the certificate, > 1.
[[nodiscard]] inline Real next_gate(const problem::SolveReport& report, Real excess) {
  return report.residual * std::clamp(0.9 / excess, 0.1, 0.9);
}

/// Sweeps on until the certificate holds.
/// @param report of the sweeps to the first gate. @param run sweeps to a gate: SolveReport(Real).
/// @param certify the excess of the certificate of the impulses at hand.
/// @return the last report: converged if certified, stalled at a fixed point of the sweep that is
/// no solution, or round-off.
template <class Run, class Certify>
problem::SolveReport sweep_on_until_certified(problem::SolveReport report, const Run& run,
                                              const Certify& certify) {
  using problem::SolveStatus;
  for (;;) {
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
    report = run(next_gate(report, excess));
  }
}

/// The same from the first sweep on.
template <class Run, class Certify>
problem::SolveReport sweep_until_certified(Real tolerance, const Run& run, const Certify& certify) {
  return sweep_on_until_certified(run(first_gate(tolerance)), run, certify);
}

}  // namespace talus::driver::detail
