#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/LU>

#include <cmath>
#include <vector>

#include <talus/parallel/executor.hpp>

#include "support/mechanism.hpp"
#include "support/spatial_machine_world.hpp"
#include "support/world.hpp"

// Surfaces in space whose law is a function of place and velocity: compliant normals, friction that
// is regularised, viscous or falls with the slip, static friction above that of slip.

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kTolerance = 1e-10;
constexpr Real kG = 9.81;

/// Steps of h; every one certified.
std::unique_ptr<stepping::Scheme> run(test::World& world, Real h, int steps, Real theta = 1,
                                      Real tolerance = kTolerance) {
  stepping::SchemeOptions options = test::options("moreau_jean", tolerance);
  options.theta = theta;
  auto scheme = make_scheme(world.model, options);
  for (int k = 0; k < steps; ++k) {
    const auto report = scheme->step(world.state, h);
    EXPECT_TRUE(report.is_certified()) << "step " << k << ": " << report.detail;
    if (!report.is_certified()) break;
  }
  return scheme;
}

/// A box on a floor, with the velocity of a throw along the floor.
test::World sliding_box(const model::FrictionModel& friction, const Vec3& velocity) {
  test::World world;
  world.model.laws[0].friction = friction;
  world.add_floor();
  world.add_box(Vec3(0.2, 0.2, 0.05), Vec3(0, 0, 0.05));
  world.state.velocity[1] = velocity;
  return world;
}

/// A ball over a floor in the plane, and the same in space with gravity along −y.
struct InBoth {
  test::Mechanism plane{kG};
  test::World space{0, 0, Vec3(0, -kG, 0)};

  InBoth(const model::InterfaceLaw& law, Real gap, const Vec2& velocity, Real spin) {
    const Real mass = 2, radius = 0.1, height = radius + gap;
    plane.model.laws = {law};
    plane.model.bodies[0].shape = geometry::Plane{};
    plane.state.orientation[0] = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
    const Index disc = plane.add(mass, 0.4 * mass * radius * radius, Vec2(0, height));
    plane.model.bodies[disc].shape = geometry::Sphere{radius};
    plane.machine->visual_only.clear();
    space.model.laws = {law};
    space.add_floor(rotation_between(Vec3::UnitZ(), Vec3::UnitY()));
    space.add(geometry::Sphere{radius}, model::BodyKind::dynamic, Vec3(0, height, 0));
    space.model.bodies[1].mass = mass;
    space.model.bodies[1].inertia = 0.4 * mass * radius * radius * Mat3::Identity();
    for (model::State* state : {&plane.state, &space.state}) {
      state->velocity[1] = Vec3(velocity.x(), velocity.y(), 0);
      state->angular_velocity[1] = Vec3(0, 0, spin);
    }
  }
};

// F_N = K δⁿ bears the weight at δ = (m g/K)^(1/n): a ball at rest there stays at rest, and its
// contact is no overlap.
TEST(FunctionLaws, CompliantSurfaceBearsTheWeight) {
  test::World world;
  world.model.laws[0].normal = model::HertzNormal{2e5, 1.5};
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.1));
  const Real weight = world.model.bodies[1].mass * kG, depth = std::pow(weight / 2e5, 1 / 1.5);
  world.state.position[1].z() -= depth;
  const auto scheme = run(world, 1e-3, 500);
  EXPECT_NEAR(world.state.position[1].z(), 0.1 - depth, 1e-9 * depth);
  EXPECT_NEAR(scheme->contacts().at(0).impulse.z(), 1e-3 * weight, 1e-9 * weight);
}

