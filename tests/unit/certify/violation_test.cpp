#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/random.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/rigid_contact_residual.hpp>

namespace talus::certify::TALUS_TEST_FILE {
namespace {

using problem::FrictionContact;
using problem::RigidContact;

/// Contacts without friction in 3-D of given normal entries of W and b.
FrictionContact frictionless(const MatX& normal_w, const VecX& normal_b) {
  const Index m = normal_b.size();
  MatX W = MatX::Identity(3 * m, 3 * m);
  FrictionContact problem;
  problem.dimension = 3;
  problem.b = VecX::Zero(3 * m);
  for (Index i = 0; i < m; ++i) {
    problem.b[3 * i] = normal_b[i];
    for (Index j = 0; j < m; ++j) W(3 * i, 3 * j) = normal_w(i, j);
  }
  problem.W = W.sparseView();
  problem.friction = VecX::Zero(m);
  return problem;
}

VecX normal_impulses(const VecX& normal) {
  VecX r = VecX::Zero(3 * normal.size());
  for (Index i = 0; i < normal.size(); ++i) r[3 * i] = normal[i];
  return r;
}

/// A body between two supports that close on it: no impulses satisfy both.
FrictionContact squeezed() {
  return frictionless((MatX(2, 2) << 1, -1, -1, 1).finished(), Vec2(-1, -1));
}

// W = [1 −1; −1 1], b = (−1, −1): u₁ + u₂ = −2 whatever r is, so one contact closes at 1 m/s or
// more, as fast as it did without impulses. As r grows the natural map falls below any tolerance;
// the violation stays at 1 or above.
RC_GTEST_PROP(Violation, OfAnInfeasibleProblemStaysAbove1, ()) {
  const Real size = std::pow(10, *rc::gen::inRange(-3, 13));
  const Real difference = *rc::gen::inRange(-1000, 1001) / 500.0;
  const Certificate c = certify(squeezed(), normal_impulses(Vec2(size + difference, size)));
  RC_ASSERT(c.violation >= 1 - 1e-12 * (1 + size * 1e-4));
}

TEST(Violation, IsSeenWhereTheNaturalMapIsNot) {
  const Certificate c = certify(squeezed(), normal_impulses(Vec2(1e7, 1e7)));
  EXPECT_LT(c.natural_map, 1e-6);
  EXPECT_NEAR(c.violation, 1, 1e-6);
}

// A self-stress of 1e9 N·s, which moves nothing, does not hide a contact that closes at 1 m/s.
TEST(Violation, SelfStressHidesNothing) {
  const FrictionContact problem =
      frictionless((MatX(3, 3) << 1, -1, 0, -1, 1, 0, 0, 0, 1).finished(), Vec3(0, 0, -1));
  const Certificate wrong = certify(problem, normal_impulses(Vec3(1e9, 1e9, 0)));
  EXPECT_LT(wrong.natural_map, 1e-8);
  EXPECT_NEAR(wrong.violation, 1, 1e-12);
  EXPECT_EQ(wrong.worst_contact, 2);
}

/// A ball that falls onto a floor at b [m/s] with mass m, beside others of its kind.
void add_ball(RigidContact& problem, Real mass, Real b) {
  const auto floor = static_cast<std::uint32_t>(problem.bodies.size());
  problem.bodies.emplace_back();
  problem::BodyVelocity ball;
  ball.v = Vec3(0, 0, -b);
  ball.inverse_mass = 1 / mass;
  ball.inverse_inertia = 2.5 / mass;
  problem.bodies.push_back(ball);
  for (int k = 0; k < 2; ++k) {
    problem.inverse_inertia.push_back(problem.bodies[floor + k].inverse_inertia * Mat3::Identity());
    problem.length.push_back(1);
  }
  problem::GeneralContact contact;
  contact.normal = Vec3::UnitZ();
  contact.arm_b = Vec3(0, 0, -1);
  contact.body_a = floor;
  contact.body_b = floor + 1;
  problem.general.push_back(contact);
}

Certificate judged(const RigidContact& problem, const std::vector<Vec3>& impulse) {
  problem::ContactImpulses r = problem::zero_impulses(problem);
  r.general = impulse;
  return certify(problem, r, {});
}

// A grain beside a mountain: a ball of 1 g whose impulse misses a tenth, beside one of 10⁶ kg that
// is solved. The natural map is 1e-10; the violation is that of the grain alone, a tenth.
TEST(Violation, OfAGrainBesideAMountainIsItsOwn) {
  RigidContact grain, both;
  add_ball(grain, 1e-3, 0.01);
  add_ball(both, 1e6, 0.01);
  add_ball(both, 1e-3, 0.01);
  const Vec3 missing(0, 0, 0.9e-5), mountain(0, 0, 1e4);
  const Certificate alone = judged(grain, {missing}), beside = judged(both, {mountain, missing});
  EXPECT_LT(beside.natural_map, 1e-9);
  EXPECT_NEAR(alone.violation, 0.1, 1e-12);
  EXPECT_NEAR(beside.violation, alone.violation, 1e-15);
  EXPECT_EQ(beside.worst_contact, 1);
}

// Contacts of an island that do not approach are measured by those that do: ρ-weighted in the
// square mean. Two balls one above the other fall with 3 m/s; the lower contact approaches at
// 3 m/s, the upper one at 0, and an upper impulse that is too large by 0.3 kg m/s on 1 kg is a
// tenth.
TEST(Violation, InsideAStackIsMeasuredByTheIsland) {
  RigidContact stack;
  add_ball(stack, 1, 3);
  add_ball(stack, 1, 3);
  stack.general[1].body_a = 1;
  stack.general[1].arm_a = Vec3(0, 0, 1);
  // Without the upper ball's weight: r = (3, 0) leaves the upper contact closing at 3 m/s.
  const Certificate c = judged(stack, {Vec3(0, 0, 3), Vec3::Zero()});
  EXPECT_EQ(c.worst_contact, 1);
  EXPECT_NEAR(c.violation, 1, 1e-12);
  EXPECT_LT(judged(stack, {Vec3(0, 0, 6), Vec3(0, 0, 3)}).violation, 1e-15);
}

// Other units, with powers of 2, change no bit of it.
TEST(Violation, HasNoUnits) {
  const auto in_units = [](Real mass, Real speed) {
    RigidContact problem;
    add_ball(problem, 0.7 * mass, 0.3 * speed);
    add_ball(problem, 2.1 * mass, 1.1 * speed);
    problem.general[1].body_a = 1;
    problem.general[1].arm_a = Vec3(0, 0, 1);
    for (problem::GeneralContact& contact : problem.general) contact.friction = 0.4;
    problem.bodies[3].v.x() = 0.9 * speed;
    const Real impulse = mass * speed;
    return judged(problem, {Vec3(0.1, 0, 2) * impulse, Vec3(0, 0.2, 1.3) * impulse});
  };
  const Real own = in_units(1, 1).violation;
  EXPECT_GT(own, 0.01);
  for (const Real mass : {0x1p-40, 0x1p+30})
    for (const Real speed : {0x1p-20, 0x1p+20})
      EXPECT_NEAR(in_units(mass, speed).violation / own, 1, 1e-13);
}

// All bodies boosted alike, supports too: the same violation but for rounding of the velocities.
TEST(Violation, IsTheSameInAMovingFrame) {
  RigidContact problem;
  add_ball(problem, 1, 0.5);
  const Certificate rest = judged(problem, {Vec3(0, 0, 0.4)});
  for (problem::BodyVelocity& body : problem.bodies) body.v += Vec3(100, -200, 300);
  EXPECT_NEAR(judged(problem, {Vec3(0, 0, 0.4)}).violation, rest.violation, 1e-10);
}

// A sliding speed is no measure of an approach: a ball on a belt of 10 m/s that sinks with 1 % of
// its fall violates by 1 % at least, whatever the belt does.
TEST(Violation, IsNotHiddenByABelt) {
  RigidContact problem;
  add_ball(problem, 1, 0.01);
  problem.general[0].friction = 0.5;
  problem.bodies[0].v.x() = 10;
  const Real normal = 0.0099;
  EXPECT_GE(judged(problem, {Vec3(0.5 * normal, 0, normal)}).violation, 0.005);
  EXPECT_LT(judged(problem, {Vec3(0.5 * 0.01, 0, 0.01)}).violation, 1e-12);
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
