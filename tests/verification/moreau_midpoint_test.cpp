#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "support/mechanism.hpp"
#include "support/world.hpp"

// Moreau's midpoint rule in space (docs/theory/time_stepping.md).

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
  struct Point {
    Quat q;
    Vec3 x, w;
  };
  static Vec3 rate_of_arm(const Quat& q, const Vec3& w) {
    const Vec3 e3 = q * Vec3::UnitZ(), de3 = w.cross(e3);
    const Vec3 p = Vec3::UnitZ() - e3.z() * e3, dp = -de3.z() * e3 - e3.z() * de3;
    const Vec3 e1 = p.normalized(), de1 = (dp - e1.dot(dp) * e1) / p.norm();
    return -kRadius * de1 - kHalfThickness * de3;
  }
  /// ω' from I ω' + ω × I ω = ρ × m (v' + g ẑ), v' = ρ × ω' + ρ' × ω.
  Vec3 spin_rate(const Quat& q, const Vec3& w) const {
    const Mat3 turn = q.toRotationMatrix(), I = turn * inertia * turn.transpose();
    const Vec3 arm = Disc::contact_arm(q),
               known = rate_of_arm(q, w).cross(w) + kGravity * Vec3::UnitZ();
    Mat3 cross;
    cross << 0, -arm.z(), arm.y(), arm.z(), 0, -arm.x(), -arm.y(), arm.x(), 0;
    const Mat3 A = I - mass * cross * cross;
    return A.inverse() * (mass * arm.cross(known) - w.cross(I * w));
  }
  Point at(Point p, Real time, int steps) const {
    const Real h = time / steps;
    struct Rate {
      Eigen::Vector4d q;
      Vec3 x, w;
    };
    const auto rate = [&](const Point& s) {
      const Quat spin(0, s.w.x(), s.w.y(), s.w.z());
      return Rate{0.5 * (spin * s.q).coeffs(), -s.w.cross(Disc::contact_arm(s.q)),
                  spin_rate(s.q, s.w)};
    };
    const auto go = [&](const Point& s, const Rate& r, Real t) {
      Point next{Quat(Eigen::Vector4d(s.q.coeffs() + t * r.q)), s.x + t * r.x, s.w + t * r.w};
      next.q.normalize();
      return next;
    };
    for (int k = 0; k < steps; ++k) {
      const Rate a = rate(p), b = rate(go(p, a, h / 2)), c = rate(go(p, b, h / 2)),
                 d = rate(go(p, c, h));
      p = go(p,
             {(a.q + 2 * b.q + 2 * c.q + d.q) / 6, (a.x + 2 * b.x + 2 * c.x + d.x) / 6,
              (a.w + 2 * b.w + 2 * c.w + d.w) / 6},
             h);
    }
    return p;
  }
};

constexpr Real kTilt = std::numbers::pi / 6;

stepping::SchemeOptions midpoint(Real tolerance = 1e-10) {
  return test::options("moreau_midpoint", tolerance);
}

// Euler's disc, of a tenth of a millimetre: rolling about a centre at rest it precesses for ever,
// Ω² = 4 g/(a sin α) as it gets thin. At any step its tilt is kept to (h Ω)², its energy to (h Ω)⁴
// and never above that of the start. (`moreau_jean` brings it down within 0.7 s at 1 ms.)
TEST(MoreauMidpoint, EulersDiscPrecessesSteadily) {
  for (const Real h : {2e-3, 1e-3, 5e-4}) {
    Disc disc(kTilt);
    const Vec3 spin = disc.steady(kTilt);
    disc.roll(spin);
    const Real rate = spin.norm() / std::sin(kTilt), turn = std::pow(h * rate, 2);
    EXPECT_NEAR(rate, std::sqrt(4 * kGravity / (kRadius * std::sin(kTilt))), 0.01 * rate);
    const Real start = disc.world.energy();
    const auto scheme = make_scheme(disc.world.model, midpoint());
    const auto steps = static_cast<int>(10 * 2 * std::numbers::pi / rate / h);
    for (int k = 0; k < steps; ++k) {
      const auto report = scheme->step(disc.world.state, h);
      ASSERT_TRUE(report.is_certified()) << report.detail;
      ASSERT_NEAR(disc.tilt(), kTilt, turn);
      ASSERT_LE(disc.world.energy(), start * (1 + 1e-12)) << "h " << h << ", step " << k;
    }
    EXPECT_GE(disc.world.energy(), start * (1 - turn * turn));
    EXPECT_LE(disc.world.state.position[disc.body].head<2>().norm(), turn * kRadius);
  }
}

