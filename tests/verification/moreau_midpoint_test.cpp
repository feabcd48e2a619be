#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "support/world.hpp"

// Moreau's midpoint rule in space.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

constexpr Real kGravity = 9.81, kRadius = 0.04, kHalfThickness = 5e-5;

/// Euler's disc on a plane: a coin that rolls on its rim.
struct Disc {
  World world{1.0};
  Index body = 0;
  explicit Disc(Real tilt) {
    world.add_floor();
    const Quat turn(Eigen::AngleAxisd(-tilt, Vec3::UnitY()));
    body = world.add(geometry::Cylinder{kRadius, kHalfThickness}, model::BodyKind::dynamic,
                     Vec3::Zero(), turn);
    world.state.position[body].z() = -contact_arm(turn).z();
  }
  [[nodiscard]] Mat3 inertia() const { return world.model.bodies[body].inertia; }
  [[nodiscard]] Real mass() const { return world.model.bodies[body].mass; }
  /// From the centre to the lowest point of the rim.
  static Vec3 contact_arm(const Quat& q) {
    const Vec3 axis = q * Vec3::UnitZ();
    const Vec3 uphill = (Vec3::UnitZ() - axis.z() * axis).normalized();
    return -kRadius * uphill - kHalfThickness * axis;
  }
  /// Starts to roll.
  void roll(const Vec3& spin) {
    world.state.angular_velocity[body] = spin;
    world.state.velocity[body] = -spin.cross(contact_arm(world.state.orientation[body]));
  }
  /// The spin of steady precession about a centre at rest: Ω ẑ × L = ρ × m g ẑ, ω along ρ.
  [[nodiscard]] Vec3 steady(Real tilt) const {
    const Real I1 = inertia()(0, 0), I3 = inertia()(2, 2), s = std::sin(tilt), c = std::cos(tilt);
    const Real b = kHalfThickness / kRadius;
    const Real rate =
        std::sqrt(mass() * kGravity * kRadius * (c - b * s) / (s * (I1 * c - I3 * b * s)));
    return world.state.orientation[body] * (rate * s * Vec3(1, 0, b));
  }
  [[nodiscard]] Real tilt() const {
    return std::acos((world.state.orientation[body] * Vec3::UnitZ()).z());
  }
};

/// The rolling disc as an ordinary differential equation: the point of the rim that is lowest has
/// no velocity. x, q, ω; m v' = F + m g, d/dt(I ω) = ρ × F, v = −ω × ρ. Runge–Kutta of order 4.
struct RollingDisc {
  Mat3 inertia;
  Real mass;
  struct Point { Quat q; Vec3 x, w; };
  static Vec3 rate_of_arm(const Quat& q, const Vec3& w) {
    const Vec3 e3 = q * Vec3::UnitZ(), de3 = w.cross(e3);
    const Vec3 p = Vec3::UnitZ() - e3.z() * e3, dp = -de3.z() * e3 - e3.z() * de3;
    const Vec3 e1 = p.normalized(), de1 = (dp - e1.dot(dp) * e1) / p.norm();
    return -kRadius * de1 - kHalfThickness * de3;
  }
  /// ω' from I ω' + ω × I ω = ρ × m (v' + g ẑ), v' = ρ × ω' + ρ' × ω.
  Vec3 spin_rate(const Quat& q, const Vec3& w) const {
    const Mat3 turn = q.toRotationMatrix(), I = turn * inertia * turn.transpose();
    const Vec3 arm = Disc::contact_arm(q), known = rate_of_arm(q, w).cross(w) + kGravity * Vec3::UnitZ();
    Mat3 cross;
    cross << 0, -arm.z(), arm.y(), arm.z(), 0, -arm.x(), -arm.y(), arm.x(), 0;
    const Mat3 A = I - mass * cross * cross;
    return A.inverse() * (mass * arm.cross(known) - w.cross(I * w));
  }
  Point at(Point p, Real time, int steps) const {
    const Real h = time / steps;
    struct Rate { Eigen::Vector4d q; Vec3 x, w; };
    const auto rate = [&](const Point& s) {
      const Quat spin(0, s.w.x(), s.w.y(), s.w.z());
      return Rate{0.5 * (spin * s.q).coeffs(), -s.w.cross(Disc::contact_arm(s.q)), spin_rate(s.q, s.w)};
    };
    const auto go = [&](const Point& s, const Rate& r, Real t) {
      Point next{Quat(Eigen::Vector4d(s.q.coeffs() + t * r.q)), s.x + t * r.x, s.w + t * r.w};
      next.q.normalize();
      return next;
    };
    for (int k = 0; k < steps; ++k) {
      const Rate a = rate(p), b = rate(go(p, a, h / 2)), c = rate(go(p, b, h / 2)), d = rate(go(p, c, h));
      p = go(p, {(a.q + 2 * b.q + 2 * c.q + d.q) / 6, (a.x + 2 * b.x + 2 * c.x + d.x) / 6, (a.w + 2 * b.w + 2 * c.w + d.w) / 6}, h);
    }
    return p;
  }
};


