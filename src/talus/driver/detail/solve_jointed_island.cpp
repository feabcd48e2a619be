#include <talus/driver/detail/solve_jointed_island.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <talus/driver/detail/assembled_contact.hpp>
#include <talus/driver/detail/gated_sweeps.hpp>
#include <talus/solve/gauss_seidel/jointed_nsgs.hpp>

namespace talus::driver::detail {
namespace {

using certify::RigidContactCertifier;
using problem::ContactImpulses;
using problem::RigidContact;
using problem::SolveReport;
using problem::SolveStatus;

/// The runs, each from the best answer so far: near it; from a start that favours no contact; along
/// the path of large α.
constexpr std::array<solve::ProximalNewtonOptions, 3> kRuns{
    solve::ProximalNewtonOptions{.max_factorisations = 60, .regularisation = 1e-2},
    solve::ProximalNewtonOptions{.max_factorisations = 100, .regularisation = 1e-3},
    solve::ProximalNewtonOptions{.max_factorisations = 450,
                                 .regularisation = 1e-1,
                                 .decrease = 0.7,
                                 .largest_decrease = 0.95}};

/// Excess of an answer that takes another Newton step: from a closer one the next step's guess is
/// an answer more often.
constexpr Real kLoose = 1e-4;

/// Excess of a guess that takes a Newton step: with guesses taken at the tolerance a machine at
/// rest leaves it and comes back to it every few steps.
constexpr Real kLooseGuess = 0.1;

/// The same of a guess that kicks the bodies.
constexpr Real kKickingGuess = 1e-2;

/// Whether a guess changes velocities by much of what they are then:
///   Σ m (‖v − v_before‖² + ‖s − s_before‖²) > ¼ Σ m (‖v‖² + ‖s‖²).
/// Impulses that have stopped bodies, which had slipped by the errors of guesses, kick bodies at
/// rest back by as much. Taken as they are they let a machine that stands leave the tolerance and
/// come back to it for ever, every second step; one more Newton step ends it.
bool kicks(const RigidContact& problem, std::span<const problem::BodyVelocity> velocity) {
  if (problem.before.empty()) return false;
  Real change = 0, motion = 0;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const problem::BodyVelocity &now = velocity[i], &before = problem.before[i];
    if (!(now.inverse_mass > 0)) continue;
    change +=
        ((now.v - before.v).squaredNorm() + (now.s - before.s).squaredNorm()) / now.inverse_mass;
    motion += (now.v.squaredNorm() + now.s.squaredNorm()) / now.inverse_mass;
  }
  return 4 * change > motion;
}

/// Whether sweeps come first: many grains, whose contacts fill Newton's matrix, around machines
/// small enough for dense responses.
bool is_among_grains(const RigidContact& problem) {
  constexpr Index kFewGrains = 20, kLargestMachines = 64;
  if (!solve::JointedNsgs::takes(problem)) return false;
  std::vector<bool> is_jointed(problem.bodies.size(), false);
  for (const problem::RowPart& of : problem.rows.parts) is_jointed[of.body] = true;
  Index grains = 0, jointed = 0;
  for (std::size_t i = 0; i < is_jointed.size(); ++i)
    if (problem.bodies[i].inverse_mass > 0) ++(is_jointed[i] ? jointed : grains);
  return jointed <= kLargestMachines && grains >= std::max(kFewGrains, 2 * jointed);
}

/// Sweeps, as many as cost about as much as a run of Newton's method. @param solution in: the guess
/// as its impulse; out: the answer.
void sweep_island(const RigidContact& problem, const RigidContactCertifier& certify,
                  const Options& options, RigidContactSolution& solution) {
  static thread_local solve::JointedNsgs nsgs;  // the workspace of this thread
  ContactImpulses& impulse = solution.impulse;
  if (!nsgs.start(problem, impulse)) return;  // Newton's method says what is wrong
  const Index patience =
      std::min(options.max_iterations, 200 + 10 * std::min<Index>(problem.contact_count(), 100));
  ContactImpulses guess = impulse;
  solution.report = sweep_until_certified(
      options.tolerance, [&](Real gate) { return nsgs.run(gate, patience, options.should_stop); },
      [&] {
        nsgs.impulses(impulse);
        complete(problem, certify, solution);
        return solution.certificate.excess(options.tolerance);
      });
  if (solution.report.status == SolveStatus::numerical_error) impulse = std::move(guess);
}

/// No impulses, where there is no answer. @param why it is so.
void give_none(const RigidContact& problem, const RigidContactCertifier& certify, SolveReport why,
               RigidContactSolution& solution) {
  solution.impulse = problem::zero_impulses(problem);
  complete(problem, certify, solution);
  solution.report = std::move(why);
}

}  // namespace

