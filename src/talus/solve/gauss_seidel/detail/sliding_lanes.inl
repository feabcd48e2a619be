// Sliding contacts, W at once, under the laws that have a unique slip; included by the kernel of
// general contacts. A lane that does not settle is left to the one-contact solvers of local/. What
// is settled stays as it is, whatever the lanes beside it need: the answer does not depend on W.

#include <talus/math/lanes.hpp>
#include <talus/solve/gauss_seidel/detail/general_kernel.hpp>

namespace talus::solve::detail {
namespace {

constexpr int kSlidingSteps = 10;
template <class T>
constexpr T kSettled = 1e-8;  // relative step of Newton: the next error is its square
template <>
constexpr float kSettled<float> = 1e-4F;

/// A contact in its sweep: normal, impulse y, the impulse that stops all motion, b_N, the normal
/// part of that impulse, and μ.
template <class T>
struct ContactLanes {
  Vec3LanesOf<T> n, y, stick;
  LanesOf<T> approach, height, friction;
};

template <class T>
struct Vec2Lanes {
  LanesOf<T> x, y;
};
template <class T>
inline LanesOf<T> dot(const Vec2Lanes<T>& a, const Vec2Lanes<T>& b) {
  return a.x * b.x + a.y * b.y;
}
template <class T>
inline LanesOf<T> length(const Vec2Lanes<T>& a) {
  return root(dot(a, a));
}

/// The tangential problem of SlidingRow.
template <class T>
struct SlidingLanes {
  Vec3LanesOf<T> t1, t2;
  Vec2Lanes<T> now;    // the impulse
  Vec2Lanes<T> stick;  // the impulse that stops all motion: −Â⁻¹ h
  LanesOf<T> m11, m12, m22;
  Vec2Lanes<T> coupling;

