// The certificate's passes over central contacts, written once and compiled for each instruction
// set by central_residual_<set>.cpp. Includes nothing with functions that other files could share,
// and nothing of the solvers'.

#include <talus/certify/detail/central_residual.hpp>
#include <talus/math/lanes.hpp>

namespace talus::certify::detail {
namespace {

using problem::CentralBatch;
using problem::kLanes;
using problem::Tile;

/// Foot of x on the cone {‖x_T‖ ≤ μ x·n} about a unit axis n, by the angle between x and the axis;
/// not the formula that solvers use. With the generator g = (n + μ t)/√(1 + μ²) nearest to x, where
/// t is the direction of x_T, the foot is max(0, x·g) g unless x is inside.
inline Vec3Lanes nearest_in_cone(const Vec3Lanes& x, const Vec3Lanes& n, Lanes mu) {
  const Lanes zero{}, height = dot(x, n);
  const Vec3Lanes radial = x - height * n;
  const Lanes radius = root(dot(radial, radial));
  const Lanes along = height + mu * radius;  // x·g √(1 + μ²)
  const Lanes length = along > zero ? along / (1 + mu * mu) : zero;  // of the foot along n
  const Lanes slope = radius > zero ? mu * length / radius : zero;
  const Vec3Lanes foot = length * n + slope * radial;
  const Bits inside = (height >= zero) & (radius <= mu * height);
  const Bits apex = (radius == zero) & ~inside;  // on the axis, below the apex
  return {inside ? x.x : apex ? zero : foot.x, inside ? x.y : apex ? zero : foot.y,
          inside ? x.z : apex ? zero : foot.z};
}

/// v_B ± v_A of the bodies' rows, as columns: minus for the first three numbers, plus for the rest.
inline void columns(const CentralBatch& batch, int first, const double* rows, Lanes* column) {
  for (int k = 0; k < kChunks; ++k) {
    for (int l = 0; l < kWidth; ++l) {
      const std::uint64_t a = batch.body_a[first + l], b = batch.body_b[first + l];
      column[kWidth * k + l] = load(rows + kRow * b + kWidth * k) +
                               flip_first(load(rows + kRow * a + kWidth * k), k, 3);
    }
    transpose(column + kWidth * k);
  }
}

/// u = v_B + s_B × (−n) − v_A − s_A × n + bias n.
inline Vec3Lanes relative_velocity(const Lanes* c, const Vec3Lanes& n, Lanes bias) {
  return Vec3Lanes{c[0], c[1], c[2]} + cross(n, Vec3Lanes{c[4], c[5], c[6]}) + bias * n;
}

template <bool checked>
void add_batch(const CentralResidual& data, std::uint32_t k) {
  const CentralBatch& batch = data.batches[k];
  for (int first = 0; first < kLanes; first += kWidth) {
    const Vec3Lanes n = load3(batch.normal[0] + first);
    const Vec3Lanes r = load3(data.impulse[k].r[0] + first);
    const Vec3Lanes turn = cross(r, n);  // arm_B × r = (−n) × r; A has arm n and impulse −r
    Lanes row[kRow] = {r.x, r.y, r.z, Lanes{}, turn.x, turn.y, turn.z, Lanes{}};
    for (int i = 0; i < kChunks; ++i) transpose(row + kWidth * i);
    for (int l = 0; l < kWidth; ++l)
      for (const bool is_a : {true, false}) {
        const std::uint64_t body = is_a ? batch.body_a[first + l] : batch.body_b[first + l];
        double* to = data.bodies + kRow * body;
        if (checked && to[3] == 0) continue;
        for (int i = 0; i < kChunks; ++i) {
          const Lanes now = load(to + kWidth * i), gain = row[kWidth * i + l];
          store(to + kWidth * i,
                now + ends_of_halves(to, now, i) * (is_a ? flip_first(gain, i, 3) : gain));
        }
      }
  }
}

void add_tile(const CentralResidual& data, Tile tile) {
  for (std::uint32_t k = tile.first; k < tile.checked; ++k) add_batch<false>(data, k);
  for (std::uint32_t k = tile.checked; k < tile.end; ++k) add_batch<true>(data, k);
}

// Of a relative velocity: some ten additions and products, each with half a unit of round-off.
constexpr double kEpsilon = 8 * 2.220446049250313e-16;

struct SumLanes {
  Lanes map, plain, primal, dual, round_off, work, scale, impulse, velocity, free, start;
};

void residual_tile(const CentralResidual& data, Tile tile, LaneSums& sums) {
  const Lanes zero{}, two = all(2), three = all(3);
  for (int first = 0; first < kLanes; first += kWidth) {
    const auto of = [&](LaneSums::Lane& lane) { return load(lane + first); };
    Lanes worst = of(sums.worst), worst_map = of(sums.worst_map),
          worst_batch = of(sums.worst_batch), worst_velocity = of(sums.worst_velocity),
          violation = of(sums.violation);
    SumLanes s = {of(sums.map),   of(sums.plain), of(sums.primal),  of(sums.dual),
                  of(sums.round_off), of(sums.work),  of(sums.scale), of(sums.impulse),
                  of(sums.velocity),  of(sums.free),  of(sums.start)};
    for (std::uint32_t k = tile.first; k < tile.end; ++k) {
      const CentralBatch& batch = data.batches[k];
      Lanes c[kRow], f[kRow];
      columns(batch, first, data.bodies, c);
      columns(batch, first, data.free, f);
      const Vec3Lanes n = load3(batch.normal[0] + first);
      const Vec3Lanes r = load3(data.impulse[k].r[0] + first);
      const Lanes bias = load(batch.bias + first), mu = load(batch.friction + first);
      const Lanes trace = c[3];
      const Lanes rho = trace > zero ? three / trace : zero;  // 0: an empty lane
      const Vec3Lanes u = relative_velocity(c, n, bias), b = relative_velocity(f, n, bias);
      const Vec3Lanes tangential = u - dot(u, n) * n;
      const Vec3Lanes shifted = u + (mu * root(dot(tangential, tangential))) * n;  // û, De Saxcé

      const Vec3Lanes map_step = r - nearest_in_cone(r - rho * shifted, n, mu);
      const Lanes map = trace > zero ? dot(map_step, map_step) : zero;
      s.map += map;
      const Lanes miss = trace > zero ? root(map) / rho : zero;
      const Lanes scale = load(data.scale + kLanes * k + first), rank = miss / scale;
      const Bits is_worse = rank > worst;
      worst = is_worse ? rank : worst;
      worst_map = is_worse ? map : worst_map;
      worst_batch = is_worse ? all(k) : worst_batch;
      worst_velocity = larger(miss, worst_velocity);
      const Lanes rounding = kEpsilon * (c[7] + two * magnitude(bias));
      violation = larger((miss - rounding) / scale, violation);
      const Vec3Lanes plain = r - nearest_in_cone(r - shifted, n, mu);
      s.plain += trace > zero ? dot(plain, plain) : zero;
      const Vec3Lanes outside = r - nearest_in_cone(r, n, mu);
      s.primal += dot(outside, outside);
      const Vec3Lanes dual = nearest_in_cone((zero - rho) * shifted, n, mu);
      s.dual += dot(dual, dual);
      s.work += magnitude(dot(r, shifted));
      const Lanes size2 = dot(r, r);
      s.scale += trace > zero ? size2 / rho : zero;
      s.impulse += size2;
      s.velocity += trace > zero ? dot(u, u) : zero;
      s.free += trace > zero ? dot(b, b) : zero;
      s.round_off += (rho * rounding) * (rho * rounding);
      const Vec3Lanes start = nearest_in_cone((zero - rho) * b, n, mu);
      s.start += dot(start, start);
    }
    const auto keep = [&](LaneSums::Lane& lane, Lanes x) { store(lane + first, x); };
    keep(sums.map, s.map), keep(sums.plain, s.plain), keep(sums.primal, s.primal);
    keep(sums.dual, s.dual), keep(sums.round_off, s.round_off), keep(sums.work, s.work);
    keep(sums.scale, s.scale), keep(sums.impulse, s.impulse), keep(sums.velocity, s.velocity);
    keep(sums.free, s.free), keep(sums.start, s.start), keep(sums.worst, worst);
    keep(sums.worst_map, worst_map), keep(sums.worst_batch, worst_batch);
    keep(sums.worst_velocity, worst_velocity), keep(sums.violation, violation);
  }
}

}  // namespace
}  // namespace talus::certify::detail
