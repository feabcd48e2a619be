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