// Without loss a ball falls, is thrown back and rises to where it was: ½ m v² = K δ^{n+1}/(n+1) at
// the lowest point. θ = 1/2 keeps the energy to second order of h.
TEST(FunctionLaws, HertzKeepsTheEnergy) {
  std::vector<Real> off;
  for (const Real h : {2e-4, 1e-4}) {
    test::World world;
    world.model.laws[0].normal = model::HertzNormal{1e6, 1.5};
    world.add_floor();
    world.add_sphere(0.1, Vec3(0, 0, 0.15));
    stepping::SchemeOptions options = test::options("moreau_jean", kTolerance);
    options.theta = 0.5;
    const auto scheme = make_scheme(world.model, options);
    const Real energy = world.energy();
    Real worst = 0;
    for (int k = 0; k < static_cast<int>(std::lround(0.2 / h)); ++k) {
      const auto report = scheme->step(world.state, h);
      ASSERT_TRUE(report.is_certified()) << report.detail;
      worst = std::max(worst, std::abs(report.energy.total() - energy));
    }
    off.push_back(worst / (world.model.bodies[1].mass * kG * 0.05));
  }
  EXPECT_LT(off[0], 1e-2);
  EXPECT_GT(off[0] / off[1], 3) << off[0] << " and " << off[1];
}

// Implicit with θ = 1, forces at the end of the step give no energy however stiff the surface: with
// ω h = 0.3, 3 and 30, ω = √(K/m), a ball on a linear spring never rises higher than it fell from,
// in space and in the plane.
TEST(FunctionLaws, StiffSurfacesGiveNoEnergy) {
  const Real h = 1e-3, height = 0.1;
  for (const Real stiffness : {0.3, 3.0, 30.0}) {
    model::InterfaceLaw law;
    law.normal = model::HertzNormal{2 * std::pow(stiffness / h, 2), 1};
    InBoth both(law, height, Vec2::Zero(), 0);
    const stepping::SchemeOptions options = test::options("moreau_jean", kTolerance);
    const auto planar = make_scheme(both.plane.model, options),
               spatial = make_scheme(both.space.model, options);
    Real energy = 2 * kG * (0.1 + height);
    for (int step = 0; step < 1000; ++step) {
      const auto one = planar->step(both.plane.state, h),
                 other = spatial->step(both.space.state, h);
      ASSERT_TRUE(one.is_certified() && other.is_certified()) << one.detail << other.detail;
      ASSERT_LT(std::max(one.energy.total(), other.energy.total()), energy * (1 + 1e-9)) << step;
      energy = one.energy.total();
    }
    EXPECT_LT(both.space.state.position[1].y(), 0.1 + height);
  }
}

// Friction μ N tanh(v/v_d) slows a box down along its way by v' = −μ g tanh(v/v_d):
// sinh(v/v_d) = sinh(v₀/v_d) exp(−μ g t/v_d), to first order of h, in whatever direction it slides.
TEST(FunctionLaws, RegularisedFrictionInEveryDirection) {
  const Real mu = 0.3, v_d = 0.2, v_0 = 1, t = 0.4;
  const Real expected = v_d * std::asinh(std::sinh(v_0 / v_d) * std::exp(-mu * kG * t / v_d));
  for (const Real angle : {0.0, 0.7, 2.5}) {
    const Vec3 direction(std::cos(angle), std::sin(angle), 0);
    std::vector<Real> off;
    for (const Real h : {2e-3, 1e-3}) {
      test::World world =
          sliding_box({.coefficient = mu, .kind = model::TanhFriction{v_d}}, v_0 * direction);
      run(world, h, static_cast<int>(std::lround(t / h)));
      EXPECT_LT(
          (world.state.velocity[1] - world.state.velocity[1].dot(direction) * direction).norm(),
          1e-8);
      off.push_back(world.state.velocity[1].dot(direction) - expected);
    }
    EXPECT_LT(std::abs(off[1]), 1e-3 * mu * kG / 2);  // h/2 times the change of v'
    EXPECT_NEAR(off[0] / off[1], 2, 0.1);
  }
}

