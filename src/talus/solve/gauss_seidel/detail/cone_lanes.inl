// Coulomb's cone for W contacts at once; included by the kernels.

#include <talus/math/lanes.hpp>

namespace talus::solve::detail {
namespace {

/// What a tangential impulse is shortened by: min(1, limit/√size²). Root and quotient, which cost
/// about as much as all else of a contact, are left out where all lanes stick.
template <class T>
inline LanesOf<T> share_of(LanesOf<T> size2, LanesOf<T> limit) {
  const LanesOf<T> one = all(T{1});
  const auto sticks = size2 <= limit * limit;
  return any(~sticks) ? (sticks ? one : limit / root(size2)) : one;
}

/// Keeps the normal part of r (0 if it pulls) and shortens the tangential one to μ r_N.
inline Vec3Lanes cut_to_cone(const Vec3Lanes& r, const Vec3Lanes& n, Lanes friction) {
  const Lanes rn = dot(r, n);
  const Vec3Lanes t = r - rn * n;
  const Lanes limit = friction * rn, scale = share_of<double>(dot(t, t), limit), zero{};
  const Vec3Lanes cut = rn * n + scale * t;
  return {rn > 0 ? cut.x : zero, rn > 0 ? cut.y : zero, rn > 0 ? cut.z : zero};
}

}  // namespace
}  // namespace talus::solve::detail
