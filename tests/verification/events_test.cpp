#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>

#include <talus/dynamics/planar_bodies.hpp>

#include "support/machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using stepping::EventKind;
using test::coulomb;
using test::MachineWorld;

// A ball that falls from 1 m and loses a share of its speed at each of infinitely many impacts
// rests after t = √(2h/g) (1 + e)/(1 − e): 1.354570923 s for e = 0.5, 4.063712769 s for e = 0.8.
TEST(Events, BouncingBallRestsAtItsAccumulationPoint) {
  for (const auto& [e, rests_at] : {std::pair(0.5, 1.354570923), std::pair(0.8, 4.063712769)}) {
    MachineWorld world(coulomb(0, 0, e));
    world.add_line();
    const Index ball = world.add_body(geometry::Sphere{0.1}, 2, 0.01, {0, 1.1});
    ASSERT_TRUE(world.run(5, 0.01)) << world.last.detail;
    const auto* end = world.first(EventKind::accumulation);
    ASSERT_NE(end, nullptr);
    const Real exact = std::sqrt(2 / 9.81) * (1 + e) / (1 - e);
    EXPECT_NEAR(exact, rests_at, 1e-9);
    EXPECT_NEAR(end->time, exact, 1e-9 * exact) << "e " << e;
    EXPECT_NEAR(world.state.position[ball].y(), 0.1, 1e-10);
    EXPECT_LT(world.state.velocity[ball].norm(), 1e-12);
    const auto* impact = world.first(EventKind::impact);
    ASSERT_NE(impact, nullptr);
    EXPECT_NEAR(impact->time, std::sqrt(2 / 9.81), 1e-12);
    EXPECT_NEAR(impact->impulse.x(), 2 * (1 + e) * std::sqrt(2 * 9.81), 1e-10);
  }
}

// A block on an incline of 20° thrown uphill with 3 m/s stops after v²/(2g(sin + μ cos)) =
// 0.59972088 m at 0.39981392 s, and stays there as tan 20° < μ₀.
TEST(Events, BlockStopsOnAnInclineAndStays) {
  const Real angle = 20 * std::numbers::pi / 180;
  MachineWorld world(coulomb(0.45, 0.6));
  world.add_line(angle);
  const Vec2 along(std::cos(angle), std::sin(angle)), up(-along.y(), along.x());
  const Vec2 start = 0.05 * up;
  const Index block = world.add_body(geometry::Box{{0.1, 0.05, 0.1}}, 1, 0.01, start, angle);
  world.state.velocity[block] = {3 * along.x(), 3 * along.y(), 0};
  ASSERT_TRUE(world.run(1, 0.05)) << world.last.detail;
  const auto* stop = world.first(EventKind::stick);
  ASSERT_NE(stop, nullptr);
  EXPECT_NEAR(stop->time, 0.39981392, 1e-8);
  const Vec2 moved = world.state.position[block].head<2>() - start;
  EXPECT_NEAR(moved.dot(along), 0.59972088, 1e-8);
  EXPECT_NEAR(moved.dot(up), 0, 1e-12);
  EXPECT_LT(world.state.velocity[block].norm(), 1e-12);
}

// A disc (a ball's moment of inertia, 2/5 m r²) that slides at 2 m/s with μ = 0.3 rolls from
// t = 2v/(7μg) = 0.194165332 s on, at 5/7 v.
TEST(Events, SlidingBallBeginsToRoll) {
  MachineWorld world(coulomb(0.3));
  world.add_line();
  const Real r = 0.1, m = 1.5;
  const Index ball = world.add_body(geometry::Sphere{r}, m, 0.4 * m * r * r, {0, r});
  world.state.velocity[ball] = {2, 0, 0};
  ASSERT_TRUE(world.run(0.5, 0.05)) << world.last.detail;
  const auto* stick = world.first(EventKind::stick);
  ASSERT_NE(stick, nullptr);
  EXPECT_NEAR(stick->time, 0.194165332, 1e-9);
  EXPECT_NEAR(world.state.velocity[ball].x(), 1.428571429, 1e-9);
  EXPECT_NEAR(world.state.angular_velocity[ball].z(), -10 / 0.7, 1e-8);
}

