#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::problem {

/// How a solve ended. A zeroed report reads as not_run, never as success.
enum class SolveStatus : unsigned char {
  not_run = 0,
  converged,  ///< the residual meets the tolerance (a small step alone is `stalled`)
  stalled,    ///< no progress above round-off, residual above the tolerance
  max_iterations,
  time_limit,
  infeasible,
  unbounded,
  ray_termination,  ///< Lemke ended on a secondary ray
  diverged,
  numerical_error,  ///< NaN or infinity, or a singular basis
  capacity_exceeded,
  unsupported,  ///< this solver does not take this problem
  interrupted   ///< the caller's stop condition became true
};

/// The enumerator's name, e.g. "converged".
[[nodiscard]] std::string_view to_string(SolveStatus status) noexcept;

/// One stage of a solve that went through several solvers.
struct SolveStage {
  std::string solver;
  Index iterations = 0;
  Real residual = 0;  ///< certified natural map of the stage's answer [-]
  double seconds = 0;
};

/// "nsgs: 20 to 0.0325; proximal_newton: 8 to 9.7e-09".
[[nodiscard]] std::string describe(const std::vector<SolveStage>& stages);

/// What a solver says of its own run; the verdict on it is a certificate (certify/).
struct [[nodiscard]] SolveReport {
  SolveStatus status = SolveStatus::not_run;
  Index iterations = 0;  ///< sweeps, pivots or steps, as the solver counts
  Real residual = 0;     ///< the solver's own estimate of its residual, in its own scaling
  std::string
      detail;  ///< one line for people, e.g. "secondary ray after 31 pivots, tie tolerance 1e-10"
  std::vector<SolveStage> stages = {};  ///< in order; empty for a single solver
};

}  // namespace talus::problem
