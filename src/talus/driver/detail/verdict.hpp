#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <talus/base/error.hpp>
#include <talus/certify/certificate.hpp>
#include <talus/driver/registry.hpp>

namespace talus::driver::detail {

/// The certified residual over what is asked of an LCP or of contacts.
[[nodiscard]] inline Real over_tolerance(const certify::Certificate& certificate,
                                         const Options& options) {
  return std::max(certificate.excess(options.tolerance),
                  certificate.plain / options.plain_tolerance);
}

/// The report of a solve whose start, the guess or zero without one, is certified already.
inline problem::SolveReport certified_at_start(const certify::Certificate& certificate,
                                               const VecX& guess, const Options& options) {
  problem::SolveReport report{problem::SolveStatus::converged, 0, certificate.natural_map,
                              guess.size() > 0 ? "the guess, as it came" : "zero, the start"};
  if (options.keep_history) report.history.residual = {certificate.natural_map};
  return report;
}

/// The verdict: converged exactly if the certified residual over the tolerance is at most 1.
inline void set_status(const certify::Certificate& certificate, Real residual_ratio,
                       problem::SolveReport& report) {
  using problem::SolveStatus;
  if (residual_ratio <= 1) {
    report.status = SolveStatus::converged;
  } else if (!certificate.is_finite) {
    report.status = SolveStatus::numerical_error;
  } else if (report.status == SolveStatus::converged) {
    report.status = SolveStatus::stalled;
    report.detail += fmt::format(
        "{}claimed a residual of {:.3g}, the certificate has natural map {:.3g}, equation of "
        "motion {:.3g}",
        report.detail.empty() ? "" : "; ", report.residual, certificate.natural_map,
        certificate.equation_of_motion);
    if (!std::isnan(certificate.plain))
      report.detail += fmt::format(", plain {:.3g}", certificate.plain);
    if (!std::isnan(certificate.violation))
      report.detail += fmt::format(", violation {:.3g}", certificate.violation);
    if (!std::isnan(certificate.work))
      report.detail += fmt::format(", work {:.3g}", certificate.work);
  }
}

/// Finds the solver of a class by name and runs it; unsupported (x = 0) where it has another class.
template <class Problem>
problem::SolveReport run_by_name(std::span<const SolverEntry<Problem>> solvers,
                                 const Problem& problem, Index size, const Options& options,
                                 const solve::ExternalResidual& external_residual, VecX& x) {
  for (const SolverEntry<Problem>& entry : solvers)
    if (entry.name == options.solver) return entry.run(problem, options, external_residual, x);
  x = VecX::Zero(size);
  return {problem::SolveStatus::unsupported,
          0,
          0,
          fmt::format("solver '{}' does not take this class of problem", options.solver),
          {}};
}

inline void check_guess(const VecX& guess, Index size) {
  if (guess.size() != 0 && guess.size() != size)
    throw InputError(
        Diagnostic{{},
                   "guess",
                   fmt::format("expected {} numbers or none, got {}", size, guess.size()),
                   "",
                   ""});
}

}  // namespace talus::driver::detail
