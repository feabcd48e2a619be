#pragma once

#include <talus/math/vector.hpp>

namespace talus::geometry {

/// Volume [m³] of the part of a ball that lies in a box along the axes, exact to round-off.
///
/// By inclusion and exclusion over the corners of the box from V(a, b, c), the part of the unit
/// ball where x ≥ a, y ≥ b, z ≥ c. With a, b, c ≥ 0 and the corner inside the ball, the divergence
/// theorem gives
///   3 V = S − a A_x − b A_y − c A_z
/// with the areas A of its three plane faces (sectors cut off) and S of the piece of the sphere by
/// Gauss–Bonnet, S = 2π − Σ exterior angles − (a φ_a + b φ_b + c φ_c), φ the angles of its arcs.
/// @param min, max corners of the box [m], min ≤ max; may be infinite. @param radius [m] > 0.
/// Error below 1e-14 radius³ or so. O(1).
[[nodiscard]] Real ball_in_box(const Vec3& centre, Real radius, const Vec3& min, const Vec3& max);

}  // namespace talus::geometry
