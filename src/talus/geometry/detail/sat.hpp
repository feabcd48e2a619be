#pragma once

#include <limits>

#include <talus/geometry/detail/core.hpp>

namespace talus::geometry::detail {

/// One candidate of the separating-axis test: a unit axis from A to B and its support gap.
struct Axis {
  Real gap = -std::numeric_limits<Real>::infinity();
  Vec3 normal = Vec3::UnitZ();
  int face_a = -1;               ///< the face of A it is normal to, if any
  int face_b = -1;               ///< the face of B
  int edge_a = -1, edge_b = -1;  ///< the edges of both it is perpendicular to, if no face
};

/// The best axis of each family; a family without a candidate keeps the gap −∞, and so do the edges
/// when no pair of them is better than every face.
struct Sat {
  Axis face_a, face_b, edge;
  /// The axis of the largest support gap; faces of A before those of B before edges, unless the
  /// later one is better by more than the tie [m].
  [[nodiscard]] const Axis& best(Real tie) const {
    const Axis& face = face_b.gap > face_a.gap + tie ? face_b : face_a;
    return edge.gap > face.gap + tie ? edge : face;
  }
};

/// The separating-axis test over face normals and edge pairs. For overlapping cores the largest
/// support gap is minus the depth of least translation; for separated cores it is a lower bound of
/// the distance, exact for face and edge contacts.
///
/// Edge pairs are pruned by the Gauss map (Gregorius 2013, key `gregorius_2013`): only arcs that
/// cross can be a face of the Minkowski difference. Pairs parallel to 1e-8 rad are skipped: a face
/// normal stands in for them. Contract: at least one core has a face or an edge.
/// @param cutoff support gap of a face [m] beyond which the edges are not tested.
[[nodiscard]] Sat separating_axes(const CorePair& pair,
                                  Real cutoff = std::numeric_limits<Real>::infinity());

}  // namespace talus::geometry::detail
