#pragma once

#include <string>
#include <vector>

namespace talus::cli {

/// Performance profile of solvers over problems (Dolan & Moré 2002, key `dolan_2002`).
///
/// ρ_s(τ) = share of the problems that solver s solves within τ times the time of the fastest
/// solver on each; ρ_s(1) is how often it is the fastest, ρ_s(∞) how often it solves at all.
class PerformanceProfile {
 public:
  /// @param solvers names. @param seconds per problem one time per solver; infinity: not solved.
  /// Problems that none solves count in every share.
  PerformanceProfile(std::vector<std::string> solvers,
                     const std::vector<std::vector<double>>& seconds);

  /// ρ of a solver at τ ≥ 1, in [0, 1].
  [[nodiscard]] double share(std::size_t solver, double ratio) const;

  /// A table: solver, ρ at τ = 1, 2, 10, 100 and at the end.
  [[nodiscard]] std::string to_text() const;
  /// A picture: τ on a logarithmic axis, one step line per solver with its name.
  [[nodiscard]] std::string to_svg() const;

 private:
  std::vector<std::string> solvers_;
  std::vector<std::vector<double>> ratios_;  // of each solver, finite ones, rising
  std::size_t problem_count_;
};

}  // namespace talus::cli
