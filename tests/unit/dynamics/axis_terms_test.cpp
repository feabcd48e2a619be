#include <talus/dynamics/axis_terms.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/dynamics/joint_terms.hpp>

#include "unit/dynamics/spatial_joints.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

using model::Freedom;
using test::derivative;
using test::drawn;
using test::kDifferenceError;
using test::TwoMotions;

constexpr Real kTurn = 2 * std::numbers::pi;

// The coordinates of a joint are those by which it was placed, of every lower pair.
RC_GTEST_PROP(AxisTerms, CoordinatesAreThoseOfThePose, ()) {
  talus::Random random = drawn();
  for (const test::NamedKind& kind : test::all_kinds()) {
    const auto* pair = std::get_if<model::LowerPair>(&kind.kind);
    if (pair == nullptr) continue;
    TwoMotions motions(random);
    const model::SpatialJoint joint = test::joint_between(0, 1, kind.kind, random);
    const Vec6 q = test::random_coordinates(pair->held, random);
    auto& [A, B] = motions.at_0;
    test::place(joint, test::pose_of(pair->held, q), A, B);
    for (int k = 0; k < 6; ++k)
      RC_ASSERT(std::abs(axis_terms(joint, static_cast<Freedom>(k), A, B).value - q[k]) < 1e-12);
  }
}

// Rate and drift are derivatives of the coordinate, off the constraint too; the row's forces on the
// two bodies are opposite.
RC_GTEST_PROP(AxisTerms, RatesAndDriftsAreDerivatives, ()) {
  talus::Random random = drawn();
  const TwoMotions motions(random);
  const auto [A, B] = motions.at_0;
  for (const test::NamedKind& kind : test::all_kinds()) {
    const model::SpatialJoint joint = test::joint_between(0, 1, kind.kind, random);
    for (int k = 0; k < 6; ++k) {
      const auto axis = static_cast<Freedom>(k);
      const RowTerms here = axis_terms(joint, axis, A, B);
      const Vec6 total = test::total(here.row.a, here.row.b, A, B);
      RC_ASSERT(total.norm() < 1e-11);
      if (k >= 3 && here.row.b.norm() > test::kFarFromGimbal) continue;
      // Cardan's middle angle has the gradient 1 up to where it is singular, at ±π/2.
      if (k == 4 && held_freedoms(kind.kind).turns() == 0 &&
          std::cos(here.value) < 1 / test::kFarFromGimbal)
        continue;
      // A line has no direction at length 0, a rotation no axis at 0, and another one at π.
      const bool is_line = std::holds_alternative<model::Line>(kind.kind);
      const bool is_rotation = std::holds_alternative<model::Rotation>(kind.kind);
      if (is_line && here.value < test::kFarFromZero) continue;
      if (is_rotation && std::sin(here.value) < 1 / test::kFarFromGimbal) continue;
      const auto at = [&](Real s) {
        return axis_terms(joint, axis, motions.at(0, s), motions.at(1, s), here.value);
      };
      const Real rate = derivative([&](Real s) { return at(s).value; });
      const Real change = derivative([&](Real s) { return at(s).rate; });
      RC_ASSERT(std::abs(here.rate - rate) < kDifferenceError);
      RC_ASSERT(std::abs(here.rate - here.row.times(motions.velocity())) < 1e-12);
      RC_ASSERT(std::abs(here.row.times(motions.accelerations()) + here.drift - change) <
                kDifferenceError);
    }
  }
}

// Without constraints: the length of a line is the distance of its ends, the angle of a rotation
// that of the rotation vector.
RC_GTEST_PROP(AxisTerms, LengthsAndAnglesAreThoseOfTheMotion, ()) {
  talus::Random random = drawn();
  TwoMotions motions(random);
  auto& [A, B] = motions.at_0;
  const model::SpatialJoint line = test::joint_between(0, 1, model::Line{}, random);
  const Real length = (A.p + A.R * line.X_AJ.p - B.p - B.R * line.X_BJ.p).norm();
  RC_ASSERT(std::abs(axis_terms(line, Freedom::z, A, B).value - length) < 1e-14);
  const model::SpatialJoint turned = test::joint_between(0, 1, model::Rotation{}, random);
  const Vec3 rotation = random.uniform(0, kTurn / 2) * test::random_vector<3>(random).normalized();
  test::place(turned, {Vec3::Zero(), rotation_exp(rotation)}, A, B);
  RC_ASSERT(std::abs(axis_terms(turned, Freedom::turn_z, A, B).value - rotation.norm()) < 1e-12);
  RC_ASSERT(constraint_count(line.kind) + constraint_count(turned.kind) == 0);
}

// A hinge that turns on is followed through whole turns, forwards and back: each value is the
// nearest to the one before.
TEST(AxisTerms, AngleFollowsWholeTurns) {
  talus::Random random(3);
  for (const model::LowerPair& pair :
       {model::revolute_joint(), model::cylindrical_joint(), model::universal_joint()}) {
    TwoMotions motions(random);
    const model::SpatialJoint joint = test::joint_between(0, 1, pair, random);
    auto& [A, B] = motions.at_0;
    Real last = 0;
    for (int step = 0; step <= 200; ++step) {
      const Real angle = 4.3 * kTurn * std::sin(step * kTurn / 200);
      Vec6 q = Vec6::Zero();
      q[5] = angle;
      test::place(joint, test::pose_of(pair.held, q), A, B);
      last = axis_terms(joint, Freedom::turn_z, A, B, last).value;
      ASSERT_NEAR(last, angle, 1e-11);
    }
  }
}

// A motor at its end of a gear: the coordinate times g to the motor, the effort times g to the
// axis.
TEST(AxisTerms, EffortOfSpringDamperAndMotor) {
  model::AxisLaw law;
  law.stiffness = 3;
  law.rest = 0.5;
  law.damping = 0.25;
  EXPECT_DOUBLE_EQ(axis_effort(law, 0, 1.5, 2), -3 - 0.5);
  model::Motor motor;
  motor.gear = 10;
  motor.target = model::RampLaw{1, 2};
  motor.stiffness = 0.1;
  motor.damping = 0.2;
  law = {};
  law.motor = motor;
  EXPECT_DOUBLE_EQ(axis_effort(law, 1, 0.2, 0.1), 10 * 0.2 * (3 - 10 * 0.1));
  law.motor->damping = 0;
  EXPECT_EQ(axis_effort(law, 1, 0.2, 0.1), 0);  // a velocity is held by an impulse
  law.motor->damping = 0.2;
  law.motor->mode = model::Motor::Mode::position;
  EXPECT_DOUBLE_EQ(axis_effort(law, 1, 0.2, 0.1), 10 * (0.1 * (3 - 2) + 0.2 * (2 - 1)));
  law.motor->upper_effort = 0.05;
  EXPECT_DOUBLE_EQ(axis_effort(law, 1, 0.2, 0.1), 0.5);
  law.motor->mode = model::Motor::Mode::effort;
  law.motor->lower_effort = -2;
  EXPECT_DOUBLE_EQ(axis_effort(law, -4, 0.2, 0.1), -20);
  EXPECT_DOUBLE_EQ(axis_effort(law, -1, 0.2, 0.1), -10);
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
