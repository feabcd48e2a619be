#include <talus/stepping/stewart_trinkle_anitescu_potra.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace talus::stepping {
namespace {

using problem::SolveStatus;
using Point = StepSource::Point;

constexpr Index kMaxAdditions = 50;  // rounds of active-set additions per linearisation

/// Solves at one linearisation until no contact is violated at q' that was not in the problem.
void solve_with_additions(StepSource& source, bool is_level, ImplicitReport& report) {
  for (Index round = 0; round < kMaxAdditions; ++round) {
    source.activate_at_point();
    source.solve(is_level, report);  // the LCP of eqs. (17) and (29) of `stewart_1996`
    if (!source.is_finite()) {
      report.status = SolveStatus::numerical_error;
      return;
    }
    const bool has_new = source.activate_at_end();
    if (!is_level || !has_new) return;
    ++report.additions;
  }
  if (report.status == SolveStatus::converged) {
    report.status = SolveStatus::stalled;
    report.detail = "contacts are still violated after all active-set additions";
  }
}

}  // namespace

ImplicitReport implicit_step(StepSource& source, const ImplicitOptions& options) {
  // Position level: `stewart_1996`, stabilised `anitescu_2004`; velocity level: `anitescu_1997`.
  const bool is_level = options.variant != Variant::anitescu_potra;
  ImplicitReport report;
  source.linearise(options.variant == Variant::stewart_trinkle ? Point::predictor : Point::start);
  if (is_level) source.activate_previous();
  solve_with_additions(source, is_level, report);
  for (Index k = 0; is_level && report.is_certified() && k < kMaxAdditions; ++k) {
    if (!source.meets_on_the_way()) break;
    source.linearise(Point::start);
    solve_with_additions(source, is_level, report);
    ++report.additions;
  }

  FixedPointReport& fixed_point = report.fixed_point;
  // Section 3.6 of `stewart_1996`: n, D, f at the last q', until 0 ≤ f(q') ⟂ c_n ≥ 0.
  for (Index pass = 1; options.fixed_point && report.is_certified(); ++pass) {
    const Real gap = source.gap_residual(), move = source.move();
    fixed_point.gap_residual.push_back(gap);
    fixed_point.move.push_back(move);
    fixed_point.is_converged = std::max(gap, move) <= options.fixed_point_tolerance;
    if (fixed_point.is_converged) break;
    if (pass == options.max_passes) {
      report.status = SolveStatus::stalled;
      report.detail = fmt::format(
          "the fixed point is not reached in {} passes: gap residual {:.3g}, last move {:.3g}, "
          "asked {:.3g}",
          pass, gap, move, options.fixed_point_tolerance);
      break;
    }
    source.linearise(Point::end);
    solve_with_additions(source, is_level, report);
  }
  report.penetration = source.penetration();
  const Real motion = report.certificate.equation_of_motion;
  if (!report.is_certified() && motion > options.solver.tolerance &&
      report.detail.find("equation of motion") == std::string::npos)
    report.detail +=
        fmt::format("{}equation of motion {:.3g} (asked {:.3g})", report.detail.empty() ? "" : "; ",
                    motion, options.solver.tolerance);
  return report;
}

}  // namespace talus::stepping
