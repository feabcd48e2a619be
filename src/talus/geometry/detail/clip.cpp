#include <talus/geometry/detail/clip.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/geometry/detail/feature_id.hpp>

namespace talus::geometry::detail {
namespace {

/// Corner of the polygon while it is clipped. A polygon side is a side of the incident face
/// (0 … count−1) or was cut by side plane k of the reference face (kCut + k); a corner is named by
/// the sides that meet in it.
constexpr int kCut = Polytope::kMaxFaceVertices;

constexpr Real kSameDistance = 1e-6;  // relative: distances closer than this are equal

struct Corner {
  Vec3 x;
  int side_in, side_out;
};

struct Polygon {
  std::array<Corner, CorePatch::kCapacity + 1> corners;
  int count = 0;
  bool is_segment = false;
};

Corner cut(const Corner& inside, const Corner& outside, Real d_inside, Real d_outside) {
  const Real t = d_inside / (d_inside - d_outside);
  return {inside.x + t * (outside.x - inside.x), 0, 0};
}

/// Keeps the part of the polygon with n·x ≤ offset.
void clip(const Polygon& in, const Vec3& n, Real offset, int plane, Polygon& out) {
  out.count = 0;
  out.is_segment = in.is_segment;
  const int sides = in.is_segment ? in.count - 1 : in.count;
  if (in.is_segment && in.count > 0 && n.dot(in.corners[0].x) <= offset)
    out.corners[out.count++] = in.corners[0];
  for (int i = 0; i < sides; ++i) {
    const Corner& p = in.corners[i];
    const Corner& q = in.corners[i + 1 == in.count ? 0 : i + 1];
    const Real dp = n.dot(p.x) - offset, dq = n.dot(q.x) - offset;
    if (dp <= 0 && dq > 0) {
      Corner c = cut(p, q, dp, dq);
      c.side_in = p.side_out, c.side_out = kCut + plane;
      out.corners[out.count++] = c;
    } else if (dp > 0 && dq <= 0) {
      Corner c = cut(q, p, dq, dp);
      c.side_in = kCut + plane, c.side_out = p.side_out;
      out.corners[out.count++] = c;
    }
    if (dq <= 0) out.corners[out.count++] = q;
  }
}

}  // namespace

int supporting_face(const Core& core, const Vec3& d) {
  if (core.face_normals.empty()) return -1;
  const int vertex = core.support(d);
  int best = -1;
  Real best_value = -2;
  for (int f = 0; f < static_cast<int>(core.face_normals.size()); ++f) {
    const Real value = core.face_normals[f].dot(d);
    if (value <= best_value) continue;
    const auto loop = core.face(f);
    if (std::find(loop.begin(), loop.end(), vertex) != loop.end()) best = f, best_value = value;
  }
  return best;
}

void clip_to_face(const CorePair& pair, const ReferenceFace& reference, const Vec3& normal,
                  Real push, CorePatch& patch) {
  const Core& ref = reference.on_a ? pair.a : pair.b;
  const Core& inc = reference.on_a ? pair.b : pair.a;
  const auto to_a = [&](bool on_a, const Vec3& x) { return on_a ? x : Vec3(pair.p + pair.R * x); };
  const auto turn = [&](bool on_a, const Vec3& d) { return on_a ? d : Vec3(pair.R * d); };

  const Vec3 face_normal = turn(reference.on_a, ref.face_normals[reference.face]);
  const Vec3 down = reference.on_a ? Vec3(-(pair.R.transpose() * face_normal)) : Vec3(-face_normal);
  const int incident_face = supporting_face(inc, down);
  Polygon buffer_1, buffer_2;
  Polygon *in = &buffer_1, *out = &buffer_2;
  std::array<int, Polytope::kMaxFaceVertices> incident_vertices;
  if (incident_face < 0) {
    in->is_segment = inc.vertices.size() == 2;
    in->count = static_cast<int>(inc.vertices.size());
    for (int i = 0; i < in->count; ++i) incident_vertices[i] = i;
  } else {
    const auto loop = inc.face(incident_face);
    in->count = static_cast<int>(loop.size());
    std::copy(loop.begin(), loop.end(), incident_vertices.begin());
  }
  const int incident_count = in->count;
  for (int i = 0; i < incident_count; ++i)
    in->corners[i] = {to_a(!reference.on_a, inc.vertices[incident_vertices[i]]),
                      i == 0 ? incident_count - 1 : i - 1, i};

  // The side planes run along the contact normal, so that every point kept has its other end on the
  // reference face also when the two are a little tilted.
  const Vec3 outward = reference.on_a ? normal : Vec3(-normal);
  const auto loop = ref.face(reference.face);
  const int side_count = static_cast<int>(loop.size());
  for (int k = 0; k < side_count && in->count > 0; ++k) {
    const Vec3 x0 = to_a(reference.on_a, ref.vertices[loop[k]]);
    const Vec3 x1 = to_a(reference.on_a, ref.vertices[loop[k + 1 == side_count ? 0 : k + 1]]);
    const Vec3 side_normal = (x1 - x0).cross(outward).normalized();
    clip(*in, side_normal, side_normal.dot(x0) + push, k, *out);
    std::swap(in, out);
  }

  const Vec3 x0 = to_a(reference.on_a, ref.vertices[loop[0]]);
  const Real sign = reference.on_a ? 1 : -1;
  const Real slope = sign * face_normal.dot(normal);
  patch.count = 0;
  for (int i = 0; i < in->count; ++i) {
    const Corner& corner = in->corners[i];
    CorePoint& point = patch.points[patch.count++];
    point.gap = face_normal.dot(corner.x - x0) / slope;
    const Vec3 other = corner.x - sign * point.gap * normal;
    point.on_a = reference.on_a ? other : corner.x;
    point.on_b = reference.on_a ? corner.x : other;
    const bool in_cut = corner.side_in >= kCut, out_cut = corner.side_out >= kCut;
    const auto vertex = [&](int k) { return incident_vertices[k % incident_count]; };
    if (in_cut && out_cut) {
      point.feature =
          feature_id(PointKind::reference_corner, reference.on_a, reference.face,
                     loop[std::max(corner.side_in, corner.side_out) - kCut],
                     loop[std::min(corner.side_in, corner.side_out) - kCut], incident_face);
    } else if (in_cut || out_cut) {
      const int side = in_cut ? corner.side_out : corner.side_in;
      const int plane = (in_cut ? corner.side_in : corner.side_out) - kCut;
      const auto [low, high] = std::minmax({vertex(side), vertex(side + 1)});
      point.feature = feature_id(PointKind::clipped_edge, reference.on_a, reference.face, low, high,
                                 loop[plane]);
    } else {
      point.feature = feature_id(PointKind::core_vertex, reference.on_a, reference.face,
                                 vertex(corner.side_out));
    }
  }
}

void clip_edges(const CorePair& pair, int edge_a, int edge_b, const Vec3& normal,
                CorePatch& patch) {
  patch.count = 0;
  const Edge &ea = pair.a.edges[edge_a], &eb = pair.b.edges[edge_b];
  const Vec3& d = pair.a.edge_directions[edge_a];
  const Vec3 &a0 = pair.a.vertices[ea.v0], &a1 = pair.a.vertices[ea.v1];
  const Vec3 b0 = pair.vertex_b(eb.v0), b1 = pair.vertex_b(eb.v1);
  const Real length = (a1 - a0).dot(d);
  const Real t0 = (b0 - a0).dot(d), t1 = (b1 - a0).dot(d);
  const Real low = std::max(Real(0), std::min(t0, t1));
  const Real high = std::min(length, std::max(t0, t1));
  if (!(high > low)) return;
  for (const Real t : {low, high}) {
    CorePoint& point = patch.points[patch.count];
    point.on_a = a0 + t * d;
    point.on_b = b0 + (t - t0) / (t1 - t0) * (b1 - b0);
    point.gap = normal.dot(point.on_b - point.on_a);
    point.feature = feature_id(PointKind::edge_ends, true, edge_a, edge_b, patch.count);
    ++patch.count;
  }
}

void reduce_patch(CorePatch& patch, int limit, Real tie) {
  const auto begin = patch.points.begin(), end = begin + patch.count;
  std::sort(begin, end, [](const auto& x, const auto& y) { return x.feature < y.feature; });
  if (patch.count <= limit) return;
  std::array<Real, CorePatch::kCapacity> distance;  // squared, to the kept points; −1: kept
  int next = 0;
  for (int i = 1; i < patch.count; ++i)
    if (patch.points[i].gap < patch.points[next].gap - tie) next = i;
  std::fill_n(distance.begin(), patch.count, std::numeric_limits<Real>::infinity());
  for (int kept = 1; kept < limit; ++kept) {
    const Vec3& centre = patch.points[next].on_b;
    distance[next] = -1;
    for (int i = 0; i < patch.count; ++i)
      if (distance[i] >= 0)
        distance[i] = std::min(distance[i], (patch.points[i].on_b - centre).squaredNorm());
    for (int i = 0; i < patch.count; ++i)
      if (distance[i] > distance[next] * (1 + kSameDistance)) next = i;
  }
  distance[next] = -1;
  int count = 0;
  for (int i = 0; i < patch.count; ++i)
    if (distance[i] < 0) patch.points[count++] = patch.points[i];
  patch.count = count;
}

}  // namespace talus::geometry::detail