// A law however steep (v_d = 1e-6 m/s) is Coulomb's but for a creep: on a slope of 0.9 of the angle
// of friction a box slides down with μ tanh(v/v_d) = tan α.
TEST(FunctionLaws, SteepRegularisedFrictionCreeps) {
  const Real mu = 0.5, v_d = 1e-6, slope = 0.9 * mu;
  test::World world(0, 0, Vec3(slope * kG, 0, -kG));
  world.model.laws[0].friction = {.coefficient = mu, .kind = model::TanhFriction{v_d}};
  world.add_floor();
  world.add_box(Vec3(0.2, 0.2, 0.05), Vec3(0, 0, 0.05));
  run(world, 1e-3, 200);
  EXPECT_NEAR(world.state.velocity[1].x(), v_d * std::atanh(slope / mu), 1e-5 * v_d);
}

// Coulomb friction with a viscous part c v: v' = −μ g − c v/m until it stops, at
// t = (m/c) ln(1 + c v₀/(μ m g)); then it stays. A ball that cannot turn has one contact.
TEST(FunctionLaws, ViscousFrictionStopsWhatSlides) {
  const Real mu = 0.2, v_0 = 1, h = 1e-3;
  test::World world;
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.1));
  const Real m = world.model.bodies[1].mass, c = 4 * m;
  world.model.bodies[1].inertia *= 1e12;
  world.model.laws[0].friction = {.coefficient = mu, .viscous = c, .kind = {}};
  world.state.velocity[1] = Vec3(0.6, -0.8, 0) * v_0;
  // The implicit Euler steps of v' = −μ g − c v/m, in closed form.
  const auto after = [&](int steps) {
    const Real least = mu * m * kG / c;
    return (v_0 + least) * std::pow(1 + h * c / m, -steps) - least;
  };
  run(world, h, 139);
  EXPECT_LT((world.state.velocity[1] - after(139) * Vec3(0.6, -0.8, 0)).norm(), 1e-8);
  EXPECT_NEAR(m / c * std::log(1 + c * v_0 / (mu * m * kG)), 0.278, 1e-3);
  run(world, h, 145);
  EXPECT_LT(world.state.velocity[1].norm(), 1e-9);
}

// Drag that would tip a box bears on it as far as its rear corners touch: v' = −g b/z while the
// front ones bear all of the weight, (m g b)/(4 c z) < v < (m g b)/(2 c z), with the half length b,
// the height z of the centre and c at each of the four corners, and it does not turn.
TEST(FunctionLaws, ViscousFrictionActsInPartWhereNothingPresses) {
  const Real b = 0.1, z = 0.2, h = 1e-3, v_0 = 1;
  test::World world;
  world.add_floor();
  world.add_box(Vec3(b, b, z), Vec3(0, 0, z));
  const Real c = 0.9 * world.model.bodies[1].mass * kG * b / (2 * z * v_0);
  world.model.laws[0].friction = {.coefficient = 0, .viscous = c, .kind = {}};
  world.model.bodies[1].inertia(2, 2) *= 1e12;  // which rear corner drags more is not determined
  world.state.velocity[1] = Vec3(v_0, 0, 0);
  run(world, h, 60, 1, 1e-6);
  EXPECT_LT((world.state.velocity[1] - Vec3(v_0 - 60 * h * kG * b / z, 0, 0)).norm(), 1e-5);
  EXPECT_LT(world.state.angular_velocity[1].norm(), 1e-4);
}

// The same of a can that spins as it slides, whose four or five points come and go: every step is
// certified, from the first to where it has come to rest.
TEST(FunctionLaws, ViscousFrictionUnderAFaceThatSpins) {
  test::World world;
  world.model.laws[0].friction = {.coefficient = 0.1, .viscous = 30, .kind = {}};
  world.add_floor();
  const Index can =
      world.add(geometry::Cylinder{0.1, 0.05}, model::BodyKind::dynamic, Vec3(0, 0, 0.05));
  world.state.velocity[can] = Vec3(2, 0, 0);
  world.state.angular_velocity[can] = Vec3(0, 0, 5);
  run(world, 1e-3, 500, 1, 1e-6);
  EXPECT_LT(world.state.velocity[can].norm(), 1e-5);
}

