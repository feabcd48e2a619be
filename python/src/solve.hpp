#pragma once

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include <talus/certify/bounded_friction_residual.hpp>
#include <talus/certify/cone_residual.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/lcp_residual.hpp>
#include <talus/certify/mlcp_residual.hpp>
#include <talus/driver/solve.hpp>
#include <talus/driver/solve_classes.hpp>

#include "arrays.hpp"
#include "options.hpp"
#include "solutions.hpp"

namespace talus::python {

/// Solves without the interpreter's lock: problems never change once they are there.
/// @param guess None or an array. Ctrl-C ends it after the iteration with Python's exception.
template <class Problem>
py::object solve(const std::shared_ptr<Problem>& problem, const SolveOptions& options,
                 py::object guess) {
  const VecX start = guess.is_none() ? VecX() : to_vector("guess", guess);
  StopCondition stop(options.time_limit);
  driver::Options driver_options = options.driver;
  driver_options.should_stop = [&stop] { return stop.should_stop(); };
  const auto start_time = std::chrono::steady_clock::now();
  auto solution = [&] {
    const py::gil_scoped_release unlocked;
    return driver::solve(*problem, driver_options, start);
  }();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_time;
  stop.rethrow();
  if (solution.report.status == problem::SolveStatus::interrupted && stop.is_out_of_time())
    solution.report.status = problem::SolveStatus::time_limit;
  return to_solution(std::move(solution), seconds.count());
}

/// An unknown of `size` numbers.
inline VecX to_unknown(const char* name, py::handle value, Index size) {
  VecX x = to_vector(name, value);
  if (x.size() != size) refuse(name, fmt::format("expected {} numbers, got {}", size, x.size()));
  return x;
}

// The certificate of an answer: r in local forms, (r, v) in global ones, (x, z) of a mixed LCP.
template <class Problem>
certify::Certificate certify_answer(const std::shared_ptr<Problem>& held, py::object r) {
  const Problem& problem = *held;
  if constexpr (requires { problem.b; })
    return certify::certify(problem, to_unknown("r", r, problem.b.size()));
  else if constexpr (requires { problem.q; })
    return certify::certify(problem, to_unknown("z", r, problem.q.size()));
  else
    return certify::certify(problem, to_unknown("x", r, problem.g.size()));
}
template <class Global>
certify::Certificate certify_motion(const std::shared_ptr<Global>& held, py::object r,
                                    py::object v) {
  const Global& problem = *held;
  Index constraints = 0;
  if constexpr (requires { problem.G; }) constraints = problem.equality_count();
  return certify::certify(problem, to_unknown("r", r, constraints + problem.w.size()),
                          to_unknown("v", v, problem.f.size()));
}
inline certify::Certificate certify_mixed(const std::shared_ptr<problem::Mlcp>& held, py::object x,
                                          py::object z) {
  const problem::Mlcp& problem = *held;
  return certify::certify(problem, to_unknown("x", x, problem.free_count()),
                          to_unknown("z", z, problem.complementary_count()));
}

}  // namespace talus::python
