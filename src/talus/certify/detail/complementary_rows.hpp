#pragma once

#include <talus/certify/certificate.hpp>
#include <talus/problem/lcp.hpp>

namespace talus::certify::detail {

/// Sets what a certificate says of the rows of an LCP or a mixed one (docs/adr/0019), and is_finite
/// from its numbers.
///
/// The last rows are complementary, 0 ≤ z ⟂ w ≥ 0, those before them equations w = 0. natural_map,
/// primal, dual, complementarity, worst_velocity, worst_contact and worst_share are those of the
/// complementary rows in z̃ = z/√ρ and w̃ = √ρ w, δᵢ = |min(z̃, w̃)ᵢ|. Of all rows are
///   violation = max δᵢ/Vᵢ, of an equation δᵢ = |w̃ᵢ|,
///   Vᵢ = max(dᵢ, √(Σ d²/|{d > 0}|)), sums over the rows of the island,
///   dᵢ = max(0, −√ρ qᵢ), of an equation |√ρ qᵢ|,
/// and work, in every island Σ|z̃ᵢ w̃ᵢ| over Σ Vᵢ². No unknowns are in V, however large they are.
/// δᵢ is less by 8 ε of |w̃ᵢ|, |√ρ qᵢ| and the terms of w̃ᵢ, as far as these are no larger than
/// what is given around the row, the largest |√ρ q| of it and, times min(1, |√ρᵢ Mᵢⱼ √ρⱼ|), of the
/// rows that it meets; where they are a thousand times that, it is no less than 4 ε of them. In the
/// others a w̃ᵢ below 64 ε of the largest terms of its island, as errors of all unknowns make it,
/// and below 10⁻³ Vᵢ, is 0.
/// @param all M and q of all rows and unknowns; rows that M couples are of one island.
/// @param scale ρ of each row (problem::lcp_scale). @param z of the complementary rows.
/// @param w of each row; of an equation what it leaves open. @param size of its terms,
/// |M||x| + |q|. @param free w of the complementary rows at z = 0. Cost O(n²).
void judge(const problem::Lcp& all, const VecX& scale, const VecX& z, const VecX& w,
           const VecX& size, const VecX& free, Certificate& c);

}  // namespace talus::certify::detail