// A capsule that meets a plane askew is turned into it by its drag alone, where it would have
// missed it: every step has an answer, and its point does not go into the plane.
TEST(FunctionLaws, ViscousFrictionTurnsACapsuleIntoThePlane) {
  constexpr Real kRadius = 0.03, kHalf = 0.15, kAngle = 0.85;
  for (const Real c : {30.0, 128.0, 360.0})
    for (const Real speed : {0.3, 0.44, 0.6}) {
      test::World world;
      world.model.laws[0].friction = {.coefficient = 0, .viscous = c, .kind = {}};
      world.add_floor();
      const Index capsule = world.add(geometry::Capsule{kRadius, kHalf}, model::BodyKind::dynamic,
                                      Vec3(0, 0, kRadius + kHalf * std::cos(kAngle)),
                                      rotation_exp(kAngle * Vec3::UnitY()));
      world.state.velocity[capsule] = Vec3(-3, -2.3, -speed);
      world.state.angular_velocity[capsule] = Vec3(-1.8, -5.65, -1.35);
      run(world, 1e-3, 20, 1, 1e-6);
    }
}

// Static friction holds a box at rest up to tan α = μ₀; one that slides is slowed down by μ alone,
// and is held again once it has stopped.
TEST(FunctionLaws, StaticFrictionHoldsWhatRestsAndLetsGo) {
  const Real mu = 0.2, mu_0 = 0.6;
  const auto on_slope = [&](Real slope, Real speed) {
    test::World world(0, 0, Vec3(slope * kG, 0, -kG));
    world.model.laws[0].friction = {.coefficient = mu, .kind = model::CoulombFriction{mu_0}};
    world.add_floor();
    world.add_box(Vec3(0.2, 0.2, 0.05), Vec3(0, 0, 0.05));
    world.state.velocity[1].x() = speed;
    return world;
  };
  test::World rests = on_slope(0.59, 0);
  run(rests, 1e-3, 300);
  EXPECT_LT(rests.state.velocity[1].norm(), 1e-9);
  test::World slides = on_slope(0.59, 0.01);
  run(slides, 1e-3, 300);
  EXPECT_NEAR(slides.state.velocity[1].x(), 0.01 + 0.3 * (0.59 - mu) * kG, 1e-8);
  test::World breaks = on_slope(0.61, 0);
  run(breaks, 1e-3, 300);
  EXPECT_NEAR(breaks.state.velocity[1].x(), 0.3 * (0.61 - mu) * kG, 1e-8);
  test::World stops = on_slope(-0.1, 0.3);
  const auto scheme = run(stops, 1e-3, 150);
  EXPECT_LT(stops.state.velocity[1].norm(), 1e-9);
  stops.model.gravity.x() = 0.55 * kG;  // now it would slide by μ, and is held by μ₀
  for (int k = 0; k < 100; ++k) EXPECT_TRUE(scheme->step(stops.state, 1e-3).is_certified());
  EXPECT_LT(stops.state.velocity[1].norm(), 1e-9);
}

// A face is held as a whole: pulled at its middle by a force that grows, a tall box lets go at
// μ₀ m g, though the force tilts it and single corners bear μ₀ times what presses there before.
TEST(FunctionLaws, StaticFrictionOfAFaceHoldsUpToItsSum) {
  const Real mu = 0.4, mu_0 = 0.5, h = 1e-3, slope = 0.5;
  test::World world(0, 0, Vec3(0, 0, -kG));
  world.model.laws[0].friction = {.coefficient = mu, .kind = model::CoulombFriction{mu_0}};
  world.add_floor();
  world.add_box(Vec3(0.1, 0.05, 0.15), Vec3(0, 0, 0.15));
  stepping::SchemeOptions options = test::options("moreau_jean", kTolerance);
  const auto scheme = make_scheme(world.model, options);
  Real let_go = 0;
  for (int k = 1; k * h * slope < 1.1 * mu_0 && let_go == 0; ++k) {
    world.model.gravity.x() = slope * k * h * kG;
    const auto report = scheme->step(world.state, h);
    ASSERT_TRUE(report.is_certified()) << "step " << k << ": " << report.detail;
    if (world.state.velocity[1].norm() > 1e-6) let_go = slope * k * h;
  }
  EXPECT_NEAR(let_go, mu_0, 3 * slope * h);
}

