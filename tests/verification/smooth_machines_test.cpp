// Smooth machines in space by index_3, constraints held at the level of positions: against closed
// forms, an independent integration (as differential-algebraic equations, to 1e-12), and the same
// scheme in the plane.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/stepping/capabilities.hpp>

#include "support/classic_machines.hpp"
#include "support/squeezer.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::kWorld;
using test::SpatialMachineWorld;
using test::wheel;

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
  const std::vector<Real> found = errors(test::chain_of_three, 2, test::chain_after_1_s, 1, 1e-3);
  EXPECT_NEAR(order(found[0], found[1]), 2, 0.2);
  EXPECT_NEAR(order(found[1], found[2]), 2, 0.2);
  EXPECT_LT(found[2], 1e-4);
}

// Lengths L times, masses L³ times, times √L times as large: the same motion, whatever the size,
// from links of 0.2 µm to such of 200 km. (Once the multipliers of heavy links were lost beside
// their accelerations: joints of links of 1000 m opened, and a chain gained 6 % of its energy.)
TEST(SmoothMachines, AChainOfAnySizeMovesAlike) {
  const auto end_of = [](Real L) {
    SpatialMachineWorld world = test::chain_of_three();
    for (model::Body& body : world.model.bodies) {
      body.mass *= std::pow(L, 3);
      body.inertia *= std::pow(L, 5);
    }
    for (Vec3& position : world.state.position) position *= L;
    for (model::SpatialJoint& joint : world.machine->joints)
      for (Pose* frame : {&joint.X_AJ, &joint.X_BJ}) frame->p *= L;
    EXPECT_EQ(world.run("index_3", 0.2 * std::sqrt(L), 1e-3 * std::sqrt(L)), 0)
        << L << ": " << world.first_failure;
    return Vec3(world.state.position[2] / L);
  };
  const Vec3 expected = end_of(1);
  for (const Real L : {1e-6, 1e-3, 10.0, 1e3, 1e6})
    EXPECT_LT((end_of(L) - expected).norm(), 1e-7) << L;
}

// A link that weighs next to nothing hangs on a chain and does not move it, nor does its weight
// bring its own joint apart: whatever the ratio of masses, multipliers of both are found.
TEST(SmoothMachines, ALinkThatWeighsNothingDoesNotMoveTheOthers) {
  const auto end_of = [](bool has_link, Real ratio) {
    SpatialMachineWorld world = test::chain_of_three();
    if (has_link) {
      const Index link =
          world.add_body(0.5 * ratio, 1e-3 * ratio * Mat3::Identity(), Vec3(0.7, 0, 0));
      world.add_joint(model::revolute_joint(), 2, link, Vec3(0.6, 0, 0), Vec3::UnitY());
    }
    EXPECT_EQ(world.run("index_3", 0.2, 1e-3), 0) << ratio << ": " << world.first_failure;
    return Vec3(world.state.position[2]);
  };
  const Vec3 expected = end_of(false, 0);
  for (const Real ratio : {1e-10, 1e-13, 1e-16})
    EXPECT_LT((end_of(true, ratio) - expected).norm(), 1e-9) << ratio;
}

// The heavy top (Géradin & Cardona 2001): x(0.5 s) = (−0.702468, −0.021165, −0.711400), with the
// square of the step: rotations are composed, not added.
TEST(SmoothMachines, HeavyTopIsOfSecondOrder) {
  const std::vector<Real> found = errors(test::heavy_top, 0, test::top_after_half_s, 0.5, 5e-4);
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
  SpatialMachineWorld world = test::bricard_loop();
  EXPECT_EQ(world.run("index_3", 1, 1e-3), 0) << world.first_failure;
  EXPECT_LT((world.state.position[2] - test::bricard_after_1_s).norm(), 1e-4);
  EXPECT_EQ(world.last.joints.constraint_count, 30);
  EXPECT_EQ(world.last.joints.rank, 29);
  EXPECT_LE(world.last.joints.drift, 1e-11);
}

