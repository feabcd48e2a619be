// The inner loops over central contacts, written once and compiled for each instruction set by
// central_kernel_<set>.cpp. Includes nothing with functions that other files could share.

#include <talus/math/lanes.hpp>
#include <talus/solve/gauss_seidel/detail/central_kernel.hpp>
#include <talus/solve/gauss_seidel/detail/cone_lanes.inl>

namespace talus::solve::detail {
namespace {

using problem::CentralBatch;
using problem::ImpulseBatch;
using problem::kLanes;
using problem::Tile;

constexpr std::uint32_t kAhead = 4;  // batches whose bodies are fetched early

/// Sums and differences of the bodies' rows, as columns: v_B − v_A, 1/m_B + 1/m_A, s_B + s_A, ….
inline void gather(const CentralBatch& batch, int first, const double* bodies, Lanes* column) {
  for (int k = 0; k < kChunks; ++k) {
    for (int l = 0; l < kWidth; ++l) {
      const double* a = bodies + kRow * std::uint64_t{batch.body_a[first + l]} + kWidth * k;
      const double* b = bodies + kRow * std::uint64_t{batch.body_b[first + l]} + kWidth * k;
      column[kWidth * k + l] = load(b) + flip_first(load(a), k, 3);
    }
    transpose(column + kWidth * k);
  }
}

/// v += M⁻¹ Jᵀ Δr: v_A −= Δr/m_A, v_B += Δr/m_B, and both spins lose ℓ²/I arm × Δr.
template <bool checked>
inline void scatter(const CentralBatch& batch, int first, const Vec3Lanes& change,
                    const Vec3Lanes& torque, double* bodies) {
  const Lanes zero{};
  Lanes row[kRow] = {change.x, change.y, change.z, zero, -torque.x, -torque.y, -torque.z, zero};
  for (int k = 0; k < kChunks; ++k) transpose(row + kWidth * k);
  for (int l = 0; l < kWidth; ++l) {
    double* a = bodies + kRow * std::uint64_t{batch.body_a[first + l]};
    double* b = bodies + kRow * std::uint64_t{batch.body_b[first + l]};
    if (!checked || a[3] != 0)
      for (int k = 0; k < kChunks; ++k) {
        const Lanes now = load(a + kWidth * k);
        store(a + kWidth * k,
              now + ends_of_halves(a, now, k) * flip_first(row[kWidth * k + l], k, 3));
      }
    if (!checked || b[3] != 0)
      for (int k = 0; k < kChunks; ++k) {
        const Lanes now = load(b + kWidth * k);
        store(b + kWidth * k, now + ends_of_halves(b, now, k) * row[kWidth * k + l]);
      }
  }
}

/// The solution of the one-contact problem, A = diag(a, δ, δ): normal and tangent decouple. Exact
/// but for the last digits of a and δ, which are step sizes here: any are right at the solution. u
/// is the relative velocity with bias at the impulse y. All normal parts are over α: with q = α n,
/// x·n n = (x·q/α²) q.
inline Vec3Lanes solve_contact(const CentralBatch& batch, int first, const Vec3Lanes& q,
                               const Vec3Lanes& u, const Vec3Lanes& y) {
  const Lanes zero{}, inverse2 = load(batch.inverse_arm2 + first);
  const Lanes wn = load_single(batch.inverse_normal + first);
  const Lanes wt = load_single(batch.inverse_tangential + first);
  const Lanes yn = inverse2 * dot(y, q), un = inverse2 * dot(u, q);
  const Lanes rn = yn - wn * un;
  const Vec3Lanes t = (y - wt * u) - (yn - wt * un) * q;  // sticking impulse
  const Lanes size2 = inverse2 * dot(t, t), limit = load(batch.friction + first) * rn;
  const Lanes scale = share_of(size2, limit);
  const Vec3Lanes r = rn * q + scale * t;
  return {rn > 0 ? r.x : zero, rn > 0 ? r.y : zero, rn > 0 ? r.z : zero};
}

inline Vec3Lanes unit(const Vec3Lanes& x) { return (all(1) / root(dot(x, x))) * x; }

inline void prefetch(const CentralSweep& sweep, std::uint32_t batch) {
  for (int l = 0; l < kLanes; ++l) {
    __builtin_prefetch(sweep.bodies + kRow * std::uint64_t{sweep.batches[batch].body_a[l]}, 1);
    __builtin_prefetch(sweep.bodies + kRow * std::uint64_t{sweep.batches[batch].body_b[l]}, 1);
  }
}

template <bool momentum, bool relaxed, bool checked>
inline void sweep_batch(const CentralSweep& sweep, std::uint32_t k, Lanes* change2, Lanes* size2) {
  const CentralBatch& batch = sweep.batches[k];
  for (int first = 0; first < kLanes; first += kWidth) {
    Lanes c[kRow];
    gather(batch, first, sweep.bodies, c);
    const Vec3Lanes arm = load3(batch.arm[0] + first);
    double* impulse = sweep.impulse[k].r[0] + first;
    Vec3Lanes y = load3(impulse);
    if constexpr (momentum) {
      double* old_impulse = sweep.old_impulse[k].r[0] + first;
      const Vec3Lanes old = load3(old_impulse);
      store3(old_impulse, y);
      y = y + all(sweep.beta) * (y - old);
    }
    const Vec3Lanes v = {c[0], c[1], c[2]}, s = {c[4], c[5], c[6]};
    const Vec3Lanes u = v - cross(s, arm) + load(batch.bias + first) * arm;
    Vec3Lanes r = solve_contact(batch, first, arm, u, y);
    if constexpr (relaxed)
      r = cut_to_cone(y + all(sweep.omega) * (r - y), unit(arm), load(batch.friction + first));
    store3(impulse, r);
    const Vec3Lanes change = r - y;
    scatter<checked>(batch, first, change, cross(arm, change), sweep.bodies);
    change2[first / kWidth] += dot(change, change);
    size2[first / kWidth] += dot(r, r);
  }
}

template <bool momentum, bool relaxed>
void sweep_tile(const CentralSweep& sweep, Tile tile, LaneSums& sums) {
  Lanes change2[kChunks], size2[kChunks];
  for (int k = 0; k < kChunks; ++k) {
    change2[k] = load(sums.change + kWidth * k);
    size2[k] = load(sums.size + kWidth * k);
  }
  const auto is_idle = [&](std::uint32_t k) {
    return sweep.is_idle != nullptr && sweep.is_idle[k] != 0;
  };
  for (std::uint32_t k = tile.first; k < tile.checked; ++k) {
    if (is_idle(k)) continue;
    if (k + kAhead < tile.end) prefetch(sweep, k + kAhead);
    sweep_batch<momentum, relaxed, false>(sweep, k, change2, size2);
  }
  for (std::uint32_t k = tile.checked; k < tile.end; ++k)
    if (!is_idle(k)) sweep_batch<momentum, relaxed, true>(sweep, k, change2, size2);
  for (int k = 0; k < kChunks; ++k) {
    store(sums.change + kWidth * k, change2[k]);
    store(sums.size + kWidth * k, size2[k]);
  }
}

template <bool checked>
inline void begin_batch(const CentralSweep& sweep, const ImpulseBatch* guesses, std::uint32_t k) {
  const CentralBatch& batch = sweep.batches[k];
  for (int first = 0; first < kLanes; first += kWidth) {
    double* impulse = sweep.impulse[k].r[0] + first;
    const Vec3Lanes guess = load3(guesses[k].r[0] + first), arm = load3(batch.arm[0] + first);
    if (is_zero(guess)) {
      store3(impulse, guess);
      continue;
    }
    const Vec3Lanes r = cut_to_cone(guess, unit(arm), load(batch.friction + first));
    store3(impulse, r);
    scatter<checked>(batch, first, r, cross(arm, r), sweep.bodies);
  }
}

void begin_tile(const CentralSweep& sweep, const ImpulseBatch* guesses, Tile tile) {
  for (std::uint32_t k = tile.first; k < tile.checked; ++k) {
    if (k + kAhead < tile.end) prefetch(sweep, k + kAhead);
    begin_batch<false>(sweep, guesses, k);
  }
  for (std::uint32_t k = tile.checked; k < tile.end; ++k) begin_batch<true>(sweep, guesses, k);
}

void extrapolate_rows(double* now, double* old, double beta, std::int64_t rows) {
  const Lanes weight = all(beta);
  for (std::int64_t i = 0; i < kRow * rows; i += kWidth) {
    const Lanes v = load(now + i);
    store(now + i, v + weight * (v - load(old + i)));
    store(old + i, v);
  }
}

}  // namespace
}  // namespace talus::solve::detail
