#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include <talus/base/error.hpp>
#include <talus/base/random.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/stepping/lagrangian_stepper.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

using stepping::ImplicitOptions;
using stepping::LagrangianState;
using stepping::LagrangianStepper;

/// Constant M, k, n and D: f_i(q) = n_i·q − offset_i, any number of tangents as explicit
/// directions.
struct FlatSystem final : model::LagrangianSystem {
  MatX M, normals, first, second;
  VecX k, offset, friction;

  FlatSystem(Random& random, Index n, Index contacts) {
    const auto matrix = [&](Index rows, Index columns) {
      MatX m(rows, columns);
      for (Index i = 0; i < m.size(); ++i) m.data()[i] = random.uniform(-1, 1);
      return m;
    };
    const MatX root = matrix(n, n);
    M = linalg::product(root, root.transpose()) + 0.1 * MatX::Identity(n, n);
    normals = matrix(n, contacts);
    first = matrix(n, contacts);
    second = matrix(n, contacts);
    k = 10 * matrix(n, 1);
    offset = VecX::Zero(contacts);
    friction.resize(contacts);
    for (Real& mu : friction) mu = random.uniform(0, 1.5);
  }
  [[nodiscard]] Index coordinate_count() const override { return k.size(); }
  [[nodiscard]] MatX mass(const VecX&) const override { return M; }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override { return k; }
  [[nodiscard]] Index contact_count() const override { return offset.size(); }
  [[nodiscard]] model::LagrangianContact contact(Index i, const VecX& q) const override {
    MatX tangents(q.size(), 2);
    tangents << first.col(i), second.col(i);
    return {normals.col(i).dot(q) - offset[i], normals.col(i), tangents, {}, friction[i]};
  }
  [[nodiscard]] Real potential(const VecX& q) const override { return -k.dot(q); }
};

// Section 3.3: where M, k, n and D are constant, every step obeys the discrete energy inequality
// (24): ½ v'ᵀM v' − k·q' ≤ ½ vᵀM v − k·q, whatever the system, friction and step. (A start without
// penetration is part of the law: pushing a violated contact out takes work.)
RC_GTEST_PROP(Dissipativity, EnergyNeverRisesWhereNothingTurns, ()) {
  Random random(*rc::gen::inRange<std::uint64_t>(0, 1u << 30));
  const Index n = *rc::gen::inRange<Index>(2, 7), contacts = *rc::gen::inRange<Index>(1, 5);
  const FlatSystem system(random, n, contacts);
  ImplicitOptions options;
  options.directions = 2 * *rc::gen::inRange<Index>(2, 7);
  LagrangianStepper stepper(system, options);
  LagrangianState state{0, VecX::Zero(n), VecX::Zero(n)};
  for (Real& x : state.v) x = random.uniform(-3, 3);
  const Real h = random.uniform(1e-3, 0.1);
  for (int step = 0; step < 20; ++step) {
    const Real energy = stepper.energy(state);
    const Real scale = std::abs(energy) + state.v.dot(system.M * state.v) + 1;
    const auto report = stepper.step(state, h);
    RC_ASSERT(report.is_certified());  // q' = 0 is feasible whatever the normals
    RC_ASSERT(stepper.energy(state) <= energy + 1e-9 * scale);
  }
}

/// A point mass above a parabola: f = y − a x², as strongly curved as one likes, and no distance.
struct Parabola final : model::LagrangianSystem {
  Real curvature = 5;
  [[nodiscard]] Index coordinate_count() const override { return 2; }
  [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Identity(2, 2); }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override { return Vec2(0, 0); }
  [[nodiscard]] Index contact_count() const override { return 1; }
  [[nodiscard]] model::LagrangianContact contact(Index, const VecX& q) const override {
    return {q[1] - curvature * q[0] * q[0], Vec2(-2 * curvature * q[0], 1), {}, {}, 0};
  }
};

