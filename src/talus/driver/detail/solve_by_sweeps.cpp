#include <talus/driver/detail/solve_by_sweeps.hpp>

#include <algorithm>
#include <utility>

#include <talus/driver/detail/gated_sweeps.hpp>
#include <talus/driver/detail/rest.hpp>

namespace talus::driver::detail {

using problem::SolveStatus;

namespace {

solve::RigidNsgsOptions nsgs_options(const Options& options) {
  solve::RigidNsgsOptions own;
  own.relaxation = options.relaxation;
  if (options.relaxation != 1)
    own.momentum_cap = 0;  // the two do not go together: some runs then stall
  return own;
}

}  // namespace

void begin_sweeps(const problem::RigidContact& problem, const Options& options,
                  const problem::ContactImpulses& guess, Sweeps& sweeps, Index colours,
                  bool is_in_parts) {
  sweeps.watch = {};
  sweeps.nsgs.start(problem, guess, options.keep_history ? options.max_iterations : 0, colours,
                    is_in_parts);
  sweep_to(first_gate(options.tolerance), options, sweeps);
}

void sweep_to(Real gate, const Options& options, Sweeps& sweeps) {
  sweeps.report =
      sweeps.nsgs.run(gate, options.max_iterations, nsgs_options(options), options.should_stop);
}

bool end_sweeps_in_parts(const certify::RigidContactCertifier& certify, const Options& options,
                         Sweeps& sweeps, RigidContactSolution& solution) {
  solve::RigidNsgs& nsgs = sweeps.nsgs;
  const auto run = [&](Real gate) {
    return nsgs.run(gate, options.max_iterations, nsgs_options(options), options.should_stop);
  };
  const auto excess = [&] {
    solution.certificate = certify(nsgs.impulse(), nsgs.velocity());
    return solution.certificate.excess(options.tolerance);
  };
  solution.report = sweep_on_until_certified(std::move(sweeps.report), run, excess);
  if (solution.report.status != SolveStatus::converged) return false;
  nsgs.take(solution.impulse, solution.velocity);
  return true;
}

void end_sweeps(const problem::RigidContact& problem, const certify::RigidContactCertifier& certify,
                const Options& options, Sweeps& sweeps, RigidContactSolution& solution) {
  solve::RigidNsgs& nsgs = sweeps.nsgs;
  const auto run_at_most = [&](Index most_sweeps) {
    return [&, most_sweeps](Real gate) {
      return nsgs.run(gate, most_sweeps, nsgs_options(options), options.should_stop);
    };
  };
  const auto certify_at = [&](Real tolerance) {
    return [&, tolerance] {
      solution.certificate = certify(nsgs.impulse(), nsgs.velocity());
      return solution.certificate.excess(tolerance);
    };
  };
  const auto certified_to = [&](Real tolerance, Index most_sweeps) {
    return sweep_until_certified(tolerance, run_at_most(most_sweeps), certify_at(tolerance));
  };
  solution.report = sweep_on_until_certified(
      std::move(sweeps.report), run_at_most(options.max_iterations), certify_at(options.tolerance));
  if (solution.report.status == SolveStatus::converged &&
      !solution.certificate.meets(std::min(options.tolerance, kRestTolerance)) &&
      is_nearly_at_rest(problem, nsgs.velocity())) {
    // What meets the tolerance asked for is kept, whatever becomes of it in further sweeps.
    const certify::Certificate found = solution.certificate;
    solution.impulse = nsgs.impulse();
    solution.velocity.assign(nsgs.velocity().begin(), nsgs.velocity().end());
    const Index most = (1 + kRestPatience) * solution.report.iterations;
    solution.report = certified_to(kRestTolerance, std::min(most, options.max_iterations));
    solution.report.status = SolveStatus::converged;
    if (!solution.certificate.meets(options.tolerance)) {
      solution.certificate = found;
      return;
    }
  }
  nsgs.take(solution.impulse, solution.velocity);
}

void solve_by_sweeps(const problem::RigidContact& problem,
                     const certify::RigidContactCertifier& certify, const Options& options,
                     const problem::ContactImpulses& guess, RigidContactSolution& solution) {
  static thread_local Sweeps sweeps;  // the workspace of this thread
  begin_sweeps(problem, options, guess, sweeps);
  end_sweeps(problem, certify, options, sweeps, solution);
}

bool gave_up(const problem::SolveReport& report) {
  return report.status == SolveStatus::max_iterations || report.status == SolveStatus::stalled;
}

double sweep_cost(const problem::RigidContact& problem) {
  const auto central = static_cast<double>(problem.central.size());
  return central + 4 * (static_cast<double>(problem.contact_count()) - central);
}

}  // namespace talus::driver::detail
