#include <talus/geometry/detail/mesh_sphere.hpp>

#include <algorithm>
#include <cmath>

#include <talus/geometry/detail/mesh_features.hpp>

namespace talus::geometry::detail {
namespace {

using Near = PairContacts::Near;

constexpr Real kSamePoint = 1e-9;  // of the reach: two closest points this near are one
constexpr Real kOnSurface = 1e-9;  // of the reach: nearer than this the direction is round-off

// What of a triangle is nearest: its face, edge k (from corner k to k + 1) or corner k.
constexpr int kFace = 0, kEdge = 1, kCorner = 4;

/// The point of a triangle nearest to p and what it lies on (Ericson 2005, key `ericson_2005`,
/// §5.1.5).
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

/// The edge or vertex of the mesh that a nearest point lies on.
MeshFeature mesh_feature(const TriangleMesh& mesh, const Near& near) {
  if (near.feature == kFace) return face_of(mesh, near.triangle);
  if (near.feature >= kCorner) return vertex_of(mesh, near.triangle, near.feature - kCorner);
  return edge_of(mesh, near.triangle, near.feature - kEdge);
}

/// Whether every triangle around the edge or vertex has it as its nearest feature.
bool all_agree(const TriangleMesh& mesh, const Near& near, const std::vector<Near>& all) {
  if (near.feature == kFace) return true;
  const MeshFeature feature = mesh_feature(mesh, near);
  const auto agrees = [&](int t) {
    const auto other =
        std::find_if(all.begin(), all.end(), [&](const Near& x) { return x.triangle == t; });
    return other == all.end() || mesh_feature(mesh, *other) == feature;
  };
  if (feature.kind == MeshFeature::Kind::edge) {
    const int neighbour = mesh.neighbour(near.triangle, near.feature - kEdge);
    return neighbour < 0 || agrees(neighbour);
  }
  const auto around = mesh.around(feature.index);
  return std::all_of(around.begin(), around.end(), agrees);
}

/// A vector to the outer side at a nearest point.
Vec3 outward_at(const TriangleMesh& mesh, const Near& near) {
  if (near.feature == kFace) return mesh.normal(near.triangle);
  if (near.feature >= kCorner)
    return mesh.vertex_normal(mesh.triangles()[near.triangle][near.feature - kCorner]);
  const int neighbour = mesh.neighbour(near.triangle, near.feature - kEdge);
  return neighbour < 0 ? mesh.normal(near.triangle)
                       : Vec3(mesh.normal(near.triangle) + mesh.normal(neighbour));
}

bool is_at_boundary(const TriangleMesh& mesh, const Near& near) {
  if (near.feature == kFace) return false;
  if (near.feature < kCorner) return is_rim_edge(mesh, near.triangle, near.feature - kEdge);
  return is_rim_vertex(mesh, mesh.triangles()[near.triangle][near.feature - kCorner]);
}

}  // namespace

void mesh_sphere(const TriangleMesh& mesh, Real radius, const Vec3& centre, Real margin,
                 PairContacts& contacts) {
  const Real reach = radius + margin;
  auto& near = contacts.near;
  near.clear();
  mesh.visit_near({centre.array() - reach, centre.array() + reach}, [&](int t) {
    const Near found = nearest_point(mesh, t, centre);
    if (found.squared_distance <= reach * reach) near.push_back(found);
  });
  if (near.empty()) return;
  std::sort(near.begin(), near.end(), [](const Near& x, const Near& y) {
    return x.squared_distance != y.squared_distance ? x.squared_distance < y.squared_distance
                                                    : x.triangle < y.triangle;
  });
  const auto add = [&](const Near& x, bool is_inside) {
    PairContact contact;
    const Vec3 away = centre - x.point;
    const Real distance = away.norm();
    if (x.feature == kFace)
      contact.normal = mesh.normal(x.triangle);
    else if (distance > kOnSurface * reach)
      contact.normal = (is_inside ? -1 : 1) / distance * away;
    else
      contact.normal = outward_at(mesh, x).normalized();
    contact.gap = (is_inside ? -distance : distance) - radius;
    contact.position = (x.point + centre - radius * contact.normal) / 2;
    contact.feature = name_of(mesh_feature(mesh, x));
    contacts.points.push_back(contact);
  };
  const auto is_outside = [&](const Near& x) {
    return outward_at(mesh, x).dot(centre - x.point) >= 0;
  };
  const Near& nearest = near.front();
  if (!is_outside(nearest)) {
    if (!is_at_boundary(mesh, nearest)) add(nearest, true);
    return;
  }
  const std::size_t first = contacts.points.size();
  for (const Near& x : near) {
    const bool counts = &x == &nearest || (is_outside(x) && all_agree(mesh, x, near));
    if (!counts) continue;
    // Round-off can put one point on two faces of a plane, or an edge is found from both sides.
    const Vec3 middle = (x.point + centre) / 2;
    const bool is_known = std::any_of(contacts.points.begin() + static_cast<std::ptrdiff_t>(first),
                                      contacts.points.end(), [&](const PairContact& y) {
                                        const Vec3 other = y.position + radius / 2 * y.normal;
                                        return (other - middle).norm() <= kSamePoint * reach;
                                      });
    if (!is_known) add(x, false);
  }
}

}  // namespace talus::geometry::detail
