#include <talus/geometry/detail/sat.hpp>

#include <algorithm>
#include <bitset>
#include <cmath>

#include <talus/geometry/detail/arc_search.hpp>

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
    if (gap > sat.face_a.gap) sat.face_a = {gap, n, f};
  }
  for (int f = 0; f < static_cast<int>(pair.b.face_normals.size()); ++f) {
    const Vec3 n = -(pair.R * pair.b.face_normals[f]);
    const Real gap = n.dot(pair.p - pair.a.vertices[pair.support_a(n)]) - pair.b.face_offsets[f];
    if (gap > sat.face_b.gap) sat.face_b = {gap, n, -1, f};
  }
}

/// The faces of two boxes: three axes each.
void test_box_faces(const CorePair& pair, Sat& sat) {
  const Vec3 &ha = pair.a.vertices[7], &hb = pair.b.vertices[7];
  const Mat3 sizes = pair.R.cwiseAbs();
  const Vec3 in_b = pair.R.transpose() * pair.p;
  const Vec3 gap_a = pair.p.cwiseAbs() - ha - sizes * hb;
  const Vec3 gap_b = in_b.cwiseAbs() - hb - sizes.transpose() * ha;
  for (int i = 0; i < 3; ++i)
    if (gap_a[i] > sat.face_a.gap) {
      const bool is_upper = pair.p[i] > 0;
      sat.face_a = {gap_a[i], (is_upper ? 1 : -1) * Vec3::Unit(i), 2 * i + (is_upper ? 1 : 0)};
    }
  for (int j = 0; j < 3; ++j)
    if (gap_b[j] > sat.face_b.gap) {
      const bool is_upper = in_b[j] < 0;
      sat.face_b = {gap_b[j], (is_upper ? -1 : 1) * pair.R.col(j), -1, 2 * j + (is_upper ? 1 : 0)};
    }
}

/// The edge of a box along one of its axes at a corner.
int box_edge(const Core& box, int axis, int corner) {
  int e = 4 * axis;
  while (box.edges[e].v0 != corner && box.edges[e].v1 != corner) ++e;
  return e;
}

/// Two boxes have three edge directions each and half widths along any axis in closed form
/// (Gottschalk, Lin & Manocha 1996, key `gottschalk_1996`): nine axes instead of 144 edge pairs.
void test_box_edges(const CorePair& pair, Real best, Sat& sat) {
  const Vec3 &ha = pair.a.vertices[7], &hb = pair.b.vertices[7];
  int along_a = -1, along_b = -1;
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
      sat.edge = {gap, n * ((across < 0 ? -1 : 1) / length)};
      along_a = i;
      along_b = j;
    }
  if (along_a < 0) return;
  sat.edge.edge_a = box_edge(pair.a, along_a, pair.support_a(sat.edge.normal));
  sat.edge.edge_b = box_edge(pair.b, along_b, pair.support_b(-sat.edge.normal));
}

/// A ball inside a core.
struct InnerBall {
  Vec3 centre;
  Real radius = 0;
};

/// About the origin, if that is inside; else a vertex.
InnerBall inner_ball(const Core& core) {
  const auto least = std::min_element(core.face_offsets.begin(), core.face_offsets.end());
  if (least == core.face_offsets.end() || *least < 0) return {core.vertices[0], 0};
  return {Vec3::Zero(), *least};
}

/// Whether the axes of an edge may have a support gap above `best`. An axis n of it, between the
/// normals of its two faces, has no more than n·(centre − vertex) − radius for any ball inside the
/// other core.
bool may_be_better(const Core& core, const Edge& edge, const Vec3& along, const InnerBall& other,
                   Real best) {
  const Vec3 way = other.centre - core.vertices[edge.v0];
  const Real most = edge.f0 < 0 ? (way - way.dot(along) * along).norm()
                                : most_between(core.face_normals[edge.f0],
                                               core.face_normals[edge.f1], along, way);
  return most - other.radius > best - kInclusive * core.size;
}

void test_edges(const CorePair& pair, Real best, Sat& sat) {
  constexpr std::size_t kMostEdges = std::size_t{3} * Polytope::kMaxVertices;
  const InnerBall own_a = inner_ball(pair.a), own_b = inner_ball(pair.b);
  const InnerBall a_in_b{pair.R.transpose() * (own_a.centre - pair.p), own_a.radius};
  const InnerBall b_in_a{pair.p + pair.R * own_b.centre, own_b.radius};
  std::bitset<kMostEdges> is_near;
  for (std::size_t i = 0; i < pair.a.edges.size(); ++i)
    is_near[i] = may_be_better(pair.a, pair.a.edges[i], pair.a.edge_directions[i], b_in_a, best);
  for (int j = 0; j < static_cast<int>(pair.b.edges.size()); ++j) {
    if (!may_be_better(pair.b, pair.b.edges[j], pair.b.edge_directions[j], a_in_b, best)) continue;
    const Edge& eb = pair.b.edges[j];
    const Vec3 db = pair.R * pair.b.edge_directions[j];
    const Vec3 pb = pair.vertex_b(eb.v0);
    const bool b_has_faces = eb.f0 >= 0;
    const Vec3 c = b_has_faces ? Vec3(pair.R * pair.b.face_normals[eb.f0]) : Vec3::Zero();
    const Vec3 d = b_has_faces ? Vec3(pair.R * pair.b.face_normals[eb.f1]) : Vec3::Zero();
    for (int i = 0; i < static_cast<int>(pair.a.edges.size()); ++i) {
      if (!is_near[static_cast<std::size_t>(i)]) continue;
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
      if (gap > best) best = gap, sat.edge = {gap, n, -1, -1, i, j};
    }
  }
}

}  // namespace

Sat separating_axes(const CorePair& pair, Real cutoff) {
  Sat sat;
  const bool are_boxes = pair.a.is_box && pair.b.is_box;
  are_boxes ? test_box_faces(pair, sat) : test_faces(pair, sat);
  // An edge axis is only wanted when it is better than every face axis.
  const Real best = std::max(sat.face_a.gap, sat.face_b.gap);
  if (best > cutoff) return sat;
  are_boxes ? test_box_edges(pair, best, sat) : test_edges(pair, best, sat);
  return sat;
}

}  // namespace talus::geometry::detail
