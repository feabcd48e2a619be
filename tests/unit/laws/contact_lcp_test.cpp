#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/error.hpp>
#include <talus/base/random.hpp>
#include <talus/laws/contact_lcp.hpp>
#include <talus/laws/impact.hpp>
#include <talus/solve/pivoting/enumerate.hpp>

namespace talus::laws::TALUS_TEST_FILE {
namespace {

/// Random closed contacts between bodies of `freedom` coordinates: rows of unit masses.
ContactLcp random_contacts(Random& random, Index contacts, Index freedom) {
  MatX J(2 * contacts, freedom);
  for (Index i = 0; i < J.size(); ++i) J.data()[i] = random.uniform(-1, 1);
  ContactLcp problem{J * J.transpose(), VecX(2 * contacts), {}};
  for (Index i = 0; i < 2 * contacts; ++i) problem.b[i] = random.uniform(-1, 1);
  for (Index i = 0; i < contacts; ++i) {
    const Real mu = random.uniform(0, 0.3);
    problem.frictions.push_back({i, -mu, mu, 0, 0});
  }
  return problem;
}

// The forces and accelerations of up to four closed contacts are among those that enumeration of
// all contact states (open, stick, slip either way) finds.
RC_GTEST_PROP(ContactLcp, LemkeAgreesWithEnumeration, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index contacts = 1 + static_cast<Index>(random.bits() % 4);
  const ContactLcp problem = random_contacts(random, contacts, 9);
  const ContactForces answer = solve(problem);
  RC_ASSERT(answer.status == problem::SolveStatus::converged);
  Real nearest = 1e300;
  const problem::Lcp lcp = to_lcp(problem);
  for (const VecX& z : solve::enumerate_lcp(lcp)) {
    VecX force = z.head(contacts).replicate(2, 1);
    for (Index i = 0; i < contacts; ++i)
      force[contacts + i] = problem.frictions[i].upper_slope * z[i] - z[contacts + i];
    nearest = std::min(nearest, (force - answer.force).norm());
  }
  RC_ASSERT(nearest < 1e-7 * (1 + answer.force.norm()));
  for (Index i = 0; i < contacts; ++i) {  // the laws themselves
    const Real N = answer.force[i], F = answer.force[contacts + i], a = answer.rate[contacts + i];
    const Real mu = problem.frictions[i].upper_slope;
    RC_ASSERT(N >= -1e-9 && answer.rate[i] >= -1e-9 && std::abs(N * answer.rate[i]) < 1e-8);
    RC_ASSERT(std::abs(F) <= mu * N + 1e-8 && F * a <= 1e-8);
    RC_ASSERT(std::abs(a) < 1e-7 || std::abs(std::abs(F) - mu * N) < 1e-7);
  }
}

// With known normal forces the LCP has two unknowns per contact, and the matrix and right side of
// Wang & Wang 2015: [[W, 1], [−1, 0]], [−W μ₀ F_N − b; 2 μ₀ F_N].
TEST(ContactLcp, IsTheReducedOneOfWangAndWangForKnownNormalForces) {
  ContactLcp problem;
  problem.G = (MatX(2, 2) << 3, 1, 1, 2).finished();
  problem.b = Vec2(0.4, -0.7);
  const Vec2 bound(0.6 * 5, 0.6 * 8);  // μ₀ F_N
  for (Index i = 0; i < 2; ++i) problem.frictions.push_back({-1, 0, 0, -bound[i], bound[i]});
  const problem::Lcp lcp = to_lcp(problem);
  MatX M = MatX::Zero(4, 4);
  M.topLeftCorner(2, 2) = problem.G;
  M.topRightCorner(2, 2).setIdentity();
  M.bottomLeftCorner(2, 2) = -MatX::Identity(2, 2);
  EXPECT_TRUE(lcp.M.isApprox(M, 1e-15));
  VecX q(4);
  q << -problem.G * bound - problem.b, 2 * bound;
  EXPECT_TRUE(lcp.q.isApprox(q, 1e-15));
}

// Two corners of a flat box that is pushed: only the sum of their friction forces is determined,
// and it is right; the normal forces balance weight and moment.
TEST(ContactLcp, CornersOfAFlatBoxGiveTheRightSum) {
  const Real m = 2, J = 0.05, g = 9.81, half = 0.3, height = 0.1, push = 5;
  MatX rows(4, 3);
  rows << 0, 1, -half, 0, 1, half, 1, 0, height, 1, 0, height;
  const MatX inverse = Vec3(1 / m, 1 / m, 1 / J).asDiagonal();
  ContactLcp problem{rows * inverse * rows.transpose(), rows * Vec3(push / m, -g, 0), {}};
  for (Index i = 0; i < 2; ++i) problem.frictions.push_back({i, -0.5, 0.5, 0, 0});
  const ContactForces answer = solve(problem);
  ASSERT_EQ(answer.status, problem::SolveStatus::converged);
  EXPECT_NEAR(answer.force[2] + answer.force[3], -push, 1e-10);
  EXPECT_NEAR(answer.force[0] + answer.force[1], m * g, 1e-10);
  EXPECT_NEAR(half * (answer.force[1] - answer.force[0]), push * height, 1e-10);
  EXPECT_LT(answer.rate.norm(), 1e-10);
}

// A normal force that pulls leaves no room for friction: an error, not an answer.
TEST(ContactLcp, AdhesiveNormalForcesAreAnError) {
  ContactLcp problem{MatX::Identity(1, 1), VecX::Constant(1, 0.3), {}};
  problem.frictions.push_back({-1, 0, 0, 0.5, -0.5});  // ± μ₀ F_N with F_N < 0
  EXPECT_THROW((void)solve(problem), InputError);
}

// Sliding friction that pushes a contact down more than the force that lifts it makes its normal
// force ambiguous: S = G_nn − μ G_nt < 0.
TEST(ContactLcp, SeesPainleveConfigurations) {
  ContactLcp problem{(MatX(2, 2) << 1.6, 1.2, 1.2, 3.4).finished(), Vec2(-9.81, 0), {}};
  for (const auto& [mu, expected] :
       {std::pair(4. / 3 - 1e-6, false), std::pair(4. / 3 + 1e-6, true)}) {
    problem.frictions = {{0, -mu, -mu, 0, 0}};
    EXPECT_EQ(is_ambiguous(problem), expected);
  }
}

ImpactProblem random_impact(Random& random, bool is_poisson, Real restitution) {
  const Index contacts = 1 + static_cast<Index>(random.bits() % 4);
  const ContactLcp contact = random_contacts(random, contacts, 12);
  ImpactProblem problem;
  problem.G = contact.G;
  problem.rate = contact.b;
  problem.is_poisson = is_poisson;
  const Real tangential = restitution > 0 ? random.uniform(0, 1) : 0;
  for (Index i = 0; i < contacts; ++i) {
    problem.normals.push_back({restitution});
    problem.frictions.push_back({i, contact.frictions[i].upper_slope, tangential});
  }
  return problem;
}

// No inelastic impact makes energy, nor any impact under Poisson's hypothesis, with or without
// tangential restitution; nobody penetrates, and friction keeps within its cone.
RC_GTEST_PROP(Impact, MakesNoEnergy, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const bool is_poisson = random.bits() % 2 == 0;
  const ImpactProblem problem =
      random_impact(random, is_poisson, is_poisson ? random.uniform(0, 1) : 0);
  const auto k = static_cast<Index>(problem.normals.size());
  for (const bool one_by_one : {false, true}) {
    const ImpactAnswer answer =
        one_by_one ? sequential_impact(problem) : simultaneous_impact(problem);
    RC_ASSERT(answer.status == problem::SolveStatus::converged);
    RC_ASSERT(answer.energy <= 1e-9);
    RC_ASSERT((answer.rate - problem.rate - problem.G * answer.impulse).norm() < 1e-9);
    for (Index i = 0; i < k; ++i) {
      RC_ASSERT(answer.impulse[i] >= -1e-10 && answer.rate[i] >= -1e-8);
      RC_ASSERT(std::abs(answer.impulse[k + i]) <=
                problem.frictions[i].friction * answer.impulse[i] + 1e-8);
    }
  }
}

// One contact without coupling: both hypotheses give back ε_N of the normal velocity, and where
// friction does not saturate Newton's gives back ε_T, Poisson's ε_N ε_T, of the slip velocity.
TEST(Impact, RestitutionOfOneContact) {
  ImpactProblem problem;
  problem.G = Vec2(2, 3).asDiagonal();
  problem.rate = Vec2(-1, 0.2);
  problem.normals = {{0.6}};
  problem.frictions = {{0, 0.9, 0.5}};
  ImpactAnswer newton = simultaneous_impact(problem);
  EXPECT_NEAR(newton.rate[0], 0.6, 1e-12);
  EXPECT_NEAR(newton.rate[1], -0.5 * 0.2, 1e-12);
  problem.is_poisson = true;
  ImpactAnswer poisson = simultaneous_impact(problem);
  EXPECT_NEAR(poisson.rate[0], 0.6, 1e-12);
  EXPECT_NEAR(poisson.rate[1], -0.6 * 0.5 * 0.2, 1e-12);
}

}  // namespace
}  // namespace talus::laws::TALUS_TEST_FILE