// A ball in space that stays in a plane is a disc there: every law makes the same step in both.
// (But for friction where surfaces are not just touching: it acts on the disc in the plane, in the
// middle of the gap or overlap in space.)
TEST(FunctionLaws, TheSameAsInThePlane) {
  const model::FrictionModel none;
  std::vector<model::InterfaceLaw> laws;
  const auto add = [&](const model::FrictionModel& friction, const model::NormalLaw& normal) {
    laws.emplace_back();
    laws.back().friction = friction;
    laws.back().normal = normal;
  };
  using Kind = model::DampedNormal::Kind;
  add(none, model::HertzNormal{1e5, 1.5});
  add(none, model::HertzNormal{1e5, 1});
  for (const Kind kind : {Kind::hunt_crossley, Kind::lankarani_nikravesh, Kind::flores})
    add(none, model::DampedNormal{kind, 1e5, 1.5, 0.6});
  add(none, model::ViscousNormal{1e5, 1.5, 1e3});
  for (const model::FrictionKind& kind :
       {model::FrictionKind(model::TanhFriction{0.05}),
        model::FrictionKind(model::AtanFriction{0.05}),
        model::FrictionKind(model::PiecewiseLinearFriction{0.01, 0.3}),
        model::FrictionKind(model::StribeckFriction{0.5, 0.2, 2})}) {
    add({.coefficient = 0.3, .kind = kind}, model::RigidNormal{});
    add({.coefficient = 0.3, .viscous = 2, .kind = kind}, model::RigidNormal{});
  }
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const bool is_soft = !model::is_rigid(laws[k].normal);
    InBoth both(laws[k], is_soft ? 2e-4 : 0, Vec2(0.8, is_soft ? -0.4 : 0), -20);
    const stepping::SchemeOptions options = test::options("moreau_jean", 1e-11);
    const auto planar = make_scheme(both.plane.model, options),
               spatial = make_scheme(both.space.model, options);
    for (int step = 0; step < 400; ++step) {
      const auto one = planar->step(both.plane.state, 5e-4),
                 other = spatial->step(both.space.state, 5e-4);
      ASSERT_TRUE(one.is_certified()) << k << ", " << step << ": " << one.detail;
      ASSERT_TRUE(other.is_certified()) << k << ", " << step << ": " << other.detail;
      ASSERT_NEAR(one.energy.potential, other.energy.potential, 1e-9) << k << ", " << step;
    }
    const Vec3 v = both.plane.state.velocity[1], w = both.plane.state.angular_velocity[1];
    EXPECT_LT((v - both.space.state.velocity[1]).norm(), 1e-8) << k;
    EXPECT_LT((w - both.space.state.angular_velocity[1]).norm(), 1e-7) << k;
    EXPECT_LT((both.plane.state.position[1] - both.space.state.position[1]).norm(), 1e-9) << k;
  }
}

/// Soft and hard balls, of two materials, thrown into a corner of three planes.
test::World soft_heap() {
  test::World world;
  world.model.laws[0].normal =
      model::DampedNormal{model::DampedNormal::Kind::hunt_crossley, 2e6, 1.5, 0.4};
  world.model.laws[0].friction = {.coefficient = 0.4, .kind = model::CoulombFriction{0.5}};
  world.add_floor();
  for (const Real angle : {0.0, 0.5, 1.0, 1.5})
    world.add_floor(Quat(Eigen::AngleAxisd(angle * M_PI, Vec3::UnitZ())) *
                    Quat(Eigen::AngleAxisd(1.2, Vec3::UnitY())));
  for (int k = 0; k < 24; ++k) {
    const Index ball = world.add_sphere(0.05, Vec3(0.11 * (k % 2) - 0.05, 0.11 * (k / 2 % 2) - 0.06,
                                                   0.2 + 0.11 * static_cast<Real>(k / 4)));
    world.state.velocity[ball] = Vec3(0.1 * (k % 3), -0.05 * (k % 5), -0.5);
  }
  return world;
}

