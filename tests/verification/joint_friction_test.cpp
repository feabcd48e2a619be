#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <talus/stepping/lagrangian_stepper.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

using stepping::ImplicitOptions;
using stepping::LagrangianState;
using stepping::LagrangianStepper;

/// A pendulum with dry friction in its hinge: I θ̈ = −mgl sin θ − friction, |friction| ≤ bound.
struct Pendulum final : model::LagrangianSystem {
  Real inertia = 1, weight = 9.81, bound = 0.5;
  [[nodiscard]] Index coordinate_count() const override { return 1; }
  [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Constant(1, 1, inertia); }
  [[nodiscard]] VecX force(const VecX& q, const VecX&, Real) const override {
    return VecX::Constant(1, -weight * std::sin(q[0]));
  }
  [[nodiscard]] std::vector<model::LagrangianJoint> joints(const VecX&) const override {
    return {{MatX::Ones(1, 1), {}, bound}};
  }
};

/// Angles at which the pendulum turns, and where it stops (last).
std::vector<Real> turning_points(Real h) {
  const Pendulum pendulum;
  LagrangianStepper stepper(pendulum, {});
  LagrangianState state{0, VecX::Constant(1, 1), VecX::Zero(1)};
  std::vector<Real> turns;
  Real sign = -1;
  int still = 0;
  while (still < 10) {
    EXPECT_TRUE(stepper.step(state, h).is_certified());
    if (state.v[0] * sign < 0) {
      turns.push_back(state.q[0]);
      sign = -sign;
    }
    still = state.v[0] == 0 || std::abs(state.v[0]) < 1e-13 ? still + 1 : 0;
  }
  turns.push_back(state.q[0]);
  return turns;
}

// Between two turns friction takes 0.5·Δθ from the energy: the pendulum turns where
// 9.81 cos θ ± 0.5 θ returns to its value, at −0.881250748, 0.766732152, −0.655609990, …, and stops
// at −0.028347718, where its weight no longer overcomes the friction. A turn is seen at the end of
// a step, up to ½ θ̈ h² ≤ 4.9 h² late at either end of a swing. (Turns come out to second order:
// there the velocity, and with it the first-order part of the energy error, is zero.)
TEST(JointFriction, PendulumTurnsAndStopsWhereTheEnergySays) {
  const std::vector<Real> exact = {-0.881250748, 0.766732152, -0.655609990};
  constexpr Real kStop = -0.028347718, kDigits = 5e-10;
  for (const Real h : {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4}) {
    const std::vector<Real> turns = turning_points(h);
    ASSERT_GE(turns.size(), 4U);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(turns[i], exact[i], 9.81 * h * h + kDigits) << "h = " << h << ", turn " << i;
    EXPECT_NEAR(turns.back(), kStop, 9.81 * h * h + kDigits) << "h = " << h;
  }
}

/// The angle at t = 0.3, in the middle of the first swing.
Real angle_in_swing(Real h) {
  const Pendulum pendulum;
  LagrangianStepper stepper(pendulum, {});
  LagrangianState state{0, VecX::Constant(1, 1), VecX::Zero(1)};
  for (long step = 0; step < std::lround(0.3 / h); ++step)
    EXPECT_TRUE(stepper.step(state, h).is_certified());
  return state.q[0];
}

// Between the turns the method is of first order: differences of halved steps halve.
TEST(JointFriction, PendulumConvergesToFirstOrder) {
  const Real a = angle_in_swing(2e-3), b = angle_in_swing(1e-3), c = angle_in_swing(5e-4);
  const Real order = std::log2((a - b) / (b - c));
  EXPECT_GT(order, 0.95);
  EXPECT_LT(order, 1.05);
}

/// A disc that rolls on a floor y = 0, with a slider rail and a bearing: q = (x, y, θ); contact
/// with friction, joint friction on ẋ (a guide) and on θ̇ (a bearing).
struct GuidedDisc final : model::LagrangianSystem {
  Real friction = 0.3, guide = 0.2, bearing = 0.05, push = 3;
  [[nodiscard]] Index coordinate_count() const override { return 3; }
  [[nodiscard]] MatX mass(const VecX&) const override { return Vec3(1, 1, 0.5).asDiagonal(); }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override {
    return Vec3(push, -10, 0);
  }
  [[nodiscard]] Index contact_count() const override { return 1; }
  [[nodiscard]] model::LagrangianContact contact(Index, const VecX& q) const override {
    return {q[1] - 1, Vec3(0, 1, 0), Vec3(1, 0, 1), {}, friction};  // slip ẋ + θ̇
  }
  [[nodiscard]] std::vector<model::LagrangianJoint> joints(const VecX&) const override {
    return {{Vec3(1, 0, 0), {}, guide}, {Vec3(0, 0, 1), {}, bearing}};
  }
};

