// Coulomb's cone for W contacts at once; included by the kernels.

#include <talus/math/lanes.hpp>

namespace talus::solve::detail {
namespace {

/// Keeps the normal part of r (0 if it pulls) and shortens the tangential one to μ r_N.
inline Vec3Lanes cut_to_cone(const Vec3Lanes& r, const Vec3Lanes& n, Lanes friction) {
  const Lanes rn = dot(r, n);
  const Vec3Lanes t = r - rn * n;
  const Lanes size2 = dot(t, t), limit = friction * rn, one = all(1), zero{};
  const Lanes scale = size2 <= limit * limit ? one : limit / root(size2);
  const Vec3Lanes cut = rn * n + scale * t;
  return {rn > 0 ? cut.x : zero, rn > 0 ? cut.y : zero, rn > 0 ? cut.z : zero};
}

}  // namespace
}  // namespace talus::solve::detail