// What falls into a funnel comes to rest in it, certified, and the floor and walls bear its weight.
TEST(FunctionLaws, SoftHeapComesToRestOnItsWeight) {
  test::World world = soft_heap();
  const auto scheme = run(world, 1e-3, 1500);
  Real kinetic = 0, weight = 0, support = 0;
  for (Index i = 0; i < world.model.body_count(); ++i)
    if (world.model.bodies[i].kind == model::BodyKind::dynamic) {
      kinetic += world.model.bodies[i].mass * world.state.velocity[i].squaredNorm() / 2;
      weight += world.model.bodies[i].mass * kG;
    }
  for (const stepping::StepContact& contact : scheme->contacts())
    if (contact.body_a < 5) support += contact.impulse.z() / 1e-3;
  EXPECT_NEAR(support, weight, 1e-3 * weight);
  EXPECT_LT(kinetic, 1e-6);
}

// Soft balls that just touch at rest without weight exert nothing and stay.
TEST(FunctionLaws, NothingPressesWhatTouchesWithoutWeight) {
  test::World world(0, 0, Vec3::Zero());
  world.model.laws[0].normal =
      model::DampedNormal{model::DampedNormal::Kind::flores, 1e6, 1.5, 0.5};
  for (const Real x : {0.0, 0.5}) world.add_sphere(0.25, Vec3(x, 0, 0));
  const model::State start = world.state;
  run(world, 1e-3, 3);
  for (const Index ball : {0, 1}) {
    EXPECT_EQ(world.state.position[ball], start.position[ball]);
    EXPECT_EQ(world.state.velocity[ball], start.velocity[ball]);
  }
}

// A moment resists rolling on a soft floor as on a hard one: v' = −5/7 g μ_r/R.
TEST(FunctionLaws, SoftFloorResistsRolling) {
  const Real R = 0.1, resistance = 0.002, rate = 5.0 / 7 * kG * resistance / R;
  test::World world;
  world.model.laws[0].friction = {.coefficient = 0.5, .rolling = resistance, .kind = {}};
  world.model.laws[0].normal = model::HertzNormal{1e9, 1.5};
  world.add_floor();
  world.add_sphere(R, Vec3(0, 0, R));
  const Real depth = std::pow(world.model.bodies[1].mass * kG / 1e9, 1 / 1.5);
  world.state.position[1].z() -= depth;
  world.state.velocity[1] = Vec3(0.6, 0.8, 0);
  world.state.angular_velocity[1] = Vec3(-8, 6, 0);
  run(world, 1e-3, 1000);
  // The point of contact is depth/2 nearer to the centre: of that order the arm and the rate
  // differ.
  EXPECT_LT((world.state.velocity[1] - (1 - rate) * Vec3(0.6, 0.8, 0)).norm(), depth / R);
}

/// A surface law with numbers drawn from a range of decades.
model::InterfaceLaw random_law(Random& random) {
  const auto decades = [&](Real low, Real high) {
    return low * std::pow(high / low, random.uniform(0, 1));
  };
  using Kind = model::DampedNormal::Kind;
  model::InterfaceLaw law;
  const Real K = decades(1e3, 1e8), n = random.uniform(1, 2), e = random.uniform(0.05, 1);
  switch (static_cast<int>(random.uniform(0, 6))) {
    case 0:
      break;
    case 1:
      law.normal = model::HertzNormal{K, n};
      break;
    case 2:
      law.normal = model::DampedNormal{Kind::hunt_crossley, K, n, e};
      break;
    case 3:
      law.normal = model::DampedNormal{Kind::lankarani_nikravesh, K, n, e};
      break;
    case 4:
      law.normal = model::DampedNormal{Kind::flores, K, n, e};
      break;
    default:
      law.normal = model::ViscousNormal{K, n, K * decades(1e-3, 1)};
      break;
  }
  law.friction.coefficient = random.uniform(0, 1);
  const Real v = decades(1e-6, 1), mu_0 = law.friction.coefficient + random.uniform(0, 0.5);
  switch (static_cast<int>(random.uniform(0, 6))) {
    case 0:
      law.friction.kind = model::CoulombFriction{mu_0};
      break;
    case 1:
      law.friction.kind = model::StribeckFriction{mu_0, v, 1};
      break;
    case 2:
      law.friction.kind = model::TanhFriction{v};
      break;
    case 3:
      law.friction.kind = model::AtanFriction{v};
      break;
    case 4:
      law.friction.kind = model::PiecewiseLinearFriction{v / 10, v};
      break;
    default:
      break;
  }
  return law;
}

