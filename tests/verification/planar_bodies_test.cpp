#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/dynamics/planar_system.hpp>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// A planar world: y up, one law.
struct PlanarWorld : test::World {
  explicit PlanarWorld(Real friction) : test::World(friction, 0, Vec3(0, -9.81, 0)) {
    model.dimension = 2;
  }
  void add_line(Real angle) {
    const Vec3 normal(-std::sin(angle), std::cos(angle), 0);
    add(geometry::Plane{}, model::BodyKind::fixed, Vec3::Zero(),
        rotation_between(Vec3::UnitZ(), normal));
  }
  Index add_body(const geometry::Shape& shape, Real x, Real y, Real angle = 0) {
    const Index body = add(shape, model::BodyKind::dynamic, {x, y, 0},
                           Quat(Eigen::AngleAxis<Real>(angle, Vec3::UnitZ())));
    model.bodies[body].mass = 1;
    model.bodies[body].inertia = 0.01 * Mat3::Identity();
    return body;
  }
  [[nodiscard]] Real angle(Index body) const {
    const Quat& q = state.orientation[body];
    return 2 * std::atan2(q.z(), q.w());
  }
  void run(Real h, int steps) {
    const auto scheme = make_scheme(model, test::options("stewart_trinkle", 1e-10));
    for (int step = 0; step < steps; ++step) {
      const Real before = energy();
      const auto report = scheme->step(state, h);
      ASSERT_TRUE(report.is_certified()) << report.detail;
      EXPECT_LE(energy(), before + 1e-6) << "step " << step;
    }
  }
};

// A box on an incline of angle α slides with g (sin α − μ cos α) where tan α > μ, from rest
// s = ½ a t² (+ ½ a h t of the implicit rule), and stays where it is where tan α < μ.
TEST(PlanarBodies, BoxSlidesOrSticksOnAnIncline) {
  const Real angle = 0.4, h = 1e-3;
  for (const Real mu : {0.2, 0.6}) {
    PlanarWorld world(mu);
    world.add_line(angle);
    const Vec2 along(std::cos(angle), std::sin(angle)), up(-along.y(), along.x());
    const Vec2 start = 0.1 * up;
    world.add_body(geometry::Box{{0.2, 0.1, 0.1}}, start.x(), start.y(), angle);
    world.run(h, 500);
    const Real a = std::max(0.0, 9.81 * (std::sin(angle) - mu * std::cos(angle))), t = 0.5;
    const Vec2 moved = world.state.position[1].head<2>() - start;
    EXPECT_NEAR(-moved.dot(along), a * t * (t + h) / 2, 1e-9) << "mu " << mu;
    EXPECT_NEAR(moved.dot(up), 0, 1e-9);
    EXPECT_NEAR(world.angle(1), angle, 1e-9);
  }
}

// A disc rolls down an incline without slip where μ is large enough: a = g sin α/(1 + J/(m r²)).
TEST(PlanarBodies, DiscRollsDownAnIncline) {
  const Real angle = 0.3, h = 1e-3, t = 0.5;
  PlanarWorld world(0.6);
  world.add_line(angle);
  world.add_body(geometry::Sphere{0.1}, -0.1 * std::sin(angle), 0.1 * std::cos(angle));
  world.model.bodies[1].inertia = 0.005 * Mat3::Identity();
  world.run(h, 500);
  const Real a = 9.81 * std::sin(angle) / 1.5;
  EXPECT_NEAR(world.state.velocity[1].head<2>().norm(), a * t, 1e-9);
  EXPECT_NEAR(world.state.angular_velocity[1].z(), a * t / 0.1, 1e-7);
}

