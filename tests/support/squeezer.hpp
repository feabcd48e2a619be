#pragma once

#include <array>
#include <cmath>

#include "support/mechanism.hpp"

namespace talus::test {

/// Andrews' squeezer: seven bodies on ten pins, a spring and a motor of constant torque (key
/// hairer_1996, section VII.7; data of the IVP test set, key mazzia_2003).
namespace squeezer {

constexpr Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035,
               sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916,
               u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
constexpr Real kTorque = 0.033, kStiffness = 4530, kLength = 0.07785;
constexpr Real kStart = -0.0617138900142764496;  ///< β of the test set
constexpr std::array<Real, 8> kMass{0,       0.04325, 0.00365, 0.02373,
                                    0.00706, 0.07050, 0.00706, 0.05498};
constexpr std::array<Real, 8> kInertia{0,        2.194e-6, 4.410e-7, 5.255e-6,
                                       5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
inline const Vec2 A{-0.06934, -0.00227}, B{-0.03635, 0.03273}, C{0.014, 0.072};

inline Vec2 along(Real angle) { return {std::cos(angle), std::sin(angle)}; }
inline Vec2 right(Real angle) { return {std::sin(angle), -std::cos(angle)}; }
inline Vec2 turn(const Vec2& x) { return {-x.y(), x.x()}; }

/// The third corner of a triangle over PQ, at distances from P and Q, left of PQ or right of it.
inline Vec2 corner(const Vec2& p, Real from_p, const Vec2& q, Real from_q, Real side) {
  const Vec2 base = q - p;
  const Real length = base.norm();
  const Real x = (length * length + from_p * from_p - from_q * from_q) / (2 * length);
  const Real y = std::sqrt(from_p * from_p - x * x);
  return p + (x * base + side * y * turn(base)) / length;
}

/// Where all bodies are when the motor has turned to β.
struct Layout {
  Vec2 F, E, G, H, D;
  std::array<Real, 8> angle{};
  std::array<Vec2, 8> centre{};

  explicit Layout(Real beta) {
    F = rr * along(beta);
    E = corner(F, d, B, ss, 1);
    G = corner(A, zt, E, e, 1);
    H = corner(A, u, E, zf, -1);
    angle[1] = beta;
    angle[2] = direction(F - E);
    angle[3] = direction(turn(E - B));
    angle[4] = direction(turn(E - G));
    angle[5] = direction(G - A);
    angle[6] = direction(E - H);
    angle[7] = direction(turn(H - A));
    D = B + sc * right(angle[3]) + sd * along(angle[3]);
    centre[1] = ra * along(beta);
    centre[2] = F - da * along(angle[2]);
    centre[3] = B + sa * right(angle[3]) + sb * along(angle[3]);
    centre[4] = G + (e - ea) * right(angle[4]);
    centre[5] = A + ta * along(angle[5]) - tb * right(angle[5]);
    centre[6] = H + (zf - fa) * along(angle[6]);
    centre[7] = A + ua * right(angle[7]) - ub * along(angle[7]);
  }
  static Real direction(const Vec2& x) { return std::atan2(x.y(), x.x()); }
};

/// The squeezer as what it is, one coordinate: Θ(β) β̇²/2 + V(β) = M (β − β₀) from rest, hence
///   t = ∫ dβ √(Θ/2W),   W = M (β − β₀) − V(β) + V(β₀).
/// Geometry and one quadrature; no constraint, no acceleration, no time step.
class Reduced {
 public:
  explicit Reduced(Real start = kStart) : start_(start), v0_(potential(Layout(start))) {}

  /// β after a time from rest.
  [[nodiscard]] Real beta(Real time) const {
    // With β = β₀ + s² the integrand is smooth, also where the motion begins.
    Real s = 0, t = 0;
    for (Real step = kPanel; step > 1e-15; step /= 2)
      for (Real part = panel(s, s + step); t + part <= time; part = panel(s, s + step)) {
        t += part;
        s += step;
      }
    return start_ + s * s;
  }
  /// β̇ there.
  [[nodiscard]] Real rate(Real beta) const { return std::sqrt(2 * work(beta) / inertia(beta)); }

 private:
  static constexpr Real kPanel = 0.01, kNear = 0.01;

  /// Gauss's rule of five points.
  template <class Function>
  static Real integral(const Function& f, Real from, Real to) {
    constexpr std::array<Real, 5> x{-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                    0.9061798459386640};
    constexpr std::array<Real, 5> w{0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                    0.4786286704993665, 0.2369268850561891};
    Real sum = 0;
    for (std::size_t i = 0; i < 5; ++i) sum += w[i] * f((from + to) / 2 + (to - from) / 2 * x[i]);
    return (to - from) / 2 * sum;
  }
  static Real potential(const Layout& pose) {
    const Real stretch = (pose.D - C).norm() - kLength;
    return kStiffness / 2 * stretch * stretch;
  }
  /// Near the start as an integral of the torque: the difference would lose its digits there.
  [[nodiscard]] Real work(Real beta) const {
    const auto torque = [](Real at) {
      const Layout pose(at);
      const Vec2 to_D = pose.D - C;
      return kTorque - kStiffness * (to_D.norm() - kLength) *
                           to_D.normalized().dot(rates(pose)[3] * turn(pose.D - B));
    };
    if (beta - start_ < kNear) return integral(torque, start_, beta);
    return kTorque * (beta - start_) - potential(Layout(beta)) + v0_;
  }
  /// Angular velocities of all bodies at β̇ = 1: two bars that meet in a point give theirs.
  static std::array<Real, 8> rates(const Layout& pose) {
    const auto meet = [](const Vec2& p, const Vec2& q, const Vec2& v) -> Vec2 {  // p a + q b = v
      const Real det = p.x() * q.y() - q.x() * p.y();
      return {(v.x() * q.y() - q.x() * v.y()) / det, (p.x() * v.y() - v.x() * p.y()) / det};
    };
    const Vec2 at_E = meet(turn(pose.E - B), -turn(pose.E - pose.F), turn(pose.F));
    const Vec2 velocity = at_E.x() * turn(pose.E - B);
    const Vec2 at_G = meet(turn(pose.G - A), turn(pose.E - pose.G), velocity);
    const Vec2 at_H = meet(turn(pose.H - A), turn(pose.E - pose.H), velocity);
    return {0, 1, at_E.y(), at_E.x(), at_G.y(), at_G.x(), at_H.y(), at_H.x()};
  }
  /// Θ: twice the kinetic energy at β̇ = 1.
  static Real inertia(Real beta) {
    const Layout pose(beta);
    const std::array<Real, 8> w = rates(pose);
    const Vec2 rest = Vec2::Zero();
    const std::array<Vec2, 8> pivot{rest, rest, pose.F, B, pose.G, A, pose.H, A};
    const std::array<Vec2, 8> base{
        rest, rest, turn(pose.F), rest, w[5] * turn(pose.G - A), rest, w[7] * turn(pose.H - A),
        rest};
    Real sum = 0;
    for (std::size_t i = 1; i <= 7; ++i)
      sum += kMass[i] * (base[i] + w[i] * turn(pose.centre[i] - pivot[i])).squaredNorm() +
             kInertia[i] * w[i] * w[i];
    return sum;
  }
  [[nodiscard]] Real panel(Real from, Real to) const {
    const auto f = [this](Real s) { return 2 * s / rate(start_ + s * s); };
    return integral(f, from, to);
  }

  Real start_, v0_;
};

/// The same for the engine: bodies and pins.
struct Squeezer : Mechanism {
  Index k[8];

  explicit Squeezer(Real start = kStart) : Mechanism(0) {
    const Layout pose(start);
    for (std::size_t i = 1; i <= 7; ++i)
      k[i] = add(kMass[i], kInertia[i], pose.centre[i], pose.angle[i]);
    add_pin(0, k[1], Vec2::Zero());
    add_pin(k[1], k[2], pose.F);
    add_pin(0, k[3], B);
    add_pin(0, k[5], A);
    add_pin(0, k[7], A);
    add_pin(k[5], k[4], pose.G);
    add_pin(k[7], k[6], pose.H);
    for (const int i : {3, 4, 6}) add_pin(k[2], k[i], pose.E);
    machine->forces.push_back(
        {"spring", 0, k[3], model::LineForce{C, in(k[3], pose.D), kStiffness, kLength, 0, {}}});
    machine->forces.push_back(
        {"motor", 0, k[1], model::Torque{0, 0, 0, model::ConstantLaw{kTorque}}});
  }
  /// Angle of a body with whole turns.
  [[nodiscard]] Real turned_of(int i) const { return turned(k[i]); }
};

}  // namespace squeezer
}  // namespace talus::test
