#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/dynamics/energy.hpp>

#include "support/mechanism.hpp"
#include "support/world.hpp"

// Moreau–Jean's θ-scheme of planar scenes: the scheme of that name in the plane, with joints.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::Mechanism;

stepping::SchemeOptions jean(Real theta = 1) {
  stepping::SchemeOptions options;
  options.scheme = "moreau_jean";
  options.theta = theta;
  return options;
}

/// Bodies over a floor y = 0; one law.
struct Floor : Mechanism {
  explicit Floor(Real friction = 0, Real restitution = 0, Real gravity = 9.81)
      : Mechanism(gravity) {
    model::InterfaceLaw surface;
    surface.friction.coefficient = friction;
    surface.impact.restitution = restitution;
    model.laws = {surface};
    model.bodies[0].shape = geometry::Plane{};
    state.orientation[0] = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
    machine->visual_only.clear();
  }
  Index add_disc(Real mass, Real radius, const Vec2& position) {
    const Index disc = add(mass, 0.4 * mass * radius * radius, position);
    model.bodies[disc].shape = geometry::Sphere{radius};
    machine->visual_only.clear();
    return disc;
  }
  Index add_box(Real mass, const Vec2& half_size, const Vec2& position, Real angle = 0) {
    const Index box = add(mass, mass * half_size.squaredNorm() / 3, position, angle);
    model.bodies[box].shape = geometry::Box{Vec3(half_size.x(), half_size.y(), half_size.y())};
    machine->visual_only.clear();
    return box;
  }
};

void run(Mechanism& mechanism, const stepping::SchemeOptions& options, Real h, int steps,
         std::vector<dynamics::Reaction>* reactions = nullptr) {
  const auto scheme = make_scheme(mechanism.model, options);
  for (int step = 0; step < steps; ++step) {
    const stepping::StepReport report = scheme->step(mechanism.state, h);
    ASSERT_TRUE(report.is_certified()) << "step " << step << ": " << report.detail;
  }
  if (reactions != nullptr)
    reactions->assign(scheme->reactions().begin(), scheme->reactions().end());
}

// Three elastic discs in a row, without weight: the first strikes the second, which strikes the
// third in the same step and stops there, for nothing had approached the third before the step. The
// step says so, and cut in two until each impact has one of its own, the motion goes through the
// row whole.
TEST(PlanarMoreauJean, SecondImpactsAreCountedAndCutApart) {
  for (const Index halvings : {0, 8}) {
    Floor world(0, 1, 0);
    std::array<Index, 3> discs{};
    for (std::size_t i = 0; i < 3; ++i)
      discs[i] = world.add_disc(1, 0.1, {(0.2 + 1e-4) * static_cast<Real>(i), 1});
    world.state.velocity[discs[0]].x() = 1;
    stepping::SchemeOptions options = jean();
    options.max_halvings = halvings;
    const auto scheme = make_scheme(world.model, options);
    Index second_impacts = 0;
    for (int step = 0; step < 5; ++step) {
      const auto report = scheme->step(world.state, 1e-3);
      ASSERT_TRUE(report.is_certified()) << report.detail;
      second_impacts += report.second_impacts;
    }
    EXPECT_EQ(second_impacts > 0, halvings == 0);
    const Real kinetic = dynamics::energy(world.model, world.state).kinetic;
    if (halvings == 0)
      EXPECT_LT(kinetic, 0.49);
    else
      EXPECT_NEAR(world.state.velocity[discs[2]].x(), 1, 1e-9);
  }
}

