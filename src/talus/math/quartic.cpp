#include <talus/math/quartic.hpp>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr Real kNothing = 1e-14;   // of the largest coefficient
constexpr Real kTouching = 1e-13;  // negative discriminant still taken as a double root

/// Keeps the roots rising.
void add(QuarticRoots& roots, Real value) {
  if (roots.count == 4) return;
  auto place = static_cast<std::size_t>(roots.count++);
  for (; place > 0 && roots.root[place - 1] > value; --place)
    roots.root[place] = roots.root[place - 1];
  roots.root[place] = value;
}

/// t² + b t + c.
void add_quadratic(QuarticRoots& roots, Real b, Real c) {
  const Real discriminant = b * b / 4 - c;
  if (discriminant < -kTouching * (b * b / 4 + std::abs(c))) return;
  const Real root = std::sqrt(std::max(Real(0), discriminant));
  const Real far = -b / 2 - (b >= 0 ? root : -root);  // no cancellation
  add(roots, far);
  add(roots, far != 0 ? c / far : Real(0));
}

/// Largest real root of t³ + a t² + b t + c.
Real largest_cubic_root(Real a, Real b, Real c) {
  const Real p = a * a / 9 - b / 3, q = a * (a * a / 27 - b / 6) + c / 2;  // y³ − 3p y + 2q
  const Real discriminant = q * q - p * p * p;
  if (discriminant < 0) {
    const Real root = std::sqrt(p);
    const Real cosine = std::clamp(-q / (p * root), Real(-1), Real(1));
    return 2 * root * std::cos(std::acos(cosine) / 3) - a / 3;
  }
  const Real s = std::cbrt(-q - (q >= 0 ? 1 : -1) * std::sqrt(discriminant));
  return s + (s != 0 ? p / s : Real(0)) - a / 3;
}

void add_cubic(QuarticRoots& roots, Real a, Real b, Real c) {
  const Real root = largest_cubic_root(a, b, c);
  add(roots, root);
  add_quadratic(roots, a + root, b + root * (a + root));
}

/// t⁴ + a t³ + b t² + c t + d.
void add_quartic(QuarticRoots& roots, Real a, Real b, Real c, Real d) {
  // y = t + a/4: y⁴ + p y² + q y + r.
  const Real p = b - 3 * a * a / 8, q = c - a * b / 2 + a * a * a / 8;
  const Real r = d - a * c / 4 + a * a * b / 16 - 3 * a * a * a * a / 256;
  // (y² + p/2 + m)² = 2m y² − q y + m² + m p + p²/4 − r is a square for this m.
  const Real m = std::max(Real(0), largest_cubic_root(p, p * p / 4 - r, -q * q / 8));
  const Real s = std::sqrt(2 * m);
  const Real shift = s > 0 ? q / (2 * s) : std::sqrt(std::max(Real(0), p * p / 4 - r));
  QuarticRoots depressed;
  add_quadratic(depressed, -s, p / 2 + m + shift);
  add_quadratic(depressed, s, p / 2 + m - shift);
  for (int i = 0; i < depressed.count; ++i)
    add(roots, depressed.root[static_cast<std::size_t>(i)] - a / 4);
}

}  // namespace

QuarticRoots real_quartic_roots(const std::array<Real, 5>& coefficients) noexcept {
  const auto& c = coefficients;
  Real largest = 0;
  for (const Real value : c) largest = std::max(largest, std::abs(value));
  std::size_t degree = 4;
  while (degree > 0 && std::abs(c[degree]) <= kNothing * largest) --degree;
  QuarticRoots roots;
  const Real lead = c[degree];
  if (degree == 4) add_quartic(roots, c[3] / lead, c[2] / lead, c[1] / lead, c[0] / lead);
  if (degree == 3) add_cubic(roots, c[2] / lead, c[1] / lead, c[0] / lead);
  if (degree == 2) add_quadratic(roots, c[1] / lead, c[0] / lead);
  if (degree == 1) add(roots, -c[0] / lead);
  return roots;
}

}  // namespace talus
