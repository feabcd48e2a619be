#include <talus/driver/detail/solve_by_sweeps.hpp>

#include <algorithm>

#include <talus/driver/detail/gated_sweeps.hpp>
#include <talus/driver/detail/rest.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

namespace talus::driver::detail {

using problem::SolveStatus;

void solve_by_sweeps(const problem::RigidContact& problem,
                     const certify::RigidContactCertifier& certify, const Options& options,
                     const problem::ContactImpulses& guess, RigidContactSolution& solution) {
  static thread_local solve::RigidNsgs nsgs;  // the workspace of this thread
  solve::RigidNsgsOptions nsgs_options;
  nsgs_options.relaxation = options.relaxation;
  if (options.relaxation != 1)
    nsgs_options.momentum_cap = 0;  // the two do not go together: some runs then stall
  nsgs.start(problem, guess, options.keep_history ? options.max_iterations : 0);

  const auto sweep_to = [&](Real tolerance, Index most_sweeps) {
    solution.report = sweep_until_certified(
        tolerance,
        [&](Real gate) { return nsgs.run(gate, most_sweeps, nsgs_options, options.should_stop); },
        [&] {
          solution.certificate = certify(nsgs.impulse(), nsgs.velocity());
          return solution.certificate.excess(tolerance);
        });
  };
  sweep_to(options.tolerance, options.max_iterations);
  if (solution.report.status == SolveStatus::converged &&
      !solution.certificate.meets(std::min(options.tolerance, kRestTolerance)) &&
      is_nearly_at_rest(problem, nsgs.velocity())) {
    const Index most = (1 + kRestPatience) * solution.report.iterations;
    sweep_to(kRestTolerance, std::min(most, options.max_iterations));
    if (solution.certificate.meets(options.tolerance))
      solution.report.status = SolveStatus::converged;
    else if (solution.report.status != SolveStatus::interrupted)
      sweep_to(options.tolerance, options.max_iterations);
  }
  nsgs.take(solution.impulse, solution.velocity);
}

bool gave_up(const problem::SolveReport& report) {
  return report.status == SolveStatus::max_iterations || report.status == SolveStatus::stalled;
}

double sweep_cost(const problem::RigidContact& problem) {
  const auto central = static_cast<double>(problem.central.size());
  return central + 4 * (static_cast<double>(problem.contact_count()) - central);
}

}  // namespace talus::driver::detail