// A disc over a line moves as a ball over a plane does under the scheme of the same name in three
// dimensions, step for step: it falls with a spin, bounces, slides, rolls.
TEST(PlanarMoreauJean, DiscMovesAsABallDoes) {
  for (const Real theta : {1.0, 0.75, 0.5})
    for (const Real restitution : {0.0, 0.6}) {
      Floor flat(0.3, restitution);
      const Index disc = flat.add_disc(2, 0.1, {0, 0.3});
      test::World solid(0.3, restitution, Vec3(0, -9.81, 0));
      solid.add_floor(flat.state.orientation[0]);
      const Index ball = solid.add_sphere(0.1, Vec3(0, 0.3, 0));
      solid.model.bodies[ball].mass = 2;
      solid.model.bodies[ball].inertia = 0.4 * 2 * 0.01 * Mat3::Identity();
      for (model::State* state : {&flat.state, &solid.state}) {
        state->velocity[1] = {1, -0.5, 0};
        state->angular_velocity[1] = {0, 0, 20};
      }
      const auto scheme = make_scheme(solid.model, jean(theta));
      const auto planar = make_scheme(flat.model, jean(theta));
      for (int step = 0; step < 600; ++step) {
        ASSERT_TRUE(scheme->step(solid.state, 2e-3).is_certified());
        ASSERT_TRUE(planar->step(flat.state, 2e-3).is_certified());
        ASSERT_NEAR((solid.state.position[ball] - flat.state.position[disc]).norm(), 0, 1e-10)
            << "theta " << theta << ", restitution " << restitution << ", step " << step;
        ASSERT_NEAR(solid.state.angular_velocity[ball].z(), flat.state.angular_velocity[disc].z(),
                    1e-8);
      }
    }
}

// A disc that would fly through a thin wall in one step stops at it: what is open takes part if it
// can close.
TEST(PlanarMoreauJean, NothingIsFlownThrough) {
  Floor room(0, 0, 0);
  const Index wall = room.add_box(1, {0.005, 1}, {2, 1});
  room.model.bodies[wall].kind = model::BodyKind::fixed;
  const Index disc = room.add_disc(1, 0.05, {0, 1});
  room.state.velocity[disc] = {1000, 0, 0};
  run(room, jean(), 1e-2, 3);
  EXPECT_NEAR(room.state.position[disc].x(), 2 - 0.005 - 0.05, 1e-12);
  EXPECT_NEAR(room.state.velocity[disc].x(), 0, 1e-12);
}

stepping::SchemeOptions named(const char* scheme) {
  stepping::SchemeOptions options = jean();
  options.scheme = scheme;
  return options;
}

// Bodies that slide or roll over a hundred flush tiles move as over one line: a corner foresees no
// contact with the hidden side of the next tile. In every scheme that holds gaps closed, at any θ,
// and where a step ends just past a seam within the depth that is left alone. What a tolerance
// leaves of the rates is no more at the hundredth tile. The midpoint rule damps nothing: rounding
// grows there, by what a body that is d deep can fall through, √(2 g d).
TEST(PlanarSchemes, SeamsOfFlushTilesAreNotFelt) {
  constexpr Real kTile = 0.1, kRadius = 0.05, h = 1e-3;
  for (const stepping::SchemeOptions& named_options :
       {jean(1), jean(0.5), named("moreau_midpoint"), named("stewart_trinkle"),
        named("anitescu_potra_stabilised")})
    for (const bool is_disc : {false, true})
      for (const Real speed : {0.3, 2.0, 23.7})
        for (const auto& [depth, tolerance] :
             {std::pair(0.0, 1e-11), std::pair(1e-5, 1e-11), std::pair(1e-5, 1e-6)}) {
          stepping::SchemeOptions options = named_options;
          options.solver.tolerance = tolerance;
          Floor tiles(is_disc ? 0.5 : 0), line(is_disc ? 0.5 : 0);
          tiles.state.position[0].y() = -1;
          for (int k = 0; k < 100; ++k) {
            const Index tile =
                tiles.add_box(1, {kTile / 2, kTile / 2}, {(k + 0.5) * kTile, -kTile / 2});
            tiles.model.bodies[tile].kind = model::BodyKind::fixed;
          }
          const Real start = 4 * kTile - kRadius - 10 * speed * h + 1e-7;
          const int steps = std::min(1000, static_cast<int>((98 * kTile - start) / (speed * h)));
          for (Floor* world : {&tiles, &line}) {
            const Vec2 at(start, kRadius - depth);
            const Index body = is_disc ? world->add_disc(1, kRadius, at)
                                       : world->add_box(1, {kRadius, kRadius}, at);
            world->state.velocity[body].x() = speed;
            if (is_disc) world->state.angular_velocity[body].z() = -speed / kRadius;
            run(*world, options, h, steps);
          }
          const Vec3 over_tiles = tiles.state.velocity.back(),
                     over_line = line.state.velocity.back();
          const bool may_fall = options.scheme == "moreau_midpoint" && depth > 0;
          const Real off =
              std::max(1e-9, tolerance) * speed + (may_fall ? std::sqrt(2 * 9.81 * depth) : 0);
          EXPECT_LE((over_tiles - over_line).norm(), off)
              << options.scheme << ", θ = " << options.theta << ": " << (is_disc ? "disc" : "box")
              << " at " << speed << " m/s, depth " << depth << ": " << over_tiles.transpose();
          EXPECT_LE((tiles.state.position.back() - line.state.position.back()).norm(),
                    off * steps * h)
              << options.scheme << ", θ = " << options.theta << ": " << (is_disc ? "disc" : "box")
              << " at " << speed << " m/s, depth " << depth << ", tolerance " << tolerance;
        }
}

