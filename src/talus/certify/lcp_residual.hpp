#pragma once

#include <talus/certify/certificate.hpp>
#include <talus/problem/lcp.hpp>

namespace talus::certify {

/// Certificate of a candidate z for an LCP, w = M z + q recomputed here.
///
/// The components of an LCP may carry different units (impulses beside slip speeds), so r and ρû of
/// Certificate become z̃ = z/√ρ and w̃ = √ρ w, ρ = problem::lcp_scale, K = {z ≥ 0}: natural_map =
/// ‖min(z̃, w̃)‖₂/‖z̃‖₂, where z = 0 over ‖min(0, √ρ q)‖₂; where z̃ is more than 10⁵ times as large as
/// q̃ = √ρ q it is taken as 10⁵‖q̃‖₂, for along a direction of infeasibility z grows until any
/// residual is small beside it; worst_velocity = max|min(z̃, w̃)|/√ρ, in the
/// unit of its w; plain = ‖min(z, w)‖₂/max(‖q‖, ‖z‖, ‖w‖). worst_contact is the worst row. Cost
/// O(n²).
[[nodiscard]] Certificate certify(const problem::Lcp& lcp, const VecX& z);

}  // namespace talus::certify
