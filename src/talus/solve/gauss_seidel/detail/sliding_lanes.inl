// Coulomb's law of W sliding contacts at once; included by the kernel of general contacts.

#include <talus/math/lanes.hpp>
#include <talus/solve/gauss_seidel/detail/general_kernel.hpp>

namespace talus::solve::detail {
namespace {

inline bool any(Bits bits) {
  for (int l = 0; l < kWidth; ++l)
    if (bits[l] != 0) return true;
  return false;
}

/// Newton on 1/q(κ) = 1/t from the direction of the impulse y, as in local/coulomb.cpp: with y(κ) =
/// −(Â + κI)⁻¹ h, q = ‖y‖ + e·y falls where slip is unique, and slip is q = t.
/// @param wanted lanes that slide. @param u relative velocity at y. @param approach b_N < 0.
/// @param r out: the impulse in the lanes that are returned; others are as they were.
inline Bits slide(const SlidingBatch& batch, int first, const Vec3Lanes& n, const Vec3Lanes& u,
                  const Vec3Lanes& y, Lanes approach, Bits wanted, Vec3Lanes& r) {
  constexpr int kSteps = 10;
  const Lanes zero{}, one = all(1);
  Bits open = wanted & (load(batch.is_known + first) > zero);  // still to be solved
  if (!any(open)) return open;
  const auto field = [&](const SlidingBatch::Lane& lane) { return load(lane + first); };
  const Vec3Lanes t1 = load3(batch.tangent[0][0] + first);
  const Vec3Lanes t2 = load3(batch.tangent[1][0] + first);
  const Lanes h1 = dot(load3(batch.eliminated[0][0] + first), u) -
                   dot(load3(batch.block_eliminated[0][0] + first), y);
  const Lanes h2 = dot(load3(batch.eliminated[1][0] + first), u) -
                   dot(load3(batch.block_eliminated[1][0] + first), y);
  const Lanes t = -field(batch.limit) * approach;
  const Lanes m11 = field(batch.matrix[0]), m12 = field(batch.matrix[1]),
              m22 = field(batch.matrix[2]);
  const Lanes e1 = field(batch.e[0]), e2 = field(batch.e[1]);
  const Lanes trace = m11 + m22, determinant = m11 * m22 - m12 * m12;
  const Lanes n1 = m12 * h2 - m22 * h1, n2 = m12 * h1 - m11 * h2;  // −adj(Â) h
  const Lanes h_norm = root(h1 * h1 + h2 * h2);

  const Lanes y1 = dot(t1, y), y2 = dot(t2, y), size = root(y1 * y1 + y2 * y2);
  const Bits has_direction = size > zero;
  const Lanes d1 = (has_direction ? y1 : -h1) / (has_direction ? size : h_norm);
  const Lanes d2 = (has_direction ? y2 : -h2) / (has_direction ? size : h_norm);
  const Lanes stiffness = m11 * d1 * d1 + all(2) * m12 * d1 * d2 + m22 * d2 * d2;
  Lanes kappa = -stiffness - (h1 * d1 + h2 * d2) * (one + e1 * d1 + e2 * d2) / t;
  kappa = kappa > zero ? kappa : h_norm / t;

  Bits solved{};
  for (int i = 0; i < kSteps && any(open); ++i) {
    const Lanes inverse = one / (determinant + kappa * (trace + kappa));
    const Lanes x1 = (n1 - kappa * h1) * inverse, x2 = (n2 - kappa * h2) * inverse;
    const Lanes norm = root(x1 * x1 + x2 * x2), q = norm + e1 * x1 + e2 * x2;
    const Lanes dx1 = -(m22 * x1 - m12 * x2 + kappa * x1) * inverse;
    const Lanes dx2 = -(m11 * x2 - m12 * x1 + kappa * x2) * inverse;
    const Lanes dq = (x1 * dx1 + x2 * dx2) / norm + e1 * dx1 + e2 * dx2;
    const Lanes step = q * (t - q) / (t * dq), next = kappa + step;
    open = open & (next > zero) & (q > zero) & (dq < zero);  // others are left to somebody else
    kappa = open ? next : kappa;  // a lane that is solved stays as it is, whatever others need
    const Bits is_settled = open & (magnitude(step) <= all(1e-8) * next);  // quadratic
    solved = solved | is_settled;
    open = open & ~is_settled;
  }
  const Lanes inverse = one / (determinant + kappa * (trace + kappa));
  const Lanes x1 = (n1 - kappa * h1) * inverse, x2 = (n2 - kappa * h2) * inverse;
  const Vec3Lanes own =
      (root(x1 * x1 + x2 * x2) * field(batch.inverse_friction)) * n + x1 * t1 + x2 * t2;
  r = {solved ? own.x : r.x, solved ? own.y : r.y, solved ? own.z : r.z};
  return solved;
}

}  // namespace
}  // namespace talus::solve::detail