// Bodies that pass each other 0.1 mm apart, without gravity, feel nothing of it at any speed.
TEST(PlanarMoreauJean, BodiesThatPassFeelNothing) {
  for (const bool is_disc : {false, true})
    for (const Real speed : {1.0, 10.0, 100.0})
      for (const Real phase : {0.0, 0.31, 0.77}) {
        Floor room(0.5, 0, 0);
        room.state.position[0].y() = -10;
        const Index box = room.add_box(1, {0.05, 0.05}, {0, -0.05});
        const Vec2 at(-0.3 - phase * speed * 1e-3, 0.0501);
        const Index passing =
            is_disc ? room.add_disc(1, 0.05, at) : room.add_box(1, {0.05, 0.05}, at);
        room.state.velocity[passing].x() = speed;
        run(room, jean(), 1e-3, 1 + static_cast<int>(0.6 / (speed * 1e-3)));
        EXPECT_LE((room.state.velocity[passing] - Vec3(speed, 0, 0)).norm(), 1e-9 * speed)
            << (is_disc ? "disc" : "box") << " at " << speed << " m/s, phase " << phase;
        EXPECT_LE(room.state.velocity[box].norm(), 1e-9 * speed);
      }
}

// A blow goes through a row within one step: what nothing approached at the start is added when it
// is reached. Plastic balls then go on together with the momentum of the first.
TEST(PlanarMoreauJean, BlowGoesThroughARow) {
  Floor row(0, 0, 0);
  std::vector<Index> balls;
  for (int k = 0; k < 4; ++k) balls.push_back(row.add_disc(1, 0.1, {0.21 * k, 1}));
  row.state.velocity[balls[0]] = {40, 0, 0};
  const auto scheme = make_scheme(row.model, jean());
  Real momentum = 0;
  ASSERT_TRUE(scheme->step(row.state, 1e-2).is_certified());
  for (std::size_t k = 0; k < balls.size(); ++k) {
    momentum += row.state.velocity[balls[k]].x();
    if (k > 0) {
      EXPECT_GE(row.state.position[balls[k]].x() - row.state.position[balls[k - 1]].x(),
                0.2 - 1e-12)
          << k;
    }
  }
  EXPECT_NEAR(momentum, 40, 1e-12);
}

