#include <talus/driver/solve_classes.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <talus/certify/bounded_friction_residual.hpp>
#include <talus/certify/cone_residual.hpp>
#include <talus/certify/mlcp_residual.hpp>
#include <talus/driver/detail/stopwatch.hpp>
#include <talus/driver/detail/verdict.hpp>
#include <talus/driver/registry.hpp>
#include <talus/problem/convert.hpp>
#include <talus/problem/convert_bilateral.hpp>
#include <talus/problem/convert_bounded.hpp>
#include <talus/problem/convert_cone.hpp>
#include <talus/problem/convert_mlcp.hpp>
#include <talus/problem/validate.hpp>

namespace talus::driver {
namespace {

using certify::Certificate;
using certify::certify;
using problem::ConeProblem;
using problem::SolveReport;
using problem::SolveStatus;

/// How often the contacts' tolerance is lowered where the whole problem's certificate is not met.
constexpr int kRetries = 3;

/// What a conversion changed, before what the solver says.
void put_before(const std::string& change, SolveReport& report) {
  if (!change.empty()) report.detail = change + (report.detail.empty() ? "" : "; ") + report.detail;
}

/// Runs a solver of the table from a guess until the residual of the class's own certificate is
/// within tolerance.
/// @param certificate_of the certificate of a candidate. @param change put before the detail.
template <class Problem, class Certify>
SolveReport run_certified(std::span<const SolverEntry<Problem>> solvers, const Problem& problem,
                          Index size, const Options& options, const VecX& guess,
                          const std::string& change, const Certify& certificate_of, VecX& r,
                          Certificate& certificate) {
  r = guess.size() > 0 ? guess : VecX::Zero(size);
  certificate = certificate_of(r);
  SolveReport report;
  if (certificate.excess(options.tolerance) <= 1) {
    report = detail::certified_at_start(certificate, guess, options);
  } else {
    const auto external_residual = [&](const VecX& x) {
      return certificate_of(x).excess(options.tolerance);
    };
    report = detail::run_by_name(solvers, problem, size, options, external_residual, r);
    certificate = certificate_of(r);
    detail::set_status(certificate, certificate.excess(options.tolerance), report);
  }
  put_before(change, report);
  return report;
}

/// For a problem solved in the place of one that is not judged by its plain residual.
Options without_plain(Options options) {
  options.plain_tolerance = std::numeric_limits<Real>::infinity();
  return options;
}

/// Adds a run that continued from the last one's answer; a second one makes stages of both.
/// @param first_seconds of the first run, for its stage.
void go_on(const std::string& solver, SolveReport&& run, double seconds, double& first_seconds,
           SolveReport& total) {
  if (total.status == SolveStatus::not_run) {
    total = std::move(run);
    first_seconds = seconds;
    return;
  }
  const auto add = [&](SolveReport&& report, double own_seconds) {
    if (report.stages.empty())
      total.add({solver, report.iterations, report.residual, own_seconds, report.counts,
                 std::move(report.history)});
    for (problem::SolveStage& stage : report.stages) total.add(std::move(stage));
  };
  SolveReport first = std::exchange(total, {});
  add(std::move(first), first_seconds);
  total.status = run.status;
  total.residual = run.residual;
  total.detail = run.detail;
  add(std::move(run), seconds);
}

template <class Problem>
bool has_solver(std::span<const SolverEntry<Problem>> solvers, const std::string& name) {
  return std::any_of(solvers.begin(), solvers.end(),
                     [&](const auto& entry) { return entry.name == name; });
}

/// Solves another problem in the place of one, with a tighter and tighter tolerance until the
/// residual of the one is within tolerance.
/// @param certificate_of takes the impulses of the other problem. @param start of the other one.
template <class Other, class Certify>
SolveReport solve_instead(const Other& other, const Options& options, VecX start,
                          const Certify& certificate_of, Certificate& certificate) {
  Options inner_options = without_plain(options);
  SolveReport report;
  double first_seconds = 0;
  for (int k = 0;; ++k) {
    const detail::Stopwatch watch;
    auto inner = solve(other, inner_options, start);
    go_on(options.solver, std::move(inner.report), watch.seconds(), first_seconds, report);
    certificate = certificate_of(inner.impulse);
    const Real residual_ratio = certificate.excess(options.tolerance);
    inner_options.max_iterations = options.max_iterations - report.iterations;
    const bool may_improve =
        report.status == SolveStatus::converged && k < kRetries && inner_options.max_iterations > 0;
    if (residual_ratio <= 1 || !may_improve) {
      detail::set_status(certificate, residual_ratio, report);
      return report;
    }
    inner_options.tolerance /= 10;
    start = std::move(inner.impulse);
  }
}

template <class Global>
GlobalImpulseSolution solve_by_local_form(const Global& problem, const Options& options,
                                          const VecX& guess) {
  validate(options);
  problem::validate(problem);
  const problem::LocalForm local(problem);
  GlobalImpulseSolution solution;
  solution.report = solve_instead(
      local.problem(), options, guess,
      [&](const VecX& r) {
        solution.impulse = r;
        solution.v = local.velocity(r);
        return certify(problem, r, solution.v);
      },
      solution.certificate);
  return solution;
}

}  // namespace

std::vector<std::string_view> cone_solver_names() { return names_of(cone_solvers()); }
std::vector<std::string_view> rolling_solver_names() { return names_of(rolling_solvers()); }

ConeSolution solve(const ConeProblem& problem, const Options& options, const VecX& guess) {
  validate(options);
  problem::validate(problem);
  detail::check_guess(guess, problem.size());
  ConeSolution solution;
  solution.report = run_certified(
      cone_solvers(), problem, problem.size(), options, guess, "",
      [&](const VecX& r) { return certify(problem, r); }, solution.r, solution.certificate);
  solution.u = problem.W * solution.r + problem.b;
  return solution;
}

BoxQpSolution solve(const problem::BoxQp& problem, const Options& options, const VecX& guess) {
  validate(options);
  problem::validate(problem);
  detail::check_guess(guess, problem.size());
  const auto cones = problem::to_cone_problem(problem);
  BoxQpSolution solution;
  solution.report = run_certified(
      cone_solvers(), cones.problem, problem.size(), options, guess, cones.change,
      [&](const VecX& x) { return certify(problem, x); }, solution.x, solution.certificate);
  solution.y = problem.H * solution.x + problem.g;
  return solution;
}

MlcpSolution solve(const problem::Mlcp& problem, const Options& options, const VecX& guess) {
  validate(options);
  problem::validate(problem);
  const Index n = problem.free_count(), m = problem.complementary_count();
  MlcpSolution solution;
  if (options.solver != "auto" && has_solver(cone_solvers(), options.solver)) {
    detail::check_guess(guess, n + m);
    const auto cones = problem::to_cone_problem(problem);
    VecX both;
    solution.report = run_certified(
        cone_solvers(), cones.problem, n + m, options, guess, cones.change,
        [&](const VecX& r) { return certify(problem, r.head(n), r.tail(m)); }, both,
        solution.certificate);
    solution.x = both.head(n);
    solution.z = both.tail(m);
  } else {
    detail::check_guess(guess, m);
    const problem::EliminatedMlcp reduced = problem::eliminate_free(problem);
    solution.z = guess.size() > 0 ? guess : VecX::Zero(m);
    solution.x = reduced.free_part(solution.z);
    solution.certificate = certify(problem, solution.x, solution.z);
    if (solution.certificate.excess(options.tolerance) <= 1) {
      solution.report = detail::certified_at_start(solution.certificate, guess, options);
    } else {
      LcpSolution inner = solve(reduced.lcp, without_plain(options));
      solution.z = std::move(inner.z);
      solution.report = std::move(inner.report);
      solution.x = reduced.free_part(solution.z);
      solution.certificate = certify(problem, solution.x, solution.z);
      detail::set_status(solution.certificate, solution.certificate.excess(options.tolerance),
                         solution.report);
    }
    put_before(reduced.change, solution.report);
  }
  solution.w = problem.D * solution.x + problem.B * solution.z + problem.b;
  return solution;
}

ImpulseSolution solve(const problem::RollingFrictionContact& problem, const Options& options,
                      const VecX& guess) {
  validate(options);
  problem::validate(problem);
  detail::check_guess(guess, problem.b.size());
  ImpulseSolution solution;
  solution.report = run_certified(
      rolling_solvers(), problem, problem.b.size(), options, guess, "",
      [&](const VecX& r) { return certify(problem, r); }, solution.impulse, solution.certificate);
  solution.velocity = problem.W * solution.impulse + problem.b;
  return solution;
}

ImpulseSolution solve(const problem::BilateralContact& problem, const Options& options,
                      const VecX& guess) {
  validate(options);
  problem::validate(problem);
  detail::check_guess(guess, problem.b.size());
  const problem::ContactForm form(problem);
  ImpulseSolution solution;
  solution.report = solve_instead(
      form.problem(), options,
      guess.size() > 0 ? VecX(guess.tail(form.problem().b.size())) : VecX(),
      [&](const VecX& r) {
        solution.impulse = form.impulse(r);
        return certify(problem, solution.impulse);
      },
      solution.certificate);
  put_before(form.change(), solution.report);
  solution.velocity = problem.W * solution.impulse + problem.b;
  return solution;
}

GlobalImpulseSolution solve(const problem::GlobalRollingFrictionContact& problem,
                            const Options& options, const VecX& guess) {
  GlobalImpulseSolution solution = solve_by_local_form(problem, options, guess);
  solution.velocity = problem.H.transpose() * solution.v + problem.w;
  return solution;
}

GlobalImpulseSolution solve(const problem::GlobalBilateralContact& problem, const Options& options,
                            const VecX& guess) {
  GlobalImpulseSolution solution = solve_by_local_form(problem, options, guess);
  solution.velocity.resize(solution.impulse.size());
  solution.velocity << problem.G.transpose() * solution.v + problem.b,
      problem.H.transpose() * solution.v + problem.w;
  return solution;
}

ImpulseSolution solve(const problem::BoundedFriction& problem, const Options& options,
                      const VecX& guess) {
  validate(options);
  problem::validate(problem);
  detail::check_guess(guess, problem.b.size());
  ImpulseSolution solution;
  const auto certificate_of = [&](const VecX& r) { return certify(problem, r); };
  const bool wants_lcp = !has_solver(cone_solvers(), options.solver);
  if (problem.dimension == 1 && !wants_lcp) {
    const auto cones = problem::to_cone_problem(problem);
    solution.report =
        run_certified(cone_solvers(), cones.problem, problem.b.size(), options, guess, cones.change,
                      certificate_of, solution.impulse, solution.certificate);
  } else {
    solution.impulse = guess.size() > 0 ? guess : VecX::Zero(problem.b.size());
    solution.certificate = certificate_of(solution.impulse);
    if (solution.certificate.excess(options.tolerance) <= 1) {
      solution.report = detail::certified_at_start(solution.certificate, guess, options);
    } else {
      const problem::PolyhedralLcp form = problem::to_lcp(problem, options.directions);
      LcpSolution inner = solve(form.lcp, without_plain(options));
      solution.report = std::move(inner.report);
      solution.impulse = form.impulse * inner.z;
      solution.certificate = certificate_of(solution.impulse);
      detail::set_status(solution.certificate, solution.certificate.excess(options.tolerance),
                         solution.report);
      if (problem.dimension == 2)
        put_before(fmt::format("discs replaced by polygons of {} sides", options.directions),
                   solution.report);
    }
  }
  solution.velocity = problem.W * solution.impulse + problem.b;
  return solution;
}

}  // namespace talus::driver