  SlidingLanes(const SlidingRowOf<T>& row, int first, const ContactLanes<T>& c)
      : t1(load3<problem::kLanes>(row.tangent[0][0] + first)),
        t2(load3<problem::kLanes>(row.tangent[1][0] + first)),
        now{dot(t1, c.y), dot(t2, c.y)},
        stick{dot(t1, c.stick), dot(t2, c.stick)},
        m11(load(row.matrix[0] + first)),
        m12(load(row.matrix[1] + first)),
        m22(load(row.matrix[2] + first)),
        coupling{load(row.coupling[0] + first), load(row.coupling[1] + first)} {}
  /// The direction of the impulse; against h where there is none.
  [[nodiscard]] Vec2Lanes<T> start(const Vec2Lanes<T>& h) const {
    const MaskOf<T> has_direction = dot(now, now) > LanesOf<T>{};
    return {has_direction ? now.x : -h.x, has_direction ? now.y : -h.y};
  }
  [[nodiscard]] Vec2Lanes<T> times(const Vec2Lanes<T>& x) const {
    return {m11 * x.x + m12 * x.y, m12 * x.x + m22 * x.y};
  }
};

template <class T>
inline Vec2Lanes<T> unit(const Vec2Lanes<T>& d) {
  const LanesOf<T> norm = length(d);
  return {d.x / norm, d.y / norm};
}

/// d turned by a small angle.
template <class T>
inline Vec2Lanes<T> turned(const Vec2Lanes<T>& d, LanesOf<T> angle) {
  return unit(Vec2Lanes<T>{d.x - angle * d.y, d.y + angle * d.x});
}

/// Writes r_N n + x in the lanes that are solved.
template <class T>
inline void set_impulse(const SlidingLanes<T>& s, const ContactLanes<T>& c, LanesOf<T> normal,
                        const Vec2Lanes<T>& x, MaskOf<T> solved, Vec3LanesOf<T>& r) {
  const Vec3LanesOf<T> own = normal * c.n + x.x * s.t1 + x.y * s.t2;
  r = {solved ? own.x : r.x, solved ? own.y : r.y, solved ? own.z : r.z};
}

/// Sufficient for a unique slip under Coulomb's law: ‖N‖ + e·N − β D is concave in κ > 0.
template <class T>
inline MaskOf<T> is_concave(const Vec2Lanes<T>& at_zero, const Vec2Lanes<T>& h, LanesOf<T> beta) {
  const LanesOf<T> cross = magnitude(at_zero.x * h.y - at_zero.y * h.x), two = all(T{2});
  const LanesOf<T> h2 = dot(h, h), n2 = dot(at_zero, at_zero);
  return (h2 * root(h2) <= two * beta * cross) |
         ((dot(at_zero, h) <= LanesOf<T>{}) & (n2 * root(n2) * two * beta >= cross * cross));
}

/// Coulomb: x(κ) = N/D = −(Â + κI)⁻¹ h with N = −adj(Â + κI) h, D = det(Â + κI), q(κ) = ‖x‖ + e·x
/// = β. Newton on 1/q = 1/β, q falling. The answer has the direction of N, the size that makes u_N
/// zero, and is on the cone.
template <class T>
inline MaskOf<T> slide_coulomb(const SlidingRowOf<T>& row, int first, const ContactLanes<T>& c,
                               MaskOf<T> open, Vec3LanesOf<T>& r) {
  const SlidingLanes<T> s(row, first, c);
  const LanesOf<T> zero{}, two = all(T{2}), beta = -load(row.normal + first) * c.approach;
  const LanesOf<T> trace = s.m11 + s.m22, determinant = s.m11 * s.m22 - s.m12 * s.m12;
  const Vec2Lanes<T> back = s.times(s.stick), h = {-back.x, -back.y};
  const Vec2Lanes<T> at_zero = {determinant * s.stick.x, determinant * s.stick.y};  // N(0)
  const LanesOf<T> e_h = dot(s.coupling, h);
  const MaskOf<T> is_sure = load(row.is_known + first) >= all(T{1});
  if (any(open & ~is_sure)) open = open & (is_sure | is_concave(at_zero, h, beta));
  // κ of the start's direction: −d·Âd − h·d (1 + e·d)/β.
  const Vec2Lanes<T> start = s.start(h);
  const LanesOf<T> start2 = dot(start, start);
  LanesOf<T> kappa = -(beta * dot(start, s.times(start)) +
                       dot(h, start) * (root(start2) + dot(s.coupling, start))) /
                     (beta * start2);
  kappa = kappa > zero ? kappa : length(h) / beta;
  MaskOf<T> solved{};
  for (int i = 0; i < kSlidingSteps; ++i) {
    const Vec2Lanes<T> N = {at_zero.x - kappa * h.x, at_zero.y - kappa * h.y};
    const LanesOf<T> norm = length(N), p = norm + dot(s.coupling, N);
    const LanesOf<T> D = determinant + kappa * (trace + kappa), dD = trace + two * kappa;
    const LanesOf<T> slope = beta * (dD * p * norm + D * (dot(h, N) + e_h * norm));
    const LanesOf<T> step = p * (p - beta * D) * norm / slope, next = kappa + step;
    open = open & (next > zero) & (p > zero) & (slope > zero);
    kappa = open ? next : kappa;
    const MaskOf<T> is_settled = open & (magnitude(step) <= all(kSettled<T>) * next);
    solved = solved | is_settled;
    open = open & ~is_settled;
    if (!any(open)) break;
  }
  const Vec2Lanes<T> N = {at_zero.x - kappa * h.x, at_zero.y - kappa * h.y};
  const LanesOf<T> norm = length(N), scale = beta / (norm + dot(s.coupling, N));
  set_impulse(s, c, scale * norm * load(row.inverse_friction + first), {scale * N.x, scale * N.y},
              solved, r);
  return solved;
}

/// Maximum dissipation: the least E = ½ xᵀÂx + h·x on x(d) = β d/w, w = 1 + e·d, over the unit
/// vectors d. Newton on the angle; the constraint ‖x‖ + e·x ≤ β is convex, so the point where E
/// falls outwards (λ > 0) is the answer.
template <class T>
inline MaskOf<T> slide_maximum_dissipation(const SlidingRowOf<T>& row, int first,
                                           const ContactLanes<T>& c, MaskOf<T> open,
                                           Vec3LanesOf<T>& r) {
  const SlidingLanes<T> s(row, first, c);
  const LanesOf<T> zero{}, one = all(T{1}), beta = -load(row.normal + first) * c.approach;
  const auto& e = s.coupling;
  const Vec2Lanes<T> back = s.times(s.stick), h = {-back.x, -back.y};
  Vec2Lanes<T> d = unit(s.start(h));
  MaskOf<T> solved{};
  for (int i = 0; i < kSlidingSteps && any(open); ++i) {
    const LanesOf<T> w = one + dot(e, d), dw = e.y * d.x - e.x * d.y, scale = beta / w;
    const Vec2Lanes<T> x = {scale * d.x, scale * d.y};
    const Vec2Lanes<T> dx = {scale * (-d.y - dw / w * d.x), scale * (d.x - dw / w * d.y)};
    const Vec2Lanes<T> Mx = s.times(x), g = {Mx.x + h.x, Mx.y + h.y};
    const LanesOf<T> along = dot(g, d), slope = dot(g, dx);
    const LanesOf<T> curvature =
        dot(dx, s.times(dx)) - scale / w * along - all(T{2}) * (dw / w) * slope;
    const LanesOf<T> angle = -slope / curvature;
    open = open & (curvature > zero) & (w > zero) & (magnitude(angle) < one);
    const Vec2Lanes<T> next = turned(d, angle);
    d = {open ? next.x : d.x, open ? next.y : d.y};
    const MaskOf<T> is_settled = open & (magnitude(angle) <= all(kSettled<T>));
    solved = solved | (is_settled & (along < zero));
    open = open & ~is_settled;
  }
  const LanesOf<T> scale = beta / (one + dot(e, d));
  const Vec2Lanes<T> x = {scale * d.x, scale * d.y};
  set_impulse(s, c, scale * load(row.inverse_friction + first), x, solved, r);
  return solved;
}

/// Cone complementarity: the least E = ½ rᵀA r + b·r on the rays r = r_N ℓ, ℓ = (1, μ d), of the
/// cone's boundary: r_N = −p/s with p = b·ℓ, s = ℓᵀA ℓ, and Newton for the angle on p' − p s'/2s =
/// 0. The point where u pulls back (u_T·d < 0) is the answer; r = 0 where b is in the dual cone.
template <class T>
inline MaskOf<T> slide_on_cone(const SlidingRowOf<T>& row, int first, const ContactLanes<T>& c,
                               MaskOf<T> open, Vec3LanesOf<T>& r) {
  const SlidingLanes<T> s(row, first, c);
  const LanesOf<T> zero{}, one = all(T{1}), two = all(T{2}), mu = c.friction,
                           a = load(row.normal + first);
  const Vec2Lanes<T> push = s.times(s.stick);  // b_T = −(c r_N + D r_T) of the impulse that stops
  const Vec2Lanes<T> h = {-(s.coupling.x * c.height + push.x), -(s.coupling.y * c.height + push.y)};
  const MaskOf<T> is_open = open & (c.approach >= mu * length(h));
  r = {is_open ? zero : r.x, is_open ? zero : r.y, is_open ? zero : r.z};
  open = open & ~is_open;
  Vec2Lanes<T> d = unit(s.start(h));
  MaskOf<T> solved{};
  LanesOf<T> normal = zero;
  for (int i = 0; i < kSlidingSteps && any(open); ++i) {
    const Vec2Lanes<T> side = {-d.y, d.x}, Dd = s.times(d), Dside = s.times(side);
    const LanesOf<T> b_d = mu * dot(h, d), b_side = mu * dot(h, side);
    const LanesOf<T> c_d = mu * dot(s.coupling, d), c_side = mu * dot(s.coupling, side);
    const LanesOf<T> mu2 = mu * mu, d_d = mu2 * dot(d, Dd), d_side = mu2 * dot(side, Dd);
    const LanesOf<T> p = c.approach + b_d, q = a + two * c_d + d_d;
    const LanesOf<T> half = c_side + d_side;                     // s'/2
    const LanesOf<T> bend = mu2 * dot(side, Dside) - d_d - c_d;  // s''/2
    const LanesOf<T> own = -p / q;                               // r_N
    const LanesOf<T> slope = b_side + own * half;
    const LanesOf<T> curvature =
        -b_d - (b_side * half + p * bend) / q + two * p * half * half / (q * q);
    const LanesOf<T> angle = -slope / curvature;
    open = open & (curvature > zero) & (own > zero) & (magnitude(angle) < one);
    // u_T · d at r_N (1, μ d), times μ
    const LanesOf<T> pull = b_d + own * (c_d + d_d);
    const Vec2Lanes<T> next = turned(d, angle);
    d = {open ? next.x : d.x, open ? next.y : d.y};
    const MaskOf<T> is_settled = open & (magnitude(angle) <= all(kSettled<T>));
    solved = solved | (is_settled & (pull < zero));
    open = open & ~is_settled;
  }
  const Vec2Lanes<T> Dd = s.times(d);
  normal =
      -(c.approach + mu * dot(h, d)) / (a + two * mu * dot(s.coupling, d) + mu * mu * dot(d, Dd));
  set_impulse(s, c, normal, {normal * mu * d.x, normal * mu * d.y}, solved, r);
  return solved | is_open;
}

/// @param wanted lanes that slide. @param r out: the impulse in the lanes that are returned; others
/// are as they were.
template <class T>
inline MaskOf<T> slide(SlidingLaw law, const SlidingRowOf<T>& row, int first,
                       const ContactLanes<T>& c, MaskOf<T> wanted, Vec3LanesOf<T>& r) {
  const MaskOf<T> open = wanted & (load(row.is_known + first) > LanesOf<T>{});
  if (!any(open)) return open;
  if (law == SlidingLaw::coulomb) return slide_coulomb(row, first, c, open, r);
  if (law == SlidingLaw::maximum_dissipation)
    return slide_maximum_dissipation(row, first, c, open, r);
  return slide_on_cone(row, first, c, open, r);
}

}  // namespace
}  // namespace talus::solve::detail