TEST(MoreauMidpoint, Debug) {
  const Real tilt = 30 * std::numbers::pi / 180;
  for (const auto& [factor, h] : {std::pair(0.9, 2e-3), std::pair(1.3, 1e-3)}) {
    Disc disc(tilt);
    const Vec3 spin = factor * disc.steady(tilt);
    disc.roll(spin);
    const auto scheme = make_scheme(disc.world.model, test::options("moreau_midpoint", 1e-10));
    Real last = disc.world.energy(); const Real e0 = last;
    int said = 0;
    for (int k = 0; k < 400 && said < 8; ++k) {
      const auto report = scheme->step(disc.world.state, h);
      const Real e = disc.world.energy();
      if (std::abs(e - last) > 1e-5 * e0 || !report.is_certified()) {
        ++said;
        std::printf("%g step %d energy %.3g tilt %.3f pen %.3g bad %d %s\n", factor, k, (e - last) / e0, disc.tilt()*180/std::numbers::pi, report.max_penetration, !report.is_certified(), report.detail.c_str());
        for (const auto& c : scheme->contacts()) std::printf("     f %llx gap %.3g r %.3g %.3g %.3g  mg h %.3g\n", (unsigned long long)c.feature, c.gap, c.impulse.x(), c.impulse.y(), c.impulse.z(), disc.mass()*9.81*h);
      }
      last = e;
    }
  }
}

TEST(MoreauMidpoint, Order) {
  const Real tilt = 30 * std::numbers::pi / 180;
  for (const Real factor : {1.0, 1.1, 0.9, 1.3}) {
    for (const Real extra : {0.0, 20.0}) {
    Disc start(tilt);
    const Vec3 spin = factor * start.steady(tilt) + extra * Vec3::UnitZ();
    start.roll(spin);
    const RollingDisc ode{start.inertia(), start.mass()};
    const Real time = 0.4;
    const auto right = ode.at({start.world.state.orientation[start.body], start.world.state.position[start.body], spin}, time, 40000);
    std::printf("factor %g extra %g: tilt %.4f\n", factor, extra, std::acos((right.q * Vec3::UnitZ()).z())*180/std::numbers::pi);
    Real last[3] = {0,0,0};
    for (const Real h : {2e-3, 1e-3, 5e-4, 2.5e-4,1.25e-4}) {
      Disc disc(tilt);
      disc.roll(spin);
      const auto scheme = make_scheme(disc.world.model, test::options("moreau_midpoint", 1e-10));
      int bad = 0;
      Real up = -1e9, least=1e9; const Real e0 = disc.world.energy();
      for (int k = 0; k < std::lround(time / h); ++k) { bad += !scheme->step(disc.world.state, h).is_certified(); const Real e=disc.world.energy() / e0 - 1; up = std::max(up, e);least=std::min(least,e); }
      const Real ex = (disc.world.state.position[1] - right.x).norm(), eq = disc.world.state.orientation[1].angularDistance(right.q), ew = (disc.world.state.angular_velocity[1] - right.w).norm();
      std::printf("  h %g: x %.3g (%.2f) q %.3g (%.2f) w %.3g (%.2f) energy %.3g .. %.3g bad %d\n", h, ex, last[0]/ex, eq, last[1]/eq, ew, last[2]/ew, least, up, bad);
      last[0]=ex; last[1]=eq; last[2]=ew;
    }
    }
  }
}

TEST(MoreauMidpoint, Figures) {
  const Real tilt = 30 * std::numbers::pi / 180;
  struct Case { const char* scheme; Real theta; };
  for (const Case c : {Case{"moreau_jean", 1}, Case{"moreau_jean", 0.5}, Case{"moreau_midpoint", 1}})
    for (const Real h : {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4}) {
      Disc disc(tilt);
      disc.roll(disc.steady(tilt));
      auto options = test::options(c.scheme, 1e-10);
      options.theta = c.theta;
      const auto scheme = make_scheme(disc.world.model, options);
      const Real e0 = disc.world.energy();
      Real worst = 0, most = -1e9, least = 1e9, up = 0;
      int bad = 0;
      std::string detail;
      const int steps = static_cast<int>(std::lround(5 / h));
      Real last = e0;
      std::printf("%s %g h %g:", c.scheme, c.theta, h);
      for (int k = 0; k < steps; ++k) {
        const auto report = scheme->step(disc.world.state, h);
        if (!report.is_certified()) { ++bad; if (detail.empty()) detail = report.detail; }
        const Real e = disc.world.energy() / e0 - 1;
        up = std::max(up, (disc.world.energy() - last) / e0);
        last = disc.world.energy();
        most = std::max(most, e); least = std::min(least, e);
        worst = std::max(worst, std::abs(disc.tilt() - tilt));
        if ((k + 1) % (steps / 5) == 0 || k + 1 == static_cast<int>(std::lround(0.6 / h)))
          std::printf(" %.3f", disc.tilt() * 180 / std::numbers::pi);
      }
      std::printf(" | worst %.3g, energy %.3g .. %.3g, step up %.3g, bad %d %s\n", worst*180/std::numbers::pi, least, most, up, bad, detail.c_str());
    }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
