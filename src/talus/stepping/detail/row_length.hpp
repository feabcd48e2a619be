#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/dynamics/jacobian_row.hpp>
#include <talus/dynamics/multibody_row.hpp>
#include <talus/dynamics/system.hpp>

namespace talus::stepping::detail {

/// How large a moving body is [m]: its shape's bounding radius or, for shapes are not all that
/// there is of a body, its radius of gyration. Infinite of what does not move.
[[nodiscard]] inline Real radius(const dynamics::System& machine, Index body) {
  if (body < 0 || !machine.mass().moves(body)) return std::numeric_limits<Real>::infinity();
  const Real reach =
      std::isfinite(machine.bounding_radius(body)) ? machine.bounding_radius(body) : 0;
  return std::max(reach, machine.mass().gyration_radius(body));
}

/// How large the smaller moving body of a row is [m]. 1 m where nothing moves.
[[nodiscard]] inline Real smaller_radius(const dynamics::System& machine,
                                         const dynamics::JacobianRow& row) {
  const Real length = std::min(radius(machine, row.body_a), radius(machine, row.body_b));
  return std::isfinite(length) ? length : 1;
}

/// What makes metres of a row: 1 for one that moves a point, the bounding radius of the smaller
/// body for one of angles alone.
[[nodiscard]] inline Real row_length(const dynamics::System& machine,
                                     const dynamics::JacobianRow& row) {
  return row.is_linear() ? 1 : smaller_radius(machine, row);
}

/// How large the smallest moving body of a coupling is [m], as above.
[[nodiscard]] inline Real smaller_radius(const dynamics::System& machine,
                                         const dynamics::MultibodyRow& row) {
  Real length = std::numeric_limits<Real>::infinity();
  for (const auto& entry : row) length = std::min(length, radius(machine, entry.body));
  return std::isfinite(length) ? length : 1;
}

/// What makes metres of a coupling, whatever its coefficients are counted in: one over the most
/// that a way of 1 m, or a turn of a metre at the smallest body, makes of its value.
[[nodiscard]] inline Real row_length(const dynamics::MultibodyRow& row, Real size) {
  Real most = 0;
  for (const auto& entry : row)
    most = std::max(
        {most, entry.part.template head<3>().norm(), entry.part.template tail<3>().norm() / size});
  return most > 0 ? 1 / most : 1;
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
