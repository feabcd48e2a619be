#include <gtest/gtest.h>

#include <cmath>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kTolerance = 1e-11;
constexpr Real kG = 9.81;

/// Steps of h until t; every one certified.
std::unique_ptr<stepping::Scheme> run(test::World& world, Real h, int steps) {
  auto scheme = make_scheme(world.model, test::options("moreau_jean", kTolerance));
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(scheme->step(world.state, h).is_certified()) << k;
  return scheme;
}

test::World ball_on_floor(Real radius) {
  test::World world(0.5);
  world.add_floor();
  world.add_sphere(radius, Vec3(0, 0, radius));
  return world;
}

/// A floor that falls towards +x at this angle.
Quat slope(Real angle) { return Quat(Eigen::AngleAxisd(angle, Vec3::UnitY())); }

// A ball that rolls loses speed at the rate 5/7 g μ_r/R, and then lies still: the moment μ_r m g
// and the friction that keeps it from sliding.
TEST(Resistance, RollingBallStops) {
  const Real R = 0.1, resistance = 0.002, rate = 5.0 / 7 * kG * resistance / R;
  test::World world = ball_on_floor(R);
  world.model.laws[0].friction.rolling = resistance;
  world.state.velocity[1] = Vec3(0.6, 0.8, 0);
  world.state.angular_velocity[1] = Vec3(-8, 6, 0);
  run(world, 1e-3, 1000);
  EXPECT_LT((world.state.velocity[1] - (1 - rate) * Vec3(0.6, 0.8, 0)).norm(), 1e-9);
  run(world, 1e-2, 700);  // it stops at 7.14 s
  EXPECT_LT(world.state.velocity[1].norm() + world.state.angular_velocity[1].norm(), 1e-9);
}

// A ball stays on a slope if tan α < μ_r/R, and rolls down at 5/7 g (sin α − μ_r/R cos α) if not.
TEST(Resistance, BallHoldsOnASlopeUpToTheAngleOfRolling) {
  const Real R = 0.1, resistance = 0.02, limit = std::atan(resistance / R);
  for (const Real angle : {0.99 * limit, 1.1 * limit}) {
    test::World world(0.9);
    world.add_floor(slope(angle));
    world.add_sphere(R, slope(angle) * Vec3(0, 0, R));
    world.model.laws[0].friction.rolling = resistance;
    run(world, 1e-3, 500);
    const Real rate =
        5.0 / 7 * kG * std::max(Real(0), std::sin(angle) - resistance / R * std::cos(angle));
    EXPECT_LT((world.state.velocity[1] - slope(angle) * Vec3(0.5 * rate, 0, 0)).norm(), 1e-9);
  }
}

// A ball that spins about the normal loses spin at the rate 5/2 g μ_s/R², and does not move.
TEST(Resistance, SpinningBallStops) {
  const Real R = 0.1, resistance = 0.001, rate = 2.5 * kG * resistance / (R * R);
  test::World world = ball_on_floor(R);
  world.model.laws[0].friction.torsion = resistance;
  world.state.angular_velocity[1] = Vec3(0, 0, -5);
  run(world, 1e-3, 1000);
  EXPECT_LT((world.state.angular_velocity[1] - Vec3(0, 0, rate - 5)).norm(), 1e-9);
  run(world, 1e-3, 2000);
  EXPECT_LT(world.state.angular_velocity[1].norm() + world.state.velocity[1].norm(), 1e-9);
}

// Cohesion carries a ball under a ceiling if it is more than the weight; if it is less the ball
// falls with what is left, and freely once it is away.
TEST(Resistance, BallHangsByCohesion) {
  const Real R = 0.1;
  for (const Real share : {1.001, 0.9}) {
    test::World world(0.5);
    world.add_floor(slope(M_PI));
    world.add_sphere(R, Vec3(0, 0, -R));
    const Real weight = world.model.bodies[1].mass * kG;
    world.model.laws[0].cohesion = share * weight;
    run(world, 1e-3, 1);
    const Real pull = std::min(Real(1), share);
    EXPECT_NEAR(world.state.velocity[1].z(), -1e-3 * kG * (1 - pull), 1e-12);
    run(world, 1e-3, 1000);
    if (share > 1) {
      EXPECT_NEAR(world.state.position[1].z(), -R, 1e-9);
    } else {  // free: no pull acts at a distance
      const Real before = world.state.velocity[1].z();
      run(world, 1e-3, 1);
      EXPECT_NEAR(world.state.velocity[1].z(), before - 1e-3 * kG, 1e-12);
    }
  }
}

