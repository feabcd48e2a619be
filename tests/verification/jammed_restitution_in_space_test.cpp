// Friction can jam what restitution wants apart. A ball on an arm whose pin is as high above the
// floor as H, and x beside the point of contact, moves along d = (H, x) there, first towards the
// floor. Newton's law wants it to go back, so that friction acts against that: on the arm the
// impulse r (−μ, 1) has the moment r (x − μ H). If it is not positive no impulse turns the arm
// back, and there is no answer with any restitution; with none the ball stops: that is the answer
// with as much restitution as has one.
#include <gtest/gtest.h>

#include "support/random_spatial_machine.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kHeight = 1, kRadius = 0.1, kFriction = 0.5, kRestitution = 0.5, kRate = 2;

/// The rate of the arm after the ball has struck. @param x of the point of contact.
Real rate_after(Real x, const char* scheme) {
  test::SpatialMachineWorld world(Vec3::Zero(), kFriction, kRestitution);
  world.add_floor();
  const Vec3 pin(0, 0, kHeight), arm(x, 0, kRadius + 2e-3 - kHeight);
  const Index ball =
      world.add(geometry::Sphere{kRadius}, model::BodyKind::dynamic, Vec3(pin + arm));
  world.add_joint(model::revolute_joint(), model::kWorld, ball, pin, Vec3::UnitY());
  world.state.angular_velocity[ball] = kRate * Vec3::UnitY();
  world.state.velocity[ball] = world.state.angular_velocity[ball].cross(arm);
  EXPECT_EQ(world.run(scheme, 20e-3, 1e-3), 0) << world.first_failure;
  return world.state.angular_velocity[ball].y();
}

class JammedRestitutionInSpace : public testing::TestWithParam<const char*> {};

TEST_P(JammedRestitutionInSpace, StopsWhereFrictionHoldsTheArmAndReboundsElsewhere) {
  constexpr Real kJamsBelow = kFriction * kHeight;
  // The least share that is tried, 2⁻¹⁰, is within what a contact may miss: 1000 tolerances.
  EXPECT_NEAR(rate_after(0.6 * kJamsBelow, GetParam()), 0, 1.01 * kRestitution * kRate / 1024);
  EXPECT_NEAR(rate_after(1.6 * kJamsBelow, GetParam()), -kRestitution * kRate, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Schemes, JammedRestitutionInSpace,
                         testing::Values("moreau_jean", "moreau_midpoint"),
                         [](const auto& one) { return std::string(one.param); });

// Four bodies and a rod that closes a loop, whose foot jams: nine of these steps had no answer.
TEST(JammedRestitutionInSpaceOnce, OfALoopIsCertified) {
  test::SpatialMachineWorld world = test::random_spatial_machine(300143, {});
  for (model::InterfaceLaw& law : world.model.laws) law.impact.restitution = 0.5;
  EXPECT_EQ(world.run("moreau_jean", 0.5, 2e-3), 0) << world.first_failure;
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
