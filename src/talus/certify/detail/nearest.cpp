#include <talus/certify/detail/nearest.hpp>

#include <algorithm>
#include <cmath>

namespace talus::certify::detail {
namespace {

/// Shortens rows first … first+size−1 of r to the given length, if they are longer.
void shorten(Eigen::Ref<VecX> r, Index first, Index size, Real norm, Real length) {
  if (norm > length) r.segment(first, size) *= length / norm;
}

}  // namespace

void move_to_nearest(const problem::Cone& cone, Real rolling, const VecX& lower, const VecX& upper,
                     Eigen::Ref<VecX> r) {
  using problem::ConeKind;
  switch (cone.kind) {
    case ConeKind::free:
      return;
    case ConeKind::nonnegative:
      for (Index i = 0; i < r.size(); ++i) r[i] = r[i] > 0 ? r[i] : 0;
      return;
    case ConeKind::box:
      for (Index i = 0; i < r.size(); ++i)
        r[i] = r[i] < lower[i] ? lower[i] : r[i] > upper[i] ? upper[i] : r[i];
      return;
    case ConeKind::friction: {
      const Index tangents = r.size() - 1;
      const Real mu = cone.friction, sliding = r.tail(tangents).norm();
      const Real normal = std::max({Real(0), r[0], (r[0] + mu * sliding) / (1 + mu * mu)});
      shorten(r, 1, tangents, sliding, mu * normal);
      r[0] = normal;
      return;
    }
    case ConeKind::rolling: {
      const Real mu = cone.friction, sliding = r.segment(1, 2).norm();
      const Real turning = r.segment(3, 2).norm();
      const Real slide = mu * sliding, turn = rolling * turning;
      const Real slide_slope = mu * mu, turn_slope = rolling * rolling;
      const Real normal = std::max({Real(0), r[0], (r[0] + slide) / (1 + slide_slope),
                                    (r[0] + turn) / (1 + turn_slope),
                                    (r[0] + slide + turn) / (1 + slide_slope + turn_slope)});
      shorten(r, 1, 2, sliding, mu * normal);
      shorten(r, 3, 2, turning, rolling * normal);
      r[0] = normal;
      return;
    }
  }
}

VecX nearest_in_ball(const VecX& r, Real bound) {
  const Real norm = r.norm();
  return norm > bound ? VecX(r * (bound / norm)) : r;
}

}  // namespace talus::certify::detail