// A sticky floor pulls what comes near, and does work on it; a ball that falls on one rebounds with
// e, less what the pull takes in the steps in which it acts, and no step is refused for that work.
TEST(Resistance, BallsReboundFromAStickyFloor) {
  constexpr Real kPull = 1, kStep = 1e-3, kRestitution = 0.5, kDrop = 0.2;
  for (const char* name : {"moreau_jean", "moreau_midpoint"}) {
    test::World world(0.3, kRestitution);
    world.add_floor();
    const Index ball = world.add_sphere(0.1, Vec3(0, 0, 0.1 + kDrop));
    world.model.laws[0].cohesion = kPull;
    const auto scheme = make_scheme(world.model, test::options(name, 1e-8));
    Real fastest = 0;
    for (int step = 0; step < 1000; ++step) {
      const auto report = scheme->step(world.state, kStep);
      ASSERT_TRUE(report.is_certified()) << name << ", step " << step << ": " << report.detail;
      fastest = std::max(fastest, world.state.velocity[ball].z());
    }
    // Pulls of some steps, and gravity in the step of the impact.
    const Real mass = world.model.bodies[ball].mass;
    const Real rebound = kRestitution * std::sqrt(2 * kG * kDrop);
    EXPECT_NEAR(fastest, rebound, 3 * kStep * (kPull / mass + kG)) << name;
    EXPECT_NEAR(world.state.velocity[ball].norm(), 0, 1e-9) << name;
  }
}

// Friction counts the pull also where nothing else presses: without gravity a block that slides on
// a floor that pulls it with c at each of four corners stops after v m/(4 μ c).
TEST(Resistance, CohesionBrakesWithoutGravity) {
  const Real mu = 0.5, speed = 1, h = 1e-3;
  test::World world(mu, 0, Vec3::Zero());
  world.add_floor();
  const Index block =
      world.add(geometry::Box{Vec3(0.1, 0.1, 0.02)}, model::BodyKind::dynamic, Vec3(0, 0, 0.02));
  const Real mass = world.model.bodies[block].mass, time = 0.05;
  world.model.laws[0].cohesion = speed * mass / (4 * mu * time);
  world.state.velocity[block] = Vec3(speed, 0, 0);
  run(world, h, 25);
  EXPECT_NEAR(world.state.velocity[block].x(), speed / 2, 1e-9);
  run(world, h, 50);
  EXPECT_NEAR(world.state.velocity[block].norm(), 0, 1e-9);
}

// The same of moments: without gravity a ball that is pulled by c loses spin about the normal at
// the rate 5/2 (c/m) μ_s/R², and rolling speed at 5/7 (c/m) μ_r/R.
TEST(Resistance, CohesionBearsMomentsWithoutGravity) {
  const Real R = 0.1, torsion = 0.001, rolling = 0.002, pull = 10;  // c/m [m/s²]
  for (const bool rolls : {false, true}) {
    test::World world(0.5, 0, Vec3::Zero());
    world.add_floor();
    world.add_sphere(R, Vec3(0, 0, R));
    world.model.laws[0].cohesion = pull * world.model.bodies[1].mass;
    world.model.laws[0].friction.torsion = torsion;
    world.model.laws[0].friction.rolling = rolling;
    if (rolls) world.state.velocity[1] = Vec3(1, 0, 0);
    world.state.angular_velocity[1] = rolls ? Vec3(0, 1 / R, 0) : Vec3(0, 0, 5);
    run(world, 1e-3, 1000);
    if (rolls)
      EXPECT_LT((world.state.velocity[1] - Vec3(1 - 5.0 / 7 * pull * rolling / R, 0, 0)).norm(),
                1e-9);
    else
      EXPECT_LT(
          (world.state.angular_velocity[1] - Vec3(0, 0, 5 - 2.5 * pull * torsion / (R * R))).norm(),
          1e-9);
    run(world, 1e-2, rolls ? 1000 : 200);
    EXPECT_LT(world.state.velocity[1].norm() + world.state.angular_velocity[1].norm(), 1e-9);
  }
}

