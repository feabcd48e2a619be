#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <talus/geometry/mesh_file.hpp>
#include <talus/geometry/shape.hpp>

namespace talus::geometry {

/// One thing wrong with a mesh.
struct MeshDefect {
  enum class Kind {
    boundary,     ///< an edge with a triangle on one side only
    nonmanifold,  ///< an edge of three or more triangles
    flipped,      ///< two neighbours with opposite orientations
    degenerate,   ///< a triangle without area: ≤ 1e-12 of its longest edge squared
    duplicate,    ///< a triangle with the corners of an earlier one
    inside_out,   ///< a closed part whose triangles look inwards, and which is no cavity
    nested,       ///< a closed part inside another one of the same orientation: counted twice
  };
  Kind kind;
  int triangle = 0;  ///< index in the mesh
  int other = -1;    ///< the other triangle, if there is one
  std::string text;  ///< one sentence without a full stop, with file:line where known
};

/// What check_mesh finds. A solid is closed, of one orientation and outward: no defects at all. A
/// surface may have a boundary.
struct MeshReport {
  int boundary_edge_count = 0;
  int nonmanifold_edge_count = 0;
  int flipped_edge_count = 0;
  int degenerate_count = 0;
  int duplicate_count = 0;
  int inside_out_count = 0;         ///< parts
  int nested_count = 0;             ///< parts
  int component_count = 0;          ///< parts that hang together along edges
  Real volume = 0;                  ///< signed, of all closed parts [m³]
  std::vector<MeshDefect> defects;  ///< the first kMostTold of every kind, in order of kinds

  static constexpr int kMostTold = 3;
  [[nodiscard]] bool is_solid() const { return is_surface() && boundary_edge_count == 0; }
  [[nodiscard]] bool is_surface() const {
    return nonmanifold_edge_count + flipped_edge_count + degenerate_count + duplicate_count +
               inside_out_count + nested_count ==
           0;
  }
};

/// Looks for what keeps triangles from bounding a solid: by the edges, the areas and the signed
/// volumes of the parts.
///
/// A part with a boundary, flipped or many-sided edges has no volume and is judged by its edges
/// only. An inward part counts as a cavity when it lies in an odd number of outward ones. Not
/// found: triangles that cross each other, and vertices that should be one but differ (they show as
/// boundary). Repairs nothing. Contract: indices in range, finite vertices. Cost O(N log N), and
/// O(N) for every pair of parts whose boxes are nested.
[[nodiscard]] MeshReport check_mesh(const MeshData& mesh);

/// Mass properties of the solid that the triangles bound, by signed tetrahedra about the mean of
/// the vertices, summed in pairs. Contract: closed and of one orientation.
[[nodiscard]] MassProperties mass_properties(std::span<const Vec3> vertices,
                                             std::span<const std::array<int, 3>> triangles,
                                             Real density);

}  // namespace talus::geometry
