#include <talus/geometry/detail/core_separation.hpp>

namespace talus::geometry::detail {
namespace {

constexpr Real kNearlyTouching = 1e-7;  // of the size: below it a feature normal replaces GJK's

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
  result.has_witness = true;
  if (!g.overlap && g.distance > kNearlyTouching * pair.size()) return result;

  result.axes = separating_axes(pair);
  result.has_axes = true;
  const Axis& best = result.axes.best();
  if (g.overlap) {
    result.gap = best.gap;
    result.has_witness = false;
  }
  if (g.overlap || best.gap >= g.lower) {
    result.normal = best.normal;
    result.certified = best.gap;
  }
  return result;
}

}  // namespace talus::geometry::detail
