#pragma once

#include <cstdint>

namespace talus::problem {

/// Contacts in a batch whose numbers are of type T: a cache line of each number.
template <class T>
inline constexpr int kLanesOf = 64 / sizeof(T);
inline constexpr int kLanes = kLanesOf<double>;

/// Central contacts of which no two share a movable body, lane by lane: eight of double precision,
/// 64 B per contact, or sixteen of single precision, 40 B.
///
/// A contact is central if its normal passes through both centres of mass and both bodies have an
/// isotropic inertia, or do not move: spheres with each other and with anything fixed. The arms
/// from the centres to the point where the impulse acts are α n and −α n in units of ℓ; α ≠ 1 where
/// the surfaces are apart or overlap, so that both arms end at one point and no couple is left. n
/// and α share three numbers. The block is A = diag(a, δ, δ), δ = a + α² (ℓ_A²/I_A + ℓ_B²/I_B), in
/// the frame of n. An empty lane has inverse_normal = 0 and belongs to the row behind the last
/// body. No member functions and no Eigen: kernels for several instruction sets read it.
template <class T>
struct alignas(64) CentralBatchOf {
  static constexpr int lanes = kLanesOf<T>;
  T arm[3][lanes];                  ///< α n, n unit, from A to B, world; not 0
  T inverse_arm2[lanes];            ///< 1/α² [-]
  T bias[lanes];                    ///< added to the normal relative velocity, over α [m/s]
  T friction[lanes];                ///< μ ≥ 0
  float inverse_normal[lanes];      ///< 1/a [kg], a = 1/m_A + 1/m_B; a step size, like 1/δ: single
  float inverse_tangential[lanes];  ///< 1/δ [kg]; precision costs no digit of the solution
  std::uint32_t body_a[lanes], body_b[lanes];
};
using CentralBatch = CentralBatchOf<double>;
static_assert(sizeof(CentralBatch) == 64 * kLanes);

/// Impulses of the contacts of a batch, world vectors on body B [N·s]; 24 B per contact, or 12.
template <class T>
struct alignas(64) ImpulseBatchOf {
  T r[3][kLanesOf<T>];
};
using ImpulseBatch = ImpulseBatchOf<double>;

/// Consecutive batches that one thread visits in order. Tiles of one colour share no movable body.
struct Tile {
  std::uint32_t first = 0;
  std::uint32_t checked = 0;  ///< from here on, lanes may be empty or bodies immovable
  std::uint32_t end = 0;
};

}  // namespace talus::problem
