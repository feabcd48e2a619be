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

/// A vector about the axis n of a contact: x = height n + radial.
struct Split {
  Lanes height;
  Vec3Lanes radial;
};

inline Split split(const Vec3Lanes& x, const Vec3Lanes& n) {
  const Lanes height = dot(x, n);
  return {height, x - height * n};
}

/// The cone {‖x_T‖ ≤ μ x·n} about the axis.
struct Cone {
  Lanes mu, inverse;  // 1/(1 + μ²)
};

/// Whether a point is inside, and (1 + μ²) times the height of its foot on the nearest generator,
/// which is (n + μ t)/√(1 + μ²) where t is the direction of x_T.
struct Place {
  Bits is_inside;
  Lanes along;
};
inline Place place_in(const Cone& cone, Lanes height, Lanes radius) {
  const Lanes zero{}, along = height + cone.mu * radius;
  return {(height >= zero) & (radius <= cone.mu * height), along > zero ? along : zero};
}

/// ‖r − P_K(x)‖², the foot by the angle between x and the axis; not the formula that solvers use.
/// @param radius ‖x_T‖. @param inverse 1/radius, any number where that is 0.
inline Lanes miss2(const Cone& cone, const Split& r, const Split& x, Lanes radius, Lanes inverse) {
  const Lanes one = all(1);
  const Place place = place_in(cone, x.height, radius);
  const Lanes length = place.along * cone.inverse;
  const Lanes height = r.height - (place.is_inside ? x.height : length);
  const Lanes share = place.is_inside ? one : cone.mu * length * inverse;
  const Vec3Lanes radial = r.radial - share * x.radial;
  return height * height + dot(radial, radial);
}

/// ‖P_K(x)‖² from the height and the radius of x.
inline Lanes foot2(const Cone& cone, Lanes height, Lanes radius) {
  const Place place = place_in(cone, height, radius);
  return place.is_inside ? height * height + radius * radius
                         : place.along * place.along * cone.inverse;
}

/// ‖x − P_K(x)‖² from the same.
inline Lanes outside2(const Cone& cone, Lanes height, Lanes radius) {
  const Lanes zero{}, beyond = radius - cone.mu * height;
  const Place place = place_in(cone, height, radius);
  return place.is_inside        ? zero
         : (place.along > zero) ? beyond * beyond * cone.inverse
                                : height * height + radius * radius;
}

