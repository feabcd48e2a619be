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

/// v += r/m, s += ℓ² I⁻¹ (arm × r) for one side; `column` are its rows before.
template <bool checked>
inline void add_side(const std::uint32_t* body, const GeneralSweep& sweep, const Vec3Lanes& arm,
                     const Vec3Lanes& r, const Lanes* column) {
  Lanes inertia[kRow];
  columns(body, sweep.inertia, inertia);
  const Vec3Lanes turn = symmetric_times(inertia, cross(arm, r));
  const Lanes im = column[3];
  Lanes row[kRow] = {column[0] + im * r.x,    column[1] + im * r.y,    column[2] + im * r.z, im,
                     column[4] + turn.x, column[5] + turn.y, column[6] + turn.z, column[7]};
  for (int k = 0; k < kChunks; ++k) transpose(row + kWidth * k);
  for (int l = 0; l < kWidth; ++l) {
    double* to = sweep.bodies + kRow * std::uint64_t{body[l]};
    if (checked && to[3] == 0) continue;
    for (int k = 0; k < kChunks; ++k) store(to + kWidth * k, row[kWidth * k + l]);
  }
}

template <bool momentum, bool relaxed, bool checked>
inline void sweep_batch(const GeneralSweep& sweep, std::uint32_t k, Lanes* change2, Lanes* size2) {
  const GeneralBatch& batch = sweep.batches[k];
  const Lanes zero{};
  for (int first = 0; first < kLanes; first += kWidth) {
    Lanes a[kRow], b[kRow];
    columns(batch.body_a + first, sweep.bodies, a);
    columns(batch.body_b + first, sweep.bodies, b);
    const Vec3Lanes n = load3(batch.normal[0] + first);
    const Vec3Lanes arm_a = load3(batch.arm_a[0] + first), arm_b = load3(batch.arm_b[0] + first);
    const Lanes mu = load(batch.friction + first);
    double* impulse = sweep.impulse[k].r[0] + first;
    Vec3Lanes y = load3(impulse);
    if constexpr (momentum) {
      double* old_impulse = sweep.old_impulse[k].r[0] + first;
      const Vec3Lanes old = load3(old_impulse);
      store3(old_impulse, y);
      y = y + all(sweep.beta) * (y - old);
    }
    const Vec3Lanes u = Vec3Lanes{b[0] - a[0], b[1] - a[1], b[2] - a[2]} +
                        cross(Vec3Lanes{b[4], b[5], b[6]}, arm_b) -
                        cross(Vec3Lanes{a[4], a[5], a[6]}, arm_a) + load(batch.bias + first) * n;

    // Open if the velocity without this contact's impulse, u − A y, does not approach; sticking if
    // the impulse that stops all motion, y − A⁻¹ u, is in the cone; sliding else.
    Lanes inverse[6];
    for (int i = 0; i < 6; ++i) inverse[i] = load(batch.inverse_block[i] + first);
    const Vec3Lanes stick = y - symmetric_times(inverse, u);
    const Lanes approach = dot(u, n) - dot(load3(batch.block_normal[0] + first), y);
    const Lanes height = dot(stick, n);
    const Vec3Lanes radial = stick - height * n;
    const Lanes limit = mu * height;
    const Bits is_open = approach >= all(sweep.open_from);
    const Bits is_stick = ~is_open & (height > zero) & (dot(radial, radial) <= limit * limit);
    Vec3Lanes r = {is_stick ? stick.x : zero, is_stick ? stick.y : zero,
                   is_stick ? stick.z : zero};
    Bits is_slip = ~(is_open | is_stick);
    if (sweep.sliding_law != SlidingLaw::none && any(is_slip))
      is_slip = is_slip & ~slide(sweep.sliding_law, sweep.sliding[k], first,
                                 {n, u, y, approach, mu}, is_slip, r);
    for (int l = 0; l < kWidth; ++l) {
      if (is_slip[l] == 0) continue;
      const double ul[3] = {u.x[l], u.y[l], u.z[l]}, yl[3] = {y.x[l], y.y[l], y.z[l]};
      double rl[3];
      sweep.slip(sweep.self, k, first + l, ul, yl, rl);
      r.x[l] = rl[0];
      r.y[l] = rl[1];
      r.z[l] = rl[2];
    }
    if constexpr (relaxed) r = cut_to_cone(y + all(sweep.omega) * (r - y), n, mu);
    store3(impulse, r);
    const Vec3Lanes change = r - y, reverse = y - r;
    add_side<checked>(batch.body_a + first, sweep, arm_a, reverse, a);
    add_side<checked>(batch.body_b + first, sweep, arm_b, change, b);
    change2[first / kWidth] += dot(change, change);
    size2[first / kWidth] += dot(r, r);
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
    const GeneralBatch& batch = sweep.batches[k];
    for (int first = 0; first < kLanes; first += kWidth) {
      Lanes a[kRow], b[kRow];
      columns(batch.body_a + first, sweep.bodies, a);
      columns(batch.body_b + first, sweep.bodies, b);
      double* impulse = sweep.impulse[k].r[0] + first;
      const Vec3Lanes n = load3(batch.normal[0] + first);
      const Vec3Lanes r = cut_to_cone(load3(impulse), n, load(batch.friction + first));
      store3(impulse, r);
      const Vec3Lanes none{}, reverse = none - r;
      add_side<true>(batch.body_a + first, sweep, load3(batch.arm_a[0] + first), reverse, a);
      add_side<true>(batch.body_b + first, sweep, load3(batch.arm_b[0] + first), r, b);
    }
  }
}

}  // namespace
}  // namespace talus::solve::detail
