// Smooth machines in space by index_3, constraints held at the level of positions: against closed
// forms, an independent integration (as differential-algebraic equations, to 1e-12), and the same
// scheme in the plane.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/stepping/capabilities.hpp>

#include "support/mechanism.hpp"
#include "support/spatial_machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::kWorld;
using test::SpatialMachineWorld;

Real order(Real coarse, Real fine) { return std::log2(coarse / fine); }

/// Errors of a position at three step sizes, each half of the one before.
template <class Make>
std::vector<Real> errors(Make make, Index body, const Vec3& reference, Real end, Real step) {
  std::vector<Real> all;
  for (int k = 0; k < 3; ++k, step /= 2) {
    SpatialMachineWorld world = make();
    EXPECT_EQ(world.run("index_3", end, step), 0) << world.first_failure;
    EXPECT_LE(world.last.joints.drift, 1e-11);
    all.push_back((world.state.position[body] - reference).norm());
  }
  return all;
}

// A chain of three hinges about (0, 0.6, 0.8) and (0, 1, 0) by turns: x(1 s) =
// (−0.182467, −0.041532, −0.259239), with the square of the step.
TEST(SmoothMachines, ChainOfHingesTendsToTheIndependentIntegrationWithSecondOrder) {
  const auto chain = [] {
    SpatialMachineWorld world;
    const Mat3 inertia = Vec3(0.000215, 0.0014821296296296297, 0.0014821296296296297).asDiagonal();
    Index last = kWorld;
    for (int i = 0; i < 3; ++i) {
      const Index link = world.add_body(0.5, inertia, Vec3(0.2 * i + 0.1, 0, 0));
      world.add_joint(model::revolute_joint(), last, link, Vec3(0.2 * i, 0, 0),
                      i % 2 == 0 ? Vec3(0, 0.6, 0.8) : Vec3(0, 1, 0));
      last = link;
    }
    return world;
  };
  const std::vector<Real> found =
      errors(chain, 2, Vec3(-0.182466844105, -0.041531751017, -0.259239346301), 1, Real(1e-3));
  EXPECT_NEAR(order(found[0], found[1]), 2, 0.2);
  EXPECT_NEAR(order(found[1], found[2]), 2, 0.2);
  EXPECT_LT(found[2], 1e-4);
}

// The heavy top (Géradin & Cardona 2001): x(0.5 s) = (−0.702468, −0.021165, −0.711400), with the
// square of the step: rotations are composed, not added.
TEST(SmoothMachines, HeavyTopIsOfSecondOrder) {
  const auto top = [] {
    SpatialMachineWorld world;
    const Index body =
        world.add_body(15, Vec3(0.234375, 0.46875, 0.234375).asDiagonal(), Vec3(0, 1, 0));
    world.state.angular_velocity[body] = Vec3(0, 150, -4.61538);
    world.state.velocity[body] = world.state.angular_velocity[body].cross(Vec3(0, 1, 0));
    world.add_joint(model::ball_joint(), kWorld, body, Vec3::Zero());
    return world;
  };
  const std::vector<Real> found =
      errors(top, 0, Vec3(-0.702468297058, -0.021165184701, -0.71140025765), 0.5, Real(5e-4));
  EXPECT_NEAR(order(found[0], found[1]), 2, 0.2);
  EXPECT_NEAR(order(found[1], found[2]), 2, 0.2);
}

// A free body keeps its momentum and its spin's, and its energy to second order: torque-free
// rotation about the middle axis tips over (Dzhanibekov).
TEST(SmoothMachines, FreeRotationKeepsMomentumToSecondOrder) {
  const auto change = [](Real step) {
    SpatialMachineWorld world(Vec3::Zero());
    const Vec3 inertia(0.02, 0.04, 0.05);
    const Index body = world.add_body(1, inertia.asDiagonal(), Vec3::Zero());
    const Vec3 spin(1e-2, 8, 0);
    world.state.angular_velocity[body] = spin;
    EXPECT_EQ(world.run("index_3", 4, step), 0) << world.first_failure;
    const Quat& q = world.state.orientation[body];
    const Vec3 in_body = q.conjugate() * world.state.angular_velocity[body];
    return (q * Vec3(inertia.cwiseProduct(in_body)) - inertia.cwiseProduct(spin)).norm();
  };
  const Real coarse = change(2e-3), fine = change(1e-3);
  EXPECT_NEAR(order(coarse, fine), 2, 0.2);
  EXPECT_LT(fine, 1e-2 * 0.04 * 8);
}