/// Largest rise of the energy in one step over the start's energy, and the largest penetration.
std::pair<Real, Real> worst_of(const ImplicitOptions& options, Real h) {
  const Parabola parabola;
  LagrangianStepper stepper(parabola, options);
  LagrangianState state{0, Vec2(0, 0), Vec2(1, 0)};
  Real rise = -1, penetration = 0;
  const Real start = stepper.energy(state);
  for (int step = 0; step < 100; ++step) {
    const Real energy = stepper.energy(state);
    const auto report = stepper.step(state, h);
    EXPECT_TRUE(report.is_certified()) << report.detail;
    EXPECT_TRUE(!options.fixed_point || report.fixed_point.is_converged);
    rise = std::max(rise, (stepper.energy(state) - energy) / start);
    penetration = std::max(penetration, report.penetration);
  }
  return {rise, penetration};
}

// On a strongly curved constraint the linearised method gains energy in a step: 0.8 % of the whole
// at h = 0.3 and 2.6 % at h = 0.5 on the parabola y = 5 x² that a mass runs up. The fixed point at
// q' does not, and leaves no penetration.
TEST(Dissipativity, CurvatureGainsEnergyAndTheFixedPointCuresIt) {
  ImplicitOptions linearised, cured;
  cured.fixed_point = true;
  EXPECT_NEAR(worst_of(linearised, 0.3).first, 0.0082, 1e-3);
  EXPECT_NEAR(worst_of(linearised, 0.5).first, 0.026, 1e-3);
  for (const Real h : {0.5, 0.3, 0.1}) {
    const auto [rise, penetration] = worst_of(cured, h);
    EXPECT_LE(rise, 1e-12) << "h = " << h;
    EXPECT_LE(penetration, 1e-12) << "h = " << h;
    EXPECT_GT(worst_of(linearised, h).second, 1e-3);
  }
}

// The report of the fixed point tells of every pass: gap residual and move of q' fall to the
// tolerance; with too few passes the step is not certified and says so.
TEST(Dissipativity, FixedPointReportsItsPasses) {
  const Parabola parabola;
  ImplicitOptions options;
  options.fixed_point = true;
  const LagrangianState start{0, Vec2(0.1, 0.05), Vec2(1, 0)};
  LagrangianState state = start;
  const auto report = LagrangianStepper(parabola, options).step(state, 0.1);
  ASSERT_TRUE(report.is_certified());
  const auto& passes = report.fixed_point;
  ASSERT_GE(passes.gap_residual.size(), 3U);
  ASSERT_EQ(passes.gap_residual.size(), passes.move.size());
  EXPECT_LE(passes.gap_residual.back(), 1e-12);
  EXPECT_LE(passes.move.back(), 1e-12);
  EXPECT_LT(passes.move[1], passes.move[0]);
  options.max_passes = 2;
  state = start;
  const auto few = LagrangianStepper(parabola, options).step(state, 0.1);
  EXPECT_EQ(few.status, problem::SolveStatus::stalled);
  EXPECT_NE(few.detail.find("fixed point is not reached in 2 passes"), std::string::npos);
}

// A step that fails is halved where that is asked for, and the report says how often and why; where
// halving does not help the step is taken whole.
TEST(Dissipativity, FailingStepsAreHalvedAndReported) {
  const Parabola parabola;
  ImplicitOptions options;
  options.fixed_point = true;
  options.max_passes = 5;
  options.fixed_point_tolerance = 1e-9;
  const LagrangianState start{0, Vec2(0.1, 0.05), Vec2(1, 0)};
  LagrangianState state = start;
  EXPECT_FALSE(LagrangianStepper(parabola, options).step(state, 0.2).is_certified());
  state = start;
  options.max_halvings = 12;
  const auto report = LagrangianStepper(parabola, options).step(state, 0.2);
  EXPECT_TRUE(report.is_certified()) << report.detail;
  EXPECT_GE(report.halvings, 1);
  EXPECT_NE(report.detail.find("halved"), std::string::npos);
  EXPECT_NEAR(state.time, 0.2, 1e-15);
  state = start;
  options.max_passes = 1;
  options.max_halvings = 2;
  EXPECT_FALSE(LagrangianStepper(parabola, options).step(state, 0.2).is_certified());
  LagrangianState whole = start;
  options.max_halvings = 0;
  EXPECT_FALSE(LagrangianStepper(parabola, options).step(whole, 0.2).is_certified());
  EXPECT_EQ(state.q, whole.q);
  EXPECT_EQ(state.time, whole.time);
}

