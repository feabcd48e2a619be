#pragma once

#include <string>
#include <utility>
#include <vector>

#include <talus/reproduce/paper.hpp>
#include <talus/reproduce/runs.hpp>

namespace talus::reproduce {

// Measures of the contact problem of every step (History::problems); the largest over the steps
// counts. With the local form u = W r + b, N and q its normal rows:
//   lcp_certificate    natural map of Lemke's γ for 0 ≤ γ ⟂ N γ + q ≥ 0
//   qp_certificate     the same of MPRGP's γ, min ½γᵀNγ + qᵀγ, γ ≥ 0
//   scheme_certificate the same of the normal impulses that the scheme applied
//   qp_impulse, scheme_impulse    ‖γ − γ_LCP‖ of these two over ‖γ_LCP‖: where N is regular
//   qp_velocity, scheme_velocity  ‖N(γ − γ_LCP)‖ over ‖q‖: whatever N is
//   cone_certificate   natural map of the cone QP's r (SPG and block Gauss–Seidel), r ∈ Π K_μ
//   cone_velocity      ‖W(r_SPG − r_PGS)‖ over ‖b‖
//   cone_lift          u_N over μ‖u_T‖ where the cone QP's contact slides: farthest from 1
//   coulomb_lift       the same where the scheme's contact slides: farthest from 0
// A step without contacts has nothing to measure; a solve that is not certified measures NaN.

using StepMeasure = Real (*)(const History& run);

/// The names above with what they do.
[[nodiscard]] const std::vector<std::pair<std::string, StepMeasure>>& step_measures();

}  // namespace talus::reproduce
