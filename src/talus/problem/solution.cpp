#include <talus/problem/solution.hpp>

#include <array>

namespace talus::problem {

std::string_view to_string(SolveStatus status) noexcept {
  constexpr std::array<std::string_view, 13> kNames = {
      "not_run",           "converged",   "stalled",         "max_iterations", "time_limit",
      "infeasible",        "unbounded",   "ray_termination", "diverged",       "numerical_error",
      "capacity_exceeded", "unsupported", "interrupted"};
  return kNames[static_cast<std::size_t>(status)];
}

}  // namespace talus::problem