/// A block on a line, held by a spring whose rest position is x = 0; N = m g = 10 N.
struct Oscillator : MachineWorld {
  Index block = 0;
  Oscillator(const model::InterfaceLaw& surface, Real normal, bool has_belt, Real start = 0)
      : MachineWorld(surface, Vec3(0, -normal, 0)) {
    const Index line = has_belt ? add(geometry::Plane{}, model::BodyKind::kinematic, Vec3::Zero(),
                                      rotation_between(Vec3::UnitZ(), Vec3::UnitY()))
                                : add_line();
    if (has_belt) state.velocity[line] = {0.1, 0, 0};
    block = add_body(geometry::Box{{0.1, 0.05, 0.1}}, 1, 1, {start, 0.05});
    const Index wall = add(geometry::Sphere{0.01}, model::BodyKind::fixed, {-1, 0.05, 0});
    model::LineForce spring;
    spring.stiffness = 100;
    spring.rest_length = 1;
    machine->forces.push_back({"spring", wall, block, spring});
  }
};

// A block on a belt that moves at 0.1 m/s, held by a spring: after the first stick every slip takes
// 0.406888787 s and every stick 0.4 s; it turns back at x = 0.0176393202 and 0.0623606798 m.
TEST(Events, BlockOnABeltSticksAndSlips) {
  Oscillator world(coulomb(0.4, 0.6), 10, true);
  Real low = 1, high = 0;
  ASSERT_TRUE(world.run(2, 0.05)) << world.last.detail;
  const auto* stick = world.first(EventKind::stick, 1);
  ASSERT_NE(stick, nullptr);
  const auto* slip = world.first(EventKind::slip, stick->time);
  ASSERT_NE(slip, nullptr);
  EXPECT_NEAR(slip->time - stick->time, 0.4, 1e-9);
  // x̂ = x − 0.04 turns where its speed is zero: from 0.02 at 0.1 m/s, amplitude √(4e-4 + 1e-4).
  const Real from = slip->time;
  const Real turn = from + 0.8068887875 + std::atan2(0.1, 0.2) / 10;
  ASSERT_TRUE(world.run(turn - 2, 0.05));
  high = world.state.position[world.block].x();
  ASSERT_TRUE(world.run(std::numbers::pi / 10, 0.05));
  low = world.state.position[world.block].x();
  EXPECT_NEAR(high, 0.0623606798, 1e-9);
  EXPECT_NEAR(low, 0.0176393202, 1e-9);
  ASSERT_TRUE(world.run(0.5, 0.05));
  const auto* next = world.first(EventKind::slip, from + 0.1);
  const auto* again = world.first(EventKind::stick, from + 0.1);
  ASSERT_NE(next, nullptr);
  EXPECT_NEAR(again->time - from, 0.406888787, 1e-9);
  EXPECT_NEAR(next->time - from, 0.806888787, 1e-9);
}

// Dry friction takes 2 μ g m/k from every half swing: from 0.1 m the block comes to rest at −0.0019
// m after 5 half periods, 1.570796327 s, where the spring is weaker than μ₀ N.
TEST(Events, DryOscillatorComesToRest) {
  Oscillator world(coulomb(0.1, 0.15), 9.81, false, 0.1);
  ASSERT_TRUE(world.run(3, 0.1)) << world.last.detail;
  const auto* rest = world.first(EventKind::stick);
  ASSERT_NE(rest, nullptr);
  EXPECT_NEAR(rest->time, 1.570796327, 1e-9);
  EXPECT_NEAR(world.state.position[world.block].x(), -0.0019, 1e-10);
  EXPECT_EQ(world.count(EventKind::reversal), 8);  // 4 turns, 2 corners
  EXPECT_LT(world.state.velocity[world.block].norm(), 1e-14);
}

