#include <talus/solve/gauss_seidel/local/rolling.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/math/cone_projection.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>
#include <talus/solve/gauss_seidel/rolling_nsgs.hpp>

#include "support/class_problems.hpp"

namespace talus::solve::TALUS_TEST_FILE {
namespace {

/// ‖r − P_K(r − û)‖ over the size of r: zero exactly at a solution. Rows of one unit.
Real natural_map(const Mat5& A, const Vec5& b, Real friction, Real rolling, const Vec5& r) {
  Vec5 u = A * r + b;
  u[0] += friction * u.segment<2>(1).norm() + rolling * u.tail<2>().norm();
  return (r - project_rolling_cone(Vec5(r - u), friction, rolling)).norm() / r.norm();
}

// Any symmetric positive definite block and any velocity have a solution, and it is found to
// round-off, whatever the coefficients and the start.
RC_GTEST_PROP(RollingLocal, SolvesEveryDefiniteContact, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Real shift = std::pow(10, random.uniform(-3, 0));
  const Mat5 A = test::random_gram(random, 5, 5, shift);
  Vec5 b = test::random_matrix(random, 5, 1);
  b[0] = -random.uniform(0.01, 1);
  const Real mu = random.uniform() < 0.1 ? 0 : random.uniform(0, 2);
  const Real mu_r = random.uniform() < 0.1 ? 0 : random.uniform(0, 2);
  const Vec5 start =
      random.uniform() < 0.5 ? Vec5(Vec5::Zero()) : Vec5(test::random_matrix(random, 5, 1));
  const RollingLocal found = solve_rolling(A, b, mu, mu_r, start);
  RC_ASSERT(found.residual <= 1e-13);
  RC_ASSERT(natural_map(A, b, mu, mu_r, found.impulse) <= 1e-11 / shift);
}

// The same on many blocks, near singular ones and strong coupling of the normal included, where the
// bracketing has to help Newton.
TEST(RollingLocal, SolvesHardContacts) {
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const Real shift = std::pow(10, random.uniform(-6, 0));
    Mat5 A = test::random_gram(random, 5, i % 2 == 0 ? 5 : 3, shift);
    Vec5 b = test::random_matrix(random, 5, 1);
    b[0] = -std::pow(10, random.uniform(-3, 0));
    const Real mu = random.uniform(0, 3), mu_r = random.uniform(0, 3);
    const RollingLocal found = solve_rolling(A, b, mu, mu_r, test::random_matrix(random, 5, 1));
    ASSERT_LE(found.residual, 1e-13) << i;
  }
}

// A contact that separates gets nothing; without friction the normal impulse stops it; without
// rolling resistance and moments that couple it is the Coulomb contact.
RC_GTEST_PROP(RollingLocal, ContainsTheSimplerLaws, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  Mat5 A = test::random_gram(random, 5, 5, 0.2);
  Vec5 b = test::random_matrix(random, 5, 1);
  b[0] = std::abs(b[0]);
  RC_ASSERT(solve_rolling(A, b, 0.5, 0.1, Vec5::Ones()).impulse.norm() == 0);
  b[0] = -b[0] - 0.01;
  const Vec5 smooth = solve_rolling(A, b, 0, 0, Vec5::Zero()).impulse;
  RC_ASSERT(std::abs(smooth[0] + b[0] / A(0, 0)) <= 1e-13 * smooth[0]);
  RC_ASSERT(smooth.tail<4>().norm() == 0);

  const Real mu = random.uniform(0, 0.3);  // one solution
  const CoulombSolutions all = enumerate_coulomb(A.topLeftCorner<3, 3>(), b.head<3>(), mu);
  RC_PRE(all.count == 1);
  const Vec5 r = solve_rolling(A, b, mu, 0, Vec5::Zero()).impulse;
  RC_ASSERT((r.head<3>() - all.solutions[0].impulse).norm() <= 1e-10 * (1 + r.norm()));
  RC_ASSERT(r.tail<2>().norm() == 0);
}

// The unit of length changes μ_r and the rows R, not the answer: 6 decades each way.
RC_GTEST_PROP(RollingLocal, DoesNotKnowTheUnitOfLength, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Mat5 A = test::random_gram(random, 5, 5, 0.2);
  Vec5 b = test::random_matrix(random, 5, 1);
  b[0] = -random.uniform(0.1, 1);
  const Real length = std::pow(10, random.uniform(-6, 6));
  Vec5 unit;  // of r over that of the first problem, and its inverse for u
  unit << 1, 1, 1, length, length;
  const Mat5 other = unit.cwiseInverse().asDiagonal() * A * unit.cwiseInverse().asDiagonal();
  const Vec5 r = solve_rolling(A, b, 0.4, 0.2, Vec5::Zero()).impulse;
  const Vec5 s =
      solve_rolling(other, b.cwiseQuotient(unit), 0.4, 0.2 * length, Vec5::Zero()).impulse;
  RC_ASSERT((s.cwiseQuotient(unit) - r).norm() <= 1e-10 * r.norm());
}

// A single contact takes one sweep, and the judge is the one who says when it is enough.
TEST(RollingNsgs, StopsWhereTheJudgeSays) {
  Random random(1);
  const test::SolvedRolling known = test::random_rolling(random, 4);
  VecX r = VecX::Zero(20);
  const auto never = [](const VecX&) { return 2.0; };
  const auto at_once = [](const VecX&) { return 0.5; };
  EXPECT_EQ(rolling_nsgs(known.problem, {7, 1e-30}, never, {}, r).status,
            problem::SolveStatus::max_iterations);
  EXPECT_EQ(rolling_nsgs(known.problem, {100, 1}, at_once, {}, r).iterations, 1);
  EXPECT_EQ(rolling_nsgs(
                known.problem, {100, 1}, never, [] { return true; }, r)
                .status,
            problem::SolveStatus::interrupted);
}

}  // namespace
}  // namespace talus::solve::TALUS_TEST_FILE