/// The largest distance of a body from where the same scheme has it in the plane, over a motion in
/// some planes of space.
Real largest_difference(const test::Mechanism& start, Real end, Real h) {
  test::Mechanism flat = start;
  flat.machine = std::make_shared<model::Machine>(*start.machine);
  flat.model.machine = flat.machine;
  stepping::SchemeOptions options;
  options.scheme = "index_3";
  const auto planar = make_scheme(flat.model, options);
  for (Real time = h / 2; time < end; time += h)
    EXPECT_TRUE(planar->step(flat.state, h).is_certified());
  Random random(3);
  Real largest = 0;
  for (int k = 0; k < 3; ++k) {
    const Quat turned = test::random_rotation(random);
    SpatialMachineWorld world = test::lying_in_space(start, turned);
    EXPECT_EQ(world.run("index_3", end, h), 0) << world.first_failure;
    for (Index i = 0; i < flat.model.body_count(); ++i)
      largest =
          std::max(largest, (world.state.position[i] - turned * flat.state.position[i]).norm());
  }
  return largest;
}

// Machines of the plane move in any plane of space as the same scheme has them in the plane, for
// turns about one axis add up: Andrews' squeezer, whose loops are redundant in space, to 40 ms (its
// crank turns at up to 1700 rad/s), and the double four-bar linkage up to the position where its
// constraints lose a rank.
TEST(SmoothMachines, PlanarMachinesMoveInAnyPlaneAsInThePlane) {
  EXPECT_LT(largest_difference(test::squeezer::Squeezer(), 0.04, 2e-5), 1e-10);
  EXPECT_LT(largest_difference(test::double_four_bar(), 0.4, 1e-3), 1e-10);
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
  model::AxisLaw law = test::axis_with_effort(1.2);
  law.armature = 0.4;
  SpatialMachineWorld world = wheel(0.3, law);
  const Index second = test::add_geared_wheel(world, 0.02);
  const Real alpha = 1.2 / (0.3 + 0.4 + 16 * 0.02);
  EXPECT_EQ(world.run("index_3", 1.5, 1e-2), 0) << world.first_failure;
  EXPECT_NEAR(world.state.angular_velocity[0].z(), alpha * 1.5, 1e-9);
  EXPECT_NEAR(world.state.angular_velocity[second].z(), -4 * alpha * 1.5, 1e-9);
  EXPECT_NEAR(world.scheme->axes().front().value, alpha * 1.5 * 1.5 / 2, 1e-9);
  EXPECT_NEAR(world.scheme->axes().front().effort, 1.2, 1e-12);
}

