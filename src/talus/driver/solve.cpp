#include <talus/driver/solve.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/lcp_residual.hpp>
#include <talus/driver/contact_laws.hpp>
#include <talus/driver/detail/lcp_islands.hpp>
#include <talus/driver/detail/verdict.hpp>
#include <talus/driver/registry.hpp>
#include <talus/problem/convert.hpp>
#include <talus/problem/validate.hpp>

namespace talus::driver {
namespace {

using certify::Certificate;
using detail::certified_at_start;
using detail::check_guess;
using detail::over_tolerance;
using detail::set_status;

template <class Visit>
void for_each_solver(Visit&& visit) {
  for (const auto& entry : lcp_solvers()) visit(entry.name);
  for (const auto& entry : friction_contact_solvers()) visit(entry.name);
  for (const auto& entry : cone_solvers()) visit(entry.name);
  for (const auto& entry : rolling_solvers()) visit(entry.name);
}

bool is_solver_name(std::string_view name) {
  bool is_found = false;
  for_each_solver([&](std::string_view known) { is_found = is_found || known == name; });
  return is_found;
}

}  // namespace

bool is_within(const Certificate& certificate, const Options& options) {
  return over_tolerance(certificate, options) <= 1;
}

std::vector<std::string_view> friction_contact_solver_names() {
  return names_of(friction_contact_solvers());
}
std::vector<std::string_view> lcp_solver_names() { return names_of(lcp_solvers()); }

std::vector<std::string_view> solver_names() {
  std::set<std::string_view> names;
  for_each_solver([&](std::string_view name) { names.insert(name); });
  return {names.begin(), names.end()};
}

void validate(const Options& options) {
  std::vector<Diagnostic> mistakes;
  const auto add = [&](std::string path, std::string message, std::string hint = "") {
    mistakes.push_back({{}, std::move(path), std::move(message), "", std::move(hint)});
  };
  if (!is_solver_name(options.solver)) {
    const auto names = solver_names();
    const std::string near = nearest_word(options.solver, names);
    add("solver", fmt::format("expected {}, got '{}'", join_choices(names), options.solver),
        near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }
  if (!(options.tolerance > 0 && options.tolerance < 1))
    add("tolerance", fmt::format("expected a number in (0, 1), got {}", options.tolerance));
  if (!(options.plain_tolerance > 0))
    add("plain_tolerance",
        fmt::format("expected a positive number, got {}", options.plain_tolerance));
  if (options.max_iterations < 1)
    add("max_iterations", fmt::format("expected at least 1, got {}", options.max_iterations));
  if (!(options.relaxation > 0 && options.relaxation < 2))
    add("relaxation", fmt::format("expected a number in (0, 2), got {}", options.relaxation));
  if (!problem::is_direction_count(options.directions))
    add("directions", fmt::format("expected an even number from 4 to {}, got {}",
                                  problem::kMostDirections, options.directions));
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

LcpSolution solve(const problem::Lcp& problem, const Options& options, const VecX& guess) {
  validate(options);
  problem::validate(problem);
  check_guess(guess, problem.size());
  LcpSolution solution;
  solution.z = guess.size() > 0 ? guess : VecX::Zero(problem.size());
  solution.certificate = certify::certify(problem, solution.z);
  if (over_tolerance(solution.certificate, options) <= 1) {
    solution.report = certified_at_start(solution.certificate, guess, options);
  } else {
    solution.report = detail::solve_lcp_by_islands(problem, options, solution.z);
    solution.certificate = certify::certify(problem, solution.z);
    set_status(solution.certificate, over_tolerance(solution.certificate, options),
               solution.report);
  }
  solution.w = problem.M * solution.z + problem.q;
  return solution;
}

FrictionContactSolution solve(const problem::FrictionContact& problem, const Options& options,
                              const VecX& guess) {
  validate(options);
  problem::validate(problem);
  check_guess(guess, problem.b.size());
  FrictionContactSolution solution;
  solution.impulse = guess.size() > 0 ? guess : VecX::Zero(problem.b.size());
  certify::FrictionContactCertifier certify(problem);
  solution.certificate = certify(solution.impulse);
  if (over_tolerance(solution.certificate, options) <= 1) {
    solution.report = certified_at_start(solution.certificate, guess, options);
  } else {
    const auto external_residual = [&](const VecX& r) {
      return over_tolerance(certify(r), options);
    };
    solution.report = run_under_law(problem, options, external_residual, solution.impulse);
    solution.certificate = certify(solution.impulse);
    set_status(solution.certificate, over_tolerance(solution.certificate, options),
               solution.report);
  }
  solution.velocity = certify.velocity();
  return solution;
}

GlobalFrictionContactSolution solve(const problem::GlobalFrictionContact& problem,
                                    const Options& options, const VecX& guess) {
  validate(options);
  problem::validate(problem);
  const problem::LocalForm local(problem);
  FrictionContactSolution inner = solve(local.problem(), options, guess);
  GlobalFrictionContactSolution solution;
  solution.impulse = std::move(inner.impulse);
  solution.v = local.velocity(solution.impulse);
  solution.velocity = problem.H.transpose() * solution.v + problem.w;
  solution.report = std::move(inner.report);
  solution.certificate = certify::certify(problem, solution.impulse, solution.v);
  set_status(solution.certificate, over_tolerance(solution.certificate, options), solution.report);
  return solution;
}

}  // namespace talus::driver
