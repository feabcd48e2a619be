#include <algorithm>
#include <array>
#include <utility>

#include <talus/driver/detail/stopwatch.hpp>
#include <talus/driver/registry.hpp>
#include <talus/solve/first_order/admm.hpp>
#include <talus/solve/first_order/apgd.hpp>
#include <talus/solve/first_order/mprgp.hpp>
#include <talus/solve/first_order/projected_jacobi.hpp>
#include <talus/solve/first_order/spg.hpp>
#include <talus/solve/gauss_seidel/anderson.hpp>
#include <talus/solve/gauss_seidel/pgs.hpp>
#include <talus/solve/gauss_seidel/rolling_nsgs.hpp>
#include <talus/solve/interior_point/cone_ipm.hpp>

namespace talus::driver {
namespace {

using problem::ConeKind;
using problem::ConeProblem;
using problem::RollingFrictionContact;
using problem::SolveReport;
using problem::SolveStatus;

/// Any of the cone solvers, whose options differ in nothing that a caller sets here.
template <class SolverOptions, auto solver>
SolveReport run_cone_solver(const ConeProblem& problem, const Options& options,
                            const solve::ExternalResidual& external_residual, VecX& r) {
  SolverOptions solver_options;
  solver_options.max_iterations = options.max_iterations;
  solver_options.keep_history = options.keep_history;
  return solver(problem, solver_options, external_residual, options.should_stop, r);
}

SolveReport run_pgs(const ConeProblem& problem, const Options& options,
                    const solve::ExternalResidual& external_residual, VecX& r) {
  solve::PgsOptions pgs_options;
  pgs_options.max_iterations = options.max_iterations;
  pgs_options.relaxation = options.relaxation;
  pgs_options.keep_history = options.keep_history;
  return solve::pgs(problem, pgs_options, external_residual, options.should_stop, r);
}

constexpr auto run_mprgp = run_cone_solver<solve::MprgpOptions, solve::mprgp>;
constexpr auto run_apgd = run_cone_solver<solve::ApgdOptions, solve::apgd>;
constexpr auto run_spg = run_cone_solver<solve::SpgOptions, solve::spg>;
constexpr auto run_admm = run_cone_solver<solve::AdmmOptions, solve::admm>;
constexpr auto run_cone_ipm = run_cone_solver<solve::ConeIpmOptions, solve::cone_ipm>;

/// Sweeps a while; then what the class has for hard problems, each from the best answer so far.
SolveReport run_cone_cascade(const ConeProblem& problem, const Options& options,
                             const solve::ExternalResidual& external_residual, VecX& r) {
  const bool has_only_bounds =
      std::none_of(problem.cones.begin(), problem.cones.end(), [](const problem::Cone& c) {
        return c.kind == ConeKind::friction || c.kind == ConeKind::rolling;
      });
  struct Stage {
    const char* name;
    SolveReport (*run)(const ConeProblem&, const Options&, const solve::ExternalResidual&, VecX&);
    Index most;
  };
  const std::array<Stage, 5> stages = {
      {{"pgs", run_pgs, 200},
       {"ipm", run_cone_ipm, 60},
       {has_only_bounds ? "mprgp" : "spg", has_only_bounds ? run_mprgp : run_spg, 2000},
       {"admm", run_admm, 2000},
       {"apgd", run_apgd, options.max_iterations}}};
  SolveReport report;
  VecX best = r;
  Real best_ratio = external_residual(r);
  for (const Stage& stage : stages) {
    Options limited = options;
    limited.max_iterations = std::min(stage.most, options.max_iterations - report.iterations);
    if (limited.max_iterations < 1) break;
    r = best;
    const detail::Stopwatch watch;
    SolveReport own = stage.run(problem, limited, external_residual, r);
    const Real residual_ratio = external_residual(r);
    if (!(residual_ratio >= best_ratio)) {
      best_ratio = residual_ratio;
      best = r;
    }
    report.status = own.status;
    report.residual = own.residual;
    report.add({stage.name, own.iterations, residual_ratio * options.tolerance, watch.seconds(),
                own.counts, std::move(own.history)});
    if (best_ratio <= 1) report.status = SolveStatus::converged;
    if (best_ratio <= 1 || own.status == SolveStatus::interrupted ||
        own.status == SolveStatus::unbounded)
      break;
  }
  r = best;
  report.detail = problem::describe(report.stages);
  return report;
}

SolveReport run_rolling_nsgs(const RollingFrictionContact& problem, const Options& options,
                             const solve::ExternalResidual& external_residual, VecX& r) {
  return solve::rolling_nsgs(problem,
                             {options.max_iterations, options.tolerance, options.keep_history},
                             external_residual, options.should_stop, r);
}

constexpr std::array<SolverEntry<ConeProblem>, 9> kConeSolvers = {
    {{"auto", run_cone_cascade},
     {"pgs", run_pgs},
     {"anderson", run_cone_solver<solve::AndersonOptions, solve::anderson>},
     {"projected_jacobi", run_cone_solver<solve::ProjectedJacobiOptions, solve::projected_jacobi>},
     {"apgd", run_apgd},
     {"spg", run_spg},
     {"mprgp", run_mprgp},
     {"admm", run_admm},
     {"ipm", run_cone_ipm}}};

constexpr std::array<SolverEntry<RollingFrictionContact>, 2> kRollingSolvers = {
    {{"auto", run_rolling_nsgs}, {"rolling_nsgs", run_rolling_nsgs}}};

}  // namespace

std::span<const SolverEntry<ConeProblem>> cone_solvers() { return kConeSolvers; }
std::span<const SolverEntry<RollingFrictionContact>> rolling_solvers() { return kRollingSolvers; }

}  // namespace talus::driver
