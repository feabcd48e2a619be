#pragma once

#include <algorithm>

#include <talus/geometry/manifold.hpp>
#include <talus/geometry/triangle_mesh.hpp>

namespace talus::geometry::detail {

/// Mixes a name into another: names of parts into the name of a contact point. Two different
/// sequences of names give the same result with a chance of 2⁻⁶⁴ only.
[[nodiscard]] constexpr FeatureId mix(FeatureId name, FeatureId more) {
  FeatureId z = name + 0x9e3779b97f4a7c15ULL * (more + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// A piece of plane, an edge or a vertex of a mesh, the same from whichever triangle it is seen.
struct MeshFeature {
  enum class Kind { facet, edge, vertex };
  Kind kind = Kind::facet;
  int index = 0;
  friend bool operator==(const MeshFeature&, const MeshFeature&) = default;
};

[[nodiscard]] inline MeshFeature face_of(const TriangleMesh& mesh, int t) {
  return {MeshFeature::Kind::facet, mesh.facet(t)};
}
[[nodiscard]] inline MeshFeature vertex_of(const TriangleMesh& mesh, int t, int k) {
  return {MeshFeature::Kind::vertex, mesh.triangles()[t][k]};
}
/// Edge k of a triangle, named by 3 t + k of the smaller of its two triangles.
[[nodiscard]] inline MeshFeature edge_of(const TriangleMesh& mesh, int t, int k) {
  const int other = mesh.neighbour(t, k);
  if (other < 0 || other > t) return {MeshFeature::Kind::edge, 3 * t + k};
  const int start = mesh.triangles()[t][(k + 1) % 3];
  int l = 0;
  while (l < 2 && mesh.triangles()[other][l] != start) ++l;
  return {MeshFeature::Kind::edge, 3 * other + l};
}

/// Whether the edge from corner k or the corner k itself is on a rim of the mesh.
[[nodiscard]] inline bool is_rim_edge(const TriangleMesh& mesh, int t, int k) {
  return mesh.neighbour(t, k) < 0;
}
[[nodiscard]] inline bool is_rim_vertex(const TriangleMesh& mesh, int vertex) {
  const auto around = mesh.around(vertex);
  return std::any_of(around.begin(), around.end(), [&](int t) {
    for (int k = 0; k < 3; ++k)
      if (is_rim_edge(mesh, t, k) &&
          (mesh.triangles()[t][k] == vertex || mesh.triangles()[t][(k + 1) % 3] == vertex))
        return true;
    return false;
  });
}

[[nodiscard]] inline FeatureId name_of(const MeshFeature& feature) {
  return mix(static_cast<FeatureId>(feature.kind), static_cast<FeatureId>(feature.index));
}

}  // namespace talus::geometry::detail
