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

}  // namespace talus