// The same disc a tenth too fast nods on its way; place and orientation are met to second order.
TEST(MoreauMidpoint, RollingIsOfSecondOrder) {
  Disc start(kTilt);
  const Vec3 spin = 1.1 * start.steady(kTilt);
  constexpr Real kTime = 0.4;
  const RollingDisc ode{start.inertia(), start.mass()};
  const RollingDisc::Point right = ode.at(
      {start.world.state.orientation[start.body], start.world.state.position[start.body], spin},
      kTime, 20000);
  std::vector<Real> place, turn;
  for (const Real h : {1e-3, 5e-4, 2.5e-4}) {
    Disc disc(kTilt);
    disc.roll(spin);
    const auto scheme = make_scheme(disc.world.model, midpoint());
    for (int k = 0; k < std::lround(kTime / h); ++k)
      ASSERT_TRUE(scheme->step(disc.world.state, h).is_certified());
    place.push_back((disc.world.state.position[disc.body] - right.x).norm());
    turn.push_back(disc.world.state.orientation[disc.body].angularDistance(right.q));
  }
  for (const std::vector<Real>& error : {place, turn})
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(std::log2(error[i] / error[i + 1]), 2, 0.2);
}

/// A plane that falls in x with a slope, and gravity; down it and off it.
struct Slope {
  World world;
  Vec3 down, normal;
  Slope(Real angle, Real friction) : world(friction) {
    const Quat turn(Eigen::AngleAxisd(angle, Vec3::UnitY()));
    world.add_floor(turn);
    down = turn * Vec3::UnitX();
    normal = turn * Vec3::UnitZ();
  }
};

// A ball rolls down a slope without slip at 5/7 g sin β; forces that do not change are integrated
// exactly, so only the tolerance is left.
TEST(MoreauMidpoint, BallRollsDownASlope) {
  constexpr Real kAngle = 0.3, kBall = 0.1, h = 1e-3;
  constexpr int kSteps = 1000;
  Slope slope(kAngle, 0.5);
  const Index ball = slope.world.add_sphere(kBall, kBall * slope.normal);
  const auto scheme = make_scheme(slope.world.model, midpoint());
  for (int k = 0; k < kSteps; ++k) ASSERT_TRUE(scheme->step(slope.world.state, h).is_certified());
  const Real speed = 5.0 / 7 * kGravity * std::sin(kAngle) * kSteps * h;
  const model::State& state = slope.world.state;
  EXPECT_NEAR(state.velocity[ball].dot(slope.down), speed, 1e-8);
  EXPECT_NEAR(state.position[ball].dot(slope.down), speed * kSteps * h / 2, 1e-8);
  EXPECT_NEAR(state.angular_velocity[ball].y(), speed / kBall, 1e-7);
}

// A box slides down a slope at g (sin β − μ cos β), and one that is steeper in friction than in
// slope does not move at all.
TEST(MoreauMidpoint, BoxSlidesByCoulombsLaw) {
  constexpr Real kAngle = 0.3, kHalf = 0.1, h = 1e-3;
  constexpr int kSteps = 500;
  for (const Real friction : {0.2, 0.4}) {
    Slope slope(kAngle, friction);
    const Index box = slope.world.add_box(Vec3::Constant(kHalf), kHalf * slope.normal,
                                          Quat(Eigen::AngleAxisd(kAngle, Vec3::UnitY())));
    const auto scheme = make_scheme(slope.world.model, midpoint());
    for (int k = 0; k < kSteps; ++k) ASSERT_TRUE(scheme->step(slope.world.state, h).is_certified());
    const Real acceleration =
        std::max(Real(0), kGravity * (std::sin(kAngle) - friction * std::cos(kAngle)));
    EXPECT_NEAR(slope.world.state.velocity[box].dot(slope.down), acceleration * kSteps * h, 1e-8);
    EXPECT_NEAR(slope.world.state.position[box].dot(slope.down),
                acceleration * std::pow(kSteps * h, 2) / 2, 1e-8);
  }
}