// While a contact is deeper than the slop, each step takes back the share asked for of what is
// deeper than half of it, by a displacement without velocity; then it stays.
TEST(PlanarMoreauJean, PenetrationIsTakenBack) {
  Floor floor;
  const Index disc = floor.add_disc(1, 0.1, {0, 0.09});
  stepping::SchemeOptions options = jean();
  options.error_reduction = 0.25;
  options.slop = 0.02;  // 2 mm here
  const auto scheme = make_scheme(floor.model, options);
  Real depth = 0.01;
  for (int step = 0; step < 60; ++step) {
    ASSERT_TRUE(scheme->step(floor.state, 1e-2).is_certified());
    if (depth > 0.002) depth -= 0.25 * (depth - 0.001);
    ASSERT_NEAR(0.1 - floor.state.position[disc].y(), depth, 1e-13);
    ASSERT_EQ(floor.state.velocity[disc], Vec3(0, 0, 0)) << step;
  }
  EXPECT_LE(depth, 0.002);
}

// Plastic bodies without weight that start inside each other never gain kinetic energy, at any
// step, in any scheme: velocities end overlaps, displacements take them back.
class PlanarOverlap : public testing::TestWithParam<const char*> {};

TEST_P(PlanarOverlap, AtTheStartGivesNoKineticEnergy) {
  stepping::SchemeOptions options = jean();
  options.scheme = GetParam();
  options.solver.tolerance = 1e-9;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Floor heap(random.uniform(0, 1), 0, 0);
    for (int k = 0; k < 6; ++k) {
      const Vec2 place(random.uniform(-0.1, 0.1), random.uniform(0.05, 0.2));
      const Index body = k % 2 == 0 ? heap.add_disc(1, 0.08, place)
                                    : heap.add_box(1.5, {0.1, 0.05}, place, random.uniform(-1, 1));
      heap.state.velocity[body] = {random.uniform(-1, 1), random.uniform(-1, 1), 0};
      heap.state.angular_velocity[body] = {0, 0, random.uniform(-5, 5)};
    }
    const Real h = std::pow(10, random.uniform(-4, -2));
    const auto scheme = make_scheme(heap.model, options);
    const Real start = dynamics::energy(heap.model, heap.state).kinetic;
    for (int k = 0; k < 50; ++k) {
      const Real before = dynamics::energy(heap.model, heap.state).kinetic;
      const auto report = scheme->step(heap.state, h);
      ASSERT_LE(dynamics::energy(heap.model, heap.state).kinetic - before, 1e-9 * start)
          << "step " << k << ", h " << h << ' ' << report.detail;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, PlanarOverlap,
                         testing::Values("moreau_jean", "moreau_midpoint", "stewart_trinkle",
                                         "anitescu_potra_stabilised"),
                         [](const auto& test) { return std::string(test.param); });

// A ball that fits between two walls and flies at one of them cannot rebound, as the other is
// there: restitution has no answer, and the largest coefficient that has one is 0.
TEST(PlanarMoreauJean, RestitutionYieldsWhereNothingCanRebound) {
  Floor floor(0.3, 0.5, 0);
  floor.model.bodies[floor.add_box(1, {1, 0.1}, {0, 0.3})].kind = model::BodyKind::fixed;
  const Index ball = floor.add_disc(1, 0.1, {0, 0.1});
  floor.state.velocity[ball] = {0, -1, 0};
  run(floor, jean(), 1e-3, 3);
  EXPECT_NEAR(floor.state.velocity[ball].y(), 0, 1e-12);
}

// A disc that rolls off the top of a fixed disc: both rows of the contact turn. With ψ the angle of
// the centres from the vertical, (3/2) (R + r) ψ̈ = g sin ψ for J = m r²/2. Angle and energy are of
// second order in moreau_midpoint.
TEST(PlanarMoreauMidpoint, RollingOverADiscIsOfSecondOrder) {
  constexpr Real kBig = 0.3, kSmall = 0.1, kReach = kBig + kSmall, kStart = 0.1, kTime = 0.4;
  const Real k = 9.81 / (1.5 * kReach);
  Real exact = kStart, rate = 0;
  const int fine = 40000;
  for (int i = 0; i < fine; ++i) {  // leapfrog
    const Real h = kTime / fine;
    rate += h / 2 * k * std::sin(exact);
    exact += h * rate;
    rate += h / 2 * k * std::sin(exact);
  }
  std::vector<Real> angles, energies;
  for (const int steps : {100, 200, 400}) {
    Floor scene(2);
    scene.model.bodies[scene.add_disc(1, kBig, {0, 0})].kind = model::BodyKind::fixed;
    scene.model.bodies[0].shape = geometry::Sphere{1e-3};
    scene.state.position[0] = {5, 0, 0};
    const Index disc = scene.add_disc(1, kSmall, kReach * Vec2(std::sin(kStart), std::cos(kStart)));
    scene.model.bodies[disc].inertia = 0.5 * kSmall * kSmall * Mat3::Identity();
    const Real before = dynamics::energy(scene.model, scene.state).total();
    stepping::SchemeOptions options = jean();
    options.scheme = "moreau_midpoint";
    run(scene, options, kTime / steps, steps);
    const Vec3 at = scene.state.position[disc];
    angles.push_back(std::abs(std::atan2(at.x(), at.y()) - exact));
    energies.push_back(std::abs(dynamics::energy(scene.model, scene.state).total() - before));
    EXPECT_NEAR(at.norm(), kReach, 1e-3 * kSmall);
  }
  for (const std::vector<Real>& errors : {angles, energies}) {
    EXPECT_NEAR(errors[0] / errors[1], 4, 1);
    EXPECT_NEAR(errors[1] / errors[2], 4, 1);
  }
}

// A sliding rod that strikes the floor with one end gains no energy by Newton's law with friction,
// in either scheme; as given it does.
TEST(PlanarMoreau, RodReboundsWithoutGainingEnergy) {
  for (const char* scheme_name : {"moreau_jean", "moreau_midpoint"})
    for (const char* law : {"bounded", "as_given"}) {
      Real most = 0;
      for (int k = 0; k < 60; ++k) {
        Floor floor(1, 0.9, 0);
        const Real tilt = 0.2 + 0.12 * (k % 10);
        const Real height = 0.5 * std::sin(tilt) + 0.02 * std::cos(tilt) + 1e-4;
        const Index rod = floor.add_box(1, {0.5, 0.02}, {0, height}, tilt);
        floor.state.velocity[rod] = {-2.0 + 0.8 * (k / 10), -1, 0};
        stepping::SchemeOptions options = jean();
        options.scheme = scheme_name;
        options.machine.restitution = law;
        const Real before = dynamics::energy(floor.model, floor.state).kinetic;
        const auto scheme = make_scheme(floor.model, options);
        for (int step = 0; step < 2; ++step)
          ASSERT_TRUE(scheme->step(floor.state, 1e-3).is_certified()) << law << k;
        most = std::max(most, dynamics::energy(floor.model, floor.state).kinetic / before - 1);
      }
      if (law == std::string("bounded"))
        EXPECT_LE(most, 1e-5) << scheme_name;  // ten times the tolerance of the step
      else
        EXPECT_GT(most, 0.05) << scheme_name;
    }
}

// Tangential restitution is of impacts: a superball that comes back with reversed slip; what slides
// on a floor comes to rest and is not thrown back.
TEST(PlanarMoreauJean, TangentialRestitutionIsOfImpacts) {
  Floor floor(10, 0.8, 0);
  floor.model.laws[0].impact.tangential_restitution = 0.6;
  const Index ball = floor.add_disc(1, 0.1, {0, 0.1005});
  floor.state.velocity[ball] = {0.5, -1, 0};
  floor.state.angular_velocity[ball] = {0, 0, 3};
  run(floor, jean(), 1e-3, 2);
  const auto slip = [&] {
    return floor.state.velocity[ball].x() + 0.1 * floor.state.angular_velocity[ball].z();
  };
  EXPECT_NEAR(floor.state.velocity[ball].y(), 0.8, 1e-12);
  EXPECT_NEAR(slip(), -0.6 * (0.5 + 0.1 * 3), 1e-12);

  Floor rest(0.1, 0, 10);
  rest.model.laws[0].impact.tangential_restitution = 0.6;
  const Index disc = rest.add_disc(1, 0.1, {0, 0.1});
  rest.model.bodies[disc].inertia *= 1e6;  // it slides
  rest.state.velocity[disc] = {1, 0, 0};
  run(rest, jean(), 3e-3, 333);
  EXPECT_NEAR(rest.state.velocity[disc].x(), 1e-3, 1e-6);
  run(rest, jean(), 3e-3, 1);
  EXPECT_NEAR(rest.state.velocity[disc].x() + 0.1 * rest.state.angular_velocity[disc].z(), 0, 1e-12)
      << "not thrown back";
}

// A disc that cannot roll slides up an incline with μ < tan α < μ₀: where it turns round it is at
// rest for an instant, and there it stays.
TEST(PlanarMoreau, WhatTurnsRoundSticks) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"})
    for (const Real static_friction : {0.3, 0.9}) {
      Floor incline(0.3, 0, 0);
      incline.model.laws[0].friction.kind = model::CoulombFriction{static_friction};
      incline.model.gravity = 9.81 * Vec3(-0.5, -std::sqrt(0.75), 0);  // 30°: tan α = 0.577
      const Index block = incline.add_disc(1, 0.1, {0, 0.1});
      incline.model.bodies[block].inertia *= 1e9;
      incline.state.velocity[block] = {1, 0, 0};
      stepping::SchemeOptions options = jean();
      options.scheme = scheme;
      run(incline, options, 1e-3, 1000);
      if (static_friction > 0.577)
        EXPECT_NEAR(incline.state.velocity[block].x(), 0, 1e-7) << scheme;
      else
        EXPECT_LT(incline.state.velocity[block].x(), -1) << scheme << " slides back";
    }
}

