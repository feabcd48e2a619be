#pragma once

#include <cstdint>

#include <talus/math/simd.hpp>
#include <talus/problem/central_batch.hpp>
#include <talus/solve/gauss_seidel/detail/lane_sums.hpp>

namespace talus::solve::detail {

/// What a sweep over central contacts reads and writes. Bodies are rows of eight numbers (v, 1/m,
/// s, ℓ²/I), see problem::BodyVelocity.
struct CentralSweep {
  const problem::CentralBatch* batches;
  problem::ImpulseBatch* impulse;
  problem::ImpulseBatch* old_impulse;  ///< of the sweep before; used with momentum
  double* bodies;
  const unsigned char* is_idle;  ///< batches to leave out; null: none
  double beta;                   ///< weight of the momentum
  double omega;                  ///< relaxation
};

/// The inner loops over one tile, for one instruction set. All sets give the same bits.
struct CentralKernels {
  using Sweep = void (*)(const CentralSweep&, problem::Tile, LaneSums&);
  Sweep plain;     ///< r ← solution of the one-contact problem, v += M⁻¹ Jᵀ Δr
  Sweep momentum;  ///< the same from y = r + β (r − r_old)
  Sweep relaxed;   ///< r ← y + ω (solution − y), cut back to the cone
  /// r ← a guess, cut back to its cone, v += M⁻¹ Jᵀ r. @param guess of all batches.
  void (*begin)(const CentralSweep&, const problem::ImpulseBatch* guess, problem::Tile);
  /// now ← now + β (now − old), old ← now, for so many rows of bodies; of their inverse masses,
  /// which do not differ, nothing changes.
  void (*extrapolate)(double* now, double* old, double beta, std::int64_t rows);
};

[[nodiscard]] const CentralKernels& central_kernels(Simd simd);

}  // namespace talus::solve::detail