// A slender block, 0.5 × 2, that rocks from corner to corner keeps 1 − (3/2) sin² α of its rate at
// every inelastic impact, tan α = 1/4: 0.911764706, and the square of it, 0.831314879, of its
// energy.
TEST(Events, RockingBlockLosesItsShareAtEveryImpact) {
  MachineWorld world(coulomb(1));
  world.add_line();
  const Vec2 half(0.25, 1);
  const Real tilt = 0.05;
  const Eigen::Rotation2D<Real> turn(tilt);
  const Index block = world.add_body(geometry::Box{{half.x(), half.y(), 0.1}}, 3,
                                     half.squaredNorm(), turn * half, tilt);
  ASSERT_TRUE(world.run(2, 0.05)) << world.last.detail;
  Index seen = 0;
  Real rate_before = 0;
  for (const auto& event : world.events) {
    if (event.kind != EventKind::impact) continue;
    const Real before = event.v_before[3 * block + 2], after = event.v_after[3 * block + 2];
    EXPECT_NEAR(after / before, 0.911764706, 1e-9);
    EXPECT_NEAR(after * after / (before * before), 0.831314879, 1e-9);
    if (seen > 0) {
      EXPECT_NEAR(std::abs(before), std::abs(rate_before), 1e-8);
    }
    rate_before = after;
    ++seen;
  }
  EXPECT_GE(seen, 3);
}

// It comes to rest on both corners, after infinitely many impacts, at a time that the sum of its
// half swings gives.
TEST(Events, RockingBlockComesToRest) {
  MachineWorld world(coulomb(1));
  world.add_line();
  const Vec2 half(0.25, 1);
  const Real tilt = 0.02;
  const Index block =
      world.add_body(geometry::Box{{half.x(), half.y(), 0.1}}, 3, half.squaredNorm(),
                     Eigen::Rotation2D<Real>(tilt) * half, tilt);
  ASSERT_TRUE(world.run(12, 0.1)) << world.last.detail;
  ASSERT_NE(world.first(EventKind::accumulation), nullptr);
  EXPECT_NEAR(world.angle(block), 0, 1e-9);
  EXPECT_NEAR(world.state.position[block].y(), 1, 1e-9);
  EXPECT_LT(world.state.velocity[block].norm(), 1e-12);
}

// Three equal balls in a row, the first one at 1 m/s, e = 1: one impact after the other passes the
// speed on, (0, 0, 1); all at once it is shared, (−1/3, 2/3, 2/3) (Moreau).
TEST(Events, ThreeBallsInARow) {
  for (const bool one_by_one : {true, false}) {
    MachineWorld world(coulomb(0, 0, 1), Vec3::Zero());
    world.options.machine.impacts = one_by_one ? "sequential" : "simultaneous";
    std::vector<Index> balls;
    for (const Real x : {-0.25, 0.0, 0.2})
      balls.push_back(world.add_body(geometry::Sphere{0.1}, 2, 0.01, {x, 0}));
    world.state.velocity[balls[0]] = {1, 0, 0};
    ASSERT_TRUE(world.run(0.1, 0.01)) << world.last.detail;
    const std::vector<Real> expected =
        one_by_one ? std::vector<Real>{0, 0, 1} : std::vector<Real>{-1. / 3, 2. / 3, 2. / 3};
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(world.state.velocity[balls[i]].x(), expected[i], 1e-12) << one_by_one << i;
    EXPECT_NEAR(world.first(EventKind::impact)->time, 0.05, 1e-14);
  }
}

/// A ball of 1 kg that flies against a wall with 1 m/s; no gravity.
struct Bouncer : MachineWorld {
  Index ball = 0;
  explicit Bouncer(const model::NormalLaw& law) : MachineWorld({}, Vec3::Zero()) {
    model.laws[0].normal = law;
    add_line();
    ball = add_body(geometry::Sphere{0.1}, 1, 0.01, {0, 0.1 + 1e-3});
    state.velocity[ball] = {0, -1, 0};
  }
};