// The slider-crank in space (Haug 1989, chapter 12), driven: the slider is where the geometry says.
TEST(SmoothMachines, SliderCrankIsWhereItsGeometrySays) {
  SpatialMachineWorld world = test::slider_crank();
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(world.run("index_3", 0.25 * (k + 1), 1e-3), 0) << world.first_failure;
    EXPECT_NEAR(world.state.position[1].x(), test::kSliderAtQuarters[k], 1e-11);
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

// A base that a table carries at 1 m/s until it stops at 0.2 s: the step that ends there has the
// velocity before, with which what hangs on it goes along; it is certified as all before it.
TEST(SmoothMachines, AStepThatEndsAtAKinkHasTheVelocityBefore) {
  SpatialMachineWorld world;
  const Index base = world.add_body(1, Mat3::Identity(), Vec3::Zero());
  world.model.bodies[base].kind = model::BodyKind::kinematic;
  model::TabulatedMotion table;
  table.time = {0, 0.2, 0.4};
  table.displacement = {Vec3::Zero(), Vec3(0.2, 0, 0), Vec3(0.2, 0, 0)};
  world.model.motions.push_back({base, {}, {table}});
  const Index rod = world.add_body(1, 0.01 * Mat3::Identity(), Vec3(0, 0, -0.4));
  world.add_joint(model::revolute_joint(), base, rod, Vec3::Zero(), Vec3::UnitY());
  world.state.velocity[rod] = Vec3(1, 0, 0);
  EXPECT_EQ(world.run("index_3", 0.2, 1e-2), 0) << world.first_failure;
  EXPECT_LT((world.state.position[rod] - Vec3(0.2, 0, -0.4)).norm(), 1e-12);
  EXPECT_NEAR(world.state.velocity[rod].x(), 1, 1e-10);
}

// A drive that swings turns round where its rate is 0, where a rate is missed by the second order
// of the scheme as everywhere: compared with what the step changes, which is not 0 there, all steps
// are certified.
TEST(SmoothMachines, AStepInWhichADriveTurnsRoundIsCertified) {
  SpatialMachineWorld world = wheel(0.1, {});
  model::SpatialDrive swing;
  swing.name = "swing";
  swing.law = model::HarmonicLaw{0, 0.5, 1, 0};
  world.machine->drives.push_back(swing);
  world.state.angular_velocity[0].z() = std::numbers::pi;  // 0.5 · 2π
  EXPECT_EQ(world.run("index_3", 1, 1e-3), 0) << world.first_failure;
}

// A step takes the directions of its forces from its end alone: where a body turns by 1 rad in it
// that is no motion, and the message says of which body, and how short a step does.
TEST(SmoothMachines, StepsInWhichABodyTurnsTooFarAreNotCertified) {
  const auto failed = [](Real h, std::string& said) {
    SpatialMachineWorld world = wheel(0.1, {});
    world.state.angular_velocity[0].z() = 10;
    const Index steps = world.run("index_3", 10 * h, h);
    said = world.first_failure;
    return steps;
  };
  std::string said;
  EXPECT_EQ(failed(0.05, said), 0) << said;
  EXPECT_EQ(failed(0.1, said), 10);
  EXPECT_NE(said.find("turns by 1 rad in the step"), std::string::npos) << said;
  EXPECT_NE(said.find("at most 0.07 s"), std::string::npos) << said;
}

// Nothing gives a machine of joints alone energy: with some thirty steps a period the scheme makes
// some at each swing of a pendulum, and then without limit, to 1e257 J. No certified step raises it
// by more than 1 % of the largest S = T + T' + ½ h m g (v + v'), nor steps together by more than
// 5 %; at a tenth of the step all of them are certified.
TEST(SmoothMachines, NoCertifiedStepOfAPendulumGainsEnergy) {
  const auto refused_at = [](Real h) {
    SpatialMachineWorld world;
    const Index bob = world.add_body(1, 0.01 * Mat3::Identity(), Vec3(0.5, 0, 0));
    world.add_joint(model::revolute_joint(), kWorld, bob, Vec3::Zero(), Vec3::UnitY());
    world.scheme = stepping::make_scheme(world.model, test::options("index_3", 1e-6));
    int refused = 0;
    Real last = dynamics::energy(world.model, world.state).total(), lowest = last, largest = 0;
    Real before = 0;  // T + ½ h m g v
    for (int k = 0; k < 100 && std::isfinite(last); ++k) {
      const auto report = world.scheme->step(world.state, h);
      const Real energy = report.energy.total();
      const Real fall = world.model.gravity.norm() * world.state.velocity[0].norm();
      const Real after = report.energy.kinetic + h / 2 * fall;
      if (report.is_certified()) {
        largest = std::max(largest, before + after);
        EXPECT_LE(energy - last, 0.0101 * largest) << "step " << k;
        EXPECT_LE(energy - lowest, 0.0501 * largest) << "step " << k;
        lowest = std::min(lowest, energy);
      } else {
        ++refused;
        lowest = energy;
      }
      last = energy;
      before = after;
    }
    return refused;
  };
  EXPECT_GT(refused_at(0.06), 0);
  EXPECT_EQ(refused_at(0.006), 0);
}

// Constraints that contradict each other are named, and nothing is averaged.
TEST(SmoothMachines, ContradictingDrivesAreNamed) {
  SpatialMachineWorld world = test::contradicting_wheel();
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

// Eleven links of 1 g hang straight with 1000 kg at the last one: √(T ℓ/I) h is about 100, which
// holds them where they are by the tension alone. They stay, and the first joint bears all.
TEST(SmoothMachines, AHeavyLoadHangsOnLightLinks) {
  SpatialMachineWorld world;
  for (int k = 0; k < 12; ++k) {
    const Real mass = k < 11 ? 1e-3 : 1e3, top = -0.1 * k;
    const Index link =
        world.add_body(mass, mass * Vec3(1e-4, 8e-4, 7e-4).asDiagonal(), Vec3(0, 0, top - 0.05));
    world.add_joint(model::ball_joint(), link - 1, link, Vec3(0, 0, top));
  }
  EXPECT_EQ(world.run("index_3", 0.05, 1e-3), 0) << world.first_failure;
  for (int k = 0; k < 12; ++k)
    EXPECT_LT((world.state.position[k] - Vec3(0, 0, -0.1 * k - 0.05)).norm(), 1e-9) << k;
  EXPECT_NEAR(world.scheme->reactions().front().force.norm(), 1000.011 * 9.81, 1e-3);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
