#pragma once

#include <talus/math/simd.hpp>
#include <talus/problem/central_batch.hpp>

namespace talus::certify::detail {

/// Sums over central contacts, one per lane.
struct alignas(64) LaneSums {
  using Lane = double[problem::kLanes];
  Lane map = {}, plain = {}, primal = {}, dual = {};
  Lane round_off = {}, work = {}, scale = {}, impulse = {}, velocity = {}, free = {}, start = {};
  Lane worst = {-1, -1, -1, -1, -1, -1, -1, -1}, worst_map = {};
  Lane worst_velocity = {}, violation = {};
  Lane worst_batch = {};  ///< where `worst` was found
};

/// What the kernels read. Rows of eight numbers per body: v, 1/m, s, ℓ²/I; behind the last body a
/// row of zeros for empty lanes.
struct CentralResidual {
  const problem::CentralBatch* batches;
  const problem::ImpulseBatch* impulse;
  double* bodies;  ///< add: gains M⁻¹ Jᵀ r. residuals: v, T, s, |v| + |s|, with T = 3/m + 2ℓ²/I
  const double* free;  ///< rows of the free velocities; 1/m, ℓ²/I in place of T and the magnitude
  const double* scale;  ///< V [m/s] > 0, eight per batch, aligned as batches are
};

/// The passes of the certificate over one tile, for one instruction set.
struct CentralResidualKernels {
  void (*add)(const CentralResidual&, problem::Tile);
  void (*residuals)(const CentralResidual&, problem::Tile, LaneSums&);
};

[[nodiscard]] const CentralResidualKernels& central_residual_kernels(Simd simd);

}  // namespace talus::certify::detail
