#include <talus/geometry/detail/core_separation.hpp>

#include <algorithm>

#include <talus/geometry/detail/clip.hpp>
#include <talus/geometry/detail/closest_features.hpp>

namespace talus::geometry::detail {
namespace {

// Of the size of the pair.
constexpr Real kNearlyTouching = 1e-7;  // below it a feature normal replaces GJK's
constexpr Real kRoundOff = 2e-15;       // two bounds this close are equal
constexpr Real kOnFeatures = 1e-13;     // how far witnesses may be from the gap

void offer_normal(const CorePair& pair, const Vec3& normal, CoreSeparation& sep) {
  const Real gap = pair.support_gap(normal);
  if (gap > sep.certified) sep.certified = gap, sep.normal = normal;
}

/// Brings the two bounds of separated cores together where GJK left them apart: the direction of
/// GJK carries its round-off over the distance, a feature normal does not.
void tighten(const CorePair& pair, CoreSeparation& sep) {
  const Real tolerance = kRoundOff * pair.size();
  const auto is_tight = [&] { return sep.gap - sep.certified <= tolerance; };
  if (is_tight()) return;
  const int face_a = supporting_face(pair.a, sep.normal);
  if (face_a >= 0) offer_normal(pair, pair.a.face_normals[face_a], sep);
  const int face_b = supporting_face(pair.b, -(pair.R.transpose() * sep.normal));
  if (face_b >= 0) offer_normal(pair, -(pair.R * pair.b.face_normals[face_b]), sep);
  if (is_tight()) return;
  const FeaturePair closest = closest_features(pair, sep.normal);
  if (closest.distance < sep.gap) {
    sep.gap = closest.distance;
    sep.on_a = closest.on_a;
    sep.on_b = closest.on_b;
    sep.has_witness = true;
  }
  offer_normal(pair, closest.normal, sep);
}

/// The axes of two boxes cost less than a search for the closest points.
/// @return whether the way between the centres or a face has them farther apart than the cut-off,
/// or all axes have them overlap.
bool separate_boxes(const CorePair& pair, Real cutoff, CoreSeparation& sep) {
  const Real overlap = -kNearlyTouching * pair.size();
  const Real distance = pair.p.norm();
  sep.beyond = distance > 0 && pair.support_gap(pair.p / distance) > cutoff;
  if (sep.beyond) return true;
  sep.axes = separating_axes(pair, overlap);
  const Axis& best = sep.axes.best(kRoundOff * pair.size());
  sep.beyond = best.gap > cutoff;
  if (!sep.beyond && best.gap > overlap) return false;
  sep.has_axes = true;
  sep.has_witness = false;
  sep.normal = best.normal;
  sep.gap = sep.certified = best.gap;
  return true;
}

}  // namespace

CoreSeparation core_separation(const CorePair& pair, Real cutoff, const Vec3& start) {
  CoreSeparation result;
  if (pair.a.is_box && pair.b.is_box && separate_boxes(pair, cutoff, result)) return result;
  const GjkResult g = gjk(pair, cutoff, start);
  result.iteration_count = g.iteration_count;
  result.beyond = g.beyond;
  if (g.beyond) return result;
  result.gap = g.distance;
  result.certified = g.lower;
  result.normal = g.normal;
  result.on_a = g.on_a;
  result.on_b = g.on_b;
  if (g.overlap || g.distance <= kNearlyTouching * pair.size()) {
    result.has_axes = true;
    result.axes = separating_axes(pair);
    const Axis& best = result.axes.best(kRoundOff * pair.size());
    if (g.overlap || best.gap >= g.lower) {
      result.normal = best.normal;
      result.certified = best.gap;
    }
  }
  if (g.overlap) {
    result.gap = result.certified;
    result.has_witness = false;
    // GJK found no separating direction, the axes did: apart by little more than round-off.
    if (result.certified > 0) result.gap = std::numeric_limits<Real>::infinity();
  }
  if (result.gap > 0) tighten(pair, result);
  return result;
}

namespace {

/// The deepest corner of what the other core has over a face that gives the normal.
bool find_on_face(const CorePair& pair, const ReferenceFace& face, CoreSeparation& sep) {
  CorePatch patch;
  clip_to_face(pair, face, sep.normal, 0, patch);
  const auto end = patch.points.begin() + patch.count;
  const auto deepest = std::min_element(patch.points.begin(), end,
                                        [](const auto& x, const auto& y) { return x.gap < y.gap; });
  if (deepest == end) return false;
  sep.on_a = deepest->on_a;
  sep.on_b = deepest->on_b;
  return true;
}

/// Where the lines of two edges that give the normal are nearest, if that is on both of them.
bool find_on_edges(const CorePair& pair, const Edge& ea, const Edge& eb, CoreSeparation& sep) {
  const Vec3 &a = pair.a.vertices[ea.v0], b = pair.vertex_b(eb.v0);
  const Vec3 u = pair.a.vertices[ea.v1] - a, v = pair.vertex_b(eb.v1) - b;
  const NearestOnLines at(a, u, b, v);
  if (!(at.across2 > 0 && at.s >= 0 && at.s <= 1 && at.t >= 0 && at.t <= 1)) return false;
  sep.on_a = a + at.s * u;
  sep.on_b = b + at.t * v;
  return true;
}

/// Witnesses on the features that give the normal of overlapping cores.
/// @return false where these are no deeper in each other than elsewhere.
bool find_on_features(const CorePair& pair, CoreSeparation& sep) {
  if (!sep.has_axes) return false;
  const Axis& best = sep.axes.best(kRoundOff * pair.size());
  const bool is_found =
      best.edge_a >= 0
          ? find_on_edges(pair, pair.a.edges[best.edge_a], pair.b.edges[best.edge_b], sep)
          : find_on_face(pair, {best.face_a >= 0, std::max(best.face_a, best.face_b)}, sep);
  const Real off = (sep.on_b - sep.on_a - sep.gap * sep.normal).norm();
  sep.has_witness = is_found && off <= kOnFeatures * pair.size();
  return sep.has_witness;
}

}  // namespace

void find_witness(const CorePair& pair, CoreSeparation& sep) {
  if (sep.has_witness || find_on_features(pair, sep)) return;
  // Moved back along the axis of least translation, B touches A.
  const Vec3 shift = -sep.gap * sep.normal;
  const FeaturePair touching = closest_features(pair, sep.normal, shift);
  sep.on_a = touching.on_a;
  sep.on_b = touching.on_b - shift;
  sep.has_witness = true;
}

}  // namespace talus::geometry::detail
