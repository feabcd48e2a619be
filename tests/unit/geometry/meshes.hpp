#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <talus/base/random.hpp>
#include <talus/geometry/triangle_mesh.hpp>

// Meshes for the tests, made by formulas.
namespace talus::geometry::meshes {

inline std::shared_ptr<const TriangleMesh> surface(
    const MeshData& mesh, TriangleMesh::Kind kind = TriangleMesh::Kind::ground) {
  return std::make_shared<const TriangleMesh>(TriangleMesh::build(mesh, kind));
}

/// A box about the origin, two triangles a side.
inline MeshData box(const Vec3& h) {
  MeshData mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(i & 1 ? h.x() : -h.x(), i & 2 ? h.y() : -h.y(),
                               i & 4 ? h.z() : -h.z());
  for (const auto& [a, b, c, d] :
       {std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}, std::array{0, 1, 5, 4},
        std::array{2, 6, 7, 3}, std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}}) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  }
  return mesh;
}

/// The graph z = height(x, y) over n × n cells of a size [m] about the origin; every inner vertex
/// is shifted at random by up to the jitter, in cells.
inline MeshData graph(int n, Real cell, Real jitter, Random& random,
                      const std::function<Real(Real, Real)>& height) {
  MeshData mesh;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const bool is_inner = i > 0 && i < n && j > 0 && j < n;
      const Real shift = is_inner ? jitter : 0;
      const Real x = cell * (i - n / 2.0 + random.uniform(-shift, shift));
      const Real y = cell * (j - n / 2.0 + random.uniform(-shift, shift));
      mesh.vertices.emplace_back(x, y, height(x, y));
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i, b = a + 1, c = b + n + 1, d = a + n + 1;
      if (random.uniform() < 0.5) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      }
    }
  return mesh;
}

/// A mesh with every triangle cut in four `levels` times, in the same planes.
inline MeshData cut(MeshData mesh, int levels) {
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int i, int j) {
      const auto [entry, is_new] = middles.emplace(std::minmax(i, j), mesh.vertices.size());
      if (is_new) mesh.vertices.push_back((mesh.vertices[i] + mesh.vertices[j]) / 2);
      return entry->second;
    };
    auto old = std::move(mesh.triangles);
    mesh.triangles.clear();
    for (const auto& [a, b, c] : old) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      mesh.triangles.push_back({a, ab, ca});
      mesh.triangles.push_back({ab, b, bc});
      mesh.triangles.push_back({ca, bc, c});
      mesh.triangles.push_back({ab, bc, ca});
    }
  }
  return mesh;
}

/// An icosahedron of corners on the unit sphere, every triangle cut in four `levels` times.
inline MeshData icosphere(int levels) {
  const Real g = (1 + std::sqrt(Real(5))) / 2;
  MeshData mesh;
  mesh.vertices = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  for (Vec3& x : mesh.vertices) x.normalize();
  mesh.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (int level = 0; level < levels; ++level) {
    mesh = cut(std::move(mesh), 1);
    for (Vec3& x : mesh.vertices) x.normalize();
  }
  return mesh;
}

}  // namespace talus::geometry::meshes
