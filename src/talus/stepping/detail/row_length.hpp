#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/dynamics/planar_machine.hpp>

namespace talus::stepping::detail {

/// How large the smaller moving body of a row is [m]: its shape's reach or, for shapes are not all
/// that there is of a body, its radius of gyration. 1 m where nothing moves.
[[nodiscard]] inline Real smaller_reach(const dynamics::PlanarMachine& machine,
                                        const dynamics::PlanarRow& row) {
  Real length = std::numeric_limits<Real>::infinity();
  for (const Index body : {row.body_a, row.body_b}) {
    if (body < 0 || !(machine.inverse_mass()[3 * body] > 0)) continue;
    const Real reach = std::isfinite(machine.reach(body)) ? machine.reach(body) : 0;
    const Real gyration =
        std::sqrt(machine.inverse_mass()[3 * body] / machine.inverse_mass()[3 * body + 2]);
    length = std::min(length, std::max(reach, gyration));
  }
  return std::isfinite(length) ? length : 1;
}

/// What makes metres of a row: 1 for one that moves a point, the reach of the smaller body for one
/// of angles alone.
[[nodiscard]] inline Real row_length(const dynamics::PlanarMachine& machine,
                                     const dynamics::PlanarRow& row) {
  const bool is_linear = !row.a.head<2>().isZero(0) || !row.b.head<2>().isZero(0);
  return is_linear ? 1 : smaller_reach(machine, row);
}

/// Σ |aᵢ vᵢ| of a row: what its rate is the sum of.
[[nodiscard]] inline Real magnitude(const dynamics::PlanarRow& row, const VecX& v) {
  const auto of = [&](Index body, const Vec3& part) {
    return body < 0 ? Real(0) : part.cwiseProduct(v.segment<3>(3 * body)).cwiseAbs().sum();
  };
  return of(row.body_a, row.a) + of(row.body_b, row.b);
}

}  // namespace talus::stepping::detail