/// The velocities to which the weight and the impulses of a step lead.
model::State after_impulses(const model::Model& model, model::State state, Real h,
                            const std::vector<stepping::StepContact>& contacts) {
  for (Index i = 0; i < model.body_count(); ++i)
    if (model.bodies[i].kind == model::BodyKind::dynamic) state.velocity[i] += h * model.gravity;
  for (const stepping::StepContact& contact : contacts)
    for (const auto& [i, sign] :
         {std::pair(contact.body_a, -1.0), std::pair(contact.body_b, 1.0)}) {
      if (model.bodies[i].kind != model::BodyKind::dynamic) continue;
      const Mat3 R = state.orientation[i].toRotationMatrix();
      const Vec3 turn = (contact.position - state.position[i]).cross(contact.impulse);
      state.velocity[i] += sign / model.bodies[i].mass * contact.impulse;
      state.angular_velocity[i] +=
          sign * (R * model.bodies[i].inertia.inverse() * R.transpose() * turn);
    }
  return state;
}

/// The impulses of a step against the functions themselves: r_N = h F_N and ‖r_T‖ = h F_T, against
/// the slip, at the velocities that the impulses lead to; set-valued friction is inside its cone,
/// and on it, against the slip, where the contact slides.
void expect_laws_met(const model::Model& model, const model::State& before, Real h,
                     const std::vector<stepping::StepContact>& contacts) {
  const model::InterfaceLaw& law = model.laws[0];
  const model::State after = after_impulses(model, before, h, contacts);
  Real most = 0;
  for (const stepping::StepContact& contact : contacts)
    most = std::max(most, contact.impulse.norm());
  for (const stepping::StepContact& contact : contacts) {
    const auto velocity = [&](const model::State& of) {
      const auto point = [&](Index body) -> Vec3 {
        return of.velocity[body] +
               of.angular_velocity[body].cross(contact.position - before.position[body]);
      };
      return Vec3(point(contact.body_b) - point(contact.body_a));
    };
    const Vec3 &n = contact.normal, u = velocity(after);
    const Real normal = n.dot(contact.impulse), rate = n.dot(u), allowed = 1e-5 * most;
    const Vec3 tangential = contact.impulse - normal * n, slip = u - rate * n;
    if (!model::is_rigid(law.normal)) {
      const model::NormalForce force = model::normal_force_slopes(
          law.normal, -(contact.gap + h * rate), -rate,
          contact.memory.impact_rate > 0 ? contact.memory.impact_rate
                                         : std::max(-n.dot(velocity(before)), Real(0)));
      const Real slope = h * (h * force.by_penetration + force.by_rate);
      EXPECT_NEAR(normal, h * force.value, allowed + 1e-8 * slope);
    }
    const Real speed = slip.norm(), pressing = std::max(normal, Real(0));
    if (!model::has_stick(law.friction)) {
      const Vec3 expected =
          speed > 0 ? Vec3(h * model::slip_force(law.friction, speed, pressing / h) / speed * slip)
                    : Vec3(Vec3::Zero());
      const Real slope = h * std::abs(model::slip_force_slope(law.friction, 0, pressing / h));
      EXPECT_LE((tangential - expected).norm(), allowed + 1e-8 * slope);
      continue;
    }
    EXPECT_LE(tangential.norm(), model::static_friction(law.friction) * pressing + allowed);
    if (speed > 1e-4) {
      EXPECT_LE((tangential + tangential.norm() / speed * slip).norm(), 1e-3 * most);
      EXPECT_GE(tangential.norm(), law.friction.coefficient * pressing - allowed);
    }
  }
}

