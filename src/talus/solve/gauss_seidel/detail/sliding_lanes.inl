// Sliding contacts, W at once, under the laws that have a unique slip; included by the kernel of
// general contacts. A lane that does not settle is left to the one-contact solvers of local/. What
// is settled stays as it is, whatever the lanes beside it need: the answer does not depend on W.

#include <talus/math/lanes.hpp>
#include <talus/solve/gauss_seidel/detail/general_kernel.hpp>

namespace talus::solve::detail {
namespace {

constexpr int kSlidingSteps = 10;
constexpr double kSettled = 1e-8;  // relative step of Newton: the next error is its square

inline bool any(Bits bits) {
  for (int l = 0; l < kWidth; ++l)
    if (bits[l] != 0) return true;
  return false;
}

/// A contact in its sweep: normal, relative velocity u at the impulse y, b_N, and μ.
struct ContactLanes {
  Vec3Lanes n, u, y;
  Lanes approach, friction;
};

struct Vec2Lanes {
  Lanes x, y;
};
inline Lanes dot(const Vec2Lanes& a, const Vec2Lanes& b) { return a.x * b.x + a.y * b.y; }
inline Lanes length(const Vec2Lanes& a) { return root(dot(a, a)); }

/// The tangential problem of SlidingBatch.
struct SlidingLanes {
  Vec3Lanes t1, t2;
  Vec2Lanes h;         // directions · (velocity without the impulse)
  Vec2Lanes start;     // unit: the direction of the impulse, or against h
  Lanes m11, m12, m22;
  Vec2Lanes coupling;

