#pragma once

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

}  // namespace talus::problem
