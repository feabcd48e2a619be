#include <talus/driver/solve_rigid_contact.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/contact_ladder.hpp>
#include <talus/driver/registry.hpp>
#include <talus/driver/solve.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

namespace talus::driver {
namespace {

using problem::SolveStatus;

void solve_by_nsgs(const problem::RigidContact& problem, const Options& options,
                   std::span<const Vec3> guess, RigidContactSolution& solution) {
  static thread_local solve::RigidNsgs nsgs;  // the workspace of this thread
  solve::RigidNsgsOptions nsgs_options;
  nsgs_options.relaxation = options.relaxation;
  if (options.relaxation != 1)
    nsgs_options.momentum_cap = 0;  // the two do not go together: some runs then stall
  nsgs.start(problem, guess);

  // ‖Δr‖/‖r‖ of a sweep is 2 to 3 times the natural map in practice: certify when it falls below
  // twice the tolerance, and if the certificate disagrees move the gate in proportion and sweep on.
  Real gate = 2 * options.tolerance;
  for (;;) {
    solution.report = nsgs.run(gate, options.max_iterations, nsgs_options, options.should_stop);
    solution.certificate = certify::certify(problem, nsgs.impulse(), nsgs.velocity());
    if (solution.certificate.meets(options.tolerance)) {
      solution.report.status = SolveStatus::converged;
      break;
    }
    if (solution.report.status != SolveStatus::converged) break;
    if (solution.report.residual ==
        0) {  // a fixed point of the sweep that is not a solution, or round-off
      solution.report.status = SolveStatus::stalled;
      break;
    }
    gate = solution.report.residual *
           std::clamp(0.9 * options.tolerance / solution.certificate.natural_map, 0.3, 0.9);
  }
  solution.impulse.assign(nsgs.impulse().begin(), nsgs.impulse().end());
  solution.velocity.assign(nsgs.velocity().begin(), nsgs.velocity().end());
}

/// Any other solver, or the upper rungs of "auto": the assembled local form, judged on the rigid
/// one.
void solve_assembled(const problem::RigidContact& problem, const Options& options,
                     std::span<const Vec3> guess, RigidContactSolution& solution) {
  const problem::FrictionContact local = problem::to_local(problem);
  VecX r = VecX::Zero(local.b.size());
  if (!guess.empty())
    r = problem::impulses_to_frames(problem, std::vector<Vec3>(guess.begin(), guess.end()));
  const solve::Judge judge = [&](const VecX& candidate) {
    solution.impulse = problem::impulses_to_world(problem, candidate);
    solution.velocity = problem.bodies;
    problem::apply_impulses(problem, solution.impulse, solution.velocity);
    const auto certificate = certify::certify(problem, solution.impulse, solution.velocity);
    if (certificate.meets(options.tolerance)) return Real(1);
    return certificate.is_finite ? certificate.natural_map / options.tolerance
                                 : std::numeric_limits<Real>::infinity();
  };
  if (options.solver == "auto") {
    solution.report = climb_contact_ladder(local, options, judge, true, r);
  } else {
    const auto solvers = friction_contact_solvers();
    const auto entry =
        std::find_if(solvers.begin(), solvers.end(),
                     [&](const auto& candidate) { return candidate.name == options.solver; });
    if (entry == solvers.end())
      solution.report = {SolveStatus::unsupported, 0, 0,
                         "solver '" + options.solver + "' does not take frictional contact", {}};
    else
      solution.report = entry->run(local, options, judge, r);
  }
  solution.impulse = problem::impulses_to_world(problem, r);
  solution.velocity = problem.bodies;
  problem::apply_impulses(problem, solution.impulse, solution.velocity);
  solution.certificate = certify::certify(problem, solution.impulse, solution.velocity);
  if (solution.certificate.meets(options.tolerance))
    solution.report.status = SolveStatus::converged;
  else if (solution.report.status == SolveStatus::converged)
    solution.report.status = SolveStatus::stalled;
}

/// The ladder: sweeps while they are cheap; then Newton on the assembled form from where they
/// ended; then sweeps again until the limit. Of two answers the one with the smaller residual
/// stays.
void solve_by_ladder(const problem::RigidContact& problem, const Options& options,
                     std::span<const Vec3> guess, RigidContactSolution& solution) {
  // Contacts; the factors of larger beds cost more than the sweeps they save.
  constexpr Index kLargestAssembled = 20000;
  constexpr Index kFactorisations = 500;
  // Sweeps that cost about as much as a Newton run.
  const Index budget = 200 + 10 * std::min<Index>(problem.contact_count(), 100);
  const bool has_newton =
      problem.contact_count() <= kLargestAssembled && budget < options.max_iterations;
  Options rung = options;
  if (has_newton) rung.max_iterations = budget;
  solve_by_nsgs(problem, rung, guess, solution);
  const auto is_over = [&] { return solution.report.status != SolveStatus::max_iterations; };
  if (!has_newton || is_over()) return;

  const auto keep_better = [&](RigidContactSolution& other) {
    const Index iterations = solution.report.iterations + other.report.iterations;
    if (!(other.certificate.natural_map > solution.certificate.natural_map))
      std::swap(solution, other);
    solution.report.iterations = iterations;
  };
  RigidContactSolution other;
  rung.max_iterations = std::min(kFactorisations, options.max_iterations - budget);
  solve_assembled(problem, rung, solution.impulse, other);
  keep_better(other);
  if (solution.report.status == SolveStatus::converged ||
      solution.report.status == SolveStatus::interrupted)
    return;

  rung.max_iterations = options.max_iterations - budget;
  solve_by_nsgs(problem, rung, solution.impulse, other);
  keep_better(other);
}

}  // namespace

void solve(const problem::RigidContact& problem, const Options& options,
           std::span<const Vec3> guess, RigidContactSolution& solution) {
  if (options.solver == "auto")
    solve_by_ladder(problem, options, guess, solution);
  else if (options.solver == "nsgs")
    solve_by_nsgs(problem, options, guess, solution);
  else
    solve_assembled(problem, options, guess, solution);
}

}  // namespace talus::driver
