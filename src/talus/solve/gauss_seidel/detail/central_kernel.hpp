#pragma once

#include <cstdint>

#include <talus/math/simd.hpp>
#include <talus/problem/central_batch.hpp>
#include <talus/solve/gauss_seidel/detail/lane_sums.hpp>

namespace talus::solve::detail {

/// What a sweep over central contacts reads and writes. Bodies are rows of eight numbers (v, 1/m,
/// s, ℓ²/I), see problem::BodyVelocity. @tparam T the precision.
template <class T>
struct CentralSweepOf {
  const problem::CentralBatchOf<T>* batches;
  problem::ImpulseBatchOf<T>* impulse;
  problem::ImpulseBatchOf<T>* old_impulse;  ///< of the sweep before; used with momentum
  T* bodies;
  const unsigned char* is_idle;  ///< batches to leave out; null: none
  double beta;                   ///< weight of the momentum
  double omega;                  ///< relaxation
  bool is_far;                   ///< bodies are not in a near cache, and are fetched early
};
using CentralSweep = CentralSweepOf<double>;

/// The inner loops over one tile, for one instruction set. All sets give the same bits.
struct CentralKernels {
  template <class T>
  using SweepOf = void (*)(const CentralSweepOf<T>&, problem::Tile, LaneSums&);
  /// now ← now + β (now − old), old ← now, for so many rows of bodies; of their inverse masses,
  /// which do not differ, nothing changes.
  template <class T>
  using ExtrapolateOf = void (*)(T* now, T* old, double beta, std::int64_t rows);
  using Sweep = SweepOf<double>;
  Sweep plain;     ///< r ← solution of the one-contact problem, v += M⁻¹ Jᵀ Δr
  Sweep momentum;  ///< the same from y = r + β (r − r_old)
  Sweep relaxed;   ///< r ← y + ω (solution − y), cut back to the cone
  /// r ← a guess, cut back to its cone, v += M⁻¹ Jᵀ r. @param guess of all batches.
  void (*begin)(const CentralSweep&, const problem::ImpulseBatch* guess, problem::Tile);
  ExtrapolateOf<double> extrapolate;
  SweepOf<float> momentum_single;  ///< momentum, of single precision; sums are of double
  ExtrapolateOf<float> extrapolate_single;
};

[[nodiscard]] const CentralKernels& central_kernels(Simd simd);

}  // namespace talus::solve::detail
