#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include <talus/geometry/mesh_file.hpp>
#include <talus/geometry/shape.hpp>

namespace talus::geometry {

/// Immutable surface of triangles with what contacts need: neighbours, normals, plane pieces, and a
/// tree of boxes. Matter is behind the triangles, but for a sheet: it has no thickness, and a body
/// is on the side where its middle is.
class TriangleMesh {
 public:
  using Triangle = std::array<int, 3>;
  enum class Kind : unsigned char {
    solid,   ///< its triangles enclose it
    ground,  ///< may have a rim
    sheet    ///< may have a rim, and is felt from both sides; one that is closed is a solid
  };

  /// @throws InputError with the first defects when check_mesh finds any; a boundary is one only of
  /// a solid. Cost O(N log N): 1 s for 10⁶ triangles, twice that for a sheet.
  [[nodiscard]] static TriangleMesh build(MeshData mesh, Kind kind);

  [[nodiscard]] std::span<const Vec3> vertices() const { return vertices_; }
  [[nodiscard]] std::span<const Triangle> triangles() const { return triangles_; }
  [[nodiscard]] const Vec3& corner(int t, int k) const { return vertices_[triangles_[t][k]]; }
  [[nodiscard]] const Vec3& normal(int t) const { return normals_[t]; }  ///< unit, outward
  /// The triangle across the edge from corner k to corner k + 1, −1 at a boundary.
  [[nodiscard]] int neighbour(int t, int k) const { return neighbours_[t][k]; }
  /// Name of the piece of plane that a triangle belongs to (to 1e-10 of its size): the smallest of
  /// its triangles that hang together.
  [[nodiscard]] int facet(int t) const { return facets_[t]; }
  /// The triangles around a vertex, ascending.
  [[nodiscard]] std::span<const int> around(int vertex) const {
    return std::span(around_).subspan(first_around_[vertex],
                                      first_around_[vertex + 1] - first_around_[vertex]);
  }
  /// Sum of the normals around a vertex, weighted by the angles there: tells inside from outside
  /// (Bærentzen & Aanæs 2005, key `baerentzen_2005`). Not of unit length.
  [[nodiscard]] const Vec3& vertex_normal(int vertex) const { return vertex_normals_[vertex]; }
  [[nodiscard]] const Aabb& bounds() const { return nodes_[0].box; }
  [[nodiscard]] Real bounding_radius() const { return bounding_radius_; }
  [[nodiscard]] bool is_closed() const { return is_closed_; }
  /// The same triangles with the same numbers seen from behind, of a sheet; else null.
  [[nodiscard]] const TriangleMesh* back() const { return back_.get(); }

  /// Calls visit(t) for every triangle whose box meets the given one, in an order that depends on
  /// the mesh and the box only. Cost O(log N + found). No allocation.
  template <class Visit>
  void visit_near(const Aabb& box, Visit&& visit) const {
    constexpr int kDeepest = 64;  // the tree is balanced: its depth is log₂ of the triangles
    std::array<int, kDeepest> open;
    int count = 0;
    open[count++] = 0;
    while (count > 0) {
      const Node& node = nodes_[open[--count]];
      if (!overlap(node.box, box)) continue;
      if (node.count == 0) {
        open[count++] = node.second;
        open[count++] = static_cast<int>(&node - nodes_.data()) + 1;
        continue;
      }
      for (int i = node.second; i < node.second + node.count; ++i)
        if (overlap(box_of(order_[i]), box)) visit(order_[i]);
    }
  }

 private:
  /// An inner node's first child comes right after it and the second one at `second`; a leaf holds
  /// `count` triangles of the order from `second` on.
  struct Node {
    Aabb box;
    int second = 0;
    int count = 0;
  };
  [[nodiscard]] Aabb box_of(int t) const {
    const Vec3 &a = corner(t, 0), &b = corner(t, 1), &c = corner(t, 2);
    return {a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)};
  }
  void find_neighbours();
  void find_facets();
  void build_tree();
  int build_node(int first, int end);
  [[nodiscard]] static TriangleMesh prepare(MeshData mesh);

  std::vector<Vec3> vertices_, normals_, vertex_normals_;
  std::vector<Triangle> triangles_, neighbours_;
  std::vector<int> facets_, first_around_, around_, order_;
  std::vector<Node> nodes_;
  Real bounding_radius_ = 0;
  bool is_closed_ = true;
  std::shared_ptr<const TriangleMesh> back_;
};

}  // namespace talus::geometry
