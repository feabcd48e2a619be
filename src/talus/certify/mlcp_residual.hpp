#pragma once

#include <talus/certify/certificate.hpp>
#include <talus/problem/mlcp.hpp>

namespace talus::certify {

/// Certificate of a candidate (x, z) for a mixed LCP, w = D x + B z + b recomputed here.
///
/// The complementary rows are judged as those of an LCP (lcp_residual.hpp), in z̃ = z/√ρ and
/// w̃ = √ρ w with the natural ratios ρ of the rows of [A C; D B] (problem::lcp_scale): natural_map =
/// ‖min(z̃, w̃)‖/‖z̃‖, where z = 0 over ‖min(0, √ρ(D x + b))‖. In the violation what a row has to
/// answer is |√ρ a| of an equation, max(0, −√ρ b) of the others. The equations have units of their
/// own each, so equation_of_motion is the largest relative residual of a row (Oettli & Prager's
/// backward error, key `oettli_1964`),
///   maxᵢ |A x + C z + a|ᵢ / (|A||x| + |C||z| + |a|)ᵢ, 0/0 = 0,
/// a residual below 64 ε of the largest terms of any equation, in energy (both over √A_ii), being
/// none: that much rounding of x leaves in all of them, also in one whose own terms are rounding.
/// A w, or D x + b, that rounding leaves of the terms of its island is 0 likewise
/// (detail/complementary_rows.hpp): where the equations hold a contact at rest, nothing but
/// rounding is left of its rate. plain joins both without scaling: ‖(A x + C z + a, min(z, w))‖
/// over the largest of ‖(a, b)‖, ‖(x, z)‖ and ‖w‖. worst_contact is the worst complementary row.
/// Cost O((n+m)²).
[[nodiscard]] Certificate certify(const problem::Mlcp& problem, const VecX& x, const VecX& z);

}  // namespace talus::certify