  SlidingLanes(const SlidingBatch& batch, int first, const ContactLanes& c)
      : t1(load3(batch.tangent[0][0] + first)),
        t2(load3(batch.tangent[1][0] + first)),
        h{dot(load3(batch.direction[0][0] + first), c.u) -
              dot(load3(batch.block_direction[0][0] + first), c.y),
          dot(load3(batch.direction[1][0] + first), c.u) -
              dot(load3(batch.block_direction[1][0] + first), c.y)},
        m11(load(batch.matrix[0] + first)),
        m12(load(batch.matrix[1] + first)),
        m22(load(batch.matrix[2] + first)),
        coupling{load(batch.coupling[0] + first), load(batch.coupling[1] + first)} {
    const Vec2Lanes now = {dot(t1, c.y), dot(t2, c.y)};
    const Lanes size = length(now), h_norm = length(h);
    const Bits has_direction = size > Lanes{};
    const Lanes norm = has_direction ? size : h_norm;
    start = {(has_direction ? now.x : -h.x) / norm, (has_direction ? now.y : -h.y) / norm};
  }
  [[nodiscard]] Vec2Lanes times(const Vec2Lanes& x) const {
    return {m11 * x.x + m12 * x.y, m12 * x.x + m22 * x.y};
  }
  [[nodiscard]] Vec2Lanes adjugate_times(const Vec2Lanes& x) const {
    return {m22 * x.x - m12 * x.y, m11 * x.y - m12 * x.x};
  }
};

/// d turned by a small angle.
inline Vec2Lanes turned(const Vec2Lanes& d, Lanes angle) {
  const Vec2Lanes next = {d.x - angle * d.y, d.y + angle * d.x};
  const Lanes norm = length(next);
  return {next.x / norm, next.y / norm};
}

/// Writes r_N n + x in the lanes that are solved.
inline void set_impulse(const SlidingLanes& s, const ContactLanes& c, Lanes normal,
                        const Vec2Lanes& x, Bits solved, Vec3Lanes& r) {
  const Vec3Lanes own = normal * c.n + x.x * s.t1 + x.y * s.t2;
  r = {solved ? own.x : r.x, solved ? own.y : r.y, solved ? own.z : r.z};
}

/// Coulomb: x(κ) = −(Â + κI)⁻¹ h with q(κ) = ‖x‖ + e·x = β. Newton on 1/q = 1/β, q falling.
inline Bits slide_coulomb(const SlidingBatch& batch, int first, const ContactLanes& c, Bits open,
                          Vec3Lanes& r) {
  const SlidingLanes s(batch, first, c);
  const Lanes zero{}, one = all(1), beta = -load(batch.normal + first) * c.approach;
  const Lanes trace = s.m11 + s.m22, determinant = s.m11 * s.m22 - s.m12 * s.m12;
  const Vec2Lanes at_zero = s.adjugate_times(s.h);
  const auto x_of = [&](Lanes kappa, Lanes inverse) -> Vec2Lanes {
    return {-(at_zero.x + kappa * s.h.x) * inverse, -(at_zero.y + kappa * s.h.y) * inverse};
  };
  Lanes kappa = -dot(s.start, s.times(s.start)) -
                dot(s.h, s.start) * (one + dot(s.coupling, s.start)) / beta;
  kappa = kappa > zero ? kappa : length(s.h) / beta;
  Bits solved{};
  for (int i = 0; i < kSlidingSteps && any(open); ++i) {
    const Lanes inverse = one / (determinant + kappa * (trace + kappa));
    const Vec2Lanes x = x_of(kappa, inverse), turn = s.adjugate_times(x);
    const Vec2Lanes dx = {-(turn.x + kappa * x.x) * inverse, -(turn.y + kappa * x.y) * inverse};
    const Lanes norm = length(x), q = norm + dot(s.coupling, x);
    const Lanes dq = dot(x, dx) / norm + dot(s.coupling, dx);
    const Lanes step = q * (beta - q) / (beta * dq), next = kappa + step;
    open = open & (next > zero) & (q > zero) & (dq < zero);
    kappa = open ? next : kappa;
    const Bits is_settled = open & (magnitude(step) <= all(kSettled) * next);
    solved = solved | is_settled;
    open = open & ~is_settled;
  }
  const Vec2Lanes x = x_of(kappa, one / (determinant + kappa * (trace + kappa)));
  set_impulse(s, c, length(x) * load(batch.inverse_friction + first), x, solved, r);
  return solved;
}

/// Maximum dissipation: the least E = ½ xᵀÂx + h·x on x(d) = β d/w, w = 1 + e·d, over the unit
/// vectors d. Newton on the angle; the constraint ‖x‖ + e·x ≤ β is convex, so the point where E
/// falls outwards (λ > 0) is the answer.
inline Bits slide_maximum_dissipation(const SlidingBatch& batch, int first, const ContactLanes& c,
                                      Bits open, Vec3Lanes& r) {
  const SlidingLanes s(batch, first, c);
  const Lanes zero{}, one = all(1), beta = -load(batch.normal + first) * c.approach;
  const auto& e = s.coupling;
  Vec2Lanes d = s.start;
  Bits solved{};
  for (int i = 0; i < kSlidingSteps && any(open); ++i) {
    const Lanes w = one + dot(e, d), dw = e.y * d.x - e.x * d.y, scale = beta / w;
    const Vec2Lanes x = {scale * d.x, scale * d.y};
    const Vec2Lanes dx = {scale * (-d.y - dw / w * d.x), scale * (d.x - dw / w * d.y)};
    const Vec2Lanes Mx = s.times(x), g = {Mx.x + s.h.x, Mx.y + s.h.y};
    const Lanes along = dot(g, d), slope = dot(g, dx);
    const Lanes curvature = dot(dx, s.times(dx)) - scale / w * along - all(2) * (dw / w) * slope;
    const Lanes angle = -slope / curvature;
    open = open & (curvature > zero) & (w > zero) & (magnitude(angle) < one);
    const Vec2Lanes next = turned(d, angle);
    d = {open ? next.x : d.x, open ? next.y : d.y};
    const Bits is_settled = open & (magnitude(angle) <= all(kSettled));
    solved = solved | (is_settled & (along < zero));
    open = open & ~is_settled;
  }
  const Lanes scale = beta / (one + dot(e, d));
  const Vec2Lanes x = {scale * d.x, scale * d.y};
  set_impulse(s, c, scale * load(batch.inverse_friction + first), x, solved, r);
  return solved;
}

/// Cone complementarity: the least E = ½ rᵀA r + b·r on the rays r = r_N ℓ, ℓ = (1, μ d), of the
/// cone's boundary: r_N = −p/s with p = b·ℓ, s = ℓᵀA ℓ, and Newton for the angle on p' − p s'/2s = 0.
/// The point where u pulls back (u_T·d < 0) is the answer; r = 0 where b is in the dual cone.
inline Bits slide_on_cone(const SlidingBatch& batch, int first, const ContactLanes& c, Bits open,
                          Vec3Lanes& r) {
  const SlidingLanes s(batch, first, c);
  const Lanes zero{}, one = all(1), two = all(2), mu = c.friction, a = load(batch.normal + first);
  const Bits is_open = open & (c.approach >= mu * length(s.h));
  r = {is_open ? zero : r.x, is_open ? zero : r.y, is_open ? zero : r.z};
  open = open & ~is_open;
  Vec2Lanes d = s.start;
  Bits solved{};
  Lanes normal = zero;
  for (int i = 0; i < kSlidingSteps && any(open); ++i) {
    const Vec2Lanes side = {-d.y, d.x}, Dd = s.times(d), Dside = s.times(side);
    const Lanes b_d = mu * dot(s.h, d), b_side = mu * dot(s.h, side);
    const Lanes c_d = mu * dot(s.coupling, d), c_side = mu * dot(s.coupling, side);
    const Lanes mu2 = mu * mu, d_d = mu2 * dot(d, Dd), d_side = mu2 * dot(side, Dd);
    const Lanes p = c.approach + b_d, q = a + two * c_d + d_d;
    const Lanes half = c_side + d_side;                           // s'/2
    const Lanes bend = mu2 * dot(side, Dside) - d_d - c_d;        // s''/2
    const Lanes own = -p / q;                                     // r_N
    const Lanes slope = b_side + own * half;
    const Lanes curvature = -b_d - (b_side * half + p * bend) / q + two * p * half * half / (q * q);
    const Lanes angle = -slope / curvature;
    open = open & (curvature > zero) & (own > zero) & (magnitude(angle) < one);
    // u_T · d at r_N (1, μ d), times μ
    const Lanes pull = b_d + own * (c_d + d_d);
    const Vec2Lanes next = turned(d, angle);
    d = {open ? next.x : d.x, open ? next.y : d.y};
    const Bits is_settled = open & (magnitude(angle) <= all(kSettled));
    solved = solved | (is_settled & (pull < zero));
    open = open & ~is_settled;
  }
  const Vec2Lanes Dd = s.times(d);
  normal = -(c.approach + mu * dot(s.h, d)) /
           (a + two * mu * dot(s.coupling, d) + mu * mu * dot(d, Dd));
  set_impulse(s, c, normal, {normal * mu * d.x, normal * mu * d.y}, solved, r);
  return solved | is_open;
}

/// @param wanted lanes that slide. @param r out: the impulse in the lanes that are returned; others
/// are as they were.
inline Bits slide(SlidingLaw law, const SlidingBatch& batch, int first, const ContactLanes& c,
                  Bits wanted, Vec3Lanes& r) {
  const Bits open = wanted & (load(batch.is_known + first) > Lanes{});
  if (!any(open)) return open;
  if (law == SlidingLaw::coulomb) return slide_coulomb(batch, first, c, open, r);
  if (law == SlidingLaw::maximum_dissipation)
    return slide_maximum_dissipation(batch, first, c, open, r);
  return slide_on_cone(batch, first, c, open, r);
}

}  // namespace
}  // namespace talus::solve::detail
