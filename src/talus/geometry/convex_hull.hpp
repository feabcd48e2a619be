#pragma once

#include <span>

#include <talus/geometry/polytope.hpp>

namespace talus::geometry {

/// The convex hull of points [m] as a polytope, by Qhull (Barber, Dobkin & Huhdanpaa 1996, key
/// `barber_1996`).
///
/// Facets that lie in one plane come out as one face, points inside are left out. The points may be
/// in any order, more than once, and far from the origin.
/// Errors: InputError when there are fewer than four different points, a number is not finite, the
/// points lie in a plane, a line or a point (to 1e-9 of their size), or the hull has more corners
/// than a Polytope may. Cost O(N log N) and memory O(N): 0.1 ms for 20 points, 0.3 s for 10⁴.
[[nodiscard]] Polytope convex_hull(std::span<const Vec3> points);

}  // namespace talus::geometry
