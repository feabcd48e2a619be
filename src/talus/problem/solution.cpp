#include <talus/problem/solution.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>
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
  constexpr std::size_t kFirst = 8, kLast = 2;
  const std::size_t left_out = stages.size() > kFirst + kLast ? stages.size() - kFirst - kLast : 0;
  std::string text;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (i >= kFirst && i < kFirst + left_out) continue;
    if (left_out > 0 && i == kFirst + left_out) text += fmt::format("; {} more", left_out);
    text += fmt::format("{}{}: {} to {:.3g}", text.empty() ? "" : "; ", stages[i].solver,
                        stages[i].iterations, stages[i].residual);
  }
  return text;
}

}  // namespace talus::problem
