// The drag −c m v, −c I ω of bodies is taken at θ v' + (1 − θ) v in a step, as a damper to the
// world is, so that m (1 + θ h c) (v' − v) = h (f − c m v) + impulses: in the plane as in space, it
// takes energy whatever h c is, and a steady velocity is exact.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <talus/math/rotation.hpp>

#include "support/mechanism.hpp"
#include "support/spatial_machine_world.hpp"
#include "support/theta_rule.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
constexpr Real kG = 9.81, kFriction = 0.3;

/// Factors of v and of h a in v' = before v + by h a under a drag c.
struct Factors {
  Real before, by;
  Factors(Real c, Real h, Real theta)
      : before((1 - (1 - theta) * h * c) / (1 + theta * h * c)), by(1 / (1 + theta * h * c)) {}
};

/// One body with drag; up is y in the plane and in space.
struct Dragged : test::World {
  Index body = -1;

  Dragged(int dimension, Real linear, Real angular, Real gravity = kG)
      : World(kFriction, 0, Vec3(0, -gravity, 0)) {
    model.dimension = dimension;
    model.linear_damping = linear;
    model.angular_damping = angular;
  }
  void lay_floor() { add_floor(rotation_between(Vec3::UnitZ(), Vec3::UnitY())); }
  [[nodiscard]] const Vec3& velocity() const { return state.velocity[body]; }
  [[nodiscard]] Real spin() const { return state.angular_velocity[body].z(); }
};

// A body that falls and spins: v' = ((1 − (1 − θ) h c) v + h g)/(1 + θ h c) and ω' without g, in
// every step however large h c is, with the drag of spins another one.
TEST(Drag, FollowsTheThetaScheme) {
  const Real h = 0.01, spin = 3;
  const Vec3 start(2, -1, 0);
  for (const int dimension : {2, 3})
    for (const test::ThetaRule& rule : test::theta_rules)
      for (const Real z : {0.0, 0.1, 1.0, 300.0, 1e6}) {
        Dragged fall(dimension, z / h, z / (3 * h));
        fall.body = fall.add_box(Vec3(0.1, 0.2, 0.3), Vec3(0, 50, 0));
        fall.state.velocity[fall.body] = start;
        fall.state.angular_velocity[fall.body].z() = spin;
        const auto scheme = rule.make(fall.model);
        const Factors linear(z / h, h, rule.theta), angular(z / (3 * h), h, rule.theta);
        Vec3 v = start;
        Real w = spin;
        for (int k = 1; k <= 20; ++k) {
          const auto report = scheme->step(fall.state, h);
          ASSERT_TRUE(report.is_certified()) << rule.scheme << " " << z << ": " << report.detail;
          v = linear.before * v + linear.by * h * fall.model.gravity;
          w *= angular.before;
          ASSERT_LT((fall.velocity() - v).norm(), 64 * k * kEpsilon * start.norm())
              << dimension << " " << rule.scheme << " " << rule.theta << " z = " << z;
          ASSERT_NEAR(fall.spin(), w, 64 * k * kEpsilon * spin);
        }
      }
}

// A body that falls at g/c falls on so, and no slower: in every scheme, at any h c. One that
// starts at rest comes to that speed.
TEST(Drag, TheTerminalVelocityIsExact) {
  const Real c = 5, terminal = kG / c;
  for (const int dimension : {2, 3})
    for (const Real h : {0.01, 0.2, 2.0})
      for (const test::ThetaRule& rule : test::theta_rules)
        for (const bool is_at_rest : {true, false}) {
          Dragged fall(dimension, c, 0);
          fall.body = fall.add_sphere(0.1, Vec3::Zero());
          if (!is_at_rest) fall.state.velocity[fall.body].y() = -terminal;
          const auto scheme = rule.make(fall.model);
          const int steps = is_at_rest ? static_cast<int>(std::max(8 / h, Real(200))) : 20;
          for (int k = 0; k < steps; ++k)
            ASSERT_TRUE(scheme->step(fall.state, h).is_certified()) << rule.scheme;
          EXPECT_NEAR(fall.velocity().y(), -terminal, 64 * kEpsilon * terminal)
              << dimension << " " << rule.scheme << " " << rule.theta << " " << h;
        }
}

