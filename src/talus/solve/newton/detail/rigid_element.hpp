#pragma once

#include <cstdint>

#include <talus/math/vector.hpp>
#include <talus/solve/newton/detail/resisting_moment.hpp>

namespace talus::solve::detail {

/// 3×6 or 1×6 of one body in H of RigidNewton, in units of its scaled problem.
struct RigidSide {
  Index body = -1;  ///< of the forest; −1: immovable
  Eigen::Matrix<Real, 3, 6> rows = Eigen::Matrix<Real, 3, 6>::Zero();

  /// rows · v of its body. @param count of the element's unknowns: with one the rest is 0.
  template <class Velocity>
  [[nodiscard]] Vec3 rates(int count, const Velocity& v) const {
    if (count > 1) return rows * v;
    Real rate = 0;
    for (int k = 0; k < 6; ++k) rate += rows(0, k) * v[k];
    return {rate, 0, 0};
  }
};

/// The force of a contact, its moment, or a row in RigidNewton: its unknowns, sides, law.
struct RigidElement {
  Index first = 0;                   ///< unknown
  int count = 3;                     ///< 3 of a contact's force or moment, 1 of a row
  Index force = -1;                  ///< of a moment: the element of its contact's force
  std::uint32_t begin = 0, end = 0;  ///< sides
  Real scale = 1, friction = 0, lower = 0, upper = 0;
  Mat3 compliance = Mat3::Zero();  ///< of a row: its first entry
  Vec3 rate = Vec3::Zero();        ///< u without impulses
  Vec3 pull = Vec3::Zero();        ///< r = p − pull
  ResistingMoment moment;
};

}  // namespace talus::solve::detail
