#include <algorithm>
#include <limits>

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/stepping/detail/moreau_scheme.hpp>

// Moreau's schemes with laws that are functions of place and velocity: Newton's method around the
// problem of the step.

namespace talus::stepping::detail {

using problem::SolveStatus;

void MoreauScheme::solve_laws(bool is_first) {
  if (functions_.is_empty()) return solve_set_valued(options_.solver, is_first);
  solve_functions(is_first);
}

/// Laws are linearised about the last answer and the problem solved again, until its answer is one
/// of the problem that it makes itself: its certificate is that of the laws. All rounds share the
/// iterations of one solve: one may take a quarter of what is left, for a problem that is not
/// solved may become one that is.
void MoreauScheme::solve_functions(bool is_first) {
  constexpr int kMostRounds = 300, kPatience = 4, kLeastBurst = 4;
  constexpr Real kSharper = 0.1;  // of the tolerance: what linearising about the answer may add
  driver::Options sharper = options_.solver;
  sharper.tolerance *= kSharper;
  const auto linearise = [&](bool is_secant) {
    solution_.velocity = problem_.bodies;
    problem::apply_impulses(problem_, solution_.impulse, solution_.velocity);
    functions_.linearise(solution_.impulse, solution_.velocity, is_secant, problem_);
  };
  linearise(false);
  Index iterations = 0;
  int secants = 0, burst = kLeastBurst;  // secants that are left, and of the next burst
  Real best = std::numeric_limits<Real>::infinity();
  int since = 0;  // rounds since the best one
  for (int round = 0;; ++round) {
    sharper.max_iterations = (options_.solver.max_iterations - iterations + 3) / 4;
    solve_set_valued(sharper, is_first && round == 0);
    iterations += solution_.report.iterations;
    if (solution_.report.status == SolveStatus::numerical_error ||
        solution_.report.status == SolveStatus::interrupted)
      break;
    const bool is_secant = secants-- > 0;
    linearise(is_secant);
    solution_.certificate = certify::certify(problem_, solution_.impulse, solution_.velocity);
    if (solution_.certificate.meets(options_.solver.tolerance)) {
      if (!functions_.let_go(problem_, solution_.impulse, solution_.velocity,
                             options_.solver.tolerance)) {
        solution_.report.status = SolveStatus::converged;
        solution_.report.detail.clear();
        break;
      }
      linearise(false);  // with the friction of slip
      solution_.certificate = certify::certify(problem_, solution_.impulse, solution_.velocity);
    }
    if (functions_.shorten_ways()) linearise(is_secant);
    if (const Real now = solution_.certificate.excess(options_.solver.tolerance); now < best / 2) {
      best = now;
      since = 0;
    } else if (++since >= kPatience && secants <= 0) {
      secants = burst;
      burst *= 2;
      since = 0;
      best = now;
    }
    const bool is_spent = iterations >= options_.solver.max_iterations;
    if (!is_spent && round + 1 < kMostRounds) continue;
    solution_.report.status = is_spent ? SolveStatus::max_iterations : SolveStatus::stalled;
    solution_.report.detail =
        "laws that are functions of the velocity are not met: take a smaller step";
    break;
  }
  solution_.report.iterations = iterations;
  solution_.report.residual = solution_.certificate.natural_map;
}

/// What laws remember of the step, and what compliant contacts store at its end.
void MoreauScheme::keep_functions(const model::State& state, Real h) {
  stored_energy_ = 0;
  gap_after_.clear();
  const Index central = problem_.central.size();
  for (Index c = central; !functions_.is_empty() && c < problem_.contact_count(); ++c) {
    gap_after_.push_back(gap_after(c, state, h));
    if (is_compliant(c))
      stored_energy_ += model::stored_energy(
          step_contacts_.bodies().law(others_[c - central]).normal, -gap_after_.back());
  }
  functions_.remember(solution_.impulse, gap_after_);
}

}  // namespace talus::stepping::detail