// y = −(g/c) (t − (1 − e^(−c t))/c): of second order by the midpoint rule and by Jean's with θ = ½,
// of first order by θ = 1; to its tolerance by event_driven, of second order by index_3.
TEST(Drag, OrdersOfConvergence) {
  const Real c = 2, end = 1, exact = -kG / c * (end - (1 - std::exp(-c * end)) / c);
  const auto error = [&](int dimension, const stepping::SchemeOptions& options, int steps) {
    Dragged fall(dimension, c, 0);
    fall.body = fall.add_sphere(0.1, Vec3::Zero());
    const auto scheme = make_scheme(fall.model, options);
    for (int k = 0; k < steps; ++k)
      EXPECT_TRUE(scheme->step(fall.state, end / steps).is_certified()) << options.scheme;
    return fall.state.position[fall.body].y() - exact;
  };
  for (const int dimension : {2, 3}) {
    for (const test::ThetaRule& rule : test::theta_rules) {
      stepping::SchemeOptions options = test::options(rule.scheme, 1e-10);
      options.theta = rule.theta;
      const Real order = std::log2(error(dimension, options, 100) / error(dimension, options, 200));
      EXPECT_NEAR(order, rule.theta == 0.5 ? 2 : 1, 0.05) << dimension << " " << rule.scheme;
    }
    if (dimension == 3) continue;  // event_driven and index_3 take machines in space
    stepping::SchemeOptions events = test::options("event_driven", 1e-10);
    events.machine.tolerance = 1e-9;
    EXPECT_NEAR(error(dimension, events, 10), 0, 1e-7);
    const stepping::SchemeOptions smooth = test::options("index_3", 1e-10);
    EXPECT_NEAR(std::log2(error(dimension, smooth, 50) / error(dimension, smooth, 100)), 2, 0.05);
  }
}

// A block on the ground: its weight rests on the ground, N = m g, at rest and sliding, whatever h c
// is; sliding, v' = ((1 − (1 − θ) h c) v − h μ g)/(1 + θ h c) until it stops, and the other way
// round where the drag turns it.
TEST(Drag, ABlockSlidesAndItsWeightRests) {
  const Real h = 1e-3, size = 0.1;
  for (const int dimension : {2, 3})
    for (const test::ThetaRule& rule : test::theta_rules)
      for (const Real c : {0.0, 3.0, 200.0, 1e6}) {
        if (std::string(rule.scheme).starts_with("anitescu")) continue;  // contacts of velocities
        Dragged block(dimension, c, c);
        block.lay_floor();
        block.body = block.add_box(Vec3(size, size / 4, size), Vec3(0, size / 4, 0));
        block.state.velocity[block.body].x() = 0.02;
        const auto scheme = rule.make(block.model);
        const Factors factors(c, h, rule.theta);
        Real v = 0.02;
        for (int k = 0; k < 15; ++k) {
          const auto report = scheme->step(block.state, h);
          ASSERT_TRUE(report.is_certified()) << rule.scheme << " " << c << ": " << report.detail;
          const Real free = factors.before * v, friction = factors.by * h * kFriction * kG;
          v = std::copysign(std::max(std::abs(free) - friction, Real(0)), free);
          ASSERT_NEAR(block.velocity().x(), v, 1e-9 * 0.02) << rule.scheme << " " << c << " " << k;
          Vec3 force = Vec3::Zero();
          for (const auto& contact : scheme->contacts())
            force += (contact.body_b == block.body ? 1 : -1) / h * contact.impulse;
          const Real weight = block.model.bodies[block.body].mass * kG;
          ASSERT_NEAR(force.y(), weight, 1e-7 * weight)
              << dimension << " " << rule.scheme << " " << c;
        }
      }
}

// A ball that rolls: (m + I/r²) v̇ = −(c m + γ I/r²) v with the drag c of its velocity and γ of its
// spin, and v = −r ω after every step, certified.
TEST(Drag, ABallRollsAgainstBothDrags) {
  const Real h = 1e-3, r = 0.1;
  for (const int dimension : {2, 3})
    for (const test::ThetaRule& rule : test::theta_rules)
      for (const auto& [c, spin] :
           {std::pair(5.0, 5.0), std::pair(0.0, 500.0), std::pair(800.0, 1.0)}) {
        Dragged ball(dimension, c, spin);
        ball.lay_floor();
        ball.body = ball.add_sphere(r, Vec3(0, r, 0));
        ball.state.velocity[ball.body].x() = 0.01;
        ball.state.angular_velocity[ball.body].z() = -0.01 / r;
        const auto scheme = rule.make(ball.model);
        const Real turning = 0.4;  // I/(m r²)
        const Factors factors((c + spin * turning) / (1 + turning), h, rule.theta);
        Real v = 0.01;
        for (int k = 0; k < 20; ++k) {
          const auto report = scheme->step(ball.state, h);
          ASSERT_TRUE(report.is_certified()) << rule.scheme << " " << c << ": " << report.detail;
          v *= factors.before;
          ASSERT_NEAR(ball.velocity().x(), v, 1e-9 * 0.01)
              << dimension << " " << rule.scheme << " " << rule.theta << " " << c << " " << k;
          ASSERT_NEAR(ball.spin(), -v / r, 1e-9 * 0.01 / r);
        }
      }
}

