#pragma once

#include <talus/geometry/detail/core.hpp>

namespace talus::geometry::detail {

/// Where the lines a + s u and b + t v, which are not parallel, are nearest to each other.
struct NearestOnLines {
  Vec3 across;       ///< u × v
  Real across2 = 0;  ///< its square; s and t are there if it is above 0
  Real s = 0, t = 0;

  NearestOnLines(const Vec3& a, const Vec3& u, const Vec3& b, const Vec3& v)
      : across(u.cross(v)), across2(across.squaredNorm()) {
    if (!(across2 > 0)) return;
    const Vec3 w = b - a;
    s = w.cross(v).dot(across) / across2;
    t = w.cross(u).dot(across) / across2;
  }
};

struct FeaturePair {
  Vec3 on_a, on_b;
  Vec3 normal;  ///< unit, from A to B; a face normal or a common perpendicular where there is one
  Real distance = 0;
};

/// Closest points of two cores that do not overlap, by trying all vertices against all faces and
/// all edges against all edges (and their ends) near the support planes of an axis: slow (no
/// pruning but that) and not disturbed by nearly parallel features. For the rare cases where GJK
/// stalls and for the witnesses of touching cores.
/// @param axis unit, from A to B, with distance − s(axis) < 1e-2 of either size: the closest points
/// lie at most that far behind the support planes. @param shift_b B is moved by this [m] first.
[[nodiscard]] FeaturePair closest_features(const CorePair& pair, const Vec3& axis,
                                           const Vec3& shift_b = Vec3::Zero());

}  // namespace talus::geometry::detail
