#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <talus/math/spatial.hpp>

namespace talus::geometry::detail {

/// Unit normals between two others: cos t u + sin t w for t from 0 to the angle [rad].
struct NormalArc {
  Vec3 u, w;
  Real angle = 0;

  /// From one unit normal the shorter way to another one that is not opposite.
  static NormalArc between(const Vec3& from, const Vec3& to) {
    const Vec3 across = (to - from.dot(to) * from).normalized();
    return {from, across, std::atan2(across.dot(to), from.dot(to))};
  }
  [[nodiscard]] Vec3 at(Real t) const { return std::cos(t) * u + std::sin(t) * w; }
};

/// The largest n·way over the unit normals from n0 to n1, which turn about an edge.
[[nodiscard]] inline Real most_between(const Vec3& n0, const Vec3& n1, const Vec3& along,
                                       const Vec3& way) {
  const Vec3 across = way - (way.dot(along) / along.squaredNorm()) * along;
  const bool is_between = n0.cross(across).dot(along) >= 0 && across.cross(n1).dot(along) >= 0;
  return is_between ? across.norm() : std::max(n0.dot(way), n1.dot(way));
}

/// Offers the normals of an arc at which a support gap has its peaks: samples, then golden
/// sections, to 1e-10 of the arc.
/// @param value of a normal. @param steepest bound of |value'| [1/rad]. @param least() what a peak
/// must reach to be of use.
template <class Value, class Least, class Offer>
void search_arc(const NormalArc& arc, Real steepest, const Value& value, const Least& least,
                const Offer& offer) {
  constexpr int kSamples = 12, kSections = 48;
  constexpr Real kGolden = 0.6180339887498949;
  const Real step = arc.angle / kSamples;
  std::array<Real, kSamples + 1> at;
  for (int k = 0; k <= kSamples; ++k) at[k] = value(arc.at(k * step));
  for (int k = 0; k <= kSamples; ++k) {
    const bool is_peak = (k == 0 || at[k] >= at[k - 1]) && (k == kSamples || at[k] >= at[k + 1]);
    if (!is_peak || at[k] + steepest * step < least()) continue;
    Real low = std::max(k - 1, 0) * step, high = std::min(k + 1, kSamples) * step;
    for (int i = 0; i < kSections; ++i) {
      const Real s = high - kGolden * (high - low), t = low + kGolden * (high - low);
      const bool is_right = value(arc.at(s)) <= value(arc.at(t));
      (is_right ? low : high) = is_right ? s : t;
    }
    offer(arc.at((low + high) / 2));
  }
}

}  // namespace talus::geometry::detail
