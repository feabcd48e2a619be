#include <talus/driver/solve_rigid_contact.hpp>

#include <algorithm>

#include <talus/certify/rigid_contact_residual.hpp>
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

/// Any other solver: the assembled local form, its answer judged on the rigid form.
void solve_assembled(const problem::RigidContact& problem, const Options& options,
                     std::span<const Vec3> guess, RigidContactSolution& solution) {
  const VecX start = guess.empty() ? VecX()
                                   : problem::impulses_to_frames(
                                         problem, std::vector<Vec3>(guess.begin(), guess.end()));
  const auto local = solve(problem::to_local(problem), options, start);
  solution.report = local.report;
  solution.impulse = problem::impulses_to_world(problem, local.impulse);
  solution.velocity = problem.bodies;
  problem::apply_impulses(problem, solution.impulse, solution.velocity);
  solution.certificate = certify::certify(problem, solution.impulse, solution.velocity);
  if (solution.certificate.meets(options.tolerance))
    solution.report.status = SolveStatus::converged;
  else if (solution.report.status == SolveStatus::converged)
    solution.report.status = SolveStatus::stalled;
}

}  // namespace

void solve(const problem::RigidContact& problem, const Options& options,
           std::span<const Vec3> guess, RigidContactSolution& solution) {
  if (options.solver == "nsgs" || options.solver == "auto")
    solve_by_nsgs(problem, options, guess, solution);
  else
    solve_assembled(problem, options, guess, solution);
}

}  // namespace talus::driver
