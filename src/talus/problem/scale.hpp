#pragma once

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/lcp.hpp>

namespace talus::problem {

/// The natural ratio zᵢ/wᵢ of each row of an LCP, ρᵢ > 0, so that z̃ = z/√ρ and w̃ = √ρ w share one
/// unit.
///
/// ρᵢ = 1/|M_ii| where M_ii ≠ 0; else ρᵢ = 1/max_j |M_ij M_ji|/|M_jj| over j with M_jj ≠ 0 (a slip
/// speed in a friction LCP has no diagonal: its scale comes from the impulses it is coupled to);
/// else 1. Changing the units of mass, length and time changes ρ accordingly and leaves √ρ M √ρ as
/// it is. Cost O(n²).
[[nodiscard]] VecX lcp_scale(const Lcp& lcp);

/// The natural ratio rₖ/uₖ of each row of a cone problem, ρₖ > 0, so that r̃ = r/√ρ and ũ = √ρ u
/// share one unit, the root of an energy, whatever the rows measure.
///
/// Rows that one norm joins have one ρ = size/Σ W_kk: a friction block; N and T of a rolling block
/// (ρ_F), and its R (ρ_R). Rows of the other kinds are judged one by one and have each their own,
/// ρₖ = 1/W_kk. A vanishing sum is replaced as in lcp_scale, by max_j |W_kj W_jk|/|W_jj| over its
/// rows, else by 1. In the scaled rows a cone is a cone of its kind with the same μ and with
/// μ̃_r = μ_r √(ρ_F/ρ_R): √(ρ_R/ρ_F) is the length that turns moments into forces there (for a
/// sphere of radius a against a plane, a times a number near 1). If the units of mass, length and
/// time change, r̃ and ũ only change by a common factor. Cost O(non-zeros).
[[nodiscard]] VecX cone_scale(const ConeProblem& problem);

}  // namespace talus::problem
