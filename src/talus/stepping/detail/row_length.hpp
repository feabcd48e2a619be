#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/dynamics/jacobian_row.hpp>
#include <talus/dynamics/system.hpp>

namespace talus::stepping::detail {

/// How large the smaller moving body of a row is [m]: its shape's bounding radius or, for shapes
/// are not all that there is of a body, its radius of gyration. 1 m where nothing moves.
[[nodiscard]] inline Real smaller_radius(const dynamics::System& machine,
                                         const dynamics::JacobianRow& row) {
  Real length = std::numeric_limits<Real>::infinity();
  for (const Index body : {row.body_a, row.body_b}) {
    if (body < 0 || !(machine.mass().moves(body))) continue;
    const Real reach =
        std::isfinite(machine.bounding_radius(body)) ? machine.bounding_radius(body) : 0;
    length = std::min(length, std::max(reach, machine.mass().gyration_radius(body)));
  }
  return std::isfinite(length) ? length : 1;
}

/// What makes metres of a row: 1 for one that moves a point, the bounding radius of the smaller
/// body for one of angles alone.
[[nodiscard]] inline Real row_length(const dynamics::System& machine,
                                     const dynamics::JacobianRow& row) {
  return row.is_linear() ? 1 : smaller_radius(machine, row);
}

/// The accelerations that turning makes of velocities, the largest spin times √(vᵀ M v), over
/// √(J M⁻¹ Jᵀ) along a row [√kg m/s²]. 0 of generalized coordinates.
[[nodiscard]] inline Real turning_acceleration(const dynamics::System& machine, const VecX& v) {
  const dynamics::MassMatrix& mass = machine.mass();
  if (!mass.is_planar() && !mass.is_spatial()) return 0;
  const Index width = mass.width(), turns = width / 2;  // 1 of 3, 3 of 6
  Real spin = 0;
  for (Index end = width; end <= v.size(); end += width)
    spin = std::max(spin, v.segment(end - turns, turns).norm());
  return spin * mass.norm(v);
}

}  // namespace talus::stepping::detail