// A tumbling box in flight: its energy and its way are exact to round-off, 8 units a step.
TEST(MoreauMidpoint, FlightKeepsEnergy) {
  World world;
  const Index box = world.add_box({0.1, 0.2, 0.3}, {0, 0, 50});
  world.state.velocity[box] = {1, 2, 3};
  world.state.angular_velocity[box] = {7, 0.1, 0.1};
  const Real start = world.energy();
  const auto scheme = make_scheme(world.model, midpoint());
  constexpr int kSteps = 1000;
  for (int k = 0; k < kSteps; ++k) ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
  EXPECT_NEAR(world.energy() / start, 1, 8e-16 * kSteps);
  EXPECT_NEAR((world.state.position[box] - Vec3(1, 2, 53 - kGravity / 2)).norm(), 0, 1e-11);
}

// A disc over a line moves as a ball over a plane does, step for step: it falls with a spin, lands
// (or bounces once), slides, rolls. The drop ends where the middle of a step is 0.1 nm below the
// line: the point of an overlap is halfway between the surfaces in space, on the disc's in the
// plane (1e-9 of the radius, times 20 rad/s: 2e-8).
TEST(MoreauMidpoint, BallMovesAsADiscDoesInThePlane) {
  constexpr Real kBall = 0.1, kMass = 2, kDrop = -0.5, h = 2e-3;
  constexpr int kLanding = 50;
  for (const Real restitution : {0.0, 0.6}) {
    const Real time = kLanding * h, speed = kDrop - kGravity * time;
    const Real height = kBall - 1e-10 - h / 2 * speed - kDrop * time + kGravity * time * time / 2;
    test::Mechanism flat(kGravity);
    flat.model.laws = {model::coulomb_law(0.3, restitution)};
    flat.model.bodies[0].shape = geometry::Plane{};
    flat.state.orientation[0] = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
    const Index disc = flat.add(kMass, 0.4 * kMass * kBall * kBall, {0, height});
    flat.model.bodies[disc].shape = geometry::Sphere{kBall};
    flat.machine->visual_only.clear();
    World solid(0.3, restitution, Vec3(0, -kGravity, 0));
    solid.add_floor(flat.state.orientation[0]);
    const Index ball = solid.add_sphere(kBall, Vec3(0, height, 0));
    solid.model.bodies[ball].mass = kMass;
    solid.model.bodies[ball].inertia = 0.4 * kMass * kBall * kBall * Mat3::Identity();
    for (model::State* state : {&flat.state, &solid.state}) {
      state->velocity[1] = {1, kDrop, 0};
      state->angular_velocity[1] = {0, 0, 20};
    }
    const auto scheme = make_scheme(solid.model, midpoint());
    const auto planar = make_scheme(flat.model, midpoint());
    // With restitution until shortly before the second impact, 2 e v/g after the first one.
    const int steps = restitution > 0
                          ? kLanding + static_cast<int>(1.8 * restitution * -speed / kGravity / h)
                          : 600;
    for (int step = 0; step < steps; ++step) {
      ASSERT_TRUE(scheme->step(solid.state, h).is_certified());
      ASSERT_TRUE(planar->step(flat.state, h).is_certified());
      ASSERT_NEAR((solid.state.position[ball] - flat.state.position[disc]).norm(), 0, 1e-8)
          << "restitution " << restitution << ", step " << step;
      ASSERT_NEAR(solid.state.angular_velocity[ball].z(), flat.state.angular_velocity[disc].z(),
                  1e-7);
    }
  }
}

