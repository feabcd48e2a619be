#pragma once

#include <cstdint>

#include <talus/math/simd.hpp>

namespace talus::dynamics::detail {

/// Bodies of isotropic inertia in a step, all in rows of three or four numbers, one per body.
struct MovingBalls {
  const double* solved;       ///< rows of eight numbers: v, 1/m, s = ℓ ω, ℓ²/I
  const double* length;       ///< ℓ [m]
  const double* position;     ///< x, y, z [m]
  const double* orientation;  ///< x, y, z, w
  double step_size;           ///< h [s]
  double *next_position, *next_orientation, *next_velocity, *next_angular_velocity;  ///< out
};

/// Moves bodies first … first + count − 1: x' = x + h v, ω = s/ℓ, q' = exp(h ω/2) q, for one
/// instruction set; of each the same bits as integrate_rotation() of it alone. What neither moves
/// nor turns keeps every bit.
/// @return false if one turns too fast for the series (kSmallTurn2), or is not finite: what is
/// written is of no use then.
using MoveBalls = bool (*)(const MovingBalls&, std::int64_t first, int count);
[[nodiscard]] MoveBalls move_balls(Simd simd);

}  // namespace talus::dynamics::detail
