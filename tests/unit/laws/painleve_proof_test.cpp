#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include <talus/base/random.hpp>
#include <talus/laws/painleve_proof.hpp>
#include <talus/solve/pivoting/enumerate.hpp>

namespace talus::laws::TALUS_TEST_FILE {
namespace {

using problem::SolveStatus;

/// Contacts of bodies with some freedom, friction up to μ = 2, half of them known to slide: with
/// several answers, or none, now and then.
ContactLcp random_contacts(Random& random, Index contacts) {
  const Index freedom = 1 + static_cast<Index>(random.bits() % 8);
  MatX J(2 * contacts, freedom);
  for (Index i = 0; i < J.size(); ++i) J.data()[i] = random.uniform(-1, 1);
  ContactLcp problem{J * J.transpose(), VecX(2 * contacts), {}};
  VecX free(freedom);
  for (Index i = 0; i < freedom; ++i) free[i] = random.uniform(-1, 1);
  problem.b = J * free;
  if (random.bits() % 2 == 0)
    for (Index i = 0; i < 2 * contacts; ++i) problem.b[i] += random.uniform(-0.5, 0.5);
  for (Index i = 0; i < contacts; ++i) {
    const Real mu = random.uniform(0, 2);
    const auto way = random.bits() % 4;
    problem.frictions.push_back({i, way == 0 ? mu : -mu, way == 1 ? -mu : mu, 0, 0});
  }
  return problem;
}

/// Whether forces obey the laws.
bool is_answer(const ContactLcp& problem, const VecX& force) {
  constexpr Real kZero = 1e-6;
  const Index k = problem.normal_count();
  const VecX rate = problem.G * force + problem.b;
  const Real size = 1 + force.norm();
  for (Index i = 0; i < k; ++i) {
    const FrictionRow& row = problem.frictions[static_cast<std::size_t>(i)];
    const Real N = force[i], F = force[k + i], slip = rate[k + i];
    if (N < -kZero * size || rate[i] < -kZero * size) return false;
    if (std::min(N, rate[i]) > kZero * size) return false;
    const Real low = row.lower_slope * N, high = row.upper_slope * N;
    if (F < low - kZero * size || F > high + kZero * size) return false;
    if (!row.is_candidate()) continue;
    if (F > low + kZero * size && slip > kZero * size) return false;
    if (F < high - kZero * size && slip < -kZero * size) return false;
  }
  return true;
}

// Up to three contacts, however large friction is and however little freedom the bodies have: an
// answer is found exactly where the enumeration of the LCP's complementary cones finds one, and
// they are the same, by their rates.
RC_GTEST_PROP(ContactStates, AreThoseOfTheComplementaryCones, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const ContactLcp problem = random_contacts(random, 1 + static_cast<Index>(random.bits() % 3));
  const Index k = problem.normal_count();
  const ContactStates states = find_all(problem);
  std::vector<Index> candidates;
  for (Index f = 0; f < k; ++f)
    if (problem.frictions[static_cast<std::size_t>(f)].is_candidate()) candidates.push_back(f);
  std::vector<VecX> cones;  // rates
  for (const VecX& z : solve::enumerate_lcp(to_lcp(problem))) {
    VecX force(2 * k);
    force.head(k) = z.head(k);
    for (Index f = 0; f < k; ++f)
      force[k + f] = problem.frictions[static_cast<std::size_t>(f)].upper_slope * z[f];
    for (std::size_t c = 0; c < candidates.size(); ++c)
      force[k + candidates[c]] -= z[k + static_cast<Index>(c)];
    if (force.norm() < 1e6 && is_answer(problem, force))
      cones.push_back(problem.G * force + problem.b);
  }
  const auto is_near = [](const VecX& a, const VecX& b) {
    return (a - b).norm() <= 1e-6 * (1 + b.norm());
  };
  for (const VecX& rate : cones)
    RC_ASSERT(std::any_of(states.answers.begin(), states.answers.end(),
                          [&](const ContactAnswer& a) { return is_near(a.rate, rate); }));
  for (const ContactAnswer& answer : states.answers) {
    RC_ASSERT(is_answer(problem, answer.force));
    RC_ASSERT(is_near(answer.rate, problem.G * answer.force + problem.b));
  }
  const ContactForces forces = solve_or_prove(problem);
  if (states.answers.empty() && states.is_complete)
    RC_ASSERT(forces.status != SolveStatus::converged || forces.force.norm() > 1e6);
  else if (!states.answers.empty())
    RC_ASSERT(forces.status == SolveStatus::converged && is_answer(problem, forces.force));
}

// Sliding friction that turns S = G_nn + μ G_nt negative: where the contact is pressed no force
// holds it, and that is proved; where it parts it may part or be held, and it parts, as the force
// that would hold it is not stable.
TEST(ContactStates, ProveAndDecideWhatPainleveFound) {
  ContactLcp problem{(MatX(2, 2) << 1.6, 1.2, 1.2, 3.4).finished(), Vec2(-9.81, 0), {}};
  problem.frictions = {{0, -1.5, -1.5, 0, 0}};  // S = −0.2
  EXPECT_TRUE(find_all(problem).is_complete);
  EXPECT_EQ(find_all(problem).tried, 2);
  const ContactForces none = solve_or_prove(problem);
  EXPECT_EQ(none.status, SolveStatus::infeasible);
  EXPECT_NE(none.detail.find("none of the 2 states"), std::string::npos) << none.detail;

  problem.b[0] = 9.81;
  const ContactStates two = find_all(problem);
  ASSERT_EQ(two.answers.size(), 2U);
  EXPECT_EQ(std::count_if(two.answers.begin(), two.answers.end(),
                          [](const ContactAnswer& a) { return a.is_stable; }),
            1);
  const ContactForces parts = solve_or_prove(problem);
  ASSERT_EQ(parts.status, SolveStatus::converged);
  EXPECT_EQ(parts.answers, 2);
  EXPECT_FALSE(parts.is_ambiguous);
  EXPECT_EQ(parts.force[0], 0);
}

// A contact at rest whose point can move on one line only: Lemke's method ends on a ray, but
// friction holds it. The forces that do are many, and the mean of the extreme ones is inside the
// cone: N + 2 F = 3 with F = −μ N and F = μ N, μ = 2/5.
TEST(ContactStates, FindWhatHoldsAContactOnALine) {
  const Vec2 way(1, 2);
  ContactLcp problem{way * way.transpose(), -3 * way, {}};
  problem.frictions = {{0, -0.4, 0.4, 0, 0}};
  const ContactForces held = solve_or_prove(problem);
  ASSERT_EQ(held.status, SolveStatus::converged);
  EXPECT_LT(held.rate.norm(), 1e-12);
  const ContactStates states = find_all(problem);
  ASSERT_EQ(states.answers.size(), 1U);
  EXPECT_EQ(states.answers[0].states, 2);
  const Vec2 first = Vec2(1, -0.4) * (3 / 0.2), second = Vec2(1, 0.4) * (3 / 1.8);
  EXPECT_TRUE(states.answers[0].force.isApprox((first + second) / 2, 1e-12));
}

// The two corners of a flat box that is held while a weight pulls: friction is shared evenly by the
// mean of all extreme answers, and its sum is the pull.
TEST(ContactStates, ShareFrictionOfRedundantContacts) {
  const Real half = 0.3;
  MatX rows(4, 3);
  rows << 0, 1, -half, 0, 1, half, 1, 0, 0, 1, 0, 0;
  ContactLcp problem{rows * rows.transpose(), rows * Vec3(2, -9.81, 0), {}};
  for (Index i = 0; i < 2; ++i) problem.frictions.push_back({i, -0.5, 0.5, 0, 0});
  const ContactStates states = find_all(problem);
  ASSERT_EQ(states.answers.size(), 1U);
  const VecX& force = states.answers[0].force;
  EXPECT_NEAR(force[0], 9.81 / 2, 1e-12);
  EXPECT_NEAR(force[2], -1, 1e-12);
  EXPECT_NEAR(force[3], -1, 1e-12);
}

// More states than anybody tries are none, and say nothing.
TEST(ContactStates, AreNotTriedWhereTheyAreTooMany) {
  ContactLcp problem{MatX::Identity(15, 15), VecX::Constant(15, -1), {}};
  const ContactStates states = find_all(problem);
  EXPECT_EQ(states.tried, 0);
  EXPECT_FALSE(states.is_complete);
}

}  // namespace
}  // namespace talus::laws::TALUS_TEST_FILE
