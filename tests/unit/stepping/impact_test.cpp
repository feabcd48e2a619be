#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/random.hpp>
#include <talus/stepping/machine/impact.hpp>

namespace talus::stepping::machine {
namespace {

/// One contact with friction: G of its normal and tangent.
ImpactProblem one_contact(const Mat2& G, const Vec2& rate, Real mu, Real restitution) {
  ImpactProblem problem;
  problem.G = G;
  problem.rate = rate;
  problem.normals.push_back({restitution});
  problem.frictions.push_back({0, mu, 0});
  return problem;
}

// A contact that can move in one direction only, which friction jams, cannot be thrown back:
// Newton's law has no answer, the bounded one stops it. Λ has J M⁻¹ Jᵀ Λ = −u, and −½ u·Λ is all
// the energy.
TEST(BoundedImpact, StopsAJammedContact) {
  const Vec2 way(1, 2);
  const Vec2 rate = -1.5 * way;
  const ImpactProblem problem = one_contact(way * way.transpose(), rate, 0.6, 0.7);
  EXPECT_NE(simultaneous_impact(problem).status, problem::SolveStatus::converged);
  const ImpactAnswer answer = bounded_impact(problem, false);
  ASSERT_EQ(answer.status, problem::SolveStatus::converged);
  EXPECT_LE(answer.share, 1e-9);  // to which the share is searched for
  EXPECT_LT(answer.rate.norm(), 1e-9 * 2 * rate.norm());
  EXPECT_NEAR(answer.energy, -1.5 * 1.5 / 2, 1e-8);
}

// Newton's law with friction raises the energy of an oblique impact; the bounded one takes as much
// restitution as leaves the energy as it was, not less, and the same answer where nothing is amiss.
TEST(BoundedImpact, KeepsTheEnergyAndAsMuchRestitutionAsItCan) {
  const Mat2 G = (Mat2() << 1, 0.8, 0.8, 1).finished();
  const ImpactProblem raising = one_contact(G, {-1, -0.6}, 0.5, 0.95);
  const ImpactAnswer newton = simultaneous_impact(raising);
  ASSERT_TRUE(raises_energy(raising, newton)) << newton.energy;
  const ImpactAnswer bounded = bounded_impact(raising, false);
  EXPECT_EQ(bounded.status, problem::SolveStatus::converged);
  EXPECT_GT(bounded.share, 0);
  EXPECT_LT(bounded.share, 1);
  EXPECT_LE(bounded.energy, 1e-9);
  EXPECT_NEAR(bounded.energy, 0, 1e-7);
  EXPECT_NEAR(bounded.rate[0], 0.95 * bounded.share, 1e-12);

  const ImpactProblem plain = one_contact(Mat2::Identity(), {-1, 3}, 0.5, 0.9);
  const ImpactAnswer same = bounded_impact(plain, false);
  EXPECT_EQ(same.share, 1);
  EXPECT_TRUE(same.impulse.isApprox(simultaneous_impact(plain).impulse, 1e-15));
}

// Whatever the contacts, laws and order: the bounded impact has an answer, raises no energy and
// leaves nobody approaching.
RC_GTEST_PROP(BoundedImpact, NeverRaisesTheEnergy, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index contacts = *rc::gen::inRange<Index>(1, 5), freedom = *rc::gen::inRange<Index>(2, 7);
  MatX J(2 * contacts, freedom);
  for (Index i = 0; i < J.size(); ++i) J.data()[i] = random.uniform(-1, 1);
  ImpactProblem problem;
  problem.G = J * J.transpose();
  VecX v(freedom);
  for (Real& x : v) x = random.uniform(-1, 1);
  problem.rate = J * v;
  for (Index i = 0; i < contacts; ++i) {
    problem.normals.push_back({random.uniform(0, 1)});
    problem.frictions.push_back({i, random.uniform(0, 1), random.uniform(0, 1)});
  }
  problem.is_poisson = *rc::gen::arbitrary<bool>();
  const ImpactAnswer answer = bounded_impact(problem, false);
  RC_ASSERT(answer.status == problem::SolveStatus::converged);
  RC_ASSERT(!raises_energy(problem, answer));
  RC_ASSERT(answer.rate.head(contacts).minCoeff() > -1e-7);
}

// Slip that goes on: friction −μ N presses, N = −b_N/(G_NN − μ G_NT) and F = −μ N, although
// friction the other way round would pull the contact in, G_NN + μ G_NT < 0, on which Lemke's
// method may end.
TEST(BoundedImpact, FindsTheSideOfFrictionThatPresses) {
  const Real mu = 0.66;
  ImpactProblem problem;
  problem.G = Mat2{{0.425, -0.83}, {-0.83, 1.756}};
  problem.rate = Vec2(-0.174, 0.364);
  problem.normals = {{0}};
  problem.frictions = {{0, mu, 0}};
  const Real normal = 0.174 / (0.425 + mu * 0.83);
  ASSERT_GT(0.364 - (0.83 + mu * 1.756) * normal, 0) << "it does not stop";
  ASSERT_LT(0.425 - mu * 0.83, 0);
  const ImpactAnswer answer = simultaneous_impact(problem);
  ASSERT_EQ(answer.status, problem::SolveStatus::converged) << answer.detail;
  EXPECT_NEAR(answer.impulse[0], normal, 1e-12);
  EXPECT_NEAR(answer.impulse[1], -mu * normal, 1e-12);
}

}  // namespace
}  // namespace talus::stepping::machine