// Bricard's loop of six hinges moves though it has one constraint too many for it; redundant rows
// are met, not left out, and the rank says so.
TEST(SmoothMachines, BricardsRedundantLoopMoves) {
  const std::vector<Vec3> points{{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const std::vector<Vec3> axes{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  SpatialMachineWorld world(Vec3(0, -9.81, 0));
  Index last = kWorld;
  for (std::size_t i = 0; i < 5; ++i) {
    const Vec3 along = points[i + 1] - points[i];
    Mat3 inertia = Mat3::Identity() / 12;
    inertia -= (1.0 / 12 - 1e-3) * along * along.transpose();
    const Index rod = world.add_body(1, inertia, (points[i] + points[i + 1]) / 2);
    world.add_joint(model::revolute_joint(), last, rod, points[i], axes[i]);
    last = rod;
  }
  world.add_joint(model::revolute_joint(), kWorld, last, points[5], axes[5]);
  EXPECT_EQ(world.run("index_3", 1, 1e-3), 0) << world.first_failure;
  EXPECT_LT(
      (world.state.position[2] - Vec3(0.391453047132, -1.268110311552, -0.161591632113)).norm(),
      1e-4);
  EXPECT_EQ(world.last.joints.constraint_count, 30);
  EXPECT_EQ(world.last.joints.rank, 29);
  EXPECT_LE(world.last.joints.drift, 1e-11);
}

// A double pendulum moves in any plane of space as the same scheme has it in the plane: turns about
// one axis add up, whatever the axis.
TEST(SmoothMachines, APlanarMachineMovesInAnyPlaneAsInThePlane) {
  Random random(3);
  test::Mechanism flat(9.81);
  const Index upper = flat.add(1.3, 0.02, {0.3, 0}), lower = flat.add(0.7, 0.01, {0.85, 0});
  flat.add_pin(0, upper, Vec2::Zero());
  flat.add_pin(upper, lower, Vec2(0.6, 0));
  stepping::SchemeOptions options;
  options.scheme = "index_3";
  const auto planar = make_scheme(flat.model, options);
  for (int step = 0; step < 500; ++step) ASSERT_TRUE(planar->step(flat.state, 1e-3).is_certified());
  for (int k = 0; k < 5; ++k) {
    const Quat turned = test::random_rotation(random);
    SpatialMachineWorld world(turned * Vec3(0, -9.81, 0));
    const auto add = [&](Real mass, Real inertia, Real x) {
      return world.add_body(mass, Vec3(0.3 * inertia, 0.9 * inertia, inertia).asDiagonal(),
                            turned * Vec3(x, 0, 0), turned);
    };
    const Index first = add(1.3, 0.02, 0.3), second = add(0.7, 0.01, 0.85);
    world.add_joint(model::revolute_joint(), kWorld, first, Vec3::Zero(), turned * Vec3::UnitZ());
    world.add_joint(model::revolute_joint(), first, second, turned * Vec3(0.6, 0, 0),
                    turned * Vec3::UnitZ());
    ASSERT_EQ(world.run("index_3", 0.5, 1e-3), 0) << world.first_failure;
    EXPECT_LT((world.state.position[second] - turned * flat.state.position[lower]).norm(), 1e-10);
    EXPECT_LT(
        (world.state.angular_velocity[second] - turned * flat.state.angular_velocity[lower]).norm(),
        1e-8);
  }
}

/// A wheel on an axle along z with a law on it.
SpatialMachineWorld wheel(Real inertia, const model::AxisLaw& law) {
  SpatialMachineWorld world(Vec3::Zero());
  const Index body = world.add_body(1, inertia * Mat3::Identity(), Vec3::Zero());
  const Index pin = world.add_joint(model::revolute_joint(), kWorld, body, Vec3::Zero());
  world.machine->joints[static_cast<std::size_t>(pin)].axes.push_back(law);
  return world;
}

// A spring and a damper on an axis, θ(1) = 0.020205, of second order, and what they exert.
TEST(SmoothMachines, SpringAndDamperOnAnAxisFollowTheirClosedForm) {
  model::AxisLaw law;
  law.stiffness = 20;
  law.damping = 0.3;
  const auto error = [&](Real h) {
    SpatialMachineWorld world = wheel(0.1, law);
    world.state.orientation[0] = rotation_exp(Vec3(0, 0, 0.5));
    EXPECT_EQ(world.run("index_3", 1, h), 0) << world.first_failure;
    const dynamics::AxisReaction axis = world.scheme->axes().front();
    EXPECT_NEAR(axis.value,
                2 * std::atan2(world.state.orientation[0].z(), world.state.orientation[0].w()),
                1e-12);
    EXPECT_NEAR(axis.spring, -20 * axis.value - 0.3 * axis.rate, 1e-12);
    return std::abs(axis.value - 0.020205048511712165);
  };
  EXPECT_NEAR(order(error(1e-2), error(5e-3)), 2, 0.15);
}

// Armature I_a adds to the inertia about its axis: α = τ/(I + I_a); a coupling θ₂ = −4 θ₁ does with
// 16 I₂. Both are met to the tolerance of Newton's method.
TEST(SmoothMachines, ArmatureAndCouplingAddInertia) {
  model::AxisLaw law;
  law.armature = 0.4;
  model::Motor motor;
  motor.mode = model::Motor::Mode::effort;
  motor.target = model::ConstantLaw{1.2};
  law.motor = motor;
  SpatialMachineWorld world = wheel(0.3, law);
  const Index second = world.add_body(1, 0.02 * Mat3::Identity(), Vec3(1, 0, 0));
  world.add_joint(model::revolute_joint(), kWorld, second, Vec3(1, 0, 0));
  model::Coupling gear;
  gear.name = "gear";
  gear.terms = {{0, model::Freedom::turn_z, 4}, {1, model::Freedom::turn_z, 1}};
  world.machine->couplings.push_back(gear);
  const Real alpha = 1.2 / (0.3 + 0.4 + 16 * 0.02);
  EXPECT_EQ(world.run("index_3", 1.5, 1e-2), 0) << world.first_failure;
  EXPECT_NEAR(world.state.angular_velocity[0].z(), alpha * 1.5, 1e-9);
  EXPECT_NEAR(world.state.angular_velocity[second].z(), -4 * alpha * 1.5, 1e-9);
  EXPECT_NEAR(world.scheme->axes().front().value, alpha * 1.5 * 1.5 / 2, 1e-9);
  EXPECT_NEAR(world.scheme->axes().front().effort, 1.2, 1e-12);
}

// The slider-crank in space (Haug 1989, chapter 12), driven: the slider is where the geometry says.
TEST(SmoothMachines, SliderCrankIsWhereItsGeometrySays) {
  SpatialMachineWorld world(Vec3::Zero());
  const Vec3 centre(0, 0.1, 0.12);
  const Mat3 inertia = 1e-3 * Mat3::Identity();
  const Index crank = world.add_body(0.5, inertia, centre);
  const Index slider = world.add_body(1, inertia, Vec3(0.2, 0, 0));
  const Index crank_pin =
      world.add_joint(model::revolute_joint(), kWorld, crank, centre, Vec3::UnitX());
  world.add_joint(model::prismatic_joint(), kWorld, slider, Vec3::Zero(), Vec3::UnitX());
  model::SpatialJoint rod;
  rod.name = "rod";
  rod.body_a = crank;
  rod.body_b = slider;
  rod.X_AJ.p = Vec3(0, 0, 0.08);
  rod.kind = model::Distance{0.3};
  world.machine->joints.push_back(rod);
  model::SpatialDrive drive;
  drive.name = "drive";
  drive.joint = crank_pin;
  drive.law = model::ConstantLaw{2 * std::numbers::pi};
  drive.is_rate = true;
  world.machine->drives.push_back(drive);
  world.state.angular_velocity[crank] = Vec3(2 * std::numbers::pi, 0, 0);
  const std::vector<Real> expected{0.274226184016, 0.28, 0.207846096908};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(world.run("index_3", 0.25 * (1 + static_cast<Real>(k)), 1e-3), 0)
        << world.first_failure;
    EXPECT_NEAR(world.state.position[slider].x(), expected[k], 1e-11);
  }
}

// A bob that hangs at rest is held by its weight; one that goes round level on a rod of length l at
// ω, the rod at the angle φ from below with cos φ = g/(ω² l), by m ω² l along it.
TEST(SmoothMachines, ReactionsAreThoseOfAConicalPendulum) {
  constexpr Real g = 9.81, kLength = 0.5, kRate = 6, kMass = 2;
  const Real cosine = g / (kRate * kRate * kLength), sine = std::sqrt(1 - cosine * cosine);
  SpatialMachineWorld world;
  const Vec3 at = kLength * Vec3(sine, 0, -cosine);
  const Index bob = world.add_body(kMass, 0.01 * Mat3::Identity(), at);
  world.add_joint(model::ball_joint(), kWorld, bob, Vec3::Zero());
  world.state.angular_velocity[bob] = Vec3(0, 0, kRate);
  world.state.velocity[bob] = Vec3(0, 0, kRate).cross(at);
  EXPECT_EQ(world.run("index_3", 0.5, 1e-3), 0) << world.first_failure;
  const dynamics::Reaction& reaction = world.scheme->reactions().front();
  EXPECT_NEAR(reaction.force.norm(), kMass * kRate * kRate * kLength, 1e-3);
  EXPECT_NEAR(reaction.force.z(), kMass * g, 1e-3);
  EXPECT_NEAR(reaction.moment.norm(), 0, 1e-9);
}

// A rod on a hinge that a prescribed body carries along: the hinge is where the body is.
TEST(SmoothMachines, PrescribedBodiesCarryJoints) {
  SpatialMachineWorld world;
  const Index cart = world.add_body(1, Mat3::Identity(), Vec3::Zero());
  world.model.bodies[cart].kind = model::BodyKind::kinematic;
  world.state.velocity[cart] = Vec3(0.7, 0, 0);
  const Index rod = world.add_body(1, 0.01 * Mat3::Identity(), Vec3(0, 0, -0.4));
  world.add_joint(model::revolute_joint(), cart, rod, Vec3::Zero(), Vec3::UnitY());
  world.state.velocity[rod] = Vec3(0.7, 0, 0);
  EXPECT_EQ(world.run("index_3", 1, 1e-2), 0) << world.first_failure;
  EXPECT_NEAR(world.state.position[cart].x(), 0.7, 1e-12);
  // It hangs at rest in the frame of the cart.
  EXPECT_LT((world.state.position[rod] - Vec3(0.7, 0, -0.4)).norm(), 1e-11);
}

// Constraints that contradict each other are named, and nothing is averaged.
TEST(SmoothMachines, ContradictingDrivesAreNamed) {
  SpatialMachineWorld world = wheel(0.1, {});
  for (const Real rate : {1.0, 2.0}) {
    model::SpatialDrive drive;
    drive.name = rate == 1 ? "slow" : "fast";
    drive.joint = 0;
    drive.law = model::ConstantLaw{rate};
    drive.is_rate = true;
    world.machine->drives.push_back(drive);
  }
  EXPECT_GT(world.run("index_3", 0.1, 1e-2), 0);
  EXPECT_EQ(world.last.status, problem::SolveStatus::numerical_error);
  EXPECT_EQ(world.last.detail,
            "no motion satisfies these together, they contradict each other: drive slow, drive "
            "fast");
}

// What is no function of place and velocity is refused by name.
TEST(SmoothMachines, SetValuedLawsAreRefused) {
  stepping::SchemeOptions options;
  options.scheme = "index_3";
  const auto said = [&](const model::AxisLaw& law) {
    SpatialMachineWorld world = wheel(0.1, law);
    return unsupported(world.model, options);
  };
  model::AxisLaw limited, rough, motored;
  limited.upper = 1;
  rough.friction = 0.1;
  motored.motor = model::Motor{};
  EXPECT_EQ(said({}), "");
  EXPECT_NE(said(limited).find("does not support limits of axes, which joint"), std::string::npos);
  EXPECT_NE(said(rough).find("does not support dry friction of axes"), std::string::npos);
  EXPECT_NE(said(motored).find("a motor with a velocity as its target"), std::string::npos);
  SpatialMachineWorld roped = wheel(0.1, {});
  model::SpatialJoint rope;
  rope.kind = model::Rope{1};
  roped.machine->joints.push_back(rope);
  EXPECT_NE(unsupported(roped.model, options).find("ropes"), std::string::npos);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