void solve_jointed_island(const RigidContact& problem, const RigidContactCertifier& certify,
                          const Options& options, solve::RigidNewton& newton,
                          RigidContactSolution& solution) {
  solution.report = {};
  if (!solve::RigidNewton::takes(problem))
    return give_none(problem, certify,
                     {SolveStatus::unsupported, 0, 0, "joints with this law of contact", {}},
                     solution);
  if (is_among_grains(problem)) {
    sweep_island(problem, certify, options, solution);
    if (solution.report.status == SolveStatus::converged ||
        solution.report.status == SolveStatus::interrupted)
      return;
    solution.report.detail.clear();
  }
  if (!newton.start(problem))
    return give_none(problem, certify,
                     {SolveStatus::numerical_error, 0, 0, "constraints depend on each other", {}},
                     solution);
  SolveReport report = solution.report;
  report.status = SolveStatus::max_iterations;
  newton.complete(solution.impulse, solution.velocity);
  solution.certificate = certify(solution.impulse, solution.velocity);
  Real best_excess = solution.certificate.excess(options.tolerance);
  if (std::isnan(best_excess)) best_excess = std::numeric_limits<Real>::infinity();
  VecX nearest;
  const bool is_loose =
      best_excess > (kicks(problem, solution.velocity) ? kKickingGuess : kLooseGuess);
  if (is_loose) nearest = newton.unknowns(solution.impulse);
  RigidContactSolution candidate;
  const solve::ExternalResidual external_residual = [&](const VecX& x) {
    newton.impulses(x, candidate.impulse, candidate.velocity);
    candidate.certificate = certify(candidate.impulse, candidate.velocity);
    const Real excess = candidate.certificate.excess(options.tolerance);
    if (excess < best_excess) {
      best_excess = excess;
      std::swap(solution, candidate);
    }
    return excess;
  };
  /// One Newton step with a small α from the best answer, which it squares the error of.
  const auto refine = [&] {
    VecX x = nearest;
    if (report.iterations >= options.max_iterations || !newton.refine(x)) return;
    ++report.iterations;
    ++report.counts.factorisations;
    const Real before = best_excess;
    (void)external_residual(x);
    if (best_excess < before) nearest = x;
  };
  if (is_loose) refine();
  for (std::size_t run = 0; run < kRuns.size() && best_excess > 1; ++run) {
    VecX x = run == 1 ? newton.uniform_pressure() : nearest;
    solve::ProximalNewtonOptions own = kRuns[run];
    own.max_factorisations =
        std::min(own.max_factorisations, options.max_iterations - report.iterations);
    if (own.max_factorisations < 1) break;
    if (run != 1) own.start_residual = best_excess;
    const Real before = best_excess;
    const SolveReport one = newton.run(own, external_residual, options.should_stop, x);
    report.iterations += one.iterations;
    report.counts += one.counts;
    report.residual = one.residual;
    report.status = one.status;
    if (best_excess < before) nearest = x;
    if (one.status == SolveStatus::interrupted) break;
  }
  if (best_excess <= 1) {
    if (report.iterations > 0 && best_excess > kLoose) refine();
    report.status = SolveStatus::converged;
    report.residual = solution.certificate.natural_map;
  } else if (report.detail.empty()) {
    report.detail = fmt::format(
        "rigid_newton: {} to {:.3g} in an island of {} bodies and {} contacts", report.iterations,
        report.residual, problem.bodies.size(), problem.contact_count());
  }
  if (best_excess == std::numeric_limits<Real>::infinity())
    return give_none(problem, certify, std::move(report), solution);
  solution.report = std::move(report);
}

}  // namespace talus::driver::detail
