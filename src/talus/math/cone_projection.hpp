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

}  // namespace talus
