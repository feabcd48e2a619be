#pragma once

#include <talus/math/simd.hpp>
#include <talus/problem/central_batch.hpp>

namespace talus::dynamics::detail {

/// Contacts of balls with balls and planes, as a step writes them.
struct BallContacts {
  problem::CentralBatch* batches;
  const double* balls;  ///< x, y, z, r of every body [m], aligned as four numbers; r is 0 of planes
  const double* normals;     ///< three numbers of every body: of planes, 0 of balls
  std::uint32_t body_count;  ///< the body of empty lanes
  const float* turning;      ///< per slot: ℓ_A²/I_A + ℓ_B²/I_B [1/kg]
  double* gaps;              ///< out, per slot [m]
  double step_size;          ///< h [s]
  double slop;               ///< share of the smaller radius, of a ball on a plane its own
  bool is_periodic;
  double length[3], inverse_length[3];  ///< of the periodic cell; 0 where it is not
};

/// The least of each lane, at most 0 [m]: of the gaps, and of these with their slops.
struct alignas(64) LeastGaps {
  double gap[problem::kLanes] = {}, with_slop[problem::kLanes] = {};
};

/// Writes normals, arms and biases max(0, gap)/h of a tile, for θ = 1 and without restitution; for
/// one instruction set. Empty lanes are left as they are.
///
/// The arms α n of bodies that do not touch: α = distance/(r_A + r_B), α n = difference/(r_A +
/// r_B); on planes α = 1. Concentric balls have no normal; any one is right, and this one is always
/// the same.
using RefreshBalls = void (*)(const BallContacts&, problem::Tile, LeastGaps&);
[[nodiscard]] RefreshBalls refresh_balls(Simd simd);

/// Below this α is 1.
inline constexpr double kLeastArm = 1e-3;

}  // namespace talus::dynamics::detail