// m (v − v₀) = −c m (x − x₀) where the scheme moves by the mean velocity of its forces: however
// strong the drag is, the way to the stop is v₀/c.
TEST(Drag, TheWayToTheStopIsExact) {
  const Real h = 0.01, speed = 2;
  for (const int dimension : {2, 3})
    for (const test::ThetaRule& rule : test::theta_rules)
      for (const Real c : {1.0, 150.0, 1e5}) {
        Dragged body(dimension, c, 0, 0);
        body.body = body.add_sphere(0.1, Vec3::Zero());
        body.state.velocity[body.body].x() = speed;
        const auto scheme = rule.make(body.model);
        for (int k = 0; k < 30; ++k) ASSERT_TRUE(scheme->step(body.state, h).is_certified());
        EXPECT_NEAR(body.velocity().x() - speed, -c * body.state.position[body.body].x(),
                    1e-11 * speed)
            << dimension << " " << rule.scheme << " " << rule.theta << " " << c;
      }
}

// Springs, dampers and drag of any strength, together and at any step, take energy in every step:
// ΔE = −h v̄ᵀ C v̄ − (θ − ½) ‖v' − v‖², and no step loses its certificate.
RC_GTEST_PROP(Drag, NeverGivesEnergy, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  for (const int dimension : {2, 3})
    for (const test::ThetaRule& rule : test::theta_rules) {
      Random random(seed);
      const auto decades = [&](Real from, Real to) {
        return std::pow(Real(10), random.uniform(from, to));
      };
      test::Mechanism plane(0);
      test::SpatialMachineWorld space(Vec3::Zero());
      space.machine->apart.push_back({0, 1, 2});  // contacts move bodies and wind up springs
      const Real h = decades(-4, 0);
      for (int i = 0; i < 3; ++i) {
        const Real mass = decades(-2, 2), inertia = mass * decades(-3, 0);
        const Vec3 place(3 * i, random.uniform(-1, 1), 0), velocity(random.uniform(-1, 1), 1, 0);
        const Real spin = random.uniform(-1, 1);
        const Index ball = space.add_body(mass, inertia * Mat3::Identity(), place);
        space.state.velocity[ball] = velocity;
        space.state.angular_velocity[ball].z() = spin;
        const Index body = plane.add(mass, inertia, place.head<2>());
        plane.state.velocity[body] = velocity;
        plane.state.angular_velocity[body].z() = spin;
      }
      for (const auto& [a, b] : {std::pair(0, 1), std::pair(1, 2)}) {
        const Real stiffness = decades(-3, 6), damping = decades(-3, 3);
        plane.machine->forces.push_back({"cord", a + 1, b + 1,
                                         model::LineForce{Vec2::Zero(), Vec2::Zero(), stiffness, 0,
                                                          damping, model::ConstantLaw{}}});
        space.machine->forces.push_back({"cord", a, b,
                                         model::LineElement{Vec3::Zero(), Vec3::Zero(), stiffness,
                                                            0, damping, model::ConstantLaw{}}});
      }
      model::Model model = dimension == 2 ? plane.model : space.model;
      model::State state = dimension == 2 ? plane.state : space.state;
      model.linear_damping = decades(-3, 6);
      model.angular_damping = decades(-3, 6);
      const auto scheme = rule.make(model);
      const auto energy = [&] { return dynamics::energy(model, state).total(); };
      const Real start = energy();
      Real last = start;
      for (int k = 0; k < 20; ++k) {
        const auto report = scheme->step(state, h);
        if (!report.is_certified()) RC_FAIL(std::string(rule.scheme) + ": " + report.detail);
        RC_ASSERT(energy() <= last + 1e-10 * start);
        last = energy();
      }
    }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
