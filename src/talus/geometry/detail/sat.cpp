#include <talus/geometry/detail/sat.hpp>

#include <algorithm>
#include <cmath>

namespace talus::geometry::detail {
namespace {

constexpr Real kNoCrossProduct =
    1e-8;  // edges closer than this to parallel have no usable cross product
constexpr Real kInclusive = 1e-9;  // arcs that touch count as crossing: the support gap decides

bool same_side(Real x, Real y) {
  return (x > kInclusive && y > kInclusive) || (x < -kInclusive && y < -kInclusive);
}

bool opposite_sides(Real x, Real y) {
  return (x > kInclusive && y < -kInclusive) || (x < -kInclusive && y > kInclusive);
}

void test_faces(const CorePair& pair, Sat& sat) {
  for (int f = 0; f < static_cast<int>(pair.a.face_normals.size()); ++f) {
    const Vec3& n = pair.a.face_normals[f];
    const Real gap = n.dot(pair.vertex_b(pair.support_b(-n))) - pair.a.face_offsets[f];
    if (gap > sat.face_a.gap) sat.face_a = {gap, n, f, -1};
  }
  for (int f = 0; f < static_cast<int>(pair.b.face_normals.size()); ++f) {
    const Vec3 n = -(pair.R * pair.b.face_normals[f]);
    const Real gap = n.dot(pair.p - pair.a.vertices[pair.support_a(n)]) - pair.b.face_offsets[f];
    if (gap > sat.face_b.gap) sat.face_b = {gap, n, -1, f};
  }
}

/// Two boxes have three edge directions each and half widths along any axis in closed form
/// (Gottschalk, Lin & Manocha 1996, key `gottschalk_1996`): nine axes instead of 144 edge pairs.
void test_box_edges(const CorePair& pair, Real best, Sat& sat) {
  const Vec3 &ha = pair.a.vertices[7], &hb = pair.b.vertices[7];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      const Vec3 n = Vec3::Unit(i).cross(pair.R.col(j));
      const Real length = n.norm();
      if (length <= kNoCrossProduct) continue;
      const Real across = n.dot(pair.p);
      const Real widths = n.cwiseAbs().dot(ha) + (pair.R.transpose() * n).cwiseAbs().dot(hb);
      const Real gap = (std::abs(across) - widths) / length;
      if (gap <= best) continue;
      best = gap;
      sat.edge = {gap, n * ((across < 0 ? -1 : 1) / length), -1, -1};
    }
}

void test_edges(const CorePair& pair, Real best, Sat& sat) {
  for (int j = 0; j < static_cast<int>(pair.b.edges.size()); ++j) {
    const Edge& eb = pair.b.edges[j];
    const Vec3 db = pair.R * pair.b.edge_directions[j];
    const Vec3 pb = pair.vertex_b(eb.v0);
    const bool b_has_faces = eb.f0 >= 0;
    const Vec3 c = b_has_faces ? Vec3(pair.R * pair.b.face_normals[eb.f0]) : Vec3::Zero();
    const Vec3 d = b_has_faces ? Vec3(pair.R * pair.b.face_normals[eb.f1]) : Vec3::Zero();
    for (int i = 0; i < static_cast<int>(pair.a.edges.size()); ++i) {
      const Edge& ea = pair.a.edges[i];
      const Vec3& da = pair.a.edge_directions[i];
      const Vec3 &a = pair.a.face_normals[ea.f0], &b = pair.a.face_normals[ea.f1];
      const Real adb = a.dot(db), bdb = b.dot(db);
      if (same_side(adb, bdb)) continue;
      if (b_has_faces) {
        const Real cda = c.dot(da), dda = d.dot(da);
        // The arcs must cross, and on the same half of the sphere.
        if (same_side(cda, dda) || same_side(cda, bdb) || opposite_sides(cda, adb)) continue;
      }
      Vec3 n = da.cross(db);
      const Real length = n.norm();
      if (length <= kNoCrossProduct) continue;
      n *= (n.dot(a + b) < 0 ? -1 : 1) / length;
      // Two members of the cores bound the support gap from above: most pairs end here.
      if (n.dot(pb - pair.a.vertices[ea.v0]) <= best) continue;
      const Real gap = pair.support_gap(n);
      if (gap > best) best = gap, sat.edge = {gap, n, -1, -1};
    }
  }
}

}  // namespace

Sat separating_axes(const CorePair& pair) {
  Sat sat;
  test_faces(pair, sat);
  // An edge axis is only wanted when it is better than every face axis.
  const Real best = std::max(sat.face_a.gap, sat.face_b.gap);
  if (pair.a.is_box && pair.b.is_box)
    test_box_edges(pair, best, sat);
  else
    test_edges(pair, best, sat);
  return sat;
}

}  // namespace talus::geometry::detail
