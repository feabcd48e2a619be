#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::problem {

struct LcpRay;

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

/// What a run cost, whatever the machine; the certificates of its judge are not counted.
struct SolveCounts {
  Index products = 0;        ///< with W (or M); a Gauss–Seidel sweep counts as one
  Index projections = 0;     ///< of the whole vector on its cones, or evaluations of the law on it
  Index factorisations = 0;  ///< of matrices as large as the problem's active part

  SolveCounts& operator+=(const SolveCounts& other);
};

/// How a run went, where it was asked for: one number at the start and one after every iteration.
struct SolveHistory {
  std::vector<Real> residual;  ///< the solver's own, in its own scaling; NaN where it has none
  std::vector<Real> energy;    ///< ½ xᵀW̃x + b̃ᵀx of methods that compute it, else empty
};

/// One stage of a solve that went through several solvers.
struct SolveStage {
  std::string solver;
  Index iterations = 0;
  Real residual = 0;  ///< of the certificate of the stage's answer [-]: the measure that is largest
                      ///< over its limit, times the tolerance over that limit
  double seconds = 0;
  SolveCounts counts = {};
  SolveHistory history = {};  ///< empty unless asked for
};

/// "nsgs: 20 to 0.0325; proximal_newton: 8 to 9.7e-09"; of more than ten stages the first eight and
/// the last two.
[[nodiscard]] std::string describe(const std::vector<SolveStage>& stages);

/// What a solver says of its own run; the verdict on it is a certificate (certify/).
struct [[nodiscard]] SolveReport {
  SolveStatus status = SolveStatus::not_run;
  Index iterations = 0;  ///< sweeps, pivots or steps, as the solver counts
  Real residual = 0;     ///< the solver's own estimate of its residual, in its own scaling
  std::string
      detail;  ///< one line for people, e.g. "secondary ray after 31 pivots, tie tolerance 1e-10"
  std::vector<SolveStage> stages = {};  ///< in order; empty for a single solver
  SolveCounts counts = {};              ///< of all stages together
  SolveHistory history = {};  ///< empty unless asked for, or where the stages have their own
  std::shared_ptr<const LcpRay> ray = {};  ///< with ray_termination: where Lemke's method ended

  /// Adds a stage and what it cost to the totals.
  void add(SolveStage stage);
};

}  // namespace talus::problem
