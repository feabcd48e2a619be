#include <gtest/gtest.h>

#include <cmath>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

constexpr Real kG = 9.81;

/// Steps to a time; every step must be certified. Returns the state of one body after each step
/// through a callback.
template <class Visit>
void run(World& world, const stepping::SchemeOptions& options, Real h, Real end, Visit visit) {
  const auto scheme = make_scheme(world.model, options);
  const auto steps = static_cast<Index>(std::lround(end / h));
  for (Index k = 1; k <= steps; ++k) {
    const stepping::StepReport report = scheme->step(world.state, h);
    ASSERT_TRUE(report.is_certified())
        << "step " << k << ": " << to_string(report.status) << ' ' << report.detail;
    visit(k * h);
  }
}

/// Time at which a bouncing ball dropped from 1 m above the floor moves for the last time.
Real rest_time(Real restitution, Real h) {
  World world(0.3, restitution);
  world.add_floor();
  const Index ball = world.add_sphere(0.05, {0, 0, 1.05});
  Real last = 0;
  run(world, test::options("moreau_jean", 1e-10), h,
      1.1 * 1.354570923 * (restitution > 0.6 ? 3 : 1), [&](Real t) {
        if (world.state.velocity[ball].norm() > 1e-12) last = t;
      });
  return last;
}

// A bouncing ball rests at √(2H/g)(1 + e)/(1 − e): 1.354570923 s for e = 0.5 and 4.063712769 s for
// e = 0.8, from 1 m. A step turns the ball back up to h early, so it starts a bounce with up to 2 g
// h|u| more of v², and semi-implicit Euler adds g h: each bounce is faster by at most g h (1/e +
// 1), every later one inherits e of that, and there are n = ln(u₀/(g h))/ln(1/e) of them until the
// speed is g h. The error is of first order.
TEST(BouncingBall, ComesToRestAtTheAccumulationPoint) {
  for (const auto& [e, exact] : {std::pair(0.5, 1.354570923), std::pair(0.8, 4.063712769)}) {
    std::vector<Real> errors;
    for (const Real h : {1e-3, 2.5e-4}) {
      const Real bounces = std::log(std::sqrt(2 * kG) / (kG * h)) / std::log(1 / e);
      errors.push_back(rest_time(e, h) - exact);
      EXPECT_LT(std::abs(errors.back()), bounces * 2 * h * (1 / e + 1) / (1 - e))
          << "e = " << e << ", h = " << h;
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]) / 2, 1, 0.15) << "order, e = " << e;
  }
}

/// Plane whose surface falls towards +x by an angle, as an orientation.
Quat incline(Real angle) { return Quat(Eigen::AngleAxis<Real>(angle, Vec3::UnitY())); }

// A block thrown uphill on an incline of 20° with μ = 0.45 stops after t = v₀/(g(sin α + μ cos α))
// = 0.39981392 s and s = v₀t/2 = 0.59972088 m, and stays, since μ > tan α: exactly, without creep.
// Position error at most v₀h/2.
TEST(BlockOnIncline, StopsAndStays) {
  const Real angle = 20 * std::numbers::pi / 180, h = 1e-3;
  const Quat slope = incline(angle);
  const Vec3 uphill = slope * Vec3(-1, 0, 0);
  for (const char* name : {"moreau_jean", "stewart_trinkle"}) {
    SCOPED_TRACE(name);
    World world(0.45);
    world.add_floor(slope);
    const Vec3 start = slope * Vec3(0, 0, 0.05);
    const Index block = world.add_box({0.1, 0.1, 0.05}, start, slope);
    world.state.velocity[block] = 3 * uphill;
    Real stop = 0;
    Vec3 at_half = Vec3::Zero();
    run(world, test::options(name, 1e-9), h, 1, [&](Real t) {
      if (world.state.velocity[block].norm() > 1e-6) stop = t;
      if (std::abs(t - 0.5) < h / 2) at_half = world.state.position[block];
    });
    EXPECT_NEAR(stop, 0.39981392, 2 * h);
    EXPECT_NEAR((world.state.position[block] - start).dot(uphill), 0.59972088, 3 * h);
    EXPECT_LT((world.state.position[block] - at_half).norm(), 1e-9);  // no creep in half a second
  }
}

// Below the friction angle a block slides with a = g(sin α − μ cos α), whatever the step.
TEST(BlockOnIncline, SlidesWithTheDifferenceOfWeightAndFriction) {
  const Real angle = 0.5, friction = 0.3;
  const Quat slope = incline(angle);
  World world(friction);
  world.add_floor(slope);
  const Index block = world.add_box({0.1, 0.1, 0.05}, slope * Vec3(0, 0, 0.05), slope);
  run(world, test::options("moreau_jean", 1e-10), 1e-3, 0.5, [](Real) {});
  const Real speed = world.state.velocity[block].dot(slope * Vec3::UnitX());
  EXPECT_NEAR(speed, 0.5 * kG * (std::sin(angle) - friction * std::cos(angle)), 1e-7);
}

// A sphere thrown at 2 m/s with μ = 0.3 slides until t = 2v₀/(7μg) = 0.194165332 s and then rolls
// with 5v₀/7.
TEST(SlidingSphere, RollsWithFiveSeventhsOfItsSpeed) {
  const Real h = 1e-4, radius = 0.1;
  World world(0.3);
  world.add_floor();
  const Index ball = world.add_sphere(radius, {0, 0, radius});
  world.state.velocity[ball] = {2, 0, 0};
  Real rolls_from = 0;
  run(world, test::options("moreau_jean", 1e-10), h, 0.3, [&](Real t) {
    const Real slip =
        world.state.velocity[ball].x() - radius * world.state.angular_velocity[ball].y();
    if (slip > 1e-9) rolls_from = t;
  });
  EXPECT_NEAR(rolls_from, 0.194165332, h);
  EXPECT_NEAR(world.state.velocity[ball].x(), 1.428571429, 1e-9);
  EXPECT_NEAR(world.state.angular_velocity[ball].y(), 1.428571429 / radius, 1e-8);
}

// At rest the floor carries exactly the weight, in every scheme: Σ r_N = m g h.
TEST(RestingBox, IsCarriedByTheFloor) {
  for (const char* name : {"moreau_jean", "stewart_trinkle"}) {
    World world(0.5);
    const Index floor = world.add_floor();
    const Index box = world.add_box({0.1, 0.2, 0.05}, {0, 0, 0.05});
    const auto scheme = make_scheme(world.model, test::options(name, 1e-10));
    const Real h = 1e-3;
    Vec3 support = Vec3::Zero();
    for (int k = 0; k < 20; ++k) {
      ASSERT_TRUE(scheme->step(world.state, h).is_certified());
      support = Vec3::Zero();
      for (const stepping::StepContact& contact : scheme->contacts())
        support += contact.body_a == floor ? contact.impulse : Vec3(-contact.impulse);
    }
    const Real weight = world.model.bodies[box].mass * kG * h;
    EXPECT_NEAR(support.z() / weight, 1, 1e-9) << name;
    EXPECT_NEAR(std::hypot(support.x(), support.y()) / weight, 0, 1e-9) << name;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