// Every step of bodies of any shape under any law is certified, meets the functions themselves, and
// no step raises the energy by more than the gap that a turning corner has to second order, times
// the force, of the stiffest surface: a hundredth of what is there.
TEST(FunctionLaws, OfAnyKindAndSizeAreMet) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    test::World world;
    world.model.laws[0] = random_law(random);
    world.add_floor();
    for (int k = 0; k < 4; ++k) {
      const Vec3 at(0.02 * k, -0.01 * k, 0.14 + 0.24 * k);
      const Index body =
          k % 2 == 0 ? world.add_box(Vec3(0.1, 0.07, 0.05), at, test::random_rotation(random))
                     : world.add_sphere(0.08, at);
      world.state.velocity[body] = test::random_vector(random, 1);
      world.state.angular_velocity[body] = test::random_vector(random, 3);
    }
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
    Real energy = world.energy();
    for (int step = 0; step < 400 && !HasFailure(); ++step) {
      SCOPED_TRACE(fmt::format("seed {}, step {}", seed, step));
      const model::State before = world.state;
      const auto report = scheme->step(world.state, 1e-3);
      ASSERT_TRUE(report.is_certified()) << report.detail;
      expect_laws_met(world.model, before, 1e-3, scheme->contacts());
      ASSERT_LT(report.energy.total(), 1.01 * energy);
      energy = report.energy.total();
    }
  }
}

// A law is the same for bodies of a machine: two balls on a bar, whose surface yields, come to rest
// at the depth of half the weight each.
TEST(FunctionLaws, MachinesStandOnSoftFeet) {
  test::SpatialMachineWorld world;
  world.model.laws[0].normal = model::ViscousNormal{2e5, 1.5, 2e5};
  world.model.laws[0].friction = {.coefficient = 0.5, .kind = model::TanhFriction{0.01}};
  world.add_floor();
  for (const Real x : {-0.3, 0.3}) world.add_sphere(0.1, Vec3(x, 0, 0.11));
  world.add_joint(model::weld_joint(), 1, 2, Vec3(0, 0, 0.11));
  world.tolerance = 1e-9;
  EXPECT_EQ(world.run("moreau_jean", 2, 1e-3), 0) << world.first_failure;
  const Real depth = std::pow(world.model.bodies[1].mass * kG / 2e5, 1 / 1.5);
  for (const Index ball : {1, 2})
    EXPECT_NEAR(world.state.position[ball].z(), 0.1 - depth, 1e-6 * depth);
}

// The same bits on one thread and on two, and in a run that is taken up again in the middle of its
// impacts.
TEST(FunctionLaws, DoNotDependOnThreadsAndResume) {
  test::World one = soft_heap(), two = soft_heap(), again = soft_heap();
  const int before = parallel::thread_count();
  parallel::set_thread_count(1);
  run(one, 1e-3, 200);
  parallel::set_thread_count(2);
  run(two, 1e-3, 200);
  parallel::set_thread_count(before);
  const auto first = run(again, 1e-3, 120);
  const auto second = make_scheme(again.model, test::options("moreau_jean", kTolerance));
  second->recall(first->memory());
  for (int k = 0; k < 80; ++k) EXPECT_TRUE(second->step(again.state, 1e-3).is_certified());
  for (Index i = 0; i < one.model.body_count(); ++i) {
    EXPECT_EQ(one.state.position[i], two.state.position[i]) << i;
    EXPECT_EQ(one.state.position[i], again.state.position[i]) << i;
    EXPECT_EQ(one.state.velocity[i], again.state.velocity[i]) << i;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
