// The inner loops over central contacts, written once and compiled for each instruction set by
// central_kernel_<set>.cpp. Includes nothing with functions that other files could share.

#include <talus/math/lanes.hpp>
#include <talus/solve/gauss_seidel/detail/central_kernel.hpp>
#include <talus/solve/gauss_seidel/detail/cone_lanes.inl>
#include <talus/solve/gauss_seidel/detail/sum_lanes.inl>

namespace talus::solve::detail {
namespace {

using problem::CentralBatchOf;
using problem::ImpulseBatch;
using problem::kLanes;
using problem::kLanesOf;
using problem::Tile;

template <class T>
constexpr std::uint32_t kAhead = 32 / kLanesOf<T>;  // batches whose bodies are fetched early
template <class T>
constexpr int kParts = kRow / kPartOf<T>;  // of a row

/// Sums and differences of the bodies' rows, as columns: v_B − v_A, 1/m_B + 1/m_A, s_B + s_A, ….
template <class T>
inline void gather(const CentralBatchOf<T>& batch, int first, const T* bodies, LanesOf<T>* column) {
  for (int k = 0; k < kParts<T>; ++k) {
    PartOf<T> part[kWidthOf<T>];
    for (int l = 0; l < kWidthOf<T>; ++l) {
      const T* a = bodies + kRow * std::uint64_t{batch.body_a[first + l]} + kPartOf<T> * k;
      const T* b = bodies + kRow * std::uint64_t{batch.body_b[first + l]} + kPartOf<T> * k;
      part[l] = load_part(b) + flip_first(load_part(a), k, 3);
    }
    columns_of(part, column + kPartOf<T> * k);
  }
}

/// v += M⁻¹ Jᵀ Δr: v_A −= Δr/m_A, v_B += Δr/m_B, and both spins lose ℓ²/I arm × Δr.
template <bool checked, class T>
inline void scatter(const CentralBatchOf<T>& batch, int first, const Vec3LanesOf<T>& change,
                    const Vec3LanesOf<T>& torque, T* bodies) {
  const LanesOf<T> zero{};
  const LanesOf<T> column[kRow] = {change.x,  change.y,  change.z,  zero,
                                   -torque.x, -torque.y, -torque.z, zero};
  PartOf<T> part[kParts<T>][kWidthOf<T>];
  for (int k = 0; k < kParts<T>; ++k) parts_of(column + kPartOf<T> * k, part[k]);
  const auto add = [](T* body, int k, PartOf<T> x) {
    T* at = body + kPartOf<T> * k;
    const PartOf<T> now = load_part(at);
    store_part(at, now + ends_of_halves(body, now, k) * x);
  };
  for (int l = 0; l < kWidthOf<T>; ++l) {
    T* a = bodies + kRow * std::uint64_t{batch.body_a[first + l]};
    T* b = bodies + kRow * std::uint64_t{batch.body_b[first + l]};
    if (!checked || a[3] != 0)
      for (int k = 0; k < kParts<T>; ++k) add(a, k, flip_first(part[k][l], k, 3));
    if (!checked || b[3] != 0)
      for (int k = 0; k < kParts<T>; ++k) add(b, k, part[k][l]);
  }
}

inline Lanes load_steps(const CentralBatchOf<double>&, const float* p) { return load_single(p); }
inline Singles load_steps(const CentralBatchOf<float>&, const float* p) { return load(p); }

/// The solution of the one-contact problem, A = diag(a, δ, δ): normal and tangent decouple. Exact
/// but for the last digits of a and δ, which are step sizes here: any are right at the solution. u
/// is the relative velocity with bias at the impulse y. All normal parts are over α: with q = α n,
/// x·n n = (x·q/α²) q.
template <class T>
inline Vec3LanesOf<T> solve_contact(const CentralBatchOf<T>& batch, int first,
                                    const Vec3LanesOf<T>& q, const Vec3LanesOf<T>& u,
                                    const Vec3LanesOf<T>& y) {
  using L = LanesOf<T>;
  const L zero{}, inverse2 = load(batch.inverse_arm2 + first);
  const L wn = load_steps(batch, batch.inverse_normal + first);
  const L wt = load_steps(batch, batch.inverse_tangential + first);
  const L yn = inverse2 * dot(y, q), un = inverse2 * dot(u, q);
  const L rn = yn - wn * un;
  const Vec3LanesOf<T> t = (y - wt * u) - (yn - wt * un) * q;  // sticking impulse
  const L size2 = inverse2 * dot(t, t), limit = load(batch.friction + first) * rn;
  const L scale = share_of<T>(size2, limit);
  const Vec3LanesOf<T> r = rn * q + scale * t;
  return {rn > 0 ? r.x : zero, rn > 0 ? r.y : zero, rn > 0 ? r.z : zero};
}

inline Vec3Lanes unit(const Vec3Lanes& x) { return (all(1) / root(dot(x, x))) * x; }

template <class T>
inline void prefetch(const CentralSweepOf<T>& sweep, std::uint32_t batch) {
  for (int l = 0; l < kLanesOf<T>; ++l) {
    __builtin_prefetch(sweep.bodies + kRow * std::uint64_t{sweep.batches[batch].body_a[l]}, 1);
    __builtin_prefetch(sweep.bodies + kRow * std::uint64_t{sweep.batches[batch].body_b[l]}, 1);
  }
}

template <bool momentum, bool relaxed, bool checked, class T>
inline void sweep_batch(const CentralSweepOf<T>& sweep, std::uint32_t k, Lanes* change2,
                        Lanes* size2) {
  const CentralBatchOf<T>& batch = sweep.batches[k];
  for (int first = 0; first < kLanesOf<T>; first += kWidthOf<T>) {
    LanesOf<T> c[kRow];
    gather(batch, first, sweep.bodies, c);
    const Vec3LanesOf<T> arm = load3(batch.arm[0] + first);
    T* impulse = sweep.impulse[k].r[0] + first;
    Vec3LanesOf<T> y = load3(impulse);
    if constexpr (momentum) {
      T* old_impulse = sweep.old_impulse[k].r[0] + first;
      const Vec3LanesOf<T> old = load3(old_impulse);
      store3(old_impulse, y);
      y = y + all(static_cast<T>(sweep.beta)) * (y - old);
    }
    const Vec3LanesOf<T> v = {c[0], c[1], c[2]}, s = {c[4], c[5], c[6]};
    const Vec3LanesOf<T> u = v - cross(s, arm) + load(batch.bias + first) * arm;
    Vec3LanesOf<T> r = solve_contact(batch, first, arm, u, y);
    if constexpr (relaxed)
      r = cut_to_cone(y + all(sweep.omega) * (r - y), unit(arm), load(batch.friction + first));
    store3(impulse, r);
    const Vec3LanesOf<T> change = r - y;
    scatter<checked>(batch, first, change, cross(arm, change), sweep.bodies);
    add_lanes(dot(change, change), first, change2);
    add_lanes(dot(r, r), first, size2);
  }
}

template <bool momentum, bool relaxed, class T = double>
void sweep_tile(const CentralSweepOf<T>& sweep, Tile tile, LaneSums& sums) {
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
    if (sweep.is_far && k + kAhead<T> < tile.end) prefetch(sweep, k + kAhead<T>);
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
  const CentralBatchOf<double>& batch = sweep.batches[k];
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
    if (sweep.is_far && k + kAhead<double> < tile.end) prefetch(sweep, k + kAhead<double>);
    begin_batch<false>(sweep, guesses, k);
  }
  for (std::uint32_t k = tile.checked; k < tile.end; ++k) begin_batch<true>(sweep, guesses, k);
}

template <class T>
void extrapolate_rows(T* now, T* old, double beta, std::int64_t rows) {
  const PartOf<T> weight = static_cast<T>(beta) - PartOf<T>{};
  for (std::int64_t i = 0; i < kRow * rows; i += kPartOf<T>) {
    const PartOf<T> v = load_part(now + i);
    store_part(now + i, v + weight * (v - load_part(old + i)));
    store_part(old + i, v);
  }
}

}  // namespace
}  // namespace talus::solve::detail
