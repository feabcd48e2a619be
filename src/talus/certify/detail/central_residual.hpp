#pragma once

#include <cstddef>
#include <cstdint>

#include <talus/math/simd.hpp>
#include <talus/problem/central_batch.hpp>

namespace talus::certify::detail {

/// Of central contacts, one per lane: the largest δ [m/s], and sums of what decides nothing.
struct alignas(64) LaneSums {
  using Lane = double[problem::kLanes];
  Lane worst_velocity = {};
  Lane plain = {}, primal = {}, dual = {}, power = {}, impulse = {}, velocity = {};
};

/// What the kernels read and write. Rows of eight numbers per body: v, 1/m, s, ℓ²/I; behind the
/// last body a row of zeros for empty lanes.
struct CentralResidual {
  const problem::CentralBatch* batches;
  const problem::ImpulseBatch* impulse;
  double* bodies;     ///< add: gains M⁻¹ Jᵀ r. residuals: v, 1/m, s, |v| + |s|
  const double* rho;  ///< ρ [kg], eight per batch, aligned as batches are; 0 in empty lanes
  const double* inverse_scale;  ///< 1/V [s/m], laid out like rho
  double* error;      ///< residuals: ρδ² [J] of each contact, the same; 0 in empty lanes
  double* answer;     ///< residuals: ‖r‖²/ρ [J], the same
  double* work;       ///< residuals: |r·û| less what rounding makes [J], the same
  double* violation;  ///< residuals: δ/V, the same
};

/// What contacts have to answer without impulses (Demand), from rows of the bodies as they are.
struct CentralDemands {
  const problem::CentralBatch* batches;
  const double* free;        ///< rows of the free velocities, with 1/m and ℓ²/I
  std::uint32_t body_count;  ///< the body of empty lanes, which has no row
  double* rho;               ///< ρ [kg], eight per batch, aligned as batches are; 0 in empty lanes
  double* approach;          ///< max(0, −b_N) [m/s], the same
  double* speed2;            ///< ‖b‖² [m²/s²], the same
};

/// How bodies move by the impulses of an answer, by its velocities and without impulses.
struct BodyMotions {
  static constexpr int kMost = 64;  ///< bodies at once
  const double* free;               ///< rows of eight numbers per body, as above
  const double* velocity;           ///< the same of the answer; null: not judged
  double* bodies;  ///< rows of v, 1/m and s after all impulses; gains |v| + |s| of both motions,
                   ///< this one and the free one, in number 7
  /// Of each body, m (‖v‖² + ‖s‖²) of the difference of velocities, of what impulses make, and of
  /// the free ones [J]. Of one that no force moves 0, the first infinite if it has changed.
  alignas(64) double difference[kMost], end[kMost], start[kMost];
};

/// What slots have to answer (Demand), eight per batch, aligned as batches are.
struct DemandTerms {
  const double *rho, *approach, *speed2;
};

/// Sums of it, one per lane: those of IslandDemand, Σ ‖b‖², and how many slots approach.
struct alignas(64) DemandSums {
  using Lane = double[problem::kLanes];
  Lane approach = {}, approaching = {}, speed = {}, all = {}, free = {}, count = {};
};

/// What V is made from: approaches, laid out like that, the island of every slot, the least V of
/// every island [m/s].
struct ScaleTerms {
  const double* approach;
  const std::uint32_t* island;
  const double* least;
  double* inverse_scale;  ///< out: 1/V [s/m] of every slot
};

/// What IslandSum adds up, laid out like that; 0 in empty slots.
struct ErrorTerms {
  const double *error, *answer, *work, *violation;
};

/// Sums of it, one per lane, and the first slot with the largest violation.
struct alignas(64) ErrorSums {
  using Lane = double[problem::kLanes];
  Lane error = {}, answer = {}, work = {};
  Lane worst = {-1, -1, -1, -1, -1, -1, -1, -1};
  std::int64_t worst_slot[problem::kLanes] = {-1, -1, -1, -1, -1, -1, -1, -1};
};

/// The passes of the certificate over one tile, some slots or some bodies, for one instruction set.
struct CentralResidualKernels {
  void (*demands)(const CentralDemands&, problem::Tile);
  void (*add)(const CentralResidual&, problem::Tile);
  void (*residuals)(const CentralResidual&, problem::Tile, LaneSums&);  ///< what decides alone
  void (*in_full)(const CentralResidual&, problem::Tile, LaneSums&);
  /// Of slots [begin, end).
  void (*sum_demands)(const DemandTerms&, std::int64_t begin, std::int64_t end, DemandSums&);
  void (*sum_errors)(const ErrorTerms&, std::int64_t begin, std::int64_t end, ErrorSums&);
  /// @param above out: slots of the tile that approach at more than the least V. @return how many.
  std::uint32_t (*scales)(const ScaleTerms&, problem::Tile, std::uint32_t* above);
  /// @param count of bodies from the first on, ≤ BodyMotions::kMost.
  void (*motions)(BodyMotions&, std::size_t first, int count);
};

[[nodiscard]] const CentralResidualKernels& central_residual_kernels(Simd simd);

}  // namespace talus::certify::detail
