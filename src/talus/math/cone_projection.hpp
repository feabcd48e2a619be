#pragma once

#include <talus/math/vector.hpp>

namespace talus {

/// Projection onto the friction cone K_μ = {‖r_T‖ ≤ μ r_N}: the nearest point of the cone, normal
/// component first.
///
/// Three cases: inside K_μ: r; in the polar cone (μ‖r_T‖ ≤ −r_N): 0; else the foot on the boundary,
/// r_N' = (r_N + μ‖r_T‖)/(1 + μ²), r_T' = μ r_N' r_T/‖r_T‖.
/// @param r impulse in the contact frame, normal first, any value. @param friction μ ≥ 0.
[[nodiscard]] Vec3 project_friction_cone(const Vec3& r, Real friction);

/// Projection onto the rolling friction cone {‖r_T‖ ≤ μ r_N, ‖r_R‖ ≤ μ_r r_N}: the nearest point.
///
/// For a given r_N' the nearest r_T', r_R' are r_T, r_R shortened to μ r_N', μ_r r_N', so r_N' ≥ 0
/// is where the increasing, piecewise linear function
///   h(n) = n − r_N − μ max(0, ‖r_T‖ − μ n) − μ_r max(0, ‖r_R‖ − μ_r n)
/// vanishes (0 if h(0) ≥ 0): exact, by its four pieces. The polar cone is
/// {r_N + μ‖r_T‖ + μ_r‖r_R‖ ≤ 0}.
/// @param r (N, T1, T2, R1, R2), any value. @param friction μ ≥ 0. @param rolling μ_r ≥ 0, in the
/// unit of r_R over that of r_N.
[[nodiscard]] Vec5 project_rolling_cone(const Vec5& r, Real friction, Real rolling);

}  // namespace talus