/// v_B ± v_A of the bodies' rows, as columns: minus for the first three numbers, plus for the rest.
inline void columns(const std::uint32_t* body_a, const std::uint32_t* body_b, const double* rows,
                    Lanes* column) {
  for (int k = 0; k < kChunks; ++k) {
    for (int l = 0; l < kWidth; ++l) {
      const std::uint64_t a = body_a[l], b = body_b[l];
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

/// @tparam checked lanes may be empty: nothing is read of their bodies, and their numbers are 0.
template <bool checked>
void demand_batch(const CentralDemands& data, std::uint32_t k) {
  const CentralBatch& batch = data.batches[k];
  const Lanes zero{}, three = all(3);
  for (int first = 0; first < kLanes; first += kWidth) {
    std::uint32_t body_a[kWidth], body_b[kWidth];
    alignas(64) double there[kWidth];
    for (int l = 0; l < kWidth; ++l) {
      const bool is_there = !checked || batch.body_a[first + l] != data.body_count;
      there[l] = is_there ? 1 : 0;
      body_a[l] = is_there ? batch.body_a[first + l] : 0;
      body_b[l] = is_there ? batch.body_b[first + l] : 0;
    }
    Lanes c[kRow];
    columns(body_a, body_b, data.free, c);
    const Vec3Lanes arm = load3(batch.arm[0] + first);
    const Lanes arm2 = dot(arm, arm);
    const Vec3Lanes b = relative_velocity(c, arm, load(batch.bias + first));
    const Lanes trace = three * c[3] + all(2) * arm2 * c[7];  // of A
    const Bits is_there = (trace > zero) & (load(there) > zero);
    const Lanes closing = zero - dot(b, arm) / root(arm2);
    const int at = kLanes * static_cast<int>(k) + first;
    store(data.rho + at, is_there ? three / trace : zero);
    store(data.approach + at, is_there ? larger(closing, zero) : zero);
    store(data.speed2 + at, is_there ? dot(b, b) : zero);
  }
}

void demand_tile(const CentralDemands& data, Tile tile) {
  for (std::uint32_t k = tile.first; k < tile.checked; ++k) demand_batch<false>(data, k);
  for (std::uint32_t k = tile.checked; k < tile.end; ++k) demand_batch<true>(data, k);
}

template <bool checked>
void add_batch(const CentralResidual& data, std::uint32_t k) {
  const CentralBatch& batch = data.batches[k];
  for (int first = 0; first < kLanes; first += kWidth) {
    const Vec3Lanes arm = load3(batch.arm[0] + first);
    const Vec3Lanes r = load3(data.impulse[k].r[0] + first);
    if (is_zero(r)) continue;
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

/// ‖a‖², in the order in which Eigen adds.
inline Lanes square(const Vec3Lanes& a) { return a.x * a.x + (a.y * a.y + a.z * a.z); }

/// Rows of consecutive bodies, as columns; behind the last one it is repeated.
inline void consecutive(const double* rows, int first, int count, Lanes* column) {
  for (int k = 0; k < kChunks; ++k) {
    for (int l = 0; l < kWidth; ++l) {
      const int body = first + l < count ? first + l : count - 1;
      column[kWidth * k + l] = load(rows + kRow * body + kWidth * k);
    }
    transpose(column + kWidth * k);
  }
}

void find_motions(BodyMotions& data, std::size_t first, int count) {
  const Lanes zero{}, one = all(1), infinite = all(__builtin_inf());
  double* rows = data.bodies + kRow * first;
  for (int i = 0; i < count; i += kWidth) {
    Lanes moved[kRow], free[kRow], answer[kRow];
    consecutive(rows, i, count, moved);
    consecutive(data.free + kRow * first, i, count, free);
    const Vec3Lanes v = {moved[0], moved[1], moved[2]}, s = {moved[4], moved[5], moved[6]};
    const Vec3Lanes v0 = {free[0], free[1], free[2]}, s0 = {free[4], free[5], free[6]};
    const Lanes v2 = square(v), s2 = square(s), free_v2 = square(v0), free_s2 = square(s0);
    alignas(64) double size[kWidth];
    store(size, root(v2) + root(s2) + root(free_v2) + root(free_s2));
    for (int l = 0; l < kWidth && i + l < count; ++l) rows[kRow * (i + l) + 7] = size[l];
    if (data.velocity == nullptr) continue;
    consecutive(data.velocity + kRow * first, i, count, answer);
    const Vec3Lanes w = {answer[0], answer[1], answer[2]}, t = {answer[4], answer[5], answer[6]};
    const Bits is_free = free[3] != zero;
    const Bits has_changed = (w.x != v0.x) | (w.y != v0.y) | (w.z != v0.z) | (t.x != s0.x) |
                             (t.y != s0.y) | (t.z != s0.z);
    const Lanes mass = one / (is_free ? free[3] : one);
    const Lanes difference = mass * (square(v - w) + square(s - t));
    store(data.difference + i, is_free ? difference : (has_changed ? infinite : zero));
    store(data.end + i, is_free ? mass * (v2 + s2) : zero);
    store(data.start + i, is_free ? mass * (free_v2 + free_s2) : zero);
  }
}

// Of a relative velocity: some ten additions and products, each with half a unit of round-off.
constexpr double kEpsilon = 8 * 2.220446049250313e-16;

/// @tparam in_full also sums of what decides nothing.
template <bool in_full>
void residual_tile(const CentralResidual& data, Tile tile, LaneSums& sums) {
  const Lanes zero{}, one = all(1), two = all(2);
  for (int first = 0; first < kLanes; first += kWidth) {
    Lanes worst_velocity = load(sums.worst_velocity + first);
    Lanes plain{}, primal{}, dual{}, powers{}, impulse{}, velocity{};
    for (std::uint32_t k = tile.first; k < tile.end; ++k) {
      const CentralBatch& batch = data.batches[k];
      const int at = kLanes * static_cast<int>(k) + first;
      Lanes c[kRow];
      columns(batch.body_a + first, batch.body_b + first, data.bodies, c);
      const Vec3Lanes arm = load3(batch.arm[0] + first);
      const Lanes bias = load(batch.bias + first), mu = load(batch.friction + first);
      const Lanes rho = load(data.rho + at);  // 0: an empty lane
      // One quotient instead of three: 1/‖arm‖, 1/(1 + μ²), 1/ρ.
      const Lanes length = root(dot(arm, arm)), widening = one + mu * mu;
      const Lanes weight = rho > zero ? rho : one;
      const Lanes inverse = one / (length * widening * weight);
      const Vec3Lanes n = (inverse * (widening * weight)) * arm;
      const Cone cone = {mu, inverse * (length * weight)};
      const Lanes share = rho > zero ? inverse * (length * widening) : zero;
      const Split u = split(relative_velocity(c, arm, bias), n);
      const Split r = split(load3(data.impulse[k].r[0] + first), n);
      const Lanes slip2 = dot(u.radial, u.radial), slip = root(slip2);
      const Lanes height = u.height + mu * slip;  // of û, De Saxcé; its radial part is that of u

      const auto miss_from = [&](const Split& x) {  // ‖r − P_K(x)‖²
        const Lanes radius = root(dot(x.radial, x.radial));
        return miss2(cone, r, x, radius, one / (radius > zero ? radius : one));
      };

      const Lanes miss =
          share * root(miss_from({r.height - rho * height, r.radial - rho * u.radial}));
      const Lanes rounding = kEpsilon * (c[7] + two * magnitude(bias));
      const Lanes above = miss - rounding;
      const Lanes error = above < zero ? zero : above;  // NaN stays
      store(data.error + at, rho * error * error);
      // Signorini's law alone, |min(r_N/ρ, u_N)|: coulomb_residual.hpp.
      const Lanes pressing = share * r.height;
      const Lanes apart = magnitude(pressing < u.height ? pressing : u.height) - rounding;
      store(data.violation + at, (apart > error ? apart : error) * load(data.inverse_scale + at));
      worst_velocity = larger(miss, worst_velocity);
      const Lanes power = magnitude(r.height * height + dot(r.radial, u.radial));
      const Lanes most = magnitude(r.height) + (magnitude(r.radial.x) + magnitude(r.radial.y) +
                                                magnitude(r.radial.z));  // ≥ ‖r‖
      store(data.work + at, larger(power - rounding * most, zero));
      const Lanes radius2 = dot(r.radial, r.radial), size2 = r.height * r.height + radius2;
      store(data.answer + at, share * size2);
      if constexpr (in_full) {
        plain += rho > zero ? miss_from({r.height - height, r.radial - u.radial}) : zero;
        primal += share * outside2(cone, r.height, root(radius2));
        dual += rho * foot2(cone, zero - height, slip);  // û − P_K*(û) = −P_K(−û)
        powers += power;
        impulse += size2;
        velocity += rho > zero ? u.height * u.height + slip2 : zero;
      }
    }
    store(sums.worst_velocity + first, worst_velocity);
    store(sums.plain + first, plain), store(sums.primal + first, primal);
    store(sums.dual + first, dual), store(sums.power + first, powers);
    store(sums.impulse + first, impulse), store(sums.velocity + first, velocity);
  }
}

/// The slots of a chunk from slot `at` on.
inline Bits slots_from(std::int64_t at) {
  Bits slot{};
  for (int l = 0; l < kWidth; ++l) slot[l] = at + l;
  return slot;
}

/// Calls visit(at, slots, are_inside) for chunks of the slots [begin, end), from slot `at` on.
/// @param first lane of the chunks.
template <class Visit>
inline void for_chunks(std::int64_t begin, std::int64_t end, int first, const Visit& visit) {
  for (std::int64_t at = begin / kLanes * kLanes + first; at < end; at += kLanes) {
    const Bits slots = slots_from(at);
    visit(at, slots, (slots >= begin) & (slots < end));
  }
}

void sum_demands(const DemandTerms& data, std::int64_t begin, std::int64_t end, DemandSums& sums) {
  const Lanes zero{}, one = all(1);
  for (int first = 0; first < kLanes; first += kWidth) {
    Lanes approach{}, approaching{}, speed{}, weight{}, free{}, count{};
    for_chunks(begin, end, first, [&](std::int64_t at, Bits, Bits are_inside) {
      const Lanes rho = are_inside ? load(data.rho + at) : zero;
      const Lanes d = are_inside ? load(data.approach + at) : zero;
      const Lanes b2 = are_inside ? load(data.speed2 + at) : zero;
      approach += rho * d * d;
      approaching += d > zero ? rho : zero;
      speed += rho * b2;
      weight += rho;
      free += b2;
      count += d <= zero ? zero : one;  // NaN approaches
    });
    store(sums.approach + first, approach), store(sums.approaching + first, approaching);
    store(sums.speed + first, speed), store(sums.all + first, weight);
    store(sums.free + first, free), store(sums.count + first, count);
  }
}

void sum_errors(const ErrorTerms& data, std::int64_t begin, std::int64_t end, ErrorSums& sums) {
  const Lanes zero{};
  for (int first = 0; first < kLanes; first += kWidth) {
    Lanes error{}, answer{}, work{}, worst = load(sums.worst + first);
    Bits worst_slot = ~Bits{};  // none
    for_chunks(begin, end, first, [&](std::int64_t at, Bits slots, Bits are_inside) {
      error += are_inside ? load(data.error + at) : zero;
      answer += are_inside ? load(data.answer + at) : zero;
      work += are_inside ? load(data.work + at) : zero;
      const Lanes violation = load(data.violation + at);
      const Bits is_worse = are_inside & (violation > worst);
      worst = is_worse ? violation : worst;
      worst_slot = is_worse ? slots : worst_slot;
    });
    store(sums.error + first, error), store(sums.answer + first, answer);
    store(sums.work + first, work), store(sums.worst + first, worst);
    for (int l = 0; l < kWidth; ++l) sums.worst_slot[first + l] = worst_slot[l];
  }
}

std::uint32_t find_scales(const ScaleTerms& data, Tile tile, std::uint32_t* above) {
  std::uint32_t count = 0;
  for (std::uint32_t at = kLanes * tile.first; at < kLanes * tile.end; at += kWidth) {
    Lanes least{};
    for (int l = 0; l < kWidth; ++l) least[l] = data.least[data.island[at + l]];
    const Lanes approach = load(data.approach + at);
    const Bits is_above = approach > least;
    store(data.inverse_scale + at, all(1) / (is_above ? approach : least));
    if (any(is_above))
      for (int l = 0; l < kWidth; ++l)
        if (is_above[l] != 0) above[count++] = at + l;
  }
  return count;
}

}  // namespace
}  // namespace talus::certify::detail