// A pendulum: angle and pin force, the centripetal one included, are of first order.
TEST(PlanarMoreauJean, PendulumIsOfFirstOrder) {
  // m l φ̇² + m g sin φ' at the angle φ' below the horizontal, released there: 3 m g sin φ' at the
  // middle of the bar, l/2: the pin bears (5/2 sin φ', 1/4 cos φ') m g along and across the bar.
  const auto run_of = [](Real theta, int steps) {
    Mechanism pendulum;
    const Index bar = pendulum.add_bar(1, Vec2::Zero(), Vec2(1, 0));
    pendulum.add_pin(0, bar, Vec2::Zero());
    std::vector<dynamics::Reaction> reactions;
    run(pendulum, jean(theta), 0.4 / steps, steps, &reactions);
    EXPECT_LT(pendulum.at(bar, {-0.5, 0}).norm(), 1e-11) << "projected";
    const Real below = -pendulum.angle(bar);
    const Real speed = std::sqrt(3 * 9.81 * std::sin(below));
    return std::array<Real, 2>{
        std::abs(pendulum.state.angular_velocity[bar].z() + speed),
        std::abs(reactions[0].force.norm() -
                 9.81 * std::hypot(2.5 * std::sin(below), 0.25 * std::cos(below)))};
  };
  for (const Real theta : {1.0, 0.7}) {
    const auto coarse = run_of(theta, 100), fine = run_of(theta, 200), finest = run_of(theta, 400);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(std::log2(coarse[k] / fine[k]), 1, 0.1) << "theta " << theta << ", " << k;
      EXPECT_NEAR(std::log2(fine[k] / finest[k]), 1, 0.1) << "theta " << theta << ", " << k;
    }
  }
}

