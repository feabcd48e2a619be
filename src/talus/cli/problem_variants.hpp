#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <talus/cli/problem_run.hpp>

namespace talus::cli {

/// A problem beside the one of a file: other free velocities, another friction.
struct Variant {
  Real perturbation = 0;  ///< p ≥ 0: each component of b (of f and w in global form) + p·rms·N(0,1)
  std::uint64_t seed = 1;  ///< of the N(0,1)
  Real friction = 1;       ///< factor ≥ 0 of every μ

  /// "", or e.g. " b+3%#2 mu*0.6".
  [[nodiscard]] std::string name() const;
};

/// All combinations; a perturbation of 0 has one seed.
[[nodiscard]] std::vector<Variant> variants(const std::vector<Real>& perturbations, int seeds,
                                            const std::vector<Real>& frictions);

/// The variant of a problem. LCPs and cone problems, which have no b and μ apart, change in q or b
/// alone.
[[nodiscard]] RunProblem varied(RunProblem problem, const Variant& variant);

}  // namespace talus::cli
