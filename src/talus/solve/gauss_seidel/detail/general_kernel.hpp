#pragma once

#include <talus/math/simd.hpp>
#include <talus/problem/central_batch.hpp>
#include <talus/solve/gauss_seidel/detail/lane_sums.hpp>
#include <talus/solve/gauss_seidel/detail/pair_batch.hpp>

namespace talus::solve::detail {

/// A contact of each of eight pairs of bodies: 160 B each, of single precision 80 B. World axes. An
/// empty lane has zeros everywhere. @tparam T the precision.
template <class T>
struct alignas(64) GeneralRowOf {
  using Lane = T[problem::kLanes];
  Lane normal[3], bias, friction;
  Lane arm_a[3], arm_b[3];  ///< (contact point − centre of mass)/ℓ
  Lane inverse_block[6];    ///< A⁻¹ as xx, xy, xz, yy, yz, zz
  Lane block_normal[3];     ///< A n
};
using GeneralRow = GeneralRowOf<double>;

/// What a sliding contact needs besides, in the frame (n, t1, t2) with A = [a cᵀ; c D]; read only
/// where a lane slides; 112 B each, or 56 B. Two laws eliminate the normal impulse, by u_N = 0, and
/// work with Â = D − c cᵀ/a, σ its largest entry; cone complementarity does not.
template <class T>
struct alignas(64) SlidingRowOf {
  using Lane = T[problem::kLanes];
  Lane tangent[2][3];     ///< t1, t2
  Lane matrix[3];         ///< Â/σ as 11, 12, 22; cones: D
  Lane coupling[2];       ///< e = μ c/a; cones: c
  Lane normal;            ///< μ/a; cones: a
  Lane inverse_friction;  ///< 1/μ
  Lane is_known;  ///< 1 where slip is unique whatever the velocities, ½ where that depends on them
                  ///< (Coulomb), of well scaled blocks; 0: left to `slip`
};
using SlidingRow = SlidingRowOf<double>;

/// What a contact with resistance has besides (problem::Resistance), in world axes; 152 B each. Its
/// impulse is p' = S⁻¹ (r + c n − d), its velocity u' = S u, and its blocks in the other rows are
/// those of p' and u': in them the law is that of a round cone that does not pull.
struct alignas(64) SurfaceRow {
  using Lane = double[problem::kLanes];
  Lane slip_bias[3];
  Lane compliance[6];  ///< C
  Lane stretch[6];     ///< S: 1 on n, μ₁/μ and μ₂/μ on the axes, μ the larger one
  Lane pull[3];        ///< c n − d
};

/// What it has where it resists rolling or spinning too; 224 B each.
struct alignas(64) MomentRow {
  using Lane = double[problem::kLanes];
  Lane torsion, rolling;  ///< μ_s, μ_r [m]
  Lane step;    ///< of m ← P(m − step · w): 1/A of m where that is isotropic, else less
  Lane weight;  ///< tr A_m/tr A_r [1/m²]: of moments in sums
  Lane block_normal[3];  ///< w that n p'_N gives
  Lane stick[21];  ///< (p', m) over the (u', w) that it stops, all that is resisted: 6×6 by rows
};

/// What contacts have: friction alike in all directions and no more; a SurfaceRow; a MomentRow too.
enum class ContactKind : unsigned char { plain, resisting, turning };
constexpr int kContactKinds = 3;
/// Batches of impulses per row: force, moment.
constexpr std::uint32_t blocks_of(ContactKind kind) { return kind == ContactKind::turning ? 2 : 1; }

/// How lanes that slide are solved.
enum class SlidingLaw : unsigned char { none, coulomb, maximum_dissipation, cone_complementarity };

/// Vectors of eight contacts, a number of each in turn.
template <class T>
struct VectorsOf {
  using Type = problem::ImpulseBatch;
};
template <>
struct VectorsOf<float> {
  struct alignas(32) Type {
    float r[3][problem::kLanes];
  };
};

/// What a sweep over general contacts reads and writes. Rows of eight numbers: bodies (v, 1/m, s,
/// –) and their inverse inertia ℓ² I⁻¹ (xx, xy, xz, yy, yz, zz, 1/ℓ, –). @tparam T the precision.
template <class T>
struct GeneralSweepOf {
  using Impulses = typename VectorsOf<T>::Type;
  const PairBatch* batches;
  const GeneralRowOf<T>* rows;
  const SlidingRowOf<T>* sliding;  ///< one per row; unused without a law
  SlidingLaw sliding_law;          ///< none: `slip` solves all that slides
  const SurfaceRow* surfaces;      ///< one per row, or none
  const MomentRow* moments;        ///< one per row, or none
  Impulses* impulse;               ///< blocks_of(kind) per row
  Impulses* old_impulse;           ///< of the sweep before; used with momentum
  T* bodies;
  const T* inertia;
  double beta;       ///< weight of the momentum
  double omega;      ///< relaxation
  double open_from;  ///< b_N from which a contact opens: 0; infinity where `slip` decides it
  /// Solves the one-contact problem of a lane that neither sticks nor opens.
  void (*slip)(const void* self, std::uint32_t row, int lane, const double u[3], const double y[3],
               double r[3]);
  const void* self;
};
using GeneralSweep = GeneralSweepOf<double>;

/// The inner loops over one tile of contacts of one kind, for one instruction set. All sets give
/// the same bits.
struct GeneralKernels {
  using Sweep = void (*)(const GeneralSweep&, problem::Tile, LaneSums&);
  Sweep plain;     ///< r ← solution of the one-contact problem, v += M⁻¹ Jᵀ Δr
  Sweep momentum;  ///< the same from y = r + β (r − r_old)
  Sweep relaxed;   ///< r ← y + ω (solution − y), cut back to the cone
  void (*begin)(const GeneralSweep&, problem::Tile);  ///< cuts r back to its cone, v += M⁻¹ Jᵀ r
};

/// Momentum, of single precision; sums are of double.
using SingleGeneralSweep = void (*)(const GeneralSweepOf<float>&, problem::Tile, LaneSums&);

/// By kinds of contacts.
struct GeneralKernelsOf {
  GeneralKernels kind[kContactKinds];
  SingleGeneralSweep momentum_single;  ///< of plain contacts; null where lanes are more than eight
};

[[nodiscard]] const GeneralKernelsOf& general_kernels(Simd simd);
/// That of AVX2, where an instruction set has none.
[[nodiscard]] SingleGeneralSweep single_general_sweep(Simd simd);

}  // namespace talus::solve::detail
