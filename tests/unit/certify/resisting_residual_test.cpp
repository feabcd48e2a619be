#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include <talus/certify/rigid_contact_residual.hpp>

namespace talus::certify::TALUS_TEST_FILE {
namespace {

using problem::RigidContact;

constexpr Real kRadius = 0.1, kMass = 2;

/// A ball that presses on a floor with an impulse of 1 N·s and rolls and spins there.
RigidContact ball_on_floor() {
  RigidContact problem;
  problem.bodies.resize(2);
  problem.bodies[1].inverse_mass = 1 / kMass;
  problem.bodies[1].v = Vec3(0, 0, -1 / kMass);
  problem.inverse_inertia = {Mat3::Zero(), 2.5 / kMass * Mat3::Identity()};  // ℓ = R
  problem.length = {1, kRadius};
  problem.general = {{Vec3::UnitZ(), 0, Vec3::Zero(), -Vec3::UnitZ(), 0.5, 0, 1}};
  problem.resistance.resize(1);
  return problem;
}

Real natural_map(const RigidContact& problem, const Vec3& r, const Vec3& m) {
  problem::ContactImpulses impulse;
  impulse.general = {r};
  impulse.moment = {m};
  std::vector<problem::BodyVelocity> velocity = problem.bodies;
  problem::apply_impulses(problem, impulse, velocity);
  const Certificate certificate = certify(problem, impulse, velocity);
  EXPECT_LT(certificate.equation_of_motion, 1e-14);
  return certificate.natural_map;
}

// Spin about the normal: the answer is in closed form, and every error in it is seen at its size.
TEST(ResistingResidual, SeesErrorsOfTorsion) {
  RigidContact problem = ball_on_floor();
  problem.resistance[0].torsion = 0.01;
  problem.bodies[1].s.z() = kRadius * 30;
  EXPECT_LT(natural_map(problem, Vec3(0, 0, 1), Vec3(0, 0, -0.01)), 1e-14);
  for (const Real moment : {0.0, -0.005, 0.005, -0.02})
    EXPECT_GT(natural_map(problem, Vec3(0, 0, 1), Vec3(0, 0, moment)), 0.02) << moment;
  // A spin that the moment can stop must be stopped: ω = m 5/2/(M R²).
  problem.bodies[1].s.z() = kRadius * 0.5 * 0.01 * 2.5 / (kMass * kRadius * kRadius);
  EXPECT_LT(natural_map(problem, Vec3(0, 0, 1), Vec3(0, 0, -0.005)), 1e-14);
  EXPECT_GT(natural_map(problem, Vec3(0, 0, 1), Vec3(0, 0, -0.01)), 0.02);
}

// Rolling: a ball at rest is pushed by a moment of its own accord only where the law says so.
TEST(ResistingResidual, SeesErrorsOfRolling) {
  RigidContact problem = ball_on_floor();
  problem.resistance[0].rolling = 0.01;
  EXPECT_LT(natural_map(problem, Vec3(0, 0, 1), Vec3::Zero()), 1e-14);
  EXPECT_GT(natural_map(problem, Vec3(0, 0, 1), Vec3(0.01, 0, 0)), 0.02);
  EXPECT_GT(natural_map(problem, Vec3(0, 0, 1), Vec3(0, 0, 0.01)), 0.02);  // there is no torsion
}

// Without rolling and torsion any moment is an error.
TEST(ResistingResidual, SeesMomentsThatNothingAllows) {
  RigidContact problem = ball_on_floor();
  EXPECT_LT(natural_map(problem, Vec3(0, 0, 1), Vec3::Zero()), 1e-14);
  EXPECT_GT(natural_map(problem, Vec3(0, 0, 1), Vec3(0, 0, 1e-3)), 5e-3);
}

// A ball that leaves is held back by c and no more; one that does not leave needs no pull.
TEST(ResistingResidual, SeesErrorsOfCohesion) {
  RigidContact problem = ball_on_floor();
  problem.resistance[0].cohesion = 0.2;
  problem.bodies[1].v.z() = 0.5 / kMass;
  EXPECT_LT(natural_map(problem, Vec3(0, 0, -0.2), Vec3::Zero()), 1e-14);
  for (const Real normal : {-0.3, -0.1, 0.1})
    EXPECT_GT(natural_map(problem, Vec3(0, 0, normal), Vec3::Zero()), 0.1) << normal;
  problem.bodies[1].v.z() = 0.1 / kMass;
  EXPECT_LT(natural_map(problem, Vec3(0, 0, -0.1), Vec3::Zero()), 1e-14);
  EXPECT_GT(natural_map(problem, Vec3(0, 0, -0.2), Vec3::Zero()), 0.1);
}

// A drag acts on a ball that leaves too; without it the answer misses all of it, and is an answer.
TEST(ResistingResidual, SeesErrorsOfDrag) {
  RigidContact problem = ball_on_floor();
  problem.resistance[0].drag = Vec3(-0.2, 0, 0);
  problem.bodies[1].v = Vec3(1, 0, 0.5 / kMass);
  EXPECT_LT(natural_map(problem, Vec3(-0.2, 0, 0), Vec3::Zero()), 1e-14);
  EXPECT_GT(natural_map(problem, Vec3(-0.1, 0, 0), Vec3::Zero()), 0.1);
  constexpr Real kRounding = 1e-13;  // of velocities, which errors are taken less
  EXPECT_NEAR(natural_map(problem, Vec3::Zero(), Vec3::Zero()), 1, kRounding);
}

// Friction with a grain: along it 0.5, across it none.
TEST(ResistingResidual, SeesErrorsOfAGrain) {
  RigidContact problem = ball_on_floor();
  problem.resistance[0].axis = Vec3::UnitX();
  problem.bodies[1].v += Vec3(3, 0, 0);
  EXPECT_LT(natural_map(problem, Vec3(-0.5, 0, 1), Vec3::Zero()), 1e-14);
  EXPECT_GT(natural_map(problem, Vec3(-0.4, 0, 1), Vec3::Zero()), 0.05);
  EXPECT_GT(natural_map(problem, Vec3(-0.5, 0.1, 1), Vec3::Zero()), 0.05);
  problem.resistance[0].axis = Vec3::UnitY();
  EXPECT_LT(natural_map(problem, Vec3(0, 0, 1), Vec3::Zero()), 1e-14);
  EXPECT_GT(natural_map(problem, Vec3(-0.5, 0, 1), Vec3::Zero()), 0.05);
}

// Friction along one axis alone is Coulomb's law in a plane under every law but the convex one: a
// contact that slides along it has r_x = −μ r_N and u_N = 0, whatever couples them.
TEST(ResistingResidual, OneAxisIsAPlane) {
  RigidContact problem = ball_on_floor();
  problem.resistance[0].axis = Vec3::UnitX();
  problem.bodies[1].v += Vec3(3, 0.2, 0);
  problem.general[0].arm_b = Vec3(0.6, 0.3, -1);
  const Mat6 A = problem::resistance_block(problem, 0);
  const Real normal = 1 / kMass / (A(2, 2) - 0.5 * A(2, 0));
  for (const auto law : {problem::FrictionLaw::coulomb, problem::FrictionLaw::maximum_dissipation,
                         problem::FrictionLaw::polyhedral}) {
    problem.law = law;
    EXPECT_LT(natural_map(problem, normal * Vec3(-0.5, 0, 1), Vec3::Zero()), 1e-14)
        << to_string(law);
    EXPECT_GT(natural_map(problem, normal * Vec3(-0.4, 0, 1), Vec3::Zero()), 0.05)
        << to_string(law);
  }
  // One that can be stopped along it sticks there, and goes on across it.
  problem.bodies[1].v.x() = 0.02;
  const Mat2 plane{{A(2, 2), A(2, 0)}, {A(0, 2), A(0, 0)}};
  const Vec2 stuck = -plane.inverse() * Vec2(-1 / kMass, 0.02);
  ASSERT_LT(std::abs(stuck[1]), 0.5 * stuck[0]);
  for (const auto law : {problem::FrictionLaw::coulomb, problem::FrictionLaw::maximum_dissipation,
                         problem::FrictionLaw::polyhedral}) {
    problem.law = law;
    EXPECT_LT(natural_map(problem, Vec3(stuck[1], 0, stuck[0]), Vec3::Zero()), 1e-13)
        << to_string(law);
  }
}

// Tangential restitution asks for the slip that it says.
TEST(ResistingResidual, CountsTheSlipBias) {
  RigidContact problem = ball_on_floor();
  problem.bodies[1].v.x() = 0.1;
  problem.resistance[0].slip_bias = Vec3(0.1, 0, 0);
  const Real stop = -0.2 * kMass / 3.5;  // of the contact point: 1/M + R²/I = 7/2/M
  EXPECT_LT(natural_map(problem, Vec3(stop, 0, 1), Vec3::Zero()), 1e-14);
  EXPECT_GT(natural_map(problem, Vec3(stop / 2, 0, 1), Vec3::Zero()), 0.02);
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