// A driven crank: the motor that speeds a wheel up evenly gives the torque J α, in every step.
TEST(PlanarMoreauJean, MotorGivesTheTorqueOfTheWheel) {
  Mechanism wheel(0);
  const Index rotor = wheel.add(3, 0.2, {0, 0});
  wheel.add_pin(0, rotor, {0, 0});
  wheel.add_motor(0, rotor, 0);
  wheel.machine->drives[0].law = model::RampLaw{0, 5};  // rad/s²
  std::vector<dynamics::Reaction> reactions;
  run(wheel, jean(), 1e-2, 50, &reactions);
  EXPECT_NEAR(wheel.state.angular_velocity[rotor].z(), 2.5, 1e-10);
  EXPECT_NEAR(reactions[1].moment.z(), 0.2 * 5, 1e-9);
}

// Forty discs that touch and drift together without a force: their velocities differ in the last
// bits, and what is left of the law of contacts is rounding, which is no residual.
TEST(PlanarMoreauJean, RoundingIsNoResidual) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    Random random(20261124);
    Floor heap(0.3, 0.5);
    heap.model.gravity.setZero();
    const Eigen::Rotation2D<Real> turned(0.576);
    for (int k = 0; k < 40; ++k) {
      const Vec2 place(0.2 * (k % 10) + 0.1 * (k / 10 % 2), 0.1 * std::sqrt(3) * (k / 10));
      const Index disc = heap.add_disc(1, 0.1, Vec2(0, 5) + turned * place);
      for (Index i = 0; i < 2; ++i)
        heap.state.velocity[disc][i] = (1.1 - 0.7 * i) * (1 + random.uniform(-2e-15, 2e-15));
    }
    stepping::SchemeOptions options = jean();
    options.scheme = scheme;
    options.solver.tolerance = 1e-4;
    const auto drifting = make_scheme(heap.model, options);
    for (int step = 0; step < 100; ++step) {
      const stepping::StepReport report = drifting->step(heap.state, 1e-3);
      ASSERT_TRUE(report.is_certified()) << scheme << step << report.detail;
      ASSERT_EQ(report.certificate.natural_map, 0) << scheme << step;
    }
  }
}

