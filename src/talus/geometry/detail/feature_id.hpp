#pragma once

#include <talus/geometry/manifold.hpp>

namespace talus::geometry::detail {

/// How a contact point is made; the top bits of its FeatureId.
enum class PointKind : std::uint64_t {
  core_vertex,   ///< vertex of a core over the boundary of the other shape: (which shape, vertex)
  clipped_edge,  ///< edge of the incident face cut by a side plane of the reference face
  reference_corner,  ///< corner of the reference face over the incident face
  edge_ends,         ///< end of the overlap of two parallel edges
  witness,           ///< closest points of two features
};

/// Packs the names of up to four features (14 bits each), the kind and which shape is the
/// reference.
[[nodiscard]] constexpr FeatureId feature_id(PointKind kind, bool reference_on_a, int f0,
                                             int f1 = 0, int f2 = 0, int f3 = 0) {
  const auto bits = [](int feature) { return static_cast<FeatureId>(feature) & 0x3fff; };
  return static_cast<FeatureId>(kind) << 57 | static_cast<FeatureId>(reference_on_a) << 56 |
         bits(f0) << 42 | bits(f1) << 28 | bits(f2) << 14 | bits(f3);
}

}  // namespace talus::geometry::detail