// Friction counts the pull: a box sticks to a wall if its weight is at most μ times the cohesion of
// its four corners, and slides down with the rest if not.
TEST(Resistance, BoxSticksToAWallByCohesion) {
  const Real mu = 0.5;
  for (const Real share : {1.01, 0.6}) {
    test::World world(mu);
    world.add_floor(slope(M_PI / 2));  // its normal is +x
    world.add_box(Vec3(0.05, 0.2, 0.2), Vec3(0.05, 0, 0));
    const Real weight = world.model.bodies[1].mass * kG;
    world.model.laws[0].cohesion = share * weight / (4 * mu);
    run(world, 1e-3, 200);
    const Real rate = kG * std::max(Real(0), 1 - share);
    EXPECT_LT((world.state.velocity[1] - Vec3(0, 0, -0.2 * rate)).norm(), 1e-8);
  }
}

// A ribbed slope holds a box across its ribs and lets it slide along them.
TEST(Resistance, GrainHoldsAcrossAndSlidesAlong) {
  const Real angle = std::atan(0.5);
  for (const bool is_along_slope : {true, false}) {
    test::World world(0.2);
    world.model.laws[0].friction.across = 0.8;
    world.model.laws[0].friction.grain = is_along_slope ? Vec3::UnitX() : Vec3::UnitY();
    world.add_floor(slope(angle));
    world.add_box(Vec3(0.2, 0.2, 0.02), slope(angle) * Vec3(0, 0, 0.02), slope(angle));
    run(world, 1e-3, 300);
    const Real rate = is_along_slope ? kG * (std::sin(angle) - 0.2 * std::cos(angle)) : 0;
    EXPECT_LT((world.state.velocity[1] - slope(angle) * Vec3(0.3 * rate, 0, 0)).norm(), 1e-8);
  }
}

// Slip is opposed along the normal of the ellipse: r_i = −p_N μ_i² u_i/√Σ(μ_k u_k)², u the slip at
// the end of the step.
TEST(Resistance, FrictionOfAGrainOpposesSlipByAnEllipse) {
  test::World world = ball_on_floor(0.1);
  const Vec2 mu(0.5, 0.1);
  world.model.laws[0].friction.across = mu[1];
  world.model.laws[0].friction.grain = Vec3(1, 1, 0).normalized();
  world.state.velocity[1] = Vec3(2, -0.3, 0);
  const auto scheme = run(world, 1e-3, 20);
  const Vec3 r = scheme->contacts().at(0).impulse;
  const Vec3 along = Vec3(1, 1, 0).normalized(), across = Vec3(-1, 1, 0).normalized();
  const Vec3 u = world.state.velocity[1] + world.state.angular_velocity[1].cross(Vec3(0, 0, -0.1));
  const Vec2 slip(u.dot(along), u.dot(across)), force(r.dot(along), r.dot(across));
  ASSERT_GT(slip.norm(), 0.5);
  const Vec2 expected =
      -r.z() / mu.cwiseProduct(slip).norm() * mu.cwiseProduct(mu).cwiseProduct(slip);
  EXPECT_LT((force - expected).norm(), 1e-9 * r.norm());
}

// Where the grain stands on the contact's plane there is no direction, and friction across holds in
// all of them.
TEST(Resistance, GrainAlongTheNormalHasNoDirection) {
  test::World world(0.9);
  world.model.laws[0].friction.across = 0.1;
  world.model.laws[0].friction.grain = Vec3::UnitZ();
  world.add_floor();
  world.add_box(Vec3(0.2, 0.2, 0.02), Vec3(0, 0, 0.02));
  world.state.velocity[1] = Vec3(0, 1, 0);
  run(world, 1e-3, 100);
  EXPECT_LT((world.state.velocity[1] - Vec3(0, 1 - 0.1 * 0.1 * kG, 0)).norm(), 1e-8);
}

