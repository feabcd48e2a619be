#include <talus/collision/way.hpp>

#include <cmath>

namespace talus::collision {
namespace {

/// φ with rotation_exp(φ) = q, ‖φ‖ ≤ π.
Vec3 rotation_vector(const Quat& q) {
  const Real sine = q.vec().norm();
  if (sine == 0) return Vec3::Zero();
  return std::copysign(2 * std::atan2(sine, std::abs(q.w())) / sine, q.w()) * q.vec();
}

}  // namespace

Way::Way(const std::array<Pose, 2>& start, const std::array<Pose, 2>& end, bool moves_a,
         bool moves_b) {
  for (int k = 0; k < 2; ++k) {
    position[k] = start[k].p;
    orientation[k] = start[k].q;
    shift[k] = end[k].p - position[k];
    turn[k] = rotation_vector(end[k].q * orientation[k].conjugate());
  }
  mean_shift = moves_a && moves_b ? Vec3((shift[0] + shift[1]) / 2) : shift[moves_b ? 1 : 0];
}

Pose Way::pose(int k, Real share) const {
  return {position[k] + share * shift[k], rotation_exp(share * turn[k]) * orientation[k]};
}

Real Way::approach(const Contact& contact, const PeriodicCell& cell) const {
  const auto of = [&](int k) {
    return Vec3(shift[k] + turn[k].cross(cell.nearest(contact.position - position[k])));
  };
  return contact.normal.dot(of(0) - of(1));
}

void Way::take_back(Real share, const PeriodicCell& cell, Contact& contact) const {
  contact.position -= share * mean_shift;
  contact.gap += share * approach(contact, cell);
  contact.is_taken_back = true;
}

}  // namespace talus::collision