// Hertz, m = 1 kg, K = 1e8 N/m^1.5, v = 1 m/s: the contact lasts 2.030462037e-3 s, the force
// reaches 1811.949159 N in its middle, and the speed comes back.
TEST(Events, HertzContact) {
  Bouncer world(model::HertzNormal{1e8, 1.5});
  ASSERT_TRUE(world.run(1e-3 + 2.030462037e-3 / 2, 1e-4)) << world.last.detail;
  EXPECT_NEAR(world.scheme->forces().normal[0], 1811.949159, 1e-6 * 1811);
  ASSERT_TRUE(world.run(2e-3, 1e-4)) << world.last.detail;
  const auto* begin = world.first(EventKind::touch);
  const auto* end = world.first(EventKind::detachment);
  ASSERT_TRUE(begin != nullptr && end != nullptr);
  EXPECT_NEAR(begin->time, 1e-3, 1e-14);
  EXPECT_NEAR(end->time - begin->time, 2.030462037e-3, 1e-6 * 2e-3);
  EXPECT_NEAR(world.state.velocity[world.ball].y(), 1, 1e-8);
}

// Hunt and Crossley's damping with χ v = 0.3 gives back 0.832869792 of the speed.
TEST(Events, HuntCrossleyRestitution) {
  model::DampedNormal law;
  law.stiffness = 1e8;
  law.restitution = 0.8;  // χ v = 3 (1 − e)/2
  Bouncer world(law);
  ASSERT_TRUE(world.run(5e-3, 1e-4)) << world.last.detail;
  EXPECT_NEAR(world.state.velocity[world.ball].y(), 0.832869792, 1e-8);
}

// Friction that is smooth in the slip velocity does not hold: a block creeps down an incline at
// v = v_d artanh(tan α/μ).
TEST(Events, SmoothedFrictionCreeps) {
  const Real angle = 0.2, mu = 0.5, v_d = 1e-2;
  model::InterfaceLaw surface;
  surface.friction.coefficient = mu;
  surface.friction.kind = model::TanhFriction{v_d};
  MachineWorld world(surface);
  world.add_line(angle);
  const Vec2 along(std::cos(angle), std::sin(angle)), up(-along.y(), along.x());
  const Index block = world.add_body(geometry::Box{{0.1, 0.05, 0.1}}, 1, 0.01, 0.05 * up, angle);
  ASSERT_TRUE(world.run(0.2, 0.01)) << world.last.detail;
  EXPECT_NEAR(-world.state.velocity[block].head<2>().dot(along),
              v_d * std::atanh(std::tan(angle) / mu), 1e-10);
}

// Stribeck friction falls with speed: on a slow belt equilibrium is unstable and a limit cycle of
// stick and slip remains, whatever the start; where viscosity outweighs the fall the block comes to
// rest against the spring.
TEST(Events, StribeckFrictionKeepsTheBlockSwinging) {
  for (const bool is_damped : {false, true}) {
    model::InterfaceLaw surface;
    surface.friction.coefficient = 0.3;
    surface.friction.viscous = is_damped ? 20 : 0;
    surface.friction.kind = model::StribeckFriction{0.6, 0.2, 1};
    std::vector<Real> period;
    for (const Real start : {0.045, 0.02}) {
      Oscillator world(surface, 10, true, start);
      world.options.machine.tolerance = 1e-10;
      ASSERT_TRUE(world.run(15, 0.1)) << world.last.detail << is_damped << start;
      const auto* slip = world.first(EventKind::slip, 12);
      if (is_damped) {
        EXPECT_EQ(slip, nullptr);
        EXPECT_LT(std::abs(world.state.velocity[world.block].x()), 1e-8);
        continue;
      }
      ASSERT_NE(slip, nullptr);
      const auto* next = world.first(EventKind::slip, slip->time + 0.05);
      ASSERT_NE(next, nullptr);
      period.push_back(next->time - slip->time);
    }
    if (!is_damped) {
      EXPECT_NEAR(period[0], period[1], 1e-8);
    }
  }
}

