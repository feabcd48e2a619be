#pragma once

#include <talus/geometry/detail/core.hpp>
#include <talus/geometry/manifold.hpp>

namespace talus::geometry::detail {

/// Of the smaller size: an axis or a point must be better by this to be chosen, and the side planes
/// of a reference face are moved out by this.
inline constexpr Real kTie = 1e-6;

/// A contact of the two cores along a normal: a point of core B and its distance to core A along
/// the normal (or the other way round), and what makes it. Not initialised: patches hold many.
struct CorePoint {
  Vec3 on_a, on_b;
  Real gap;
  FeatureId feature;
};

/// Points of a face–face contact: at most what two faces of 64 corners can give.
struct CorePatch {
  static constexpr int kCapacity = 2 * Polytope::kMaxFaceVertices;
  std::array<CorePoint, kCapacity> points;
  int count = 0;
};

/// Which face of the pair the other shape's face is clipped against.
struct ReferenceFace {
  bool on_a = true;
  int face = -1;
};

/// The face of a core around its support vertex along d that looks most along d (−1: no faces).
[[nodiscard]] int supporting_face(const Core& core, const Vec3& d);

/// The part of the other shape's supporting face (or segment) over the reference face, as contact
/// points along the normal (Sutherland & Hodgman 1974, key `sutherland_1974`).
/// @param normal unit, from A to B. @param push distance [m] by which the side planes are moved
/// out, so that edges aligned to round-off do not make points come and go.
void clip_to_face(const CorePair& pair, const ReferenceFace& reference, const Vec3& normal,
                  Real push, CorePatch& patch);

/// The two ends of the overlap of two nearly parallel edges, or nothing when they do not overlap.
void clip_edges(const CorePair& pair, int edge_a, int edge_b, const Vec3& normal, CorePatch& patch);

/// Sorts the points by feature and keeps at most `limit`: the one of smallest gap, then always the
/// one farthest from those kept. Gaps within the tie [m] and distances within 1e-6 count as equal
/// and the smaller feature wins, so that round-off does not choose.
void reduce_patch(CorePatch& patch, int limit, Real tie);

}  // namespace talus::geometry::detail
