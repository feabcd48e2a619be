#include <talus/driver/detail/solve_contacts.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <talus/driver/contact_laws.hpp>
#include <talus/driver/detail/assembled_contact.hpp>
#include <talus/driver/detail/gated_sweeps.hpp>
#include <talus/driver/detail/rigid_cascade.hpp>
#include <talus/driver/detail/verdict.hpp>
#include <talus/solve/newton/rigid_newton.hpp>

namespace talus::driver::detail {
namespace {

using certify::RigidContactCertifier;
using problem::ContactImpulses;

/// Any solver on the assembled form, under any law.
void solve_assembled(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                     const Options& options, const ContactImpulses& guess,
                     RigidContactSolution& solution) {
  const AssembledContact assembled(problem, certify, options.tolerance);
  VecX r = assembled.to_local(guess);
  solution.report = run_under_law(assembled.local(), options, assembled.external_residual(), r);
  assembled.certify(r, solution);
  set_status(solution.certificate, solution.certificate.excess(options.tolerance), solution.report);
}

/// What Newton's method solves under a law; nothing for polygons.
std::optional<solve::ContactEquation> newton_equation(problem::FrictionLaw law) {
  using problem::FrictionLaw;
  switch (law) {
    case FrictionLaw::coulomb:
    case FrictionLaw::frictionless:  // μ = 0 in the assembled form
      return solve::ContactEquation::alart_curnier;
    case FrictionLaw::maximum_dissipation:
      return solve::ContactEquation::maximum_dissipation;
    case FrictionLaw::cone_complementarity:
      return solve::ContactEquation::cone;
    default:
      return std::nullopt;
  }
}

/// Sweeps on the bodies' velocities; where a while of them does not do, whatever takes polygons on
/// the assembled form. The better answer of the two.
void solve_polygons(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                    const Options& options, const ContactImpulses& guess,
                    RigidContactSolution& solution) {
  constexpr Index kPatience = 2000;
  Options limited = options;
  limited.max_iterations = std::min(options.max_iterations, kPatience);
  solve_by_sweeps(problem, certify, limited, guess, solution);
  limited.max_iterations = options.max_iterations - solution.report.iterations;
  if (!gave_up(solution.report) || limited.max_iterations < 1) return;
  RigidContactSolution other;
  solve_assembled(problem, certify, limited, solution.impulse, other);
  const Index sweeps = solution.report.iterations;
  if (!is_better(other.certificate, solution.certificate, options.tolerance)) return;
  std::swap(solution, other);
  solution.report.iterations += sweeps;
}

bool is_known_to_sweeps(const problem::RigidContact& problem) {
  return problem::is_coulomb_between_balls(problem.law) || problem.central.size() == 0;
}

/// Whether Newton's method comes behind the sweeps.
bool is_cascade(const problem::RigidContact& problem, const Options& options) {
  return options.solver == "auto" &&
         (problem::has_local_form(problem) || solve::RigidNewton::takes(problem));
}

/// Of the sweeps before anything else is tried.
Options options_of_sweeps(const problem::RigidContact& problem, const Options& options,
                          Index size) {
  return is_cascade(problem, options) ? first_sweeps(problem, size, options) : options;
}

/// The workspace of this thread.
Sweeps& sweeps_of_thread() {
  static thread_local Sweeps sweeps;
  return sweeps;
}

}  // namespace

bool begins_with_sweeps(const problem::RigidContact& problem, const Options& options) {
  if (!problem::has_local_form(problem)) return true;
  const bool has_equation = newton_equation(problem.law).has_value();
  return is_known_to_sweeps(problem) &&
         (options.solver == "nsgs" || (options.solver == "auto" && has_equation));
}

void begin_contacts(const problem::RigidContact& problem, const Options& options,
                    const ContactImpulses& guess, Sweeps& sweeps, Index size, Index colours,
                    bool is_in_parts) {
  begin_sweeps(problem, options_of_sweeps(problem, options, size), guess, sweeps, colours,
               is_in_parts);
}

void continue_contacts(const problem::RigidContact& problem, const Options& options, Real excess,
                       Sweeps& sweeps, Index size) {
  sweep_to(next_gate(sweeps.report, excess), options_of_sweeps(problem, options, size), sweeps);
}

void end_contacts(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                  const Options& options, Sweeps& sweeps, RigidContactSolution& solution) {
  if (is_cascade(problem, options))
    solve_by_cascade(problem, certify, options, *newton_equation(problem.law), sweeps, solution);
  else
    end_sweeps(problem, certify, options, sweeps, solution);
}

bool solve_contacts_in_parts(const problem::RigidContact& problem,
                             const certify::RigidContactCertifier& certify, const Options& options,
                             const ContactImpulses& guess, RigidContactSolution& solution) {
  Sweeps& sweeps = sweeps_of_thread();
  const Index size = problem.contact_count();
  begin_contacts(problem, options, guess, sweeps, size, 0, true);
  return end_sweeps_in_parts(certify, options_of_sweeps(problem, options, size), sweeps, solution);
}

void solve_contacts(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                    const Options& options, const ContactImpulses& guess,
                    RigidContactSolution& solution) {
  if (begins_with_sweeps(problem, options)) {
    Sweeps& sweeps = sweeps_of_thread();
    begin_contacts(problem, options, guess, sweeps, problem.contact_count());
    end_contacts(problem, certify, options, sweeps, solution);
  } else if (is_known_to_sweeps(problem) && options.solver == "auto") {
    solve_polygons(problem, certify, options, guess, solution);
  } else {
    solve_assembled(problem, certify, options, guess, solution);
  }
}

}  // namespace talus::driver::detail