// A ball with e_N = e_T = 1 turns the velocity of its lowest point round and keeps its energy.
TEST(Resistance, SuperballReversesSlip) {
  test::World world(10, 1, Vec3::Zero());
  world.model.laws[0].impact.tangential_restitution = 1;
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.1));
  world.state.velocity[1] = Vec3(1, 0.5, -2);
  world.state.angular_velocity[1] = Vec3(3, 0, 7);
  const auto slip = [&] {
    return Vec3(world.state.velocity[1] + world.state.angular_velocity[1].cross(Vec3(0, 0, -0.1)));
  };
  const Vec3 before = slip();
  const Real energy = world.energy();
  run(world, 1e-4, 1);
  EXPECT_LT((slip() + before).norm(), 1e-10);
  EXPECT_NEAR(world.energy(), energy, 1e-10 * energy);
}

/// Balls and boxes that fly into each other, with everything that resists.
test::World crowd() {
  test::World world(0.4, 0, Vec3::Zero());
  model::InterfaceLaw& law = world.model.laws[0];
  law.friction.rolling = 0.01;
  law.friction.torsion = 0.005;
  law.cohesion = 0.5;
  law.friction.across = 0.1;
  law.friction.grain = Vec3(1, 2, 2) / 3;
  Random random(5);
  for (int k = 0; k < 27; ++k) {
    const int row = k / 3 % 3, layer = k / 9;
    const Vec3 place = 0.21 * Vec3(k % 3, row, layer);
    const Index body =
        k % 2 == 0
            ? world.add_sphere(0.1, place)
            : world.add_box(Vec3(0.06, 0.05, 0.04), place,
                            Quat(1, random.uniform(-1, 1), random.uniform(-1, 1), 0).normalized());
    world.state.velocity[body] = 3 * (Vec3::Constant(0.21) - place);
    world.state.angular_velocity[body] = Vec3(random.uniform(-5, 5), 0, random.uniform(-5, 5));
  }
  return world;
}

// Forces and moments of contacts come in pairs: momentum and angular momentum stay, energy falls.
TEST(Resistance, KeepsMomentumAndLosesEnergy) {
  test::World world = crowd();
  const auto momentum = [&] {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (Index i = 0; i < world.model.body_count(); ++i) {
      const model::Body& body = world.model.bodies[i];
      const Mat3 turn = world.state.orientation[i].toRotationMatrix();
      const Vec3 own = body.mass * world.state.velocity[i];
      linear += own;
      angular += world.state.position[i].cross(own) +
                 turn * (body.inertia * (turn.transpose() * world.state.angular_velocity[i]));
    }
    return std::pair(linear, angular);
  };
  const auto [linear, angular] = momentum();
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
  Real energy = world.energy(), size = std::sqrt(energy);
  Index most = 0;
  bool is_turning = false;
  for (int k = 0; k < 200; ++k) {
    const auto report = scheme->step(world.state, 1e-3);
    ASSERT_TRUE(report.is_certified()) << "step " << k;
    most = std::max(most, report.contact_count);
    for (const stepping::StepContact& contact : scheme->contacts())
      is_turning = is_turning || !contact.moment.isZero(0);
    EXPECT_LE(world.energy(), energy * (1 + 1e-7)) << "step " << k;
    energy = world.energy();
  }
  const auto [linear_after, angular_after] = momentum();
  EXPECT_GT(most, 20);
  EXPECT_TRUE(is_turning);
  EXPECT_LT((linear_after - linear).norm(), 1e-11 * size);
  EXPECT_LT((angular_after - angular).norm(), 1e-11 * size);
}

