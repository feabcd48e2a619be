#include <talus/cli/problem_run.hpp>

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/certify/cone_residual.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/lcp_residual.hpp>
#include <talus/certify/velocity_residual.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/driver/solve.hpp>
#include <talus/driver/solve_classes.hpp>
#include <talus/json/json.hpp>
#include <talus/problem/convert.hpp>
#include <talus/problem/convert_cone.hpp>
#include <talus/problem/symmetry.hpp>

namespace talus::cli {
namespace {

using problem::SolveStatus;
using Clock = std::chrono::steady_clock;

constexpr double kEnough = 0.1;  // seconds of repeated solves

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Processor time of this thread: what remains comparable on a shared machine.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What each class's answer is in a solution file.
exchange::FclibSolution in_file(const problem::FrictionContact& /*problem*/,
                                driver::FrictionContactSolution&& s) {
  return {std::move(s.impulse), std::move(s.velocity), {}};
}
exchange::FclibSolution in_file(const problem::GlobalFrictionContact& /*problem*/,
                                driver::GlobalFrictionContactSolution&& s) {
  return {std::move(s.impulse), std::move(s.velocity), std::move(s.v)};
}
exchange::FclibSolution in_file(const problem::BilateralContact& problem,
                                driver::ImpulseSolution&& s) {
  const Index p = problem.equality_count, n = problem.b.size() - p;
  return {s.impulse.tail(n), s.velocity.tail(n), {}, s.impulse.head(p)};
}
exchange::FclibSolution in_file(const problem::GlobalBilateralContact& problem,
                                driver::GlobalImpulseSolution&& s) {
  const Index p = problem.equality_count(), n = problem.w.size();
  return {s.impulse.tail(n), s.velocity.tail(n), std::move(s.v), s.impulse.head(p)};
}
exchange::FclibSolution in_file(const problem::GlobalRollingFrictionContact& /*problem*/,
                                driver::GlobalImpulseSolution&& s) {
  return {std::move(s.impulse), std::move(s.velocity), std::move(s.v)};
}
exchange::FclibSolution in_file(const problem::RollingFrictionContact& /*problem*/,
                                driver::ImpulseSolution&& s) {
  return {std::move(s.impulse), std::move(s.velocity), {}};
}
exchange::FclibSolution in_file(const problem::Lcp& /*problem*/, driver::LcpSolution&& s) {
  return {std::move(s.z), std::move(s.w), {}};
}
exchange::FclibSolution in_file(const problem::ConeProblem& /*problem*/, driver::ConeSolution&& s) {
  return {std::move(s.r), std::move(s.u), {}};
}

template <class Problem>
void solve_into(const Problem& problem, ProblemRun& run) {
  auto solution = driver::solve(problem, run.options);
  run.report = std::move(solution.report);
  run.certificate = solution.certificate;
  run.solution = in_file(problem, std::move(solution));
}

/// Local forms and LCPs: the certificate takes r alone.
template <class Problem>
certify::Certificate certificate_of(const Problem& problem,
                                    const exchange::FclibSolution& solution) {
  return certify::certify(problem, solution.r);
}

/// (λ, r): constraints come first.
VecX all_impulses(const exchange::FclibSolution& solution) {
  VecX r(solution.l.size() + solution.r.size());
  r << solution.l, solution.r;
  return r;
}

certify::Certificate certificate_of(const problem::BilateralContact& problem,
                                    const exchange::FclibSolution& solution) {
  return certify::certify(problem, all_impulses(solution));
}

certify::Certificate certificate_of(const problem::GlobalBilateralContact& problem,
                                    const exchange::FclibSolution& solution) {
  return certify::certify(problem, all_impulses(solution), solution.v);
}

certify::Certificate certificate_of(const problem::GlobalRollingFrictionContact& problem,
                                    const exchange::FclibSolution& solution) {
  return certify::certify(problem, solution.r, solution.v);
}

certify::Certificate certificate_of(const problem::GlobalFrictionContact& problem,
                                    const exchange::FclibSolution& solution) {
  return certify::certify(problem, solution.r, solution.v);
}

/// What the velocities of an answer follow from: v in global forms, else the impulses.
template <class Problem>
Real velocity_residual_of(const Problem& problem, const exchange::FclibSolution& solution) {
  if constexpr (requires { problem.H; })
    return certify::velocity_residual(problem, solution.v, solution.u);
  else
    return certify::velocity_residual(problem, all_impulses(solution), solution.u);
}

/// Of a Delassus operator W or mass matrix M that is not symmetric. LCPs need not be.
template <class Problem>
std::vector<std::string> warnings_of(const Problem& problem, const std::string& file) {
  const auto say = [&](const char* name, const problem::SparseMatrix& matrix) {
    std::vector<std::string> warnings;
    if (const auto found = problem::asymmetry(matrix))
      warnings.push_back(fmt::format(
          "{}: {}: {}; most solvers assume it, the certificate does not. Gyroscopic terms "
          "make M and W so; without them a row of J has two signs",
          file, name, *found));
    return warnings;
  };
  if constexpr (requires { problem.H; })
    return say("M", problem.M);
  else if constexpr (requires { problem.friction; })
    return say("W", problem.W);
  else
    return {};
}

/// The numbers that a solution of the form must have; 0: none needed.
struct Sizes {
  Index r = 0, v = 0, l = 0;
};
Sizes sizes(const problem::ConeProblem& problem) { return {problem.size(), 0, 0}; }
Sizes sizes(const problem::Lcp& problem) { return {problem.size(), 0, 0}; }
Sizes sizes(const problem::FrictionContact& problem) { return {problem.b.size(), 0, 0}; }
Sizes sizes(const problem::RollingFrictionContact& problem) { return {problem.b.size(), 0, 0}; }
Sizes sizes(const problem::GlobalFrictionContact& problem) {
  return {problem.w.size(), problem.f.size(), 0};
}
Sizes sizes(const problem::GlobalRollingFrictionContact& problem) {
  return {problem.w.size(), problem.f.size(), 0};
}
Sizes sizes(const problem::GlobalBilateralContact& problem) {
  return {problem.w.size(), problem.f.size(), problem.equality_count()};
}
Sizes sizes(const problem::BilateralContact& problem) {
  return {problem.b.size() - problem.equality_count, 0, problem.equality_count};
}

/// Unknown pairs and numbers per pair.
template <class Problem>
std::pair<Index, Index> extent(const Problem& problem) {
  return {problem.contact_count(), problem.dimension};
}
std::pair<Index, Index> extent(const problem::Lcp& problem) { return {problem.size(), 1}; }
std::pair<Index, Index> extent(const problem::ConeProblem& problem) {
  return {static_cast<Index>(problem.cones.size()),
          problem.cones.empty() ? 0 : problem.cones.back().size};
}

/// Global forms go by their local ones.
template <class Problem>
problem::Conversion<problem::ConeProblem> to_cones(const Problem& problem,
                                                   const std::string& file) {
  if constexpr (requires { typename Problem::Local; })
    return problem::to_cone_problem(problem::LocalForm(problem, file).problem());
  else
    return problem::to_cone_problem(problem);
}

Json to_json(const problem::SolveCounts& counts) {
  return {{"products", counts.products},
          {"projections", counts.projections},
          {"factorisations", counts.factorisations}};
}
Json to_json(const problem::LcpRay& ray) {
  const auto numbers = [](const VecX& x) { return std::vector<Real>(x.begin(), x.end()); };
  return {{"z", numbers(ray.z)},
          {"z0", ray.z0},
          {"direction", numbers(ray.direction)},
          {"direction0", ray.direction0},
          {"covering", numbers(ray.covering)},
          {"violation", ray.violation},
          {"proves_infeasible", ray.proves_infeasible}};
}
Json to_json(const problem::SolveHistory& history) {
  return {{"residual", history.residual}, {"energy", history.energy}};
}

/// Frictional contact under a law of problem/friction_law; nothing for other classes and for
/// "cone".
std::optional<RunProblem> under_law(const exchange::AnyProblem& problem, const std::string& law) {
  const auto found = problem::friction_law(law);
  return std::visit(
      [&](const auto& p) -> std::optional<RunProblem> {
        if constexpr (requires { p.law; }) {
          if (!found) return {};
          auto other = p;
          other.law = *found;
          return other;
        } else {
          return {};
        }
      },
      problem);
}

ProblemRun start_run(const std::string& file, const RunProblem& problem,
                     const driver::Options& options) {
  ProblemRun run;
  run.file = file;
  run.options = options;
  run.options.plain_tolerance = options.tolerance;  // as other libraries judge their files
  std::tie(run.contacts, run.dimension) =
      std::visit([](const auto& p) { return extent(p); }, problem);
  run.warnings = std::visit([&](const auto& p) { return warnings_of(p, file); }, problem);
  return run;
}

}  // namespace

RunProblem read_for_law(const std::string& file, const std::string& law, std::string& change) {
  const exchange::AnyProblem problem = exchange::read_problem(file);
  change.clear();
  if (law == "coulomb") return std::visit([](const auto& p) { return RunProblem(p); }, problem);
  if (const auto contacts = under_law(problem, law)) return *contacts;
  if (law != "cone" && law != to_string(problem::FrictionLaw::cone_complementarity))
    throw InputError(Diagnostic{{file, 0, 0},
                                "--law",
                                fmt::format("expected a problem of frictional contact for {}", law),
                                "",
                                "other classes are solved under coulomb or cone"});
  auto cones = std::visit([&](const auto& p) { return to_cones(p, file); }, problem);
  change = std::move(cones.change);
  return std::move(cones.problem);
}

ProblemRun run_problem(const std::string& file, const RunProblem& problem,
                       const driver::Options& options, double time_limit, int repeats) {
  ProblemRun run = start_run(file, problem, options);
  bool is_out_of_time = false;
  Clock::time_point start;
  double total = 0;
  run.options.should_stop = [&] {
    is_out_of_time = is_out_of_time || (time_limit > 0 && since(start) > time_limit);
    return is_out_of_time || InterruptGuard::is_interrupted();
  };
  for (int k = 0; k < std::max(1, repeats); ++k) {
    start = Clock::now();
    const double cpu_start = cpu_seconds();
    std::visit([&](const auto& p) { solve_into(p, run); }, problem);
    const double seconds = since(start), cpu = cpu_seconds() - cpu_start;
    run.seconds = k == 0 ? seconds : std::min(run.seconds, seconds);
    run.cpu_seconds = k == 0 ? cpu : std::min(run.cpu_seconds, cpu);
    total += seconds;
    if (total > kEnough || InterruptGuard::is_interrupted()) break;
  }
  if (run.report.status == SolveStatus::interrupted && is_out_of_time)
    run.report.status = SolveStatus::time_limit;
  run.options.should_stop = nullptr;
  return run;
}

ProblemRun certify_solution(const std::string& file, const RunProblem& problem,
                            const std::string& solution_file, const driver::Options& options) {
  ProblemRun run = start_run(file, problem, options);
  run.options.solver = "certify-only";
  run.solution = exchange::read_fclib_solution(solution_file);
  const Sizes expected_sizes = std::visit([](const auto& p) { return sizes(p); }, problem);
  const auto check = [&](const char* name, Index found, Index expected) {
    if (found != expected && expected > 0)
      throw InputError(Diagnostic{{solution_file, 0, 0},
                                  name,
                                  fmt::format("expected {} numbers, got {}", expected, found),
                                  "",
                                  "is this a solution of another problem?"});
  };
  check("solution/r", run.solution.r.size(), expected_sizes.r);
  check("solution/v", run.solution.v.size(), expected_sizes.v);
  check("solution/l", run.solution.l.size(), expected_sizes.l);
  check("solution/u", run.solution.u.size(), expected_sizes.r);
  run.certificate =
      std::visit([&](const auto& p) { return certificate_of(p, run.solution); }, problem);
  const Real of_u =
      std::visit([&](const auto& p) { return velocity_residual_of(p, run.solution); }, problem);
  run.certificate.equation_of_motion = std::max(run.certificate.equation_of_motion, of_u);
  run.certificate.is_finite = run.certificate.is_finite && std::isfinite(of_u);
  // As driver::solve judges: LCPs and contacts by the plain residual too, other classes without it.
  const bool is_plain_too = std::holds_alternative<problem::FrictionContact>(problem) ||
                            std::holds_alternative<problem::GlobalFrictionContact>(problem) ||
                            std::holds_alternative<problem::Lcp>(problem);
  const bool is_met = is_plain_too ? driver::is_within(run.certificate, run.options)
                                   : run.certificate.meets(options.tolerance);
  run.report.status = is_met ? SolveStatus::converged : SolveStatus::stalled;
  run.report.detail = "solution of " + solution_file;
  return run;
}

Json to_json(const ProblemRun& run) {
  const certify::Certificate& c = run.certificate;
  auto stages = Json::array();
  for (const auto& stage : run.report.stages) {
    stages.push_back({{"solver", stage.solver},
                      {"iterations", stage.iterations},
                      {"residual", stage.residual},
                      {"seconds", stage.seconds},
                      {"counts", to_json(stage.counts)}});
    if (run.options.keep_history) stages.items().back()["history"] = to_json(stage.history);
  }
  Json json = {{"file", run.file},
               {"solver", run.options.solver},
               {"status", to_string(run.report.status)},
               {"iterations", run.report.iterations},
               {"seconds", run.seconds},
               {"cpu_seconds", run.cpu_seconds},
               {"contacts", run.contacts},
               {"dimension", run.dimension},
               {"tolerance", run.options.tolerance},
               {"solver_residual", run.report.residual},
               {"detail", run.report.detail},
               {"warnings", run.warnings},
               {"counts", to_json(run.report.counts)},
               {"stages", stages},
               {"residuals",
                {{"natural_map", c.natural_map},
                 {"plain", c.plain},
                 {"primal", c.primal},
                 {"dual", c.dual},
                 {"complementarity", c.complementarity},
                 {"equation_of_motion", c.equation_of_motion},
                 {"worst_velocity", c.worst_velocity},
                 {"violation", c.violation},
                 {"work", c.work},
                 {"is_finite", c.is_finite}}},
               {"worst_contact", {{"index", c.worst_contact}, {"share", c.worst_share}}}};
  if (run.report.ray) json["ray"] = to_json(*run.report.ray);
  if (run.options.keep_history) json["history"] = to_json(run.report.history);
  return json;
}

}  // namespace talus::cli