// Discs and boxes that fall into a heap, plastic, with friction: ΔE = u'·r − ½‖v' − v‖² ≤ 0 in a
// step with θ = 1 whose penetrations are left alone (taking them back is work). Every step is
// certified; at the end all is at rest and floor and walls bear the weight. A few bodies, whose
// contacts are solved by Lemke's method, and many, by the contact solvers.
/// @param rests out: whether the last step takes no more iterations than there are bodies: what the
/// step before bore is borne again.
void drop_a_heap(int bodies, int steps, std::uint64_t seed, bool& rests) {
  Random random(seed);
  Floor heap(0.5);
  for (const Real x : {-0.6, 0.6})
    heap.model.bodies[heap.add_box(1, {0.2, 2}, {x, 1.5})].kind = model::BodyKind::fixed;
  Real weight = 0;
  for (int k = 0; k < bodies; ++k) {
    const Vec2 place(random.uniform(-0.05, 0.05), 0.15 + 0.25 * k);
    const Real angle = random.uniform(-1, 1);
    k % 2 == 0 ? heap.add_disc(1, 0.08, place) : heap.add_box(1.5, {0.1, 0.05}, place, angle);
    weight += 9.81 * (k % 2 == 0 ? 1 : 1.5);
  }
  stepping::SchemeOptions options = jean();
  options.error_reduction = 0;
  options.solver.tolerance = 1e-9;
  const auto scheme = make_scheme(heap.model, options);
  Real energy = dynamics::energy(heap.model, heap.state).total();
  constexpr Real h = 2e-3;
  Index iterations = 0;
  for (int step = 0; step < steps; ++step) {
    const stepping::StepReport report = scheme->step(heap.state, h);
    ASSERT_TRUE(report.is_certified()) << step << ": " << report.detail;
    ASSERT_LE(report.energy.total() - energy, 1e-9 * energy) << step;  // as certified
    energy = report.energy.total();
    iterations = report.iterations;
  }
  Real borne = 0;
  for (const stepping::StepContact& contact : scheme->contacts())
    if (contact.body_a <= 2) borne += contact.impulse.y() / h;
  EXPECT_NEAR(borne, weight, 1e-3 * weight);
  for (const Vec3& v : heap.state.velocity) EXPECT_LT(v.norm(), 1e-3);
  rests = iterations <= bodies;
}