// Cohesion, grain and tangential restitution are changes of variables: solvers of the assembled
// form find answers too, and the same certificate accepts them.
TEST(Resistance, OtherSolversKnowChangesOfVariables) {
  for (const char* solver : {"nsgs", "proximal_newton"}) {
    test::World world = crowd();
    world.model.laws[0].friction.rolling = world.model.laws[0].friction.torsion = 0;
    world.model.laws[0].impact.tangential_restitution = 0.5;
    auto options = test::options("moreau_jean", 1e-8);
    options.solver.solver = solver;
    const auto scheme = make_scheme(world.model, options);
    Index most = 0;
    for (int k = 0; k < 60; ++k) {
      const auto report = scheme->step(world.state, 1e-3);
      ASSERT_TRUE(report.is_certified()) << solver << ", step " << k;
      most = std::max(most, report.contact_count);
    }
    EXPECT_GT(most, 20);
  }
}

// A scheme that recalls the memory of another goes on with the same bits: moments are part of it.
TEST(Resistance, ResumesBitForBit) {
  test::World whole = crowd(), first = crowd();
  const auto one = make_scheme(whole.model, test::options("moreau_jean", 1e-6));
  for (int k = 0; k < 120; ++k) (void)one->step(whole.state, 1e-3);
  const auto two = make_scheme(first.model, test::options("moreau_jean", 1e-6));
  for (int k = 0; k < 60; ++k) (void)two->step(first.state, 1e-3);
  const auto three = make_scheme(first.model, test::options("moreau_jean", 1e-6));
  three->recall(two->memory());
  for (int k = 60; k < 120; ++k) (void)three->step(first.state, 1e-3);
  EXPECT_EQ(first.state.hash(), whole.state.hash());
}

// A column of balls on a slope, held upright by rolling friction alone, falls asleep with its
// moments and lies still to the last bit; awake it creeps at the tolerance.
TEST(Resistance, RestsAsleep) {
  const Real angle = 0.02, R = 0.1;
  for (const bool sleeps : {true, false}) {
    test::World world(0.9);
    world.add_floor(slope(angle));
    for (int k = 0; k < 3; ++k) world.add_sphere(R, slope(angle) * Vec3(0, 0, (2 * k + 1) * R));
    world.model.laws[0].friction.rolling = 0.02;
    auto options = test::options("moreau_jean", 1e-5);
    options.sleeping = sleeps;
    const auto scheme = make_scheme(world.model, options);
    for (int k = 0; k < 400; ++k) ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
    Real speed = 0;
    for (const Index i : {1, 2, 3})
      speed += world.state.velocity[i].norm() + world.state.angular_velocity[i].norm();
    if (sleeps)
      EXPECT_EQ(speed, 0);
    else
      EXPECT_GT(speed, 0);
    Real moment = 0;  // about the foot: 3 m g sin α times the height 3 R of the column's middle
    for (const stepping::StepContact& contact : scheme->contacts())
      if (contact.body_a == 0) moment = contact.moment.norm();
    const Real tilting = 1e-3 * 3 * world.model.bodies[1].mass * kG * std::sin(angle) * 3 * R;
    EXPECT_NEAR(moment, tilting, 1e-3 * tilting);
  }
}

// A heap of boxes that resist rolling and spinning falls together and is certified to 1e-8 in every
// step: where sweeps creep, Newton's method takes the moments of contacts too. After 20000 sweeps
// and nothing else, 66 of these steps are not.
TEST(Resistance, AHeapOfBoxesIsSolvedInEveryStep) {
  Random random(3);
  test::World world(0.5);
  world.model.laws[0].friction.rolling = 1e-3;
  world.model.laws[0].friction.torsion = 0.5e-3;
  world.add_floor();
  for (int k = 0; k < 54; ++k) {
    const Vec3 cell(k % 3, k / 3 % 3, k / 9);
    world.add(geometry::Box{Vec3(10e-3, 8e-3, 6e-3)}, model::BodyKind::dynamic,
              0.023 * cell + Vec3(0, 0, 12e-3) + test::random_vector(random, 1e-3),
              Quat::Identity(), 2500);
  }
  stepping::SchemeOptions options = test::options("moreau_jean", 1e-8);
  options.solver.max_iterations = 20000;
  const auto scheme = make_scheme(world.model, options);
  for (int k = 0; k < 300; ++k) {
    const stepping::StepReport report = scheme->step(world.state, 1e-3);
    EXPECT_TRUE(report.is_certified()) << "step " << k << ": " << report.detail;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
