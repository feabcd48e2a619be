#include <talus/driver/contact_laws.hpp>

#include <algorithm>
#include <utility>

#include <talus/driver/detail/stopwatch.hpp>
#include <talus/driver/detail/verdict.hpp>
#include <talus/driver/registry.hpp>
#include <talus/driver/solve.hpp>
#include <talus/problem/convert_cone.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

namespace talus::driver {
namespace {

using problem::FrictionContact;
using problem::FrictionLaw;
using problem::SolveReport;
using problem::SolveStatus;

// Before "auto" leaves Gauss–Seidel: for interior points and the like, or for Lemke's method.
constexpr Index kSweepsBeforeCones = 100, kSweepsBeforeLemke = 2000;

SolveReport run_named(const FrictionContact& problem, const Options& options,
                      const solve::ExternalResidual& external_residual, VecX& r) {
  return detail::run_by_name(friction_contact_solvers(), problem, problem.b.size(), options,
                             external_residual, r);
}

/// Exactly, by the LCP whose pyramids are the law; nothing else but sweeps takes a polygon.
SolveReport run_polyhedral(const FrictionContact& problem, Options options,
                           const solve::ExternalResidual& external_residual, VecX& r) {
  options.directions = problem.directions;
  SolveReport report = run_named(problem, options, external_residual, r);
  if (const auto at = report.detail.find("; cones replaced"); at != std::string::npos)
    report.detail.resize(at);
  return report;
}

SolveReport run_cones(const FrictionContact& problem, const Options& options,
                      const solve::ExternalResidual& external_residual, VecX& r) {
  try {
    const auto cones = problem::to_cone_problem(problem);
    return detail::run_by_name(cone_solvers(), cones.problem, problem.b.size(), options,
                               external_residual, r);
  } catch (const InputError& error) {
    return {SolveStatus::unsupported, 0, 0,
            fmt::format("solvers of cone problems minimise a quadratic form: {}", error.what())};
  }
}

/// Newton with a small budget, then along the path of slowly falling α.
SolveReport run_dissipation(const FrictionContact& problem, const Options& options,
                            const solve::ExternalResidual& external_residual, VecX& r) {
  constexpr auto kEquation = solve::ContactEquation::maximum_dissipation;
  solve::ProximalNewton newton;
  newton.start(problem);
  SolveReport total;
  for (const solve::ProximalNewtonOptions& stage :
       {solve::ProximalNewtonOptions{50, 1e-3, 1e-2, 0.8, kEquation},
        solve::ProximalNewtonOptions{450, 1e-1, 0.7, 0.95, kEquation}}) {
    solve::ProximalNewtonOptions limited = stage;
    limited.keep_history = options.keep_history;
    limited.max_factorisations =
        std::min(stage.max_factorisations, options.max_iterations - total.iterations);
    if (limited.max_factorisations < 1) break;
    const Index before = total.iterations;
    total = newton.run(limited, external_residual, options.should_stop, r);
    total.iterations += before;
    if (total.status == SolveStatus::converged || total.status == SolveStatus::interrupted) break;
  }
  return total;
}

SolveReport run_sweeps(const FrictionContact& problem, const Options& options,
                       const solve::ExternalResidual& external_residual, VecX& r) {
  Options own = options;
  own.solver = "nsgs";
  return run_named(problem, own, external_residual, r);
}

/// Sweeps, then `strong` from where they ended, as often as `rounds` says with ever more sweeps;
/// then sweeps. Each from the best answer so far.
template <class Strong>
SolveReport solve_in_stages(const FrictionContact& problem, const Options& options,
                            const solve::ExternalResidual& external_residual, VecX& r, Index sweeps,
                            const char* name, int rounds, const Strong& strong) {
  SolveReport report;
  std::string last_detail;
  const auto stage = [&](const char* solver, Index most, const auto& solve_stage) {
    Options limited = options;
    limited.solver = solver;
    limited.max_iterations = std::min(most, options.max_iterations - report.iterations);
    if (limited.max_iterations < 1) return false;
    const detail::Stopwatch watch;
    const Real before =
        report.stages.empty() ? std::numeric_limits<Real>::infinity() : external_residual(r);
    VecX own_r = r;
    SolveReport own = solve_stage(problem, limited, external_residual, own_r);
    const Real residual_ratio = external_residual(own_r);
    if (!(residual_ratio >= before)) {
      r = own_r;
      report.residual = own.residual;
    }
    report.status = own.status;
    if (!own.detail.empty()) last_detail = own.detail;
    report.add({solver, own.iterations, residual_ratio * options.tolerance, watch.seconds(),
                own.counts, std::move(own.history)});
    return residual_ratio > 1 && own.status != SolveStatus::interrupted;
  };
  bool is_open = true;
  for (int round = 0; is_open && round < rounds; ++round, sweeps *= 10)
    is_open = stage("nsgs", sweeps, run_sweeps) && stage(name, options.max_iterations, strong);
  if (is_open) (void)stage("nsgs", options.max_iterations, run_sweeps);
  const bool is_solved = external_residual(r) <= 1;
  if (is_solved) report.status = SolveStatus::converged;
  report.detail = problem::describe(report.stages);
  if (!is_solved && !last_detail.empty()) report.detail += "; " + last_detail;
  return report;
}

/// Whether a law is Coulomb's, with μ or without, for solvers.
bool has_coulomb_solvers(FrictionLaw law, Index dimension) {
  return law == FrictionLaw::coulomb || law == FrictionLaw::frictionless ||
         (dimension == 2 && law != FrictionLaw::cone_complementarity);
}

}  // namespace

std::vector<std::string_view> solver_names(FrictionLaw law, Index dimension) {
  if (has_coulomb_solvers(law, dimension)) return friction_contact_solver_names();
  if (law == FrictionLaw::maximum_dissipation) return {"auto", "nsgs", "proximal_newton"};
  if (law == FrictionLaw::polyhedral) return {"auto", "nsgs", "lemke"};
  std::vector<std::string_view> names = {"auto", "nsgs"};
  for (const auto& entry : cone_solvers())  // mprgp takes bounds, no friction cones
    if (entry.name != "auto" && entry.name != "mprgp") names.push_back(entry.name);
  return names;
}

SolveReport run_under_law(const FrictionContact& problem, const Options& options,
                          const solve::ExternalResidual& external_residual, VecX& r) {
  const bool is_auto = options.solver == "auto", is_nsgs = options.solver == "nsgs";
  if (has_coulomb_solvers(problem.law, problem.dimension)) {
    if (problem.law == FrictionLaw::coulomb)
      return run_named(problem, options, external_residual, r);
    FrictionContact other = problem;
    other.law = FrictionLaw::coulomb;
    if (problem.law == FrictionLaw::frictionless) other.friction.setZero();
    return run_named(other, options, external_residual, r);
  }
  if (is_nsgs) return run_named(problem, options, external_residual, r);
  if (options.solver == "proximal_newton" && problem.law == FrictionLaw::maximum_dissipation)
    return run_dissipation(problem, options, external_residual, r);
  switch (problem.law) {
    case FrictionLaw::cone_complementarity:
      return is_auto ? solve_in_stages(problem, options, external_residual, r, kSweepsBeforeCones,
                                       "auto", 1, run_cones)
                     : run_cones(problem, options, external_residual, r);
    case FrictionLaw::polyhedral:
      if (is_auto)
        return solve_in_stages(problem, options, external_residual, r, kSweepsBeforeLemke, "lemke",
                               1, run_polyhedral);
      if (options.solver == "lemke") return run_polyhedral(problem, options, external_residual, r);
      break;
    default:
      if (is_auto)
        return solve_in_stages(problem, options, external_residual, r, kSweepsBeforeCones,
                               "proximal_newton", 2, run_dissipation);
  }
  r = VecX::Zero(problem.b.size());
  return {
      SolveStatus::unsupported, 0, 0,
      fmt::format("solver '{}' does not take the law {}", options.solver, to_string(problem.law))};
}

}  // namespace talus::driver