// A stack of a rod on two boxes, and a polygon dropped beside it, come to rest: bodies on bodies of
// every shape, no penetration beyond that of one linearisation.
TEST(PlanarBodies, StackOfShapesComesToRest) {
  PlanarWorld world(0.5);
  world.add_line(0);
  world.add_body(geometry::Box{{0.1, 0.1, 0.1}}, -0.3, 0.1);
  world.add_body(geometry::Box{{0.1, 0.1, 0.1}}, 0.3, 0.1);
  const Index rod = world.add_body(geometry::Capsule{0.05, 0.4}, 0, 0.27);
  world.model.bodies[rod].X_BS.q = rotation_between(Vec3::UnitZ(), Vec3::UnitX());
  const Index disc = world.add_body(geometry::Sphere{0.08}, 0.0, 0.5);
  world.run(0.002, 1500);
  for (const Vec3& v : world.state.velocity) EXPECT_LE(v.norm(), 1e-6);
  EXPECT_NEAR(world.state.position[rod].y(), 0.25, 1e-4);
  EXPECT_NEAR(world.state.position[disc].y(), 0.25 + 0.05 + 0.08, 1e-4);
}

// Two free bodies that collide keep their linear and angular momentum, friction included: the
// impulse on one is the reverse of that on the other, at one point.
TEST(PlanarBodies, CollisionConservesMomentum) {
  PlanarWorld world(0.5);
  world.model.gravity.setZero();
  world.add_body(geometry::Box{{0.2, 0.1, 0.1}}, 0, 0, 0.3);
  world.add_body(geometry::Box{{0.1, 0.15, 0.1}}, 0.5, 0.05, -0.2);
  world.state.velocity[0] = {1, 0.2, 0};
  world.state.angular_velocity[1] = {0, 0, 3};
  const Vec3 p = dynamics::linear_momentum(world.model, world.state);
  const auto angular = [&] { return dynamics::angular_momentum(world.model, world.state).z(); };
  const Real start = angular();
  const Real energy = world.energy();
  world.run(0.002, 500);
  EXPECT_NEAR((dynamics::linear_momentum(world.model, world.state) - p).norm(), 0, 1e-12);
  // Arms are taken at q + h v, so an impulse p turns by h (v_B − v_A) × p: at most h · 1.1 · 1
  // here.
  EXPECT_NEAR(angular(), start, 0.002 * 1.1);
  EXPECT_LT(world.energy(), energy - 0.01) << "they did collide";
}

// The normal of a contact is the gradient of its gap, for every pair of shapes at random poses; of
// coordinates that it does not name the gap is no function.
TEST(PlanarBodies, NormalsAreGradients) {
  Random random(5);
  PlanarWorld world(0.5);
  world.add_line(0.2);
  world.add_body(geometry::Box{{0.2, 0.1, 0.1}}, 0, 0);
  world.add_body(geometry::Sphere{0.1}, 0, 0);
  const Index rod = world.add_body(geometry::Capsule{0.05, 0.2}, 0, 0);
  world.model.bodies[rod].X_BS.q = rotation_between(Vec3::UnitZ(), Vec3::UnitX());
  const dynamics::PlanarSystem system(world.model, world.state);
  int checked = 0;
  for (int trial = 0; trial < 50; ++trial) {
    VecX q, v;
    system.machine().load(world.state, q, v);
    for (Real& x : q.tail(9)) x = random.uniform(-1, 1);
    for (Index i = 0; i < system.contact_count(); ++i) {
      const model::LagrangianContact contact = system.contact(i, q);
      VecX n = VecX::Zero(q.size());
      n(contact.coordinates) = contact.normal;
      constexpr Real kStep = 1e-6;
      for (Index k = 3; k < 12; ++k) {
        VecX up = q, down = q;
        up[k] += kStep;
        down[k] -= kStep;
        const Real slope = (system.gap(i, up) - system.gap(i, down)) / (2 * kStep);
        // Where the nearest feature changes within the step of the difference there is a kink.
        const Real other = (system.gap(i, up) - system.gap(i, q)) / kStep;
        if (std::abs(slope - other) > 1e-4) continue;
        EXPECT_NEAR(n[k], slope, 1e-7) << "contact " << i << " coordinate " << k;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 5000);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