// A block in a guide down an incline of angle α rubs with |λ|, the reaction of the guide: it slides
// with g (sin α − μ cos α) where tan α > μ₀, and is held where it is not; a preload adds its share.
TEST(Events, FrictionInAGuide) {
  for (const auto& [mu, mu0, preload] :
       {std::tuple(0.2, 0.25, 0.0), std::tuple(0.2, 0.25, 2.0), std::tuple(0.4, 0.45, 0.0)}) {
    const Real angle = 0.4, m = 2, g = 9.81, t = 0.5;
    MachineWorld world;
    const Index ground = world.add(geometry::Sphere{0.01}, model::BodyKind::fixed, Vec3::Zero());
    const Index block = world.add_body(geometry::Sphere{0.01}, m, 0.1, {0, 0});
    model::PrismaticJoint guide;
    guide.axis_A = {std::cos(angle), std::sin(angle)};
    model::JointFriction friction;
    friction.law.coefficient = mu;
    friction.law.kind = model::CoulombFriction{mu0};
    friction.preload = preload;
    world.machine->joints.push_back({"guide", ground, block, guide, friction});
    ASSERT_TRUE(world.run(t, 0.05)) << world.last.detail;
    const Real normal = m * g * std::cos(angle) + preload, pull = m * g * std::sin(angle);
    const Real a = pull > mu0 * normal ? (pull - mu * normal) / m : 0;
    EXPECT_NEAR(-world.state.position[block].head<2>().dot(guide.axis_A), a * t * t / 2, 1e-10);
    EXPECT_NEAR(std::abs(world.scheme->multipliers()[0]), m * g * std::cos(angle), 1e-9);
  }
}

// A wheel on a pin of radius r that carries its weight comes to rest under the moment r μ m g after
// J ω/(r μ m g), and stays.
TEST(Events, FrictionInAPin) {
  const Real m = 3, J = 0.06, r = 0.02, mu = 0.3, omega = 5;
  MachineWorld world;
  const Index ground = world.add(geometry::Sphere{0.01}, model::BodyKind::fixed, Vec3::Zero());
  const Index wheel = world.add_body(geometry::Sphere{0.1}, m, J, {0, 0});
  world.state.angular_velocity[wheel] = {0, 0, omega};
  model::RevoluteJoint pin;
  pin.pin_radius = r;
  model::JointFriction friction;
  friction.law.coefficient = mu;
  world.machine->joints.push_back({"pin", ground, wheel, pin, friction});
  ASSERT_TRUE(world.run(3, 0.1)) << world.last.detail;
  const auto* stick = world.first(EventKind::stick);
  ASSERT_NE(stick, nullptr);
  const Real stops = J * omega / (r * mu * m * 9.81);
  EXPECT_NEAR(stick->time, stops, 1e-10 * stops);
  EXPECT_EQ(stick->contact, -1);
  EXPECT_NEAR(world.angle(wheel), std::remainder(omega * stops / 2, 4 * std::numbers::pi), 1e-9);
  EXPECT_LT(std::abs(world.state.angular_velocity[wheel].z()), 1e-12);
}

// A beam on three pins in a row has redundant reactions: three of six constraints say nothing
// new, nothing moves, and the reactions carry the weight, the outer ones alike.
TEST(Events, RedundantConstraintsAreReported) {
  MachineWorld world;
  const Index ground = world.add(geometry::Sphere{0.01}, model::BodyKind::fixed, Vec3::Zero());
  const Index beam = world.add_body(geometry::Sphere{0.01}, 4, 1, {0, 0});
  for (const Real x : {-1.0, 0.0, 1.0}) {
    model::RevoluteJoint pin;
    pin.p_A = pin.p_B = {x, 0};
    world.machine->joints.push_back({"pin", ground, beam, pin, {}});
  }
  ASSERT_TRUE(world.run(0.1, 0.01)) << world.last.detail;
  EXPECT_EQ(world.scheme->outcome().redundant, 3);
  const VecX& lambda = world.scheme->multipliers();
  EXPECT_NEAR(lambda[1] + lambda[3] + lambda[5], 4 * 9.81, 1e-9);
  EXPECT_NEAR(lambda[1], lambda[5], 1e-9);
  EXPECT_LT(world.state.velocity[beam].norm(), 1e-12);
}

