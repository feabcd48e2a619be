#include <talus/math/cone_projection.hpp>

#include <cmath>

namespace talus {

Vec3 project_friction_cone(const Vec3& r, Real friction) {
  const Real tangential = std::sqrt(r[1] * r[1] + r[2] * r[2]);
  if (r[0] >= 0 && tangential <= friction * r[0]) return r;  // r[0] < 0: μ = 0 has 0 ≤ −0
  if (friction * tangential <= -r[0]) return Vec3::Zero();
  const Real normal = (r[0] + friction * tangential) / (1 + friction * friction);
  const Real scale = tangential > 0 ? friction * normal / tangential : 0;
  return {normal, scale * r[1], scale * r[2]};
}

Vec5 project_rolling_cone(const Vec5& r, Real friction, Real rolling) {
  const Real t = std::sqrt(r[1] * r[1] + r[2] * r[2]),
             s = std::sqrt(r[3] * r[3] + r[4] * r[4]);
  const Real mu = friction, nu = rolling;
  if (r[0] >= 0 && t <= mu * r[0] && s <= nu * r[0]) return r;
  // The nearest point has the normal part n that makes (n − r_N)² + (t − μ n)₊² + (s − ν n)₊² least.
  // One of the two parts may be short enough: the one that fits into the smaller n. Round-off at a
  // border of these cases does no harm, for n is continuous there.
  Real normal = (r[0] + mu * t + nu * s) / (1 + mu * mu + nu * nu);
  if (!(t > mu * normal && s > nu * normal))
    normal = t * nu <= s * mu ? (r[0] + nu * s) / (1 + nu * nu) : (r[0] + mu * t) / (1 + mu * mu);
  Vec5 p = Vec5::Zero();
  if (normal <= 0) return p;
  p[0] = normal;
  p.segment<2>(1) = (t > mu * normal ? mu * normal / t : 1) * r.segment<2>(1);
  p.segment<2>(3) = (s > nu * normal ? nu * normal / s : 1) * r.segment<2>(3);
  return p;
}

}  // namespace talus