/// A point mass in a corner that the predictor does not see: a ramp y ≥ x turns it into a ceiling
/// y ≤ 0.05.
struct Funnel final : model::LagrangianSystem {
  [[nodiscard]] Index coordinate_count() const override { return 2; }
  [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Identity(2, 2); }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override { return Vec2(0, 0); }
  [[nodiscard]] Index contact_count() const override { return 2; }
  [[nodiscard]] model::LagrangianContact contact(Index i, const VecX& q) const override {
    if (i == 0) return {q[1] - q[0], Vec2(-1, 1), {}, {}, 0};
    return {0.05 - q[1], Vec2(0, -1), {}, {}, 0};
  }
};

// A contact that only the impulse of another one violates is added, and the LCP solved again: the
// mass stops in the funnel's corner within the step.
TEST(ActiveSet, TakesInContactsThatTheSolutionViolates) {
  const Funnel funnel;
  LagrangianStepper stepper(funnel, {});
  LagrangianState state{0, Vec2(-0.01, 0), Vec2(1, 0)};
  const auto report = stepper.step(state, 0.2);
  ASSERT_TRUE(report.is_certified());
  EXPECT_EQ(report.additions, 1);
  EXPECT_EQ(report.lcp.count, 2);
  EXPECT_EQ(stepper.contacts().size(), 2U);
  EXPECT_NEAR(state.q[0], 0.05, 1e-14);
  EXPECT_NEAR(state.q[1], 0.05, 1e-14);
}

// Friction directions that a system gives itself are taken: with ±x alone, a mass pushed along y on
// a rough floor is not held.
TEST(ActiveSet, TakesTheSystemsOwnFrictionDirections) {
  struct Floor final : model::LagrangianSystem {
    MatX directions;
    [[nodiscard]] Index coordinate_count() const override { return 3; }
    [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Identity(3, 3); }
    [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override {
      return Vec3(1, 1, -10);
    }
    [[nodiscard]] Index contact_count() const override { return 1; }
    [[nodiscard]] model::LagrangianContact contact(Index, const VecX& q) const override {
      return {q[2], Vec3(0, 0, 1), MatX::Identity(3, 2), directions, 0.5};
    }
  } floor;
  for (const bool own : {false, true}) {
    if (own) floor.directions = (MatX(2, 2) << 1, -1, 0, 0).finished();
    LagrangianStepper stepper(floor, {});
    LagrangianState state{0, Vec3(0, 0, 0), Vec3(0, 0, 0)};
    ASSERT_TRUE(stepper.step(state, 0.1).is_certified());
    EXPECT_NEAR(state.v[0], 0, 1e-12);
    EXPECT_NEAR(state.v[1], own ? 0.1 : 0, 1e-12);
  }
}

// A function of the user's that gives a wrong shape is named.
TEST(ActiveSet, NamesWrongShapes) {
  struct Wrong final : model::LagrangianSystem {
    [[nodiscard]] Index coordinate_count() const override { return 2; }
    [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Identity(3, 3); }
    [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override { return Vec2(0, 0); }
  } wrong;
  LagrangianStepper stepper(wrong, {});
  LagrangianState state{0, Vec2(0, 0), Vec2(0, 0)};
  try {
    (void)stepper.step(state, 0.1);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("M(q): expected 2×2 numbers, got 3×3"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
