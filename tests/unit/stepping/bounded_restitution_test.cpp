#include <talus/stepping/detail/bounded_restitution.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <talus/base/random.hpp>

namespace talus::stepping::detail::TALUS_TEST_FILE {
namespace {

constexpr Real kTolerance = 1e-9;

/// A body that strikes a floor with some of its corners, each of which may be there twice (two
/// names of one point, as where a vertex meets a vertex); owns what the problem points to.
struct Strike {
  StepProblem problem;
  model::NormalLaw rigid = model::RigidNormal{};
  model::FrictionModel friction;
  std::vector<machine::FrictionElement> elements;

  explicit Strike(Random& random) {
    const Real e = random.uniform(0.5, 1);
    friction.coefficient = random.uniform(0.2, 1.2);
    const Vec3 v(random.uniform(-3, 3), random.uniform(-3, 0), random.uniform(-5, 5));
    const Vec3 inverse_mass(1, 1, 1 / random.uniform(0.02, 0.5));
    std::vector<Vec2> corners;
    for (int points = 1 + static_cast<int>(random.bits() % 3); points > 0; --points) {
      const Real x = random.uniform(-1, 1), y = random.uniform(-0.5, -0.1);
      for (int names = 1 + static_cast<int>(random.bits() % 2); names > 0; --names)
        corners.emplace_back(x, y);
    }
    const auto n = static_cast<Index>(corners.size());
    MatX J(2 * n, 3);
    for (Index i = 0; i < n; ++i) {
      const Vec2 r = corners[static_cast<std::size_t>(i)];
      J.row(i) << 0, 1, r.x();
      J.row(n + i) << 1, 0, -r.y();
    }
    problem.h = 1e-3;
    problem.G = J * inverse_mass.asDiagonal() * J.transpose();
    problem.b = J * v;
    problem.turn = VecX::Zero(problem.b.size());
    problem.L = MatX(0, 2 * n);
    elements.resize(corners.size());
    for (Index i = 0; i < n; ++i) {
      machine::FrictionElement& element = elements[static_cast<std::size_t>(i)];
      element.law = &friction;
      element.static_friction = element.kinetic_friction = friction.coefficient;
      element.has_stick = true;
      const Real before = problem.b[i];
      const Real shift = before < 0 ? e * before : random.uniform(0, 1);
      problem.normals.push_back({&rigid, before, shift, 0, 0, e});
      StepFriction rubbing;
      rubbing.element = &element;
      rubbing.normal = i;
      problem.frictions.push_back(rubbing);
    }
  }
  /// ½ Σ Λ·(u_free + u'): what the impulses do to the kinetic energy [J], and its size.
  [[nodiscard]] Real work(const StepImpulses& answer) const {
    return answer.impulse.dot(problem.b + answer.rate) / 2;
  }
  [[nodiscard]] Real size(const StepImpulses& answer) const {
    return answer.impulse.cwiseAbs().dot(problem.b.cwiseAbs() + answer.rate.cwiseAbs()) / 2;
  }
};

// Newton's restitution with friction may raise the kinetic energy; bounded it never does, also
// where a contact that bore nothing takes over what another one gives up. What does not raise it
// keeps every bit.
TEST(BoundedRestitution, NoStrikeRaisesTheEnergy) {
  Random random(1);
  int raised = 0;
  for (int k = 0; k < 30000; ++k) {
    Strike strike(random);
    StepImpulses answer = solve(strike.problem);
    if (answer.status != problem::SolveStatus::converged) continue;
    const StepImpulses asked = answer;
    const VecX share = bound_restitution(
        strike.problem, kTolerance, [&] { return solve(strike.problem); }, answer);
    ASSERT_EQ(answer.status, problem::SolveStatus::converged);
    ASSERT_LE(strike.work(answer), kTolerance * strike.size(answer)) << k;
    if (strike.work(asked) > 2 * kTolerance * strike.size(asked)) {
      ++raised;
      ASSERT_LT(share.minCoeff(), 1) << k;
    } else if (strike.work(asked) <= 0) {
      ASSERT_EQ(answer.impulse, asked.impulse) << k;
    }
  }
  EXPECT_GT(raised, 500);
}

}  // namespace
}  // namespace talus::stepping::detail::TALUS_TEST_FILE