/// Acceleration of the disc from rest after one step of size h.
Vec3 acceleration(const GuidedDisc& disc, stepping::ImplicitReport* report = nullptr) {
  LagrangianStepper stepper(disc, {});
  LagrangianState state{0, Vec3(0, 1, 0), Vec3(0, 0, 0)};
  const Real h = 1e-3;
  const auto done = stepper.step(state, h);
  EXPECT_TRUE(done.is_certified()) << done.detail;
  if (report != nullptr) *report = done;
  return state.v / h;
}

// A contact and two frictional joints in one LCP. Rolling: ẍ + θ̈ = 0, m ẍ = push − guide − F,
// J θ̈ = bearing − F, so ẍ = (push − guide − bearing)/(m + J). With a hard push the disc slips:
// F = μ N, ẍ = push − guide − μ N, θ̈ = −(μ N − bearing)/J. With a weak push all three stick.
TEST(JointFriction, MixesWithContactInOneProblem) {
  GuidedDisc disc;
  stepping::ImplicitReport report;
  Vec3 a = acceleration(disc, &report);
  EXPECT_EQ(report.lcp.largest, (2 + 1 + 1) + 2 * (2 + 1)) << "one LCP for all three";
  EXPECT_NEAR(a.x(), (3 - 0.2 - 0.05) / 1.5, 1e-10);
  EXPECT_NEAR(a.z(), -a.x(), 1e-10);
  disc.push = 20;
  a = acceleration(disc);
  EXPECT_NEAR(a.x(), 20 - 0.2 - 3, 1e-10);
  EXPECT_NEAR(a.z(), -(3 - 0.05) / 0.5, 1e-10);
  disc.push = 0.24;
  a = acceleration(disc);
  EXPECT_NEAR(a.norm(), 0, 1e-10);
  disc.push = 0.26;
  EXPECT_GT(acceleration(disc).x(), 1e-3);
}

/// Two equal masses on rails of their own, joined by a bilateral constraint q₀ = q₁; a pendulum
/// would do as well. Force on the first, joint friction on the second.
struct Coupled final : model::LagrangianSystem {
  [[nodiscard]] Index coordinate_count() const override { return 2; }
  [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Identity(2, 2); }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override { return Vec2(3, 0); }
  [[nodiscard]] model::LagrangianBilateral bilateral(const VecX& q) const override {
    return {VecX::Constant(1, q[0] - q[1]), Vec2(1, -1)};
  }
  [[nodiscard]] std::vector<model::LagrangianJoint> joints(const VecX&) const override {
    return {{Vec2(0, 1), {}, 1}};
  }
};

// Bilateral constraints are equalities of the same (mixed) LCP: both masses go with (3 − 1)/2, the
// constraint carries 2, and a violated constraint is put right in one step.
TEST(JointFriction, BilateralConstraintsAreEqualities) {
  const Coupled system;
  LagrangianStepper stepper(system, {});
  LagrangianState state{0, Vec2(0, 0), Vec2(1, 1)};
  const Real h = 0.01;
  ASSERT_TRUE(stepper.step(state, h).is_certified());
  EXPECT_NEAR(state.v[0], 1 + h, 1e-12);
  EXPECT_NEAR(state.v[1], 1 + h, 1e-12);
  EXPECT_NEAR(stepper.bilateral_impulse()[0], -2 * h, 1e-12);
  EXPECT_NEAR(stepper.joint_impulse()[0], -h, 1e-12);
  state.q[0] += 1e-3;
  ASSERT_TRUE(stepper.step(state, h).is_certified());
  EXPECT_NEAR(state.q[0], state.q[1], 1e-14);
}

// A constraint that stands twice is met, and each of the two carries half: the smallest impulses.
TEST(JointFriction, RedundantConstraintsShareTheLoad) {
  struct Twice final : model::LagrangianSystem {
    [[nodiscard]] Index coordinate_count() const override { return 2; }
    [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Identity(2, 2); }
    [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override { return Vec2(3, 0); }
    [[nodiscard]] model::LagrangianBilateral bilateral(const VecX& q) const override {
      return {VecX::Constant(2, q[0] - q[1]), (MatX(2, 2) << 1, 1, -1, -1).finished()};
    }
  } system;
  LagrangianStepper stepper(system, {});
  LagrangianState state{0, Vec2(0, 0), Vec2(1, 1)};
  ASSERT_TRUE(stepper.step(state, 0.01).is_certified());
  EXPECT_NEAR(state.v[0], 1.015, 1e-12);
  EXPECT_NEAR(state.v[1], 1.015, 1e-12);
  ASSERT_EQ(stepper.bilateral_impulse().size(), 2);
  EXPECT_NEAR(stepper.bilateral_impulse()[0], -0.0075, 1e-12);
  EXPECT_NEAR(stepper.bilateral_impulse()[1], -0.0075, 1e-12);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
