#include <talus/problem/solution.hpp>

#include <fmt/format.h>

#include <array>
#include <utility>

namespace talus::problem {

std::string_view to_string(SolveStatus status) noexcept {
  constexpr std::array<std::string_view, 13> kNames = {
      "not_run",           "converged",   "stalled",         "max_iterations", "time_limit",
      "infeasible",        "unbounded",   "ray_termination", "diverged",       "numerical_error",
      "capacity_exceeded", "unsupported", "interrupted"};
  return kNames[static_cast<std::size_t>(status)];
}

SolveCounts& SolveCounts::operator+=(const SolveCounts& other) {
  products += other.products;
  projections += other.projections;
  factorisations += other.factorisations;
  return *this;
}

void SolveReport::add(SolveStage stage) {
  iterations += stage.iterations;
  counts += stage.counts;
  stages.push_back(std::move(stage));
}

std::string describe(const std::vector<SolveStage>& stages) {
  std::string text;
  for (const SolveStage& stage : stages)
    text += fmt::format("{}{}: {} to {:.3g}", text.empty() ? "" : "; ", stage.solver,
                        stage.iterations, stage.residual);
  return text;
}

}  // namespace talus::problem
