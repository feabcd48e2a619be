#include <talus/cli/problem_run.hpp>

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include <talus/base/error.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/driver/solve.hpp>

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

void solve_into(const problem::FrictionContact& problem, ProblemRun& run) {
  auto s = driver::solve(problem, run.options);
  run.report = std::move(s.report);
  run.certificate = s.certificate;
  run.solution = {std::move(s.impulse), std::move(s.velocity), {}};
}

void solve_into(const problem::GlobalFrictionContact& problem, ProblemRun& run) {
  auto s = driver::solve(problem, run.options);
  run.report = std::move(s.report);
  run.certificate = s.certificate;
  run.solution = {std::move(s.impulse), std::move(s.velocity), std::move(s.v)};
}

certify::Certificate certificate_of(const problem::FrictionContact& problem,
                                    const exchange::FclibSolution& solution) {
  return certify::certify(problem, solution.r);
}

certify::Certificate certificate_of(const problem::GlobalFrictionContact& problem,
                                    const exchange::FclibSolution& solution) {
  return certify::certify(problem, solution.r, solution.v);
}

/// The numbers that a solution of the form must have: of r, and of v (0: none needed).
std::pair<Index, Index> sizes(const problem::FrictionContact& problem) {
  return {problem.b.size(), 0};
}
std::pair<Index, Index> sizes(const problem::GlobalFrictionContact& problem) {
  return {problem.w.size(), problem.f.size()};
}

ProblemRun start_run(const std::string& file, const exchange::FclibProblem& problem,
                     const driver::Options& options) {
  ProblemRun run;
  run.file = file;
  run.options = options;
  std::tie(run.contacts, run.dimension) =
      std::visit([](const auto& p) { return std::pair(p.contact_count(), p.dimension); }, problem);
  return run;
}

}  // namespace

ProblemRun run_problem(const std::string& file, const exchange::FclibProblem& problem,
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

ProblemRun certify_solution(const std::string& file, const exchange::FclibProblem& problem,
                            const std::string& solution_file, const driver::Options& options) {
  ProblemRun run = start_run(file, problem, options);
  run.options.solver = "certify-only";
  run.solution = exchange::read_fclib_solution(solution_file);
  const auto [r, v] = std::visit([](const auto& p) { return sizes(p); }, problem);
  const auto check = [&](const char* name, Index found, Index expected) {
    if (found != expected && expected > 0)
      throw InputError(Diagnostic{{solution_file, 0, 0},
                                  name,
                                  fmt::format("expected {} numbers, got {}", expected, found),
                                  "",
                                  "is this a solution of another problem?"});
  };
  check("solution/r", run.solution.r.size(), r);
  check("solution/v", run.solution.v.size(), v);
  run.certificate =
      std::visit([&](const auto& p) { return certificate_of(p, run.solution); }, problem);
  run.report.status = driver::is_within(run.certificate, options.tolerance) ? SolveStatus::converged
                                                                            : SolveStatus::stalled;
  run.report.detail = "solution of " + solution_file;
  return run;
}

nlohmann::ordered_json to_json(const ProblemRun& run) {
  const certify::Certificate& c = run.certificate;
  auto stages = nlohmann::ordered_json::array();
  for (const auto& stage : run.report.stages)
    stages.push_back({{"solver", stage.solver},
                      {"iterations", stage.iterations},
                      {"residual", stage.residual},
                      {"seconds", stage.seconds}});
  return {{"file", run.file},
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
          {"stages", stages},
          {"residuals",
           {{"natural_map", c.natural_map},
            {"plain", c.plain},
            {"primal", c.primal},
            {"dual", c.dual},
            {"complementarity", c.complementarity},
            {"equation_of_motion", c.equation_of_motion},
            {"worst_velocity", c.worst_velocity},
            {"is_finite", c.is_finite}}},
          {"worst_contact", {{"index", c.worst_contact}, {"share", c.worst_share}}}};
}

}  // namespace talus::cli
