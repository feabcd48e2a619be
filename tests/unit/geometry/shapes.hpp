#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/geometry/polytope.hpp>

// Convex polytopes for the tests: prisms, affine images of regular bodies and hulls of random
// points (by brute force over triples).
namespace talus::geometry::shapes {

using Faces = std::vector<std::vector<int>>;

struct Mesh {
  std::vector<Vec3> vertices;
  Faces faces;
};

inline std::shared_ptr<const Polytope> polytope(const Mesh& mesh) {
  return std::make_shared<const Polytope>(Polytope::from_faces(mesh.vertices, mesh.faces));
}

inline Mesh box_mesh(const Vec3& h) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(i & 1 ? h.x() : -h.x(), i & 2 ? h.y() : -h.y(),
                               i & 4 ? h.z() : -h.z());
  mesh.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  return mesh;
}

/// Regular prism about z: n corners on the radius, height 2h.
inline Mesh prism_mesh(int n, Real radius, Real h) {
  Mesh mesh;
  std::vector<int> bottom, top;
  for (int k = 0; k < n; ++k) {
    const Real angle = 2 * std::numbers::pi * k / n;
    mesh.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), -h);
    mesh.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), h);
    bottom.insert(bottom.begin(), 2 * k);
    top.push_back(2 * k + 1);
    const int l = (k + 1) % n;
    mesh.faces.push_back({2 * k, 2 * l, 2 * l + 1, 2 * k + 1});
  }
  mesh.faces.push_back(bottom);
  mesh.faces.push_back(top);
  return mesh;
}

inline Mesh tetrahedron_mesh() {
  return {{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}},
          {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
}

inline Mesh octahedron_mesh() {
  return {{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
          {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

/// Hull of points in general position: every triple with all other points behind it is a face.
inline Mesh hull_mesh(const std::vector<Vec3>& points) {
  Mesh mesh{points, {}};
  const int n = static_cast<int>(points.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        if (!(i < j && i < k && j != k)) continue;
        const Vec3 normal = (points[j] - points[i]).cross(points[k] - points[i]);
        bool is_face = true;
        for (int l = 0; l < n && is_face; ++l)
          is_face = l == i || l == j || l == k || normal.dot(points[l] - points[i]) < 0;
        if (is_face) mesh.faces.push_back({i, j, k});
      }
  return mesh;
}

/// A random polytope of a size [m]; lengths along the axes differ up to the aspect.
inline Mesh random_mesh(Random& random, Real size, Real aspect) {
  Mesh mesh;
  switch (static_cast<int>(random.uniform(0, 5))) {
    case 0:
      mesh = prism_mesh(3 + static_cast<int>(random.uniform(0, 6)), 1, 1);
      break;
    case 1:
      mesh = tetrahedron_mesh();
      break;
    case 2:
      mesh = octahedron_mesh();
      break;
    case 3:
      mesh = box_mesh(Vec3::Ones());
      break;
    default: {
      std::vector<Vec3> points;
      const int count = 5 + static_cast<int>(random.uniform(0, 8));
      while (static_cast<int>(points.size()) < count) {
        const Vec3 p(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
        if (p.norm() < 1 && p.norm() > 0.1) points.push_back(p.normalized());
      }
      mesh = hull_mesh(points);
    }
  }
  for (int i = 0; i < 3; ++i) {
    const Real scale = size * std::pow(aspect, -random.uniform());
    for (Vec3& x : mesh.vertices) x[i] *= scale;
  }
  return mesh;
}

}  // namespace talus::geometry::shapes
