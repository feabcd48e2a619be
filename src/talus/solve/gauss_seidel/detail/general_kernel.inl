// The inner loops over general contacts, written once and compiled for each instruction set by
// general_kernel_<set>.cpp. Includes nothing with functions that other files could share.

#include <talus/math/lanes.hpp>
#include <talus/solve/gauss_seidel/detail/cone_lanes.inl>
#include <talus/solve/gauss_seidel/detail/general_kernel.hpp>
#include <talus/solve/gauss_seidel/detail/sliding_lanes.inl>

namespace talus::solve::detail {
namespace {

using problem::kLanes;
using problem::Tile;

/// Rows of W lanes' bodies as columns.
inline void columns(const std::uint32_t* body, const double* rows, Lanes* column) {
  for (int k = 0; k < kChunks; ++k) {
    for (int l = 0; l < kWidth; ++l)
      column[kWidth * k + l] = load(rows + kRow * std::uint64_t{body[l]} + kWidth * k);
    transpose(column + kWidth * k);
  }
}

inline Vec3Lanes symmetric_times(const Lanes* m, const Vec3Lanes& x) {
  return {m[0] * x.x + m[1] * x.y + m[2] * x.z, m[1] * x.x + m[3] * x.y + m[4] * x.z,
          m[2] * x.x + m[4] * x.y + m[5] * x.z};
}

/// Eight bodies, W at once.
struct BodyLanes {
  Vec3Lanes v, s;
  Lanes inverse_mass, last;  // of the row
  Lanes inertia[6];
};

inline BodyLanes gather(const std::uint32_t* body, const GeneralSweep& sweep) {
  Lanes motion[kRow], inertia[kRow];
  columns(body, sweep.bodies, motion);
  columns(body, sweep.inertia, inertia);
  return {{motion[0], motion[1], motion[2]},
          {motion[4], motion[5], motion[6]},
          motion[3],
          motion[7],
          {inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]}};
}

/// v += r/m, s += ℓ² I⁻¹ (arm × r).
inline void push(BodyLanes& body, const Vec3Lanes& arm, const Vec3Lanes& r) {
  body.v = body.v + body.inverse_mass * r;
  body.s = body.s + symmetric_times(body.inertia, cross(arm, r));
}

template <bool checked>
inline void scatter(const std::uint32_t* index, const GeneralSweep& sweep, const BodyLanes& body) {
  Lanes row[kRow] = {body.v.x, body.v.y, body.v.z, body.inverse_mass,
                     body.s.x, body.s.y, body.s.z, body.last};
  for (int k = 0; k < kChunks; ++k) transpose(row + kWidth * k);
  for (int l = 0; l < kWidth; ++l) {
    double* to = sweep.bodies + kRow * std::uint64_t{index[l]};
    if (checked && to[3] == 0) continue;
    for (int k = 0; k < kChunks; ++k) store(to + kWidth * k, row[kWidth * k + l]);
  }
}

/// One contact of each of W pairs: the answer of its one-contact problem.
inline Vec3Lanes solve_row(const GeneralSweep& sweep, std::uint32_t k, int first,
                           const Vec3Lanes& n, const Vec3Lanes& u, const Vec3Lanes& y, Lanes mu) {
  const GeneralRow& row = sweep.rows[k];
  const Lanes zero{};
  // Open if the velocity without this contact's impulse, u − A y, does not approach; sticking if
  // the impulse that stops all motion, y − A⁻¹ u, is in the cone; sliding else.
  Lanes inverse[6];
  for (int i = 0; i < 6; ++i) inverse[i] = load(row.inverse_block[i] + first);
  const Vec3Lanes stick = y - symmetric_times(inverse, u);
  const Lanes approach = dot(u, n) - dot(load3(row.block_normal[0] + first), y);
  const Lanes height = dot(stick, n);
  const Vec3Lanes radial = stick - height * n;
  const Lanes limit = mu * height;
  const Bits is_there = inverse[0] > zero;
  const Bits is_open = approach >= all(sweep.open_from);
  const Bits is_stick = ~is_open & (height > zero) & (dot(radial, radial) <= limit * limit);
  Vec3Lanes r = {is_stick ? stick.x : zero, is_stick ? stick.y : zero, is_stick ? stick.z : zero};
  Bits is_slip = is_there & ~(is_open | is_stick);
  if (!any(is_slip)) return r;
  if (sweep.sliding_law != SlidingLaw::none)
    is_slip = is_slip & ~slide(sweep.sliding_law, sweep.sliding[k], first,
                               {n, y, stick, approach, height, mu}, is_slip, r);
  if (!any(is_slip)) return r;
  for (int l = 0; l < kWidth; ++l) {
    if (is_slip[l] == 0) continue;
    const double ul[3] = {u.x[l], u.y[l], u.z[l]}, yl[3] = {y.x[l], y.y[l], y.z[l]};
    double rl[3];
    sweep.slip(sweep.self, k, first + l, ul, yl, rl);
    r.x[l] = rl[0];
    r.y[l] = rl[1];
    r.z[l] = rl[2];
  }
  return r;
}

template <bool momentum, bool relaxed>
inline void sweep_row(const GeneralSweep& sweep, std::uint32_t k, int first, BodyLanes& a,
                      BodyLanes& b, Lanes& change2, Lanes& size2) {
  const GeneralRow& row = sweep.rows[k];
  const Vec3Lanes n = load3(row.normal[0] + first);
  const Vec3Lanes arm_a = load3(row.arm_a[0] + first), arm_b = load3(row.arm_b[0] + first);
  const Lanes mu = load(row.friction + first);
  double* impulse = sweep.impulse[k].r[0] + first;
  Vec3Lanes y = load3(impulse);
  if constexpr (momentum) {
    double* old_impulse = sweep.old_impulse[k].r[0] + first;
    const Vec3Lanes old = load3(old_impulse);
    store3(old_impulse, y);
    y = y + all(sweep.beta) * (y - old);
  }
  const Vec3Lanes u =
      b.v - a.v + cross(b.s, arm_b) - cross(a.s, arm_a) + load(row.bias + first) * n;
  Vec3Lanes r = solve_row(sweep, k, first, n, u, y, mu);
  if constexpr (relaxed) r = cut_to_cone(y + all(sweep.omega) * (r - y), n, mu);
  store3(impulse, r);
  const Vec3Lanes change = r - y, reverse = y - r;
  push(a, arm_a, reverse);
  push(b, arm_b, change);
  change2 += dot(change, change);
  size2 += dot(r, r);
}

template <bool momentum, bool relaxed, bool checked>
inline void sweep_batch(const GeneralSweep& sweep, std::uint32_t k, Lanes* change2, Lanes* size2) {
  const PairBatch& batch = sweep.batches[k];
  for (int first = 0; first < kLanes; first += kWidth) {
    BodyLanes a = gather(batch.body_a + first, sweep), b = gather(batch.body_b + first, sweep);
    for (std::uint32_t row = batch.first; row < batch.end; ++row)
      sweep_row<momentum, relaxed>(sweep, row, first, a, b, change2[first / kWidth],
                                   size2[first / kWidth]);
    scatter<checked>(batch.body_a + first, sweep, a);
    scatter<checked>(batch.body_b + first, sweep, b);
  }
}

template <bool momentum, bool relaxed>
void sweep_tile(const GeneralSweep& sweep, Tile tile, LaneSums& sums) {
  Lanes change2[kChunks], size2[kChunks];
  for (int k = 0; k < kChunks; ++k) {
    change2[k] = load(sums.change + kWidth * k);
    size2[k] = load(sums.size + kWidth * k);
  }
  for (std::uint32_t k = tile.first; k < tile.checked; ++k)
    sweep_batch<momentum, relaxed, false>(sweep, k, change2, size2);
  for (std::uint32_t k = tile.checked; k < tile.end; ++k)
    sweep_batch<momentum, relaxed, true>(sweep, k, change2, size2);
  for (int k = 0; k < kChunks; ++k) {
    store(sums.change + kWidth * k, change2[k]);
    store(sums.size + kWidth * k, size2[k]);
  }
}

void begin_tile(const GeneralSweep& sweep, Tile tile) {
  for (std::uint32_t k = tile.first; k < tile.end; ++k) {
    const PairBatch& batch = sweep.batches[k];
    for (int first = 0; first < kLanes; first += kWidth) {
      BodyLanes a = gather(batch.body_a + first, sweep), b = gather(batch.body_b + first, sweep);
      for (std::uint32_t i = batch.first; i < batch.end; ++i) {
        const GeneralRow& row = sweep.rows[i];
        double* impulse = sweep.impulse[i].r[0] + first;
        const Vec3Lanes r =
            cut_to_cone(load3(impulse), load3(row.normal[0] + first), load(row.friction + first));
        store3(impulse, r);
        const Vec3Lanes none{}, reverse = none - r;
        push(a, load3(row.arm_a[0] + first), reverse);
        push(b, load3(row.arm_b[0] + first), r);
      }
      scatter<true>(batch.body_a + first, sweep, a);
      scatter<true>(batch.body_b + first, sweep, b);
    }
  }
}

}  // namespace
}  // namespace talus::solve::detail
