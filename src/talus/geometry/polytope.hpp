#pragma once

#include <span>
#include <vector>

#include <talus/geometry/shape.hpp>

namespace talus::geometry {

/// The corners of one face: `count` entries of `loop_vertices` from `first`, counter-clockwise seen
/// from outside.
struct Loop {
  int first = 0;
  int count = 0;
};

/// An edge between the corners v0 and v1 of the faces f0 and f1; it runs along n_f0 × n_f1.
struct Edge {
  int v0 = 0, v1 = 0;
  int f0 = 0, f1 = 0;
};

/// Immutable convex polytope in the frame its corners were given in; coplanar faces are merged.
struct Polytope {
  static constexpr int kMaxVertices = 4096;
  static constexpr int kMaxFaceVertices = 64;

  [[nodiscard]] std::span<const Vec3> vertices() const { return vertices_; }
  [[nodiscard]] std::span<const Vec3> face_normals() const { return face_normals_; }  ///< unit, out
  [[nodiscard]] std::span<const Real> face_offsets() const { return face_offsets_; }  ///< n·x [m]
  [[nodiscard]] std::span<const Loop> face_loops() const { return face_loops_; }
  [[nodiscard]] std::span<const int> loop_vertices() const { return loop_vertices_; }
  [[nodiscard]] std::span<const Edge> edges() const { return edges_; }
  [[nodiscard]] std::span<const Vec3> edge_directions() const { return edge_directions_; }
  [[nodiscard]] Real bounding_radius() const { return bounding_radius_; }
  /// The mean of the corners, a point inside [m].
  [[nodiscard]] const Vec3& middle() const { return middle_; }

  /// A polytope from corners [m] and faces, each a list of corner indices counter-clockwise seen
  /// from outside.
  ///
  /// Neighbouring faces in one plane are merged to one face. Errors: InputError when a number is
  /// not finite, an index is wrong, the surface is not closed and outward, the body is flat or not
  /// convex (to 1e-9 of its size), or exceeds kMaxVertices or kMaxFaceVertices. Cost: O(V F) time.
  [[nodiscard]] static Polytope from_faces(std::span<const Vec3> vertices,
                                           std::span<const std::vector<int>> faces);

  /// The same body scaled about the origin by a factor > 0 and then moved: x → scale x + shift.
  [[nodiscard]] Polytope moved(Real scale, const Vec3& shift) const;

 private:
  void measure_corners();

  std::vector<Vec3> vertices_, face_normals_, edge_directions_;
  std::vector<Real> face_offsets_;
  std::vector<Loop> face_loops_;
  std::vector<int> loop_vertices_;
  std::vector<Edge> edges_;
  Real bounding_radius_ = 0;
  Vec3 middle_ = Vec3::Zero();
};

}  // namespace talus::geometry
