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

/// u = v_B + s_B × (−arm) − v_A − s_A × arm + bias arm, with the bias over the length of the arm.
inline Vec3Lanes relative_velocity(const Lanes* c, const Vec3Lanes& arm, Lanes bias) {
  return Vec3Lanes{c[0], c[1], c[2]} + cross(arm, Vec3Lanes{c[4], c[5], c[6]}) + bias * arm;
}

template <bool checked>
void add_batch(const CentralResidual& data, std::uint32_t k) {
  const CentralBatch& batch = data.batches[k];
  for (int first = 0; first < kLanes; first += kWidth) {
    const Vec3Lanes arm = load3(batch.arm[0] + first);
    const Vec3Lanes r = load3(data.impulse[k].r[0] + first);
    const Vec3Lanes turn = cross(r, arm);  // (−arm) × r of B; A has the arm and the impulse −r
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
  Lanes plain, primal, dual, power, impulse, velocity, free;
};

void residual_tile(const CentralResidual& data, Tile tile, LaneSums& sums) {
  const Lanes zero{}, two = all(2), three = all(3);
  for (int first = 0; first < kLanes; first += kWidth) {
    const auto of = [&](LaneSums::Lane& lane) { return load(lane + first); };
    Lanes worst = of(sums.worst), worst_batch = of(sums.worst_batch),
          worst_velocity = of(sums.worst_velocity);
    SumLanes s = {of(sums.plain),   of(sums.primal),   of(sums.dual), of(sums.power),
                  of(sums.impulse), of(sums.velocity), of(sums.free)};
    for (std::uint32_t k = tile.first; k < tile.end; ++k) {
      const CentralBatch& batch = data.batches[k];
      Lanes c[kRow], f[kRow];
      columns(batch, first, data.bodies, c);
      columns(batch, first, data.free, f);
      const Vec3Lanes arm = load3(batch.arm[0] + first);
      const Lanes arm2 = dot(arm, arm);
      const Vec3Lanes n = (1 / root(arm2)) * arm;
      const Vec3Lanes r = load3(data.impulse[k].r[0] + first);
      const Lanes bias = load(batch.bias + first), mu = load(batch.friction + first);
      const Lanes trace = three * f[3] + two * arm2 * f[7];  // of A
      const Lanes rho = trace > zero ? three / trace : zero;  // 0: an empty lane
      const Lanes share = trace / three;                      // 1/ρ
      const Vec3Lanes u = relative_velocity(c, arm, bias), b = relative_velocity(f, arm, bias);
      const Vec3Lanes tangential = u - dot(u, n) * n;
      const Vec3Lanes shifted = u + (mu * root(dot(tangential, tangential))) * n;  // û, De Saxcé

      const Vec3Lanes map_step = r - nearest_in_cone(r - rho * shifted, n, mu);
      const Lanes miss = trace > zero ? root(dot(map_step, map_step)) / rho : zero;
      const Lanes rounding = kEpsilon * (c[7] + two * magnitude(bias));
      const Lanes above = miss - rounding;
      const Lanes error = above < zero ? zero : above;  // NaN stays
      const int at = kLanes * static_cast<int>(k) + first;
      store(data.error + at, rho * error * error);
      const Lanes rank = error / load(data.scale + at);
      const Bits is_worse = rank > worst;
      worst = is_worse ? rank : worst;
      worst_batch = is_worse ? all(k) : worst_batch;
      worst_velocity = larger(miss, worst_velocity);
      const Vec3Lanes plain = r - nearest_in_cone(r - shifted, n, mu);
      s.plain += trace > zero ? dot(plain, plain) : zero;
      const Vec3Lanes outside = r - nearest_in_cone(r, n, mu);
      s.primal += share * dot(outside, outside);
      const Vec3Lanes dual = nearest_in_cone((zero - rho) * shifted, n, mu);
      s.dual += share * dot(dual, dual);
      const Lanes power = magnitude(dot(r, shifted)), size2 = dot(r, r);
      s.power += power;
      store(data.work + at, larger(power - rounding * root(size2), zero));
      store(data.answer + at, share * size2);
      s.impulse += size2;
      s.velocity += trace > zero ? dot(u, u) : zero;
      s.free += trace > zero ? dot(b, b) : zero;
    }
    const auto keep = [&](LaneSums::Lane& lane, Lanes x) { store(lane + first, x); };
    keep(sums.plain, s.plain), keep(sums.primal, s.primal), keep(sums.dual, s.dual);
    keep(sums.power, s.power), keep(sums.impulse, s.impulse), keep(sums.velocity, s.velocity);
    keep(sums.free, s.free), keep(sums.worst, worst), keep(sums.worst_batch, worst_batch);
    keep(sums.worst_velocity, worst_velocity);
  }
}

}  // namespace
}  // namespace talus::certify::detail
