#pragma once

#include <array>
#include <span>

#include <talus/geometry/polytope.hpp>

namespace talus::geometry::detail {

/// The polyhedral core of a shape: the shape is the core thickened by a radius. A sphere's core is
/// a point, a capsule's a segment (one edge, no face), a box and a polytope are their own cores.
/// A view: the storage belongs to a ShapeCore or to a Polytope.
struct Core {
  std::span<const Vec3> vertices;
  std::span<const Vec3> face_normals;
  std::span<const Real> face_offsets;
  std::span<const Loop> face_loops;
  std::span<const int> loop_vertices;
  std::span<const Edge> edges;
  std::span<const Vec3> edge_directions;
  Vec3 middle = Vec3::Zero();  ///< middle_of() the shape
  Real radius = 0;             ///< thickness about the core [m]
  Real size = 0;               ///< bounding radius of the shape about its origin [m]
  bool is_box = false;

  /// Index of the vertex farthest along d; the first one among equals.
  [[nodiscard]] int support(const Vec3& d) const {
    if (is_box) return (d.x() > 0) | (d.y() > 0) << 1 | (d.z() > 0) << 2;
    int best = 0;
    Real best_value = vertices[0].dot(d);
    for (int i = 1; i < static_cast<int>(vertices.size()); ++i) {
      const Real value = vertices[i].dot(d);
      if (value > best_value) best_value = value, best = i;
    }
    return best;
  }
  [[nodiscard]] std::span<const int> face(int f) const {
    return loop_vertices.subspan(face_loops[f].first, face_loops[f].count);
  }
};

/// A point inside a convex shape, in its frame: the mean of a polytope's corners, else the origin.
[[nodiscard]] Vec3 middle_of(const Shape& shape);

/// Owns the core of a shape while a query runs; on the stack. Contract: not a plane.
class ShapeCore {
 public:
  explicit ShapeCore(const Shape& shape);
  ShapeCore(const ShapeCore&) = delete;
  ShapeCore& operator=(const ShapeCore&) = delete;
  [[nodiscard]] const Core& operator*() const { return core_; }
  [[nodiscard]] const Core* operator->() const { return &core_; }

 private:
  std::array<Vec3, 8> vertices_;
  std::array<Real, 6> offsets_;
  Core core_;
};

/// Two cores in the frame of the first.
struct CorePair {
  const Core& a;
  const Core& b;
  Mat3 R;  ///< R_AB
  Vec3 p;  ///< p_AB [m]

  [[nodiscard]] Vec3 vertex_b(int i) const { return p + R * b.vertices[i]; }
  [[nodiscard]] int support_a(const Vec3& d) const { return a.support(d); }
  [[nodiscard]] int support_b(const Vec3& d) const { return b.support(R.transpose() * d); }
  /// s(n) = min over core B of n·x − max over core A of n·x: never above the distance for a unit n.
  [[nodiscard]] Real support_gap(const Vec3& n) const {
    return n.dot(vertex_b(support_b(-n)) - a.vertices[support_a(n)]);
  }
  [[nodiscard]] Real size() const { return a.size + b.size; }
  [[nodiscard]] Real smaller_size() const { return a.size < b.size ? a.size : b.size; }
};

}  // namespace talus::geometry::detail
