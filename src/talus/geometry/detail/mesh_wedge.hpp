#pragma once

#include <algorithm>
#include <array>

#include <talus/geometry/detail/core.hpp>
#include <talus/geometry/triangle_mesh.hpp>

// Parts of a mesh as cores.
namespace talus::geometry::detail {

inline constexpr std::array<int, 18> kWedgeLoops = {0, 1, 2, 5, 4, 3, 0, 3, 4,
                                                    1, 1, 4, 5, 2, 2, 5, 3, 0};
inline constexpr std::array<Loop, 5> kWedgeFaces = {{{0, 3}, {3, 3}, {6, 4}, {10, 4}, {14, 4}}};
// Top, bottom, and the sides of the edges 0, 1, 2; an edge runs along n_f0 × n_f1.
inline constexpr std::array<Edge, 9> kWedgeEdges = {{{0, 1, 0, 2},
                                                     {1, 2, 0, 3},
                                                     {2, 0, 0, 4},
                                                     {3, 4, 2, 1},
                                                     {4, 5, 3, 1},
                                                     {5, 3, 4, 1},
                                                     {0, 3, 4, 2},
                                                     {1, 4, 2, 3},
                                                     {2, 5, 3, 4}}};

/// A triangle extruded backwards along its normal.
struct Wedge {
  std::array<Vec3, 6> vertices;
  std::array<Vec3, 5> normals;
  std::array<Real, 5> offsets;
  std::array<Vec3, 9> directions;
  Core solid;  ///< all of it
  Core face;   ///< the triangle alone

  Wedge(const TriangleMesh& mesh, int t, Real depth) {
    const Vec3& n = mesh.normal(t);
    Real size = 0;
    for (int k = 0; k < 3; ++k) {
      vertices[k] = mesh.corner(t, k);
      vertices[k + 3] = vertices[k] - depth * n;
    }
    normals[0] = n;
    normals[1] = -n;
    for (int k = 0; k < 3; ++k) {
      const Vec3 along = vertices[(k + 1) % 3] - vertices[k];
      size = std::max(size, along.norm());
      directions[k] = along.normalized();
      directions[k + 3] = directions[k];
      directions[k + 6] = -n;
      normals[k + 2] = directions[k].cross(n).normalized();
    }
    for (int f = 0; f < 5; ++f) {
      const Vec3& x = vertices[kWedgeLoops[kWedgeFaces[f].first]];
      offsets[f] = normals[f].dot(x);
    }
    offsets[0] = std::max({n.dot(vertices[0]), n.dot(vertices[1]), n.dot(vertices[2])});
    solid.vertices = vertices;
    solid.face_normals = normals;
    solid.face_offsets = offsets;
    solid.face_loops = kWedgeFaces;
    solid.loop_vertices = kWedgeLoops;
    solid.edges = kWedgeEdges;
    solid.edge_directions = directions;
    solid.size = size;
    face = solid;
    face.vertices = std::span(vertices).first(3);
    face.face_normals = std::span(normals).first(1);
    face.face_offsets = std::span(offsets).first(1);
    face.face_loops = std::span(kWedgeFaces).first(1);
    face.edges = {};
    face.edge_directions = {};
  }
  Wedge(const Wedge&) = delete;
  Wedge& operator=(const Wedge&) = delete;
};

/// An edge or a vertex of the triangle alone, as a core.
struct Tip {
  std::array<Vec3, 2> vertices;
  std::array<Edge, 1> edges = {{{0, 1, -1, -1}}};
  std::array<Vec3, 1> directions;
  Core core;

  Tip(const Vec3& x, const Vec3& y, bool is_edge) : vertices{x, y} {
    core.vertices = std::span(vertices).first(is_edge ? 2 : 1);
    core.size = (y - x).norm();
    if (!is_edge) return;
    directions[0] = (y - x).normalized();
    core.edges = edges;
    core.edge_directions = directions;
  }
  Tip(const Tip&) = delete;
  Tip& operator=(const Tip&) = delete;
};

}  // namespace talus::geometry::detail
