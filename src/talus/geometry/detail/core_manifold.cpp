#include <talus/geometry/detail/core_manifold.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/geometry/detail/clip.hpp>
#include <talus/geometry/detail/feature_id.hpp>

namespace talus::geometry::detail {
namespace {

constexpr Real kFaceAligned =
    2e-2;  // [rad] a face this close to the normal is still clipped against
constexpr Real kEdgesParallel = 1e-6;  // [rad] edges this close to parallel touch along a line
constexpr Real kEdgeDepth = 100;       // of the tie: how deep two edges may be in each other
constexpr Real kEdgesNearlyParallel =
    1e-2;  // [rad] edges this close to parallel that meet share their normals

struct ContactNormal {
  Vec3 normal;
  ReferenceFace reference;  ///< face −1: the normal belongs to no face
};

/// The normal of the manifold and its reference face. A's face comes first, then B's if better by
/// the tie, then any other axis if better by the tie: so that parallel faces do not change roles
/// with round-off. Away from touching the tie shrinks as 1/gap, where normals are well defined.
ContactNormal choose_normal(const CorePair& pair, const CoreSeparation& sep) {
  const Real size = kTie * pair.smaller_size();
  const Real tie = sep.gap > size ? size * (size / sep.gap) : size;
  const int face_a = sep.has_axes && sep.axes.face_a.gap >= sep.certified - tie
                         ? sep.axes.face_a.face_a
                         : supporting_face(pair.a, sep.normal);
  const Vec3& normal_a = pair.a.face_normals[face_a];
  if (pair.support_gap(normal_a) >= sep.certified - tie) return {normal_a, {true, face_a}};
  Vec3 normal_b = Vec3::Zero();
  int face_b = -1;
  if (!pair.b.face_normals.empty()) {
    face_b = sep.has_axes && sep.axes.face_b.gap >= sep.certified - tie
                 ? sep.axes.face_b.face_b
                 : supporting_face(pair.b, -(pair.R.transpose() * sep.normal));
    normal_b = -(pair.R * pair.b.face_normals[face_b]);
    if (pair.support_gap(normal_b) >= sep.certified - tie) return {normal_b, {false, face_b}};
  }
  if (normal_a.cross(sep.normal).norm() < kFaceAligned && normal_a.dot(sep.normal) > 0)
    return {sep.normal, {true, face_a}};
  if (face_b >= 0 && normal_b.cross(sep.normal).norm() < kFaceAligned &&
      normal_b.dot(sep.normal) > 0)
    return {sep.normal, {false, face_b}};
  return {sep.normal, {}};
}

/// The edge at the support vertex along d that is nearly perpendicular to d, or −1.
int supporting_edge(const Core& core, const Vec3& d) {
  const int vertex = core.support(d);
  int best = -1;
  Real best_value = kEdgesParallel;
  for (int e = 0; e < static_cast<int>(core.edges.size()); ++e) {
    if (core.edges[e].v0 != vertex && core.edges[e].v1 != vertex) continue;
    const Real value = std::abs(core.edge_directions[e].dot(d));
    if (value < best_value) best = e, best_value = value;
  }
  return best;
}

/// One contact point where no face is involved: where the two supporting features meet.
CorePoint witness_point(const CorePair& pair, CoreSeparation& sep) {
  find_witness(pair, sep);
  const int a = pair.support_a(sep.normal), b = pair.support_b(-sep.normal);
  return {sep.on_a, sep.on_b, 0, feature_id(PointKind::witness, false, a, b)};
}

void find_polytope_patch(const CorePair& pair, CoreSeparation& sep, ContactNormal& contact,
                         CorePatch& patch) {
  patch.count = 0;
  if (contact.reference.face >= 0) {
    clip_to_face(pair, contact.reference, contact.normal, kTie * pair.smaller_size(), patch);
  } else {
    const int edge_a = supporting_edge(pair.a, contact.normal);
    const int edge_b = supporting_edge(pair.b, -(pair.R.transpose() * contact.normal));
    if (edge_a >= 0 && edge_b >= 0 &&
        pair.a.edge_directions[edge_a].cross(pair.R * pair.b.edge_directions[edge_b]).norm() <
            kEdgesParallel)
      clip_edges(pair, edge_a, edge_b, contact.normal, patch);
  }
  // In deep overlap the chosen features need not realise the least translation: then the patch is
  // empty or misses the deepest point, and the witness stands for it.
  Real smallest = std::numeric_limits<Real>::infinity();
  for (int i = 0; i < patch.count; ++i) smallest = std::min(smallest, patch.points[i].gap);
  if (smallest <= sep.gap + 2 * kTie * pair.smaller_size()) return;
  contact.normal = sep.normal;
  patch.points[0] = witness_point(pair, sep);
  patch.points[0].gap = sep.gap;
  patch.count = 1;
}

/// Whether the line of an edge runs through the deepest points of a patch, to a tolerance [m].
bool runs_through(const Vec3& x, const Vec3& direction, const CorePatch& deepest, bool is_a,
                  Real tolerance) {
  for (int i = 0; i < deepest.count; ++i) {
    const Vec3 off = (is_a ? deepest.points[i].on_a : deepest.points[i].on_b) - x;
    if (off.cross(direction).norm() > tolerance) return false;
  }
  return true;
}

/// The middle of the normals that two nearly parallel edges have in common, or zero: of those
/// between A's two faces and, turned round, between B's.
Vec3 common_normal(const CorePair& pair, const Edge& ea, const Vec3& along, const Edge& eb) {
  const Vec3 &a0 = pair.a.face_normals[ea.f0], &a1 = pair.a.face_normals[ea.f1];
  const Vec3 b0 = -(pair.R * pair.b.face_normals[eb.f0]);
  const Vec3 b1 = -(pair.R * pair.b.face_normals[eb.f1]);
  const Vec3 u = (a0 + a1).normalized(), w = along.cross(u);
  const auto angle = [&](const Vec3& n) { return std::atan2(n.dot(w), n.dot(u)); };
  // Each arc is shorter than half a turn, and A's is about u; B's may run across the far side.
  const Vec3 middle_b = b0 + b1;
  const Real centre = angle(middle_b),
             half_b = std::acos(std::clamp(b0.dot(b1), Real(-1), Real(1))) / 2;
  const Real half_a = std::acos(std::clamp(a0.dot(a1), Real(-1), Real(1))) / 2;
  const Real low = std::max(-half_a, centre - half_b), high = std::min(half_a, centre + half_b);
  if (low > high) return Vec3::Zero();
  const Real middle = (low + high) / 2;
  return std::cos(middle) * u + std::sin(middle) * w;
}

/// Where two nearly parallel edges touch, every normal between their faces is one of the contact,
/// and the distance jumps from one to the other as the edges pass each other. The middle one does
/// not: it is taken where it is as good as the best to the tie.
void take_common_normal(const CorePair& pair, const CoreSeparation& sep, ContactNormal& contact,
                        CorePatch& patch) {
  const Real tie = kTie * pair.smaller_size();
  if (std::abs(sep.gap) > kEdgeDepth * tie || pair.b.face_normals.empty()) return;
  Real smallest = std::numeric_limits<Real>::infinity();
  for (int i = 0; i < patch.count; ++i) smallest = std::min(smallest, patch.points[i].gap);
  CorePatch deepest;
  for (int i = 0; i < patch.count; ++i)
    if (patch.points[i].gap <= smallest + 2 * tie)
      deepest.points[deepest.count++] = patch.points[i];
  const Real reach = kEdgeDepth * tie;
  for (int i = 0; i < static_cast<int>(pair.a.edges.size()); ++i) {
    const Edge& ea = pair.a.edges[i];
    const Vec3& along = pair.a.edge_directions[i];
    if (!runs_through(pair.a.vertices[ea.v0], along, deepest, true, reach)) continue;
    for (int j = 0; j < static_cast<int>(pair.b.edges.size()); ++j) {
      const Edge& eb = pair.b.edges[j];
      const Vec3 along_b = pair.R * pair.b.edge_directions[j];
      if (along.cross(along_b).norm() > kEdgesNearlyParallel ||
          !runs_through(pair.vertex_b(eb.v0), along_b, deepest, false, reach))
        continue;
      const Vec3 normal = common_normal(pair, ea, along, eb);
      if (normal.isZero() || (normal - contact.normal).norm() < kFaceAligned ||
          pair.support_gap(normal) < sep.gap - tie)
        continue;
      CorePatch line;
      clip_edges(pair, i, j, normal, line);
      if (line.count == 0) continue;
      contact = {normal, {}};
      patch = line;
      return;
    }
  }
}

}  // namespace

Manifold core_manifold(const CorePair& pair, Real margin) {
  Manifold manifold;
  const Real radii = pair.a.radius + pair.b.radius;
  CoreSeparation sep = core_separation(pair, margin + radii);
  if (sep.beyond || sep.gap - radii > margin) return manifold;
  const bool is_ball = pair.b.vertices.size() == 1;
  ContactNormal contact = is_ball ? ContactNormal{sep.normal, {}} : choose_normal(pair, sep);
  CorePatch patch;
  if (is_ball) {
    patch.count = 1;
    patch.points[0] = witness_point(pair, sep);
    patch.points[0].gap = sep.gap;
    patch.points[0].feature = 0;
  } else {
    find_polytope_patch(pair, sep, contact, patch);
    take_common_normal(pair, sep, contact, patch);
  }
  int kept = 0;
  for (int i = 0; i < patch.count; ++i)
    if (patch.points[i].gap - radii <= margin) patch.points[kept++] = patch.points[i];
  patch.count = kept;
  reduce_patch(patch, Manifold::kMaxPoints, kTie * pair.smaller_size());

  manifold.normal = contact.normal;
  manifold.point_count = patch.count;
  for (int i = 0; i < patch.count; ++i) {
    const CorePoint& point = patch.points[i];
    manifold.points[i].gap = point.gap - radii;
    manifold.points[i].feature = point.feature;
    manifold.points[i].position =
        (point.on_a + point.on_b + (pair.a.radius - pair.b.radius) * contact.normal) / 2;
  }
  return manifold;
}

}  // namespace talus::geometry::detail