// Which of the answers a heap ends with is chance: some creep by what the tolerance leaves, and are
// solved in each step (of ten seeds six).
TEST(PlanarMoreauJean, SmallHeapComesToRest) {
  int at_rest = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    bool rests = false;
    drop_a_heap(14, 1500, seed, rests);
    at_rest += rests ? 1 : 0;
  }
  EXPECT_GE(at_rest, 2);
}
TEST(PlanarMoreauJean, LargeHeapComesToRest) {
  bool rests = false;
  drop_a_heap(60, 2500, 20261122, rests);
  EXPECT_TRUE(rests);
}

/// A disc on the floor in front of a wedge at x > 0 whose side rises at 45°, which comes at 1 m/s.
struct Wedged : Floor {
  Index disc, wedge, other;
  explicit Wedged(Real friction) : Floor(friction) {
    disc = add_disc(1, 0.1, {0, 0.1});
    // Its lower side faces down: the disc is pressed into the floor and cannot give way.
    wedge = add_box(1, {1, 0.05}, {0.15 * std::sqrt(0.5), 0.1 + 0.15 * std::sqrt(0.5)},
                    -0.78539816339744831);
    model.bodies[wedge].kind = model::BodyKind::kinematic;
    state.velocity[wedge] = {-1, 0, 0};
    other = add_disc(1, 0.1, {-3, 0.1});
    model.groups.clear();
    for (const char* name : {"floor", "disc", "wedge", "other"})
      model.groups.push_back({name, static_cast<Index>(model.groups.size()), 1, false});
  }
};

// A wedge that closes at 45° over a disc: without friction it flies out at 1 m/s, or more. With μ =
// 1 > tan 22.5° its two friction cones hold the line between its contacts, and no impulses let it
// go (as a grain in a nip: the angle of bite). With a wall behind it there are none for any μ. The
// step says which, and whom it concerns; a disc elsewhere rests all the while.
TEST(PlanarMoreauJean, SaysWhoIsSqueezed) {
  const auto step = [](Wedged& scene) {
    const auto scheme = make_scheme(scene.model, jean());
    const stepping::StepReport report = scheme->step(scene.state, 1e-3);
    EXPECT_LT(scene.state.velocity[scene.other].norm(), 1e-12);
    return report;
  };
  Wedged free(0);
  EXPECT_TRUE(step(free).is_certified());
  EXPECT_LE(free.state.velocity[free.disc].x(), -1 + 1e-9);

  Wedged bitten(1);
  stepping::StepReport report = step(bitten);
  EXPECT_FALSE(report.is_certified());
  EXPECT_NE(report.detail.find("friction jams what a prescribed body presses, disc and wedge:"),
            std::string::npos)
      << report.detail;
  EXPECT_NE(report.lcp.unsolved, nullptr);

  Wedged walled(0);
  const Index wall = walled.add_box(1, {0.1, 1}, {-0.2, 1});
  walled.model.bodies[wall].kind = model::BodyKind::fixed;
  walled.model.groups.push_back({"wall", wall, 1, false});
  report = step(walled);
  EXPECT_FALSE(report.is_certified());
  for (const char* who : {"floor and disc", "disc and wedge", "disc and wall", "no motion"})
    EXPECT_NE(report.detail.find(who), std::string::npos) << report.detail;
  EXPECT_EQ(report.detail.find("other"), std::string::npos) << report.detail;
}

// A law that the 3-D scheme alone knows is refused, and so is Poisson's.
TEST(PlanarMoreauJean, RefusesWhatItDoesNotKnow) {
  Floor floor;
  EXPECT_EQ(unsupported(floor.model, jean()), "");
  stepping::SchemeOptions options = jean();
  options.law = problem::FrictionLaw::cone_complementarity;
  EXPECT_NE(unsupported(floor.model, options).find("cone_complementarity"), std::string::npos);
  options = jean();
  options.sleeping = true;
  EXPECT_NE(unsupported(floor.model, options).find("sleeping"), std::string::npos);
  floor.model.laws[0].impact.is_poisson = true;
  EXPECT_NE(unsupported(floor.model, jean()).find("Newton's impact law only"), std::string::npos);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
