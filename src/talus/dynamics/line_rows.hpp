#pragma once

#include <talus/math/vector.hpp>

namespace talus::dynamics {

/// The spring and the damper of a line force between two points, d from the first to the second,
/// as rows: −Σ (k s + c e·ḋ) e acts on the second point. They are the direction u = d/l with
/// s = l − l₀ and, where the spring pulls with T = k s, those across it, s = 0, k = T/l, along
/// which it holds as a string does.
///
/// Where the points meet, d has the direction of ḋ just before and after, so that c (u·ḋ) u = c ḋ;
/// with k l₀ = 0 the spring exerts −k d. Both are the same along any axes: the rows are the axes of
/// the world, s = 0. With k l₀ > 0 the force has no direction there, and there is no row.
/// @tparam Vector Vec2 or Vec3. @param add called with e, s, k, c of each row. O(1).
template <class Vector, class Add>
void for_each_line_row(const Vector& d, Real stiffness, Real rest_length, Real damping,
                       const Add& add) {
  const Real length = d.norm();
  if (length == 0) {
    if (stiffness * rest_length > 0) return;
    for (Index i = 0; i < d.size(); ++i) add(Vector(Vector::Unit(i)), Real(0), stiffness, damping);
    return;
  }
  const Vector u = d / length;
  const Real stretch = length - rest_length, tension = stiffness * stretch;
  add(u, stretch, stiffness, damping);
  if (!(tension > 0)) return;
  const auto hold = [&](const Vector& across) { add(across, Real(0), tension / length, Real(0)); };
  if constexpr (Vector::SizeAtCompileTime == 2) {
    hold(Vector(-u.y(), u.x()));
  } else {
    const Vector across = d.unitOrthogonal();
    hold(across);
    hold(d.cross(across) / length);
  }
}

}  // namespace talus::dynamics
