#pragma once

#include <talus/certify/certificate.hpp>
#include <talus/problem/lcp.hpp>

namespace talus::certify {

/// Certificate of a candidate z for an LCP, w = M z + q recomputed here.
///
/// The components of an LCP may carry different units (impulses beside slip speeds), so r and ρû of
/// Certificate become z̃ = z/√ρ and w̃ = √ρ w, ρ = problem::lcp_scale, K = {z ≥ 0}. In every island
/// of rows that M couples natural_map = ‖min(z̃, w̃)‖₂/‖z̃‖₂, where z = 0 over ‖min(0, √ρ q)‖₂; the
/// violation is |min(z̃, w̃)ᵢ| over Vᵢ = max(dᵢ, root mean square of the d > 0 of the island),
/// dᵢ = max(0, −√ρ qᵢ): along a direction of infeasibility z grows until any residual is small
/// beside it, but a row misses by what it has to answer; where many rows share that, the work
/// Σ|z̃ᵢw̃ᵢ|/Σ Vᵢ² exceeds 1. What rounding leaves of rows: detail/complementary_rows.hpp.
/// worst_velocity = max|min(z̃, w̃)|/√ρ, in the unit of its w; plain = ‖min(z, w)‖₂/max(‖q‖, ‖z‖,
/// ‖w‖). worst_contact is the worst row. Cost O(n²).
[[nodiscard]] Certificate certify(const problem::Lcp& lcp, const VecX& z);

}  // namespace talus::certify
