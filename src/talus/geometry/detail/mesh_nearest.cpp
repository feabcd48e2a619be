#include <talus/geometry/detail/mesh_nearest.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace talus::geometry::detail {

using Near = PairContacts::Near;

Near nearest_point(const TriangleMesh& mesh, int t, const Vec3& p) {
  const Vec3 &a = mesh.corner(t, 0), &b = mesh.corner(t, 1), &c = mesh.corner(t, 2);
  const auto result = [&](const Vec3& x, int feature) {
    return Near{x, (p - x).squaredNorm(), t, feature};
  };
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const Real d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return result(a, kCorner);
  const Vec3 bp = p - b;
  const Real d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return result(b, kCorner + 1);
  const Real vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return result(a + d1 / (d1 - d3) * ab, kEdge);
  const Vec3 cp = p - c;
  const Real d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return result(c, kCorner + 2);
  const Real vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return result(a + d2 / (d2 - d6) * ac, kEdge + 2);
  const Real va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    return result(b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b), kEdge + 1);
  const Vec3& n = mesh.normal(t);
  const Real height = n.dot(ap);
  Near near = result(p - height * n, kFace);
  near.squared_distance = height * height;
  return near;
}

MeshFeature mesh_feature(const TriangleMesh& mesh, const Near& near) {
  if (near.feature == kFace) return face_of(mesh, near.triangle);
  if (near.feature >= kCorner) return vertex_of(mesh, near.triangle, near.feature - kCorner);
  return edge_of(mesh, near.triangle, near.feature - kEdge);
}

Vec3 outward_at(const TriangleMesh& mesh, const Near& near) {
  if (near.feature == kFace) return mesh.normal(near.triangle);
  if (near.feature >= kCorner)
    return mesh.vertex_normal(mesh.triangles()[near.triangle][near.feature - kCorner]);
  const int neighbour = mesh.neighbour(near.triangle, near.feature - kEdge);
  return neighbour < 0 ? mesh.normal(near.triangle)
                       : Vec3(mesh.normal(near.triangle) + mesh.normal(neighbour));
}

bool is_at_rim(const TriangleMesh& mesh, const Near& near) {
  if (near.feature == kFace) return false;
  if (near.feature < kCorner) return is_rim_edge(mesh, near.triangle, near.feature - kEdge);
  return is_rim_vertex(mesh, mesh.triangles()[near.triangle][near.feature - kCorner]);
}

void find_sides(const TriangleMesh& mesh, const Vec3& point, PairContacts& contacts) {
  auto& near = contacts.near;
  auto& open = contacts.open;
  std::sort(near.begin(), near.end(),
            [](const Near& x, const Near& y) { return x.triangle < y.triangle; });
  const auto is_before = [](const Near& x, int t) { return x.triangle < t; };
  const auto is_behind_plane = [&](int t) {
    return mesh.normal(t).dot(point - mesh.corner(t, 0)) < 0;
  };
  const auto is_nearer = [](const Near& x, const Near& y) {
    return x.is_seen != y.is_seen ? y.is_seen : x.squared_distance < y.squared_distance;
  };
  open.clear();
  for (;;) {
    const auto nearest = std::min_element(near.begin(), near.end(), is_nearer);
    if (nearest == near.end() || nearest->is_seen) return;
    nearest->is_nearest = true;
    // About a rim a point is beyond both sides: each triangle has its own.
    const bool is_beyond = is_at_rim(mesh, *nearest);
    const bool is_behind = outward_at(mesh, *nearest).dot(point - nearest->point) < 0;
    const auto visit = [&](std::size_t i) {
      if (std::exchange(near[i].is_seen, true)) return;
      near[i].is_behind = is_beyond ? is_behind_plane(near[i].triangle) : is_behind;
      open.push_back(i);
    };
    visit(static_cast<std::size_t>(nearest - near.begin()));
    while (!open.empty()) {
      const int triangle = near[open.back()].triangle;
      open.pop_back();
      for (const int vertex : mesh.triangles()[triangle])
        for (const int t : mesh.around(vertex)) {
          const auto next = std::lower_bound(near.begin(), near.end(), t, is_before);
          if (next != near.end() && next->triangle == t)
            visit(static_cast<std::size_t>(next - near.begin()));
        }
    }
  }
}

}  // namespace talus::geometry::detail
