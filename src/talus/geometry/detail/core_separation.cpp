#include <talus/geometry/detail/core_separation.hpp>

#include <talus/geometry/detail/clip.hpp>
#include <talus/geometry/detail/closest_features.hpp>

namespace talus::geometry::detail {
namespace {

// Of the size of the pair.
constexpr Real kNearlyTouching = 1e-7;  // below it a feature normal replaces GJK's
constexpr Real kRoundOff = 2e-15;       // two bounds this close are equal

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

}  // namespace

CoreSeparation core_separation(const CorePair& pair, Real cutoff, const Vec3& start) {
  const GjkResult g = gjk(pair, cutoff, start);
  CoreSeparation result;
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

void find_witness(const CorePair& pair, CoreSeparation& sep) {
  if (sep.has_witness) return;
  // Moved back along the axis of least translation, B touches A.
  const Vec3 shift = -sep.gap * sep.normal;
  const FeaturePair touching = closest_features(pair, sep.normal, shift);
  sep.on_a = touching.on_a;
  sep.on_b = touching.on_b - shift;
  sep.has_witness = true;
}

}  // namespace talus::geometry::detail