/// A slender rod of 2 m whose lower end slides on the line, at an angle.
MachineWorld sliding_rod(Real friction, Real angle, Real speed) {
  MachineWorld world(coulomb(friction));
  world.add_line();
  constexpr Real kThin = 1e-9;
  const Index rod =
      world.add_body(geometry::Box{{1, kThin, 0.1}}, 1, 1. / 3,
                     {std::cos(angle), std::sin(angle) + kThin * std::cos(angle)}, angle);
  world.state.velocity[rod] = {speed, 0, 0};
  return world;
}

// A rod that is pushed with its lower end ahead jams into the ground where friction exceeds
// (1 + 3 cos² θ)/(3 sin θ cos θ): 4/3 at 63.434949°, the smallest of all angles (Painlevé). It is
// reported there and nowhere else, and a time step leads through if asked.
TEST(Events, PainleveRodIsReported) {
  const Real angle = 63.434949 * std::numbers::pi / 180;
  const auto is_reported = [&](Real friction, Real at, Real speed) {
    MachineWorld world = sliding_rod(friction, at, speed);
    (void)world.run(1e-6, 1e-6);
    return world.last.status == problem::SolveStatus::numerical_error &&
           world.last.detail.find("Painlev") != std::string::npos;
  };
  EXPECT_FALSE(is_reported(4. / 3 - 1e-6, angle, -10));
  EXPECT_TRUE(is_reported(4. / 3 + 1e-6, angle, -10));
  EXPECT_FALSE(is_reported(4. / 3 + 1e-6, angle, 10));
  EXPECT_FALSE(is_reported(4. / 3 + 1e-6, angle + 0.1, -10));
  EXPECT_FALSE(is_reported(4. / 3 + 1e-6, angle - 0.1, -10));

  MachineWorld world = sliding_rod(1.6, angle, -10);
  world.options.machine.on_painleve = "time_step";
  ASSERT_TRUE(world.run(0.05, 1e-3)) << world.last.detail;
  EXPECT_NE(world.first(EventKind::painleve), nullptr);
  Real energy = 1e300;
  for (const auto& event : world.events) {
    EXPECT_LE(event.energy_after, energy + 1e-9);
    energy = event.energy_after;
  }
}

// Where a rod jams, an impact without a collision stops its lower end (Painlevé, Génot &
// Brogliato): the time step that leads through gives an impulse of the size of m v however short it
// is, with which the end neither slips nor parts, and energy is lost.
TEST(Events, AnImpactWithoutCollisionStopsAJammedRod) {
  std::vector<Vec2> impulses;
  for (const Real step : {1e-3, 1e-6}) {
    MachineWorld world = sliding_rod(1.6, 63.434949 * std::numbers::pi / 180, -10);
    world.options.machine.on_painleve = "time_step";
    ASSERT_TRUE(world.run(step, step)) << world.last.detail;
    const auto* through = world.first(EventKind::time_step);
    ASSERT_NE(through, nullptr);
    EXPECT_LT(through->energy_after, 0.9 * through->energy_before);
    const dynamics::PlanarBodies machine(world.model, world.state);
    dynamics::ContactTerms terms;
    Index pressed = 0;
    for (Index i = 0; i < machine.contact_count(); ++i) {
      if (machine.gap(i, through->q) > 1e-2) continue;
      ++pressed;
      machine.contact(i, through->q, through->v_before, terms);
      EXPECT_NEAR(terms.slip, -10, 0.1);
      machine.contact(i, through->q, through->v_after, terms);
      EXPECT_NEAR(terms.slip, 0, 10 * step);
      EXPECT_NEAR(terms.gap_rate, 0, 10 * step);
    }
    EXPECT_GT(pressed, 0);
    const Index rod = 1;
    impulses.push_back(world.model.bodies[rod].mass *
                       (through->v_after - through->v_before).segment<2>(3 * rod));
    EXPECT_GT(impulses.back().y(), 0.1);
  }
  EXPECT_LT((impulses[0] - impulses[1]).norm(), 0.02 * impulses[1].norm());
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