// What strikes in the middle of a step has gone into the floor by h v/2 and is moved out at its
// end, but for the slop, a thousandth: the step is certified, and the ball lies still.
TEST(MoreauMidpoint, WhatStrikesEndsAtTheSurface) {
  constexpr Real kBall = 0.1, h = 1e-3;
  World world;
  world.add_floor();
  const Index ball = world.add_sphere(kBall, {0, 0, kBall + 0.005});
  world.state.velocity[ball].z() = -20;
  const auto scheme = make_scheme(world.model, midpoint());
  const Real start = world.energy();
  for (int k = 0; k < 20; ++k) {
    const auto report = scheme->step(world.state, h);
    ASSERT_TRUE(report.is_certified()) << report.detail;
    ASSERT_GE(world.state.position[ball].z(), kBall * (1 - 1e-3));
    ASSERT_LE(world.energy(), start);
  }
  EXPECT_NEAR(world.state.velocity[ball].z(), 0, 1e-9);
}

// A ball that would fly through a plate of 1 mm in a step stays before it, certified or not.
TEST(MoreauMidpoint, NothingIsFlownThrough) {
  for (const Real speed : {10.0, 100.0, 1000.0}) {
    World world(0, 0, Vec3::Zero());
    world.add(geometry::Box{{0.0005, 1, 1}}, model::BodyKind::fixed, {1, 0, 0});
    const Index ball = world.add_sphere(0.02, Vec3::Zero());
    world.state.velocity[ball] = {speed, 0, 0};
    const auto scheme = make_scheme(world.model, midpoint(1e-6));
    for (int k = 0; k < 200; ++k) (void)scheme->step(world.state, 1e-3);
    EXPECT_LT(world.state.position[ball].x(), 1 - 0.02 + 1e-3);
  }
}

// A velocity that coin and floor have in common changes nothing: how far a point of contact runs
// was measured by the ways of both, not past each other, and a coin that lands spinning kept three
// times the energy. Velocities are a power of two apart, sums of them round by 2⁻⁴⁸ m/s.
TEST(MoreauMidpoint, ACommonVelocityChangesNothing) {
  const auto heights = [](const Vec3& common) {
    World world(0);
    const Index floor = world.add(geometry::Plane{}, model::BodyKind::kinematic, Vec3::Zero());
    world.model.motions.push_back(
        {floor, world.state.pose(floor), {model::ConstantTwist{common, Vec3::Zero()}}});
    const Quat turn(Eigen::AngleAxisd(0.3, Vec3(1, 2, 0.3).normalized()));
    const Index coin =
        world.add(geometry::Cylinder{0.1, 0.005}, model::BodyKind::dynamic, {0, 0, 0.3}, turn);
    world.state.velocity[floor] = world.state.velocity[coin] = common;
    world.state.angular_velocity[coin] = {3, 2, 8};
    const auto scheme = make_scheme(world.model, midpoint(1e-6));
    std::vector<Real> z;
    for (int step = 0; step < 4000; ++step) {
      EXPECT_TRUE(scheme->step(world.state, 2.5e-4).is_certified()) << step;
      z.push_back(world.state.position[coin].z());
    }
    return z;
  };
  const std::vector<Real> still = heights(Vec3::Zero()), moving = heights({32, -16, 0});
  for (std::size_t i = 0; i < still.size(); ++i) ASSERT_NEAR(still[i], moving[i], 1e-6) << i;
}

// A run that is taken up from the memory of a scheme goes on to the same bits.
TEST(MoreauMidpoint, GoesOnFromItsMemory) {
  Disc disc(kTilt);
  disc.roll(disc.steady(kTilt));
  const auto one = make_scheme(disc.world.model, midpoint());
  for (int k = 0; k < 20; ++k) (void)one->step(disc.world.state, 1e-3);
  model::State resumed = disc.world.state;
  const auto other = make_scheme(disc.world.model, midpoint());
  other->recall(one->memory());
  for (int k = 0; k < 20; ++k) {
    (void)one->step(disc.world.state, 1e-3);
    (void)other->step(resumed, 1e-3);
  }
  EXPECT_EQ(resumed.position[disc.body], disc.world.state.position[disc.body]);
  EXPECT_EQ(resumed.orientation[disc.body].coeffs(),
            disc.world.state.orientation[disc.body].coeffs());
  EXPECT_EQ(resumed.velocity[disc.body], disc.world.state.velocity[disc.body]);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
