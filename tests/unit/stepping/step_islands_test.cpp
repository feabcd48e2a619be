#include <gtest/gtest.h>

#include <array>

#include <talus/base/random.hpp>
#include <talus/stepping/detail/step_islands.hpp>

namespace talus::stepping::detail::TALUS_TEST_FILE {
namespace {

using laws::FrictionElement;
using problem::SolveStatus;

const model::NormalLaw kRigid = model::RigidNormal{};

/// Rigid contacts, normals alone.
laws::StepProblem contacts(const MatX& G, const VecX& b) {
  laws::StepProblem problem;
  problem.h = 1e-3;
  problem.G = G.sparseView();
  problem.b = b;
  problem.L = MatX(0, b.size());
  for (Index i = 0; i < b.size(); ++i) {
    laws::StepNormal normal;
    normal.law = &kRigid;
    normal.before = b[i];
    problem.normals.push_back(normal);
  }
  return problem;
}

/// A body of 1 kg that falls onto the floor, and another one between two plates that close at
/// 1 m/s each: W = [1 −1; −1 1], b = (−1, −1).
laws::StepProblem beside_a_squeeze() {
  MatX G = MatX::Zero(3, 3);
  G(1, 1) = 1;
  G(0, 0) = G(2, 2) = 1;
  G(0, 2) = G(2, 0) = -1;
  return contacts(G, Vec3(-1, -0.5, -1));
}

// What no impulses can keep apart takes nothing from the others: they bear as if they were alone.
TEST(StepIslands, OneWithoutAnAnswerLeavesTheOthersAlone) {
  const laws::StepImpulses answer = solve_islands(beside_a_squeeze(), {});
  EXPECT_NE(answer.status, SolveStatus::converged);
  EXPECT_EQ(answer.unanswered, (std::vector<Index>{0, 2}));
  EXPECT_DOUBLE_EQ(answer.impulse[1], 0.5);
  EXPECT_DOUBLE_EQ(answer.rate[1], 0);
  EXPECT_NE(answer.unsolved, nullptr);  // which a run keeps as a file
}

// Farkas: impulses (1, 1) move nothing, G Λ = 0, and Λ·b = −2 < 0, 1 m/s on average; plates that
// part as fast as the other one comes, b = (−1, 1), squeeze nothing.
TEST(StepIslands, SqueezeIsABalanceThatWouldDoNegativeWork) {
  laws::StepProblem problem = beside_a_squeeze();
  const auto squeeze = find_squeeze(problem, {0, 1, 2});
  ASSERT_TRUE(squeeze.has_value());
  EXPECT_EQ(squeeze->normals, (std::vector<Index>{0, 2}));
  EXPECT_NEAR(squeeze->speed, 1, 1e-12);
  EXPECT_FALSE(find_squeeze(problem, {1}).has_value());
  problem.b[2] = 1;
  EXPECT_FALSE(find_squeeze(problem, {0, 1, 2}).has_value());
  EXPECT_EQ(solve_islands(problem, {}).status, SolveStatus::converged);
}

// A message says which bodies are squeezed, as a person would.
TEST(StepIslands, MessageNamesWhatIsSqueezed) {
  const laws::StepProblem problem = beside_a_squeeze();
  model::Model model;
  for (const char* name : {"lower", "upper", "grain", "other"})
    model.groups.push_back({name, static_cast<Index>(model.groups.size()), 1, false});
  model.bodies.resize(4);
  const std::array<dynamics::BodyPair, 3> bodies = {{{0, 2}, {0, 3}, {2, 1}}};
  const std::string why = why_unanswered(problem, solve_islands(problem, {}), bodies, model);
  EXPECT_NE(why.find("lower and grain, upper and grain apart"), std::string::npos) << why;
  EXPECT_EQ(why.find("other"), std::string::npos) << why;
}

/// Random contacts with friction in two islands that share no body, their rows in any order.
struct TwoIslands {
  static constexpr Index kContacts = 3;
  laws::StepProblem problem;
  model::FrictionModel law{0.3, 0, 0, model::CoulombFriction{}};
  laws::FrictionElement element;

  explicit TwoIslands(Random& random) {
    element.law = &law;
    element.static_friction = element.kinetic_friction = 0.3;
    element.has_stick = true;
    constexpr Index kRows = 4 * kContacts;
    MatX J = MatX::Zero(kRows, 12);
    for (Index i = 0; i < kRows; ++i)
      for (Index j = 0; j < 6; ++j) J(i, 6 * (i % 2) + j) = random.uniform(-1, 1);
    VecX b(kRows);
    for (Index i = 0; i < kRows; ++i) b[i] = random.uniform(-1, 1);
    problem = contacts(J * J.transpose() + 0.1 * MatX::Identity(kRows, kRows), b);
    problem.normals.resize(2 * kContacts);
    for (Index i = 0; i < 2 * kContacts; ++i) {
      laws::StepFriction friction;
      friction.element = &element;
      friction.normal = i;
      problem.frictions.push_back(friction);
    }
  }
};

// Islands one by one, and all rows in one LCP: the same impulses where these are unique (mass in
// every row, μ small).
TEST(StepIslands, AreWhatTheWholeStepIs) {
  Random random(7);
  for (int k = 0; k < 100; ++k) {
    const TwoIslands step(random);
    const laws::StepImpulses whole = solve(step.problem), parts = solve_islands(step.problem, {});
    ASSERT_EQ(whole.status, SolveStatus::converged);
    ASSERT_EQ(parts.status, SolveStatus::converged);
    EXPECT_LT(parts.largest, whole.largest);
    EXPECT_LT((parts.impulse - whole.impulse).norm(), 1e-9 * (1 + whole.impulse.norm()));
    EXPECT_LT((parts.rate - whole.rate).norm(), 1e-9 * (1 + whole.rate.norm()));
    EXPECT_EQ(parts.memory, whole.memory);
  }
}

}  // namespace
}  // namespace talus::stepping::detail::TALUS_TEST_FILE
