// The inner loops over general contacts, written once and compiled for each instruction set by
// general_kernel_<set>.cpp. Includes nothing with functions that other files could share.

#include <talus/math/lanes.hpp>
#include <talus/solve/gauss_seidel/detail/cone_lanes.inl>
#include <talus/solve/gauss_seidel/detail/general_kernel.hpp>
#include <talus/solve/gauss_seidel/detail/sliding_lanes.inl>
#include <talus/solve/gauss_seidel/detail/sum_lanes.inl>

namespace talus::solve::detail {
namespace {

using problem::kLanes;
using problem::Tile;

template <class T>
constexpr int kParts = kRow / kPartOf<T>;  // of a row

/// Rows of W lanes' bodies as columns.
template <class T>
inline void columns(const std::uint32_t* body, const T* rows, LanesOf<T>* column) {
  for (int k = 0; k < kParts<T>; ++k) {
    PartOf<T> part[kWidthOf<T>];
    for (int l = 0; l < kWidthOf<T>; ++l)
      part[l] = load_part(rows + kRow * std::uint64_t{body[l]} + kPartOf<T> * k);
    columns_of(part, column + kPartOf<T> * k);
  }
}

template <class T>
inline Vec3LanesOf<T> symmetric_times(const LanesOf<T>* m, const Vec3LanesOf<T>& x) {
  return {m[0] * x.x + m[1] * x.y + m[2] * x.z, m[1] * x.x + m[3] * x.y + m[4] * x.z,
          m[2] * x.x + m[4] * x.y + m[5] * x.z};
}

/// Eight bodies, W at once.
template <class T>
struct BodyLanes {
  Vec3LanesOf<T> v, s;
  LanesOf<T> inverse_mass, last;  // of the row
  LanesOf<T> inertia[6];
  LanesOf<T> inverse_length;
};

template <class T>
inline BodyLanes<T> gather(const std::uint32_t* body, const GeneralSweepOf<T>& sweep) {
  LanesOf<T> motion[kRow], inertia[kRow];
  columns(body, static_cast<const T*>(sweep.bodies), motion);
  columns(body, sweep.inertia, inertia);
  return {{motion[0], motion[1], motion[2]},
          {motion[4], motion[5], motion[6]},
          motion[3],
          motion[7],
          {inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]},
          inertia[6]};
}

/// v += r/m, s += ℓ² I⁻¹ (arm × r).
template <class T>
inline void push(BodyLanes<T>& body, const Vec3LanesOf<T>& arm, const Vec3LanesOf<T>& r) {
  body.v = body.v + body.inverse_mass * r;
  body.s = body.s + symmetric_times(body.inertia, cross(arm, r));
}

/// s += ℓ² I⁻¹ m/ℓ.
inline void turn(BodyLanes<double>& body, const Vec3Lanes& m) {
  body.s = body.s + symmetric_times(body.inertia, body.inverse_length * m);
}

template <bool checked, class T>
inline void scatter(const std::uint32_t* index, const GeneralSweepOf<T>& sweep,
                    const BodyLanes<T>& body) {
  const LanesOf<T> column[kRow] = {body.v.x, body.v.y, body.v.z, body.inverse_mass,
                                   body.s.x, body.s.y, body.s.z, body.last};
  PartOf<T> part[kParts<T>][kWidthOf<T>];
  for (int k = 0; k < kParts<T>; ++k) parts_of(column + kPartOf<T> * k, part[k]);
  for (int l = 0; l < kWidthOf<T>; ++l) {
    T* to = sweep.bodies + kRow * std::uint64_t{index[l]};
    if (checked && to[3] == 0) continue;
    for (int k = 0; k < kParts<T>; ++k) store_part(to + kPartOf<T> * k, part[k][l]);
  }
}

template <class T>
inline Vec3LanesOf<T> chosen(MaskOf<T> where, const Vec3LanesOf<T>& a, const Vec3LanesOf<T>& b) {
  return {where ? a.x : b.x, where ? a.y : b.y, where ? a.z : b.z};
}

template <class T>
inline void load_symmetric(const T (*from)[kRow], int first, LanesOf<T>* m) {
  for (int i = 0; i < 6; ++i) m[i] = load(from[i] + first);
}

/// A vector of eight contacts.
template <class T>
inline Vec3LanesOf<T> load_vector(const T (*from)[kRow], int first) {
  return load3<kRow>(from[0] + first);
}

/// One contact of each of W pairs: the answer of its one-contact problem, its moment held.
/// @param is_wanted lanes to be solved.
template <class T>
inline Vec3LanesOf<T> solve_row(const GeneralSweepOf<T>& sweep, std::uint32_t k, int first,
                                const Vec3LanesOf<T>& n, const Vec3LanesOf<T>& u,
                                const Vec3LanesOf<T>& y, LanesOf<T> mu, MaskOf<T> is_wanted) {
  const GeneralRowOf<T>& row = sweep.rows[k];
  const LanesOf<T> zero{};
  // Open if the velocity without this contact's impulse, u − A y, does not approach; sticking if
  // the impulse that stops all motion, y − A⁻¹ u, is in the cone; sliding else.
  LanesOf<T> inverse[6];
  load_symmetric(row.inverse_block, first, inverse);
  const Vec3LanesOf<T> stick = y - symmetric_times(inverse, u);
  const LanesOf<T> approach = dot(u, n) - dot(load_vector(row.block_normal, first), y);
  const LanesOf<T> height = dot(stick, n);
  const Vec3LanesOf<T> radial = stick - height * n;
  const LanesOf<T> limit = mu * height;
  const MaskOf<T> is_open = approach >= all(static_cast<T>(sweep.open_from));
  const MaskOf<T> is_stick = ~is_open & (height > zero) & (dot(radial, radial) <= limit * limit);
  Vec3LanesOf<T> r = chosen(is_stick, stick, {zero, zero, zero});
  MaskOf<T> is_slip = is_wanted & ~(is_open | is_stick);
  if (!any(is_slip)) return r;
  if (sweep.sliding_law != SlidingLaw::none)
    is_slip = is_slip & ~slide(sweep.sliding_law, sweep.sliding[k], first,
                               ContactLanes<T>{n, y, stick, approach, height, mu}, is_slip, r);
  if (!any(is_slip)) return r;
  for (int l = 0; l < kWidthOf<T>; ++l) {
    if (is_slip[l] == 0) continue;
    const double ul[3] = {u.x[l], u.y[l], u.z[l]}, yl[3] = {y.x[l], y.y[l], y.z[l]};
    double rl[3];
    sweep.slip(sweep.self, k, first + l, ul, yl, rl);
    r.x[l] = static_cast<T>(rl[0]);
    r.y[l] = static_cast<T>(rl[1]);
    r.z[l] = static_cast<T>(rl[2]);
  }
  return r;
}

/// W contacts that are still in all that they resist, as far as the law allows.
struct StillLanes {
  Bits is_open, is_still;
  Vec3Lanes r, m;  // where it is
};

/// m with |m_N| ≤ μ_s p_N and ‖m_T‖ ≤ μ_r p_N: what is above is cut off. @param pressure p_N ≥ 0.
inline Vec3Lanes cut_to_limits(const MomentRow& row, int first, const Vec3Lanes& m,
                               const Vec3Lanes& n, Lanes pressure) {
  const Lanes torsion = load(&row.torsion[first]) * pressure;
  const Lanes rolling = load(&row.rolling[first]) * pressure;
  const Lanes spin = dot(m, n), one = all(1), zero{};
  const Vec3Lanes roll = m - spin * n;
  const Lanes size2 = dot(roll, roll);
  const Lanes share = size2 <= rolling * rolling ? one : rolling / root(size2);
  const Lanes capped = spin > torsion ? torsion : spin;
  const Lanes own = capped < zero - torsion ? zero - torsion : capped;
  return own * n + share * roll;
}

/// Of W contacts with their forces y and moments m, at velocities u and w: open if the normal
/// velocity without both does not approach, still if what stops all is within every bound.
inline StillLanes still(const GeneralRow& row, const MomentRow& moment, int first,
                        const Vec3Lanes& n, Lanes mu, const Vec3Lanes& u, const Vec3Lanes& w,
                        const Vec3Lanes& y, const Vec3Lanes& m) {
  const Lanes moving[6] = {u.x, u.y, u.z, w.x, w.y, w.z}, zero{};
  Lanes stop[6] = {zero, zero, zero, zero, zero, zero};
  for (int i = 0, k = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j, ++k) {
      const Lanes entry = load(moment.stick[k] + first);
      stop[i] += entry * moving[j];
      if (j > i) stop[j] += entry * moving[i];
    }
  StillLanes all_still;
  all_still.r = y - Vec3Lanes{stop[0], stop[1], stop[2]};
  all_still.m = m - Vec3Lanes{stop[3], stop[4], stop[5]};
  const Lanes approach = dot(u, n) - dot(load3(row.block_normal[0] + first), y) -
                         dot(load3(moment.block_normal[0] + first), m);
  const Lanes height = dot(all_still.r, n), spin = dot(all_still.m, n), limit = mu * height;
  const Lanes rolling = load(&moment.rolling[first]) * height;
  const Vec3Lanes radial = all_still.r - height * n, roll = all_still.m - spin * n;
  all_still.is_open = approach >= zero;
  all_still.is_still = ~all_still.is_open & (height > zero) &
                       (dot(radial, radial) <= limit * limit) &
                       (dot(roll, roll) <= rolling * rolling) &
                       (magnitude(spin) <= load(&moment.torsion[first]) * height);
  return all_still;
}

/// The impulse that a sweep starts from, extrapolated by momentum.
template <bool momentum, class T>
inline Vec3LanesOf<T> extrapolated(const GeneralSweepOf<T>& sweep, std::uint32_t at, int first) {
  Vec3LanesOf<T> y = load_vector(sweep.impulse[at].r, first);
  if constexpr (momentum) {
    const Vec3LanesOf<T> old = load_vector(sweep.old_impulse[at].r, first);
    store3<kRow>(sweep.old_impulse[at].r[0] + first, y);
    y = y + all(static_cast<T>(sweep.beta)) * (y - old);
  }
  return y;
}

/// S x of a row; x itself of plain contacts.
template <ContactKind kind, class T>
inline Vec3LanesOf<T> stretched(const GeneralSweepOf<T>& sweep, std::uint32_t k, int first,
                                const Vec3LanesOf<T>& x) {
  if constexpr (kind == ContactKind::plain) {
    return x;
  } else {
    Lanes S[6];
    load_symmetric(sweep.surfaces[k].stretch, first, S);
    return symmetric_times(S, x);
  }
}

/// r = S p' − (c n − d).
template <ContactKind kind, class T>
inline Vec3LanesOf<T> force_of(const GeneralSweepOf<T>& sweep, std::uint32_t k, int first,
                               const Vec3LanesOf<T>& p) {
  if constexpr (kind == ContactKind::plain)
    return p;
  else
    return stretched<kind>(sweep, k, first, p) - load_vector(sweep.surfaces[k].pull, first);
}

/// u' = S (u + slip bias + C S p').
template <ContactKind kind, class T>
inline Vec3LanesOf<T> felt(const GeneralSweepOf<T>& sweep, std::uint32_t k, int first,
                           const Vec3LanesOf<T>& u, const Vec3LanesOf<T>& p) {
  if constexpr (kind == ContactKind::plain) {
    return u;
  } else {
    const SurfaceRow& surface = sweep.surfaces[k];
    Lanes C[6];
    load_symmetric(surface.compliance, first, C);
    return stretched<kind>(sweep, k, first,
                           u + load_vector(surface.slip_bias, first) +
                               symmetric_times(C, stretched<kind>(sweep, k, first, p)));
  }
}

inline Vec3Lanes spin_of(const BodyLanes<double>& a, const BodyLanes<double>& b) {
  return b.inverse_length * b.s - a.inverse_length * a.s;
}

/// A force, then the moment with it: both at once where they keep everything still.
/// @param change2, size2 sums of eight.
template <ContactKind kind, bool momentum, bool relaxed, class T>
inline void sweep_row(const GeneralSweepOf<T>& sweep, std::uint32_t k, int first, BodyLanes<T>& a,
                      BodyLanes<T>& b, Lanes* change2, Lanes* size2) {
  constexpr bool is_turning = kind == ContactKind::turning;
  const GeneralRowOf<T>& row = sweep.rows[k];
  const std::uint32_t at = blocks_of(kind) * k;
  const Vec3LanesOf<T> n = load_vector(row.normal, first);
  const Vec3LanesOf<T> arm_a = load_vector(row.arm_a, first);
  const Vec3LanesOf<T> arm_b = load_vector(row.arm_b, first);
  const LanesOf<T> mu = load(row.friction + first), none{};
  const Vec3LanesOf<T> y = extrapolated<momentum>(sweep, at, first);
  const Vec3LanesOf<T> u =
      felt<kind>(sweep, k, first,
                 b.v - a.v + cross(b.s, arm_b) - cross(a.s, arm_a) + load(row.bias + first) * n, y);
  MaskOf<T> is_wanted = load(row.inverse_block[0] + first) > none;
  Vec3LanesOf<T> r{none, none, none}, m = r;
  StillLanes rest;
  if constexpr (is_turning) {
    m = extrapolated<momentum>(sweep, at + 1, first);
    rest = still(row, sweep.moments[k], first, n, mu, u, spin_of(a, b), y, m);
    is_wanted = is_wanted & ~(rest.is_open | rest.is_still);
    r = chosen(rest.is_still, rest.r, r);
    if (any(is_wanted))
      r = chosen(is_wanted, solve_row(sweep, k, first, n, u, y, mu, is_wanted), r);
  } else {
    r = solve_row(sweep, k, first, n, u, y, mu, is_wanted);
  }
  if constexpr (relaxed) r = cut_to_cone(y + all(sweep.omega) * (r - y), n, mu);
  store3<kRow>(sweep.impulse[at].r[0] + first, r);
  const Vec3LanesOf<T> change = stretched<kind>(sweep, k, first, r - y);
  const Vec3LanesOf<T> reverse = stretched<kind>(sweep, k, first, y - r);
  push(a, arm_a, reverse);
  push(b, arm_b, change);
  const Vec3LanesOf<T> force = force_of<kind>(sweep, k, first, r);
  add_lanes(dot(change, change), first, change2);
  add_lanes(dot(force, force), first, size2);
  if constexpr (is_turning) {
    const MomentRow& moment = sweep.moments[k];
    const Lanes pressure = dot(r, n), weight = load(&moment.weight[first]);
    Vec3Lanes q = chosen(rest.is_still, rest.m, {none, none, none});
    if (any(is_wanted))
      q = chosen(
          is_wanted,
          cut_to_limits(moment, first, m - load(&moment.step[first]) * spin_of(a, b), n, pressure),
          q);
    if constexpr (relaxed)
      q = cut_to_limits(moment, first, m + all(sweep.omega) * (q - m), n, pressure);
    store3(sweep.impulse[at + 1].r[0] + first, q);
    const Vec3Lanes twist = q - m;
    turn(a, m - q);
    turn(b, twist);
    add_lanes(weight * dot(twist, twist), first, change2);
    add_lanes(weight * dot(q, q), first, size2);
  }
}

template <ContactKind kind, bool momentum, bool relaxed, bool checked, class T>
inline void sweep_batch(const GeneralSweepOf<T>& sweep, std::uint32_t k, Lanes* change2,
                        Lanes* size2) {
  const PairBatch& batch = sweep.batches[k];
  for (int first = 0; first < kLanes; first += kWidthOf<T>) {
    BodyLanes<T> a = gather(batch.body_a + first, sweep), b = gather(batch.body_b + first, sweep);
    for (std::uint32_t row = batch.first; row < batch.end; ++row)
      sweep_row<kind, momentum, relaxed>(sweep, row, first, a, b, change2, size2);
    scatter<checked>(batch.body_a + first, sweep, a);
    scatter<checked>(batch.body_b + first, sweep, b);
  }
}

/// Everything in it is inlined: lanes stay in registers.
template <ContactKind kind, bool momentum, bool relaxed, class T = double>
[[gnu::flatten]] void sweep_tile(const GeneralSweepOf<T>& sweep, Tile tile, LaneSums& sums) {
  Lanes change2[kChunks], size2[kChunks];
  for (int k = 0; k < kChunks; ++k) {
    change2[k] = load(sums.change + kWidth * k);
    size2[k] = load(sums.size + kWidth * k);
  }
  for (std::uint32_t k = tile.first; k < tile.checked; ++k)
    sweep_batch<kind, momentum, relaxed, false>(sweep, k, change2, size2);
  for (std::uint32_t k = tile.checked; k < tile.end; ++k)
    sweep_batch<kind, momentum, relaxed, true>(sweep, k, change2, size2);
  for (int k = 0; k < kChunks; ++k) {
    store(sums.change + kWidth * k, change2[k]);
    store(sums.size + kWidth * k, size2[k]);
  }
}

/// Cuts the impulses of a row back to what the law allows, and adds them to the bodies.
template <ContactKind kind>
inline void begin_row(const GeneralSweep& sweep, std::uint32_t k, int first, BodyLanes<double>& a,
                      BodyLanes<double>& b) {
  const GeneralRow& row = sweep.rows[k];
  const Vec3Lanes n = load3(row.normal[0] + first), none{};
  double* impulse = sweep.impulse[blocks_of(kind) * k].r[0] + first;
  const Vec3Lanes r = cut_to_cone(load3(impulse), n, load(row.friction + first));
  store3(impulse, r);
  const Vec3Lanes force = force_of<kind>(sweep, k, first, r), reverse = none - force;
  push(a, load3(row.arm_a[0] + first), reverse);
  push(b, load3(row.arm_b[0] + first), force);
  if constexpr (kind == ContactKind::turning) {
    double* moment = sweep.impulse[blocks_of(kind) * k + 1].r[0] + first;
    const Vec3Lanes m = cut_to_limits(sweep.moments[k], first, load3(moment), n, dot(r, n));
    store3(moment, m);
    turn(a, none - m);
    turn(b, m);
  }
}

template <ContactKind kind>
void begin_tile(const GeneralSweep& sweep, Tile tile) {
  for (std::uint32_t k = tile.first; k < tile.end; ++k) {
    const PairBatch& batch = sweep.batches[k];
    for (int first = 0; first < kLanes; first += kWidth) {
      BodyLanes<double> a = gather(batch.body_a + first, sweep);
      BodyLanes<double> b = gather(batch.body_b + first, sweep);
      for (std::uint32_t row = batch.first; row < batch.end; ++row)
        begin_row<kind>(sweep, row, first, a, b);
      scatter<true>(batch.body_a + first, sweep, a);
      scatter<true>(batch.body_b + first, sweep, b);
    }
  }
}

template <ContactKind kind>
constexpr GeneralKernels kernels_of() {
  return {sweep_tile<kind, false, false>, sweep_tile<kind, true, false>,
          sweep_tile<kind, false, true>, begin_tile<kind>};
}

/// None of sixteen lanes: batches have eight.
constexpr SingleGeneralSweep singles() {
  if constexpr (kWidthOf<float> <= kLanes)
    return sweep_tile<ContactKind::plain, true, false, float>;
  else
    return nullptr;
}

constexpr GeneralKernelsOf all_kernels() {
  return {{kernels_of<ContactKind::plain>(), kernels_of<ContactKind::resisting>(),
           kernels_of<ContactKind::turning>()},
          singles()};
}

}  // namespace
}  // namespace talus::solve::detail
