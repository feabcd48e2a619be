#include <talus/solve/pivoting/lemke.hpp>

#include <gtest/gtest.h>

#include <talus/base/random.hpp>
#include <talus/problem/scale.hpp>
#include <talus/solve/pivoting/enumerate.hpp>

#include "support/lcp_families.hpp"

namespace talus::solve {
namespace {

using problem::Lcp;
using problem::SolveStatus;
using test::friction_lcp;
using test::random_matrix;

/// Violation of 0 ≤ z ⟂ Mz + q ≥ 0 over the sizes of what is compared; not the solver's own
/// formula.
Real violation(const Lcp& lcp, const VecX& z) {
  const VecX w = lcp.M * z + lcp.q;
  const VecX size = lcp.M.cwiseAbs() * z.cwiseAbs() + lcp.q.cwiseAbs();
  const Real z_size = std::max(z.cwiseAbs().maxCoeff(), Real(1e-300));
  const Real w_size = std::max(size.maxCoeff(), Real(1e-300));
  Real worst = 0;
  for (Index i = 0; i < z.size(); ++i)
    worst = std::max({worst, -z[i] / z_size, -w[i] / w_size,
                      std::min(std::abs(z[i]) / z_size, std::abs(w[i]) / w_size)});
  return worst;
}

VecX random_q(Random& random, Index n, bool degenerate) {
  VecX q = random_matrix(random, n, 1);
  if (degenerate) q = (2 * q).array().round();
  return q;
}

// The circulant problem on which the ratio test without the lexicographic rule cycles for ever:
// 4 pivots, z = (1, 1, 1)/3.
TEST(Lemke, CirculantTakesFourPivots) {
  Lcp lcp{MatX(3, 3), VecX::Constant(3, -1)};
  lcp.M << 1, 2, 0, 0, 1, 2, 2, 0, 1;
  VecX z;
  const auto report = lemke(lcp, {}, z);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 4);
  EXPECT_LT((z - VecX::Constant(3, 1.0 / 3)).norm(), 1e-15);
}

// On any matrix, Lemke claims success only for a solution, and never on a problem that enumeration
// proves unsolvable; 20 000 problems of six families, half of them degenerate, n ≤ 8.
TEST(Lemke, AgreesWithEnumerationOnRandomProblems) {
  Random random(11);
  int solved = 0, unsolvable = 0, rays_of_solvable = 0;
  for (int i = 0; i < 20000; ++i) {
    const Index n = 1 + static_cast<Index>(random.uniform() * (i % 10 == 0 ? 8 : 5));
    const bool degenerate = i % 2 == 0;
    MatX g = random_matrix(random, n, n);
    MatX M;
    bool ray_proves_unsolvable = true;  // copositive-plus families
    switch (i % 6) {
      case 0:
        M = degenerate ? MatX((2 * g).array().round()) : g;
        ray_proves_unsolvable = false;
        break;
      case 1:
        M = g * g.transpose() + 0.01 * MatX::Identity(n, n);
        break;
      case 2:
        M = g.leftCols(1) * g.leftCols(1).transpose();
        break;  // rank 1
      case 3:
        M = g - g.transpose();
        break;  // skew: LP duality
      case 4:
        M = g * g.transpose() + (g - g.transpose());
        break;
      default:
        M = g.leftCols((n + 1) / 2) * g.leftCols((n + 1) / 2).transpose();
        break;
    }
    const Lcp lcp{M, random_q(random, n, degenerate)};
    VecX z;
    const auto report = lemke(lcp, {}, z);
    const auto all = enumerate_lcp(lcp);
    if (report.status == SolveStatus::converged) {
      ++solved;
      ASSERT_LT(violation(lcp, z), 1e-8) << "i = " << i;
      ASSERT_FALSE(all.empty()) << "i = " << i;
    } else {
      ASSERT_EQ(report.status, SolveStatus::ray_termination) << "i = " << i << ' ' << report.detail;
      if (all.empty())
        ++unsolvable;
      else
        ++rays_of_solvable;
      ASSERT_TRUE(all.empty() || !ray_proves_unsolvable) << "i = " << i;
    }
  }
  EXPECT_GT(solved, 10000);
  EXPECT_GT(unsolvable, 1000);
  EXPECT_LT(rays_of_solvable, 1000);
}

// For P-matrices the solution is unique: Lemke and enumeration give the same vector.
TEST(Lemke, FindsTheUniqueSolutionOfPMatrices) {
  Random random(12);
  for (int i = 0; i < 3000; ++i) {
    const Index n = 1 + i % 7;
    const MatX g = random_matrix(random, n, n);
    const Lcp lcp{g * g.transpose() + 0.1 * MatX::Identity(n, n) + g - g.transpose(),
                  random_q(random, n, i % 2 == 0)};
    VecX z;
    ASSERT_EQ(lemke(lcp, {}, z).status, SolveStatus::converged);
    const auto all = enumerate_lcp(lcp);
    ASSERT_EQ(all.size(), 1u);
    ASSERT_LT((z - all.front()).norm(), 1e-9 * (1 + z.norm()));
  }
}

// Friction LCPs (copositive, degenerate, rank-deficient) always have a solution, and Lemke finds
// one.
TEST(Lemke, SolvesFrictionProblems) {
  Random random(13);
  int most_tries = 0;
  for (int i = 0; i < 1500; ++i) {
    const Index contacts = 1 + i % 6;
    const Lcp lcp = friction_lcp(random, contacts, i % 3 == 0 ? 8 : 4, 2 + i % 11, 0.1 * (i % 13));
    VecX z;
    const auto report = lemke(lcp, {}, z);
    ASSERT_EQ(report.status, SolveStatus::converged) << "i = " << i << ' ' << report.detail;
    ASSERT_LT(violation(lcp, z), 1e-9) << "i = " << i;
    if (report.detail.find("try 1,") == std::string::npos) ++most_tries;
  }
  EXPECT_LT(most_tries, 1500);
}

// The answer does not depend on units: rows and columns rescaled as mass, length and time do (c_n,
// β in N·s; λ in m/s), over 16 decades, take the same pivots to the same solution.
TEST(Lemke, IsUnitIndependent) {
  Random random(14);
  for (int i = 0; i < 300; ++i) {
    const Index contacts = 1 + i % 4, k = 4;
    const Lcp lcp = friction_lcp(random, contacts, k, 6, 0.5);
    // Powers of two: rescaling is then exact and so must be the agreement.
    const Real impulse = std::exp2(std::round(random.uniform(-26, 26)));
    const Real speed = std::exp2(std::round(random.uniform(-26, 26)));
    VecX z_unit(lcp.size()), w_unit(lcp.size());
    for (Index j = 0; j < lcp.size(); ++j) {
      const bool is_slip = j >= contacts * (k + 1);
      z_unit[j] = is_slip ? speed : impulse;
      w_unit[j] = is_slip ? impulse : speed;
    }
    const Lcp other{w_unit.asDiagonal() * lcp.M * z_unit.cwiseInverse().asDiagonal(),
                    w_unit.cwiseProduct(lcp.q)};
    VecX z, z_other;
    const auto a = lemke(lcp, {}, z), b = lemke(other, {}, z_other);
    ASSERT_EQ(a.iterations, b.iterations);
    ASSERT_NEAR(a.residual, b.residual, 1e-14);
    ASSERT_LT((z_other.cwiseQuotient(z_unit) - z).norm(), 1e-12 * (1e-3 + z.norm())) << "i = " << i;
  }
}

// A tie tolerance that takes unequal ratios for equal ends on a complementary basis that is not a
// solution. Without retries this must not be called converged; the ladder then solves it.
TEST(Lemke, DoesNotAcceptAWrongBasis) {
  Random random(15);
  int wrong_bases = 0;
  for (int i = 0; i < 400; ++i) {
    const Lcp lcp = friction_lcp(random, 3, 4, 6, 0.6);
    LemkeOptions careless;
    careless.first_tie_tolerance = 0.3;
    careless.max_tries = 1;
    VecX z;
    const auto report = lemke(lcp, careless, z);
    if (report.status == SolveStatus::converged) {
      ASSERT_LT(violation(lcp, z), 1e-9) << "i = " << i;
    } else {
      wrong_bases += report.status == SolveStatus::stalled;
      careless.max_tries = 8;
      VecX retried;
      ASSERT_EQ(lemke(lcp, careless, retried).status, SolveStatus::converged) << "i = " << i;
      ASSERT_LT(violation(lcp, retried), 1e-9) << "i = " << i;
    }
  }
  EXPECT_GT(wrong_bases, 20);
}

// An infeasible problem (M = 0, q < 0) is a ray, said as such, in every try of the ladder.
TEST(Lemke, ReportsASecondaryRay) {
  VecX z;
  const auto report = lemke({MatX::Zero(2, 2), VecX::Constant(2, -1)}, {}, z);
  EXPECT_EQ(report.status, SolveStatus::ray_termination);
  EXPECT_NE(report.detail.find("ray_termination after"), std::string::npos);
  EXPECT_NE(report.detail.find("8 tries"), std::string::npos);
}

// q ≥ 0 and the empty problem are solved by z = 0 without a pivot; so is a problem whose guess, or
// the solution on the support of the guess, is right.
TEST(Lemke, TakesNoPivotWhereTheAnswerIsKnown) {
  VecX z;
  EXPECT_EQ(lemke({MatX::Identity(2, 2), VecX::Ones(2)}, {}, z).iterations, 0);
  EXPECT_TRUE(z.isZero(0));
  EXPECT_EQ(lemke({MatX(0, 0), VecX(0)}, {}, z).status, SolveStatus::converged);
  Random random(16);
  const Lcp lcp = friction_lcp(random, 4, 4, 12, 0.4);
  z.resize(0);
  ASSERT_EQ(lemke(lcp, {}, z).status, SolveStatus::converged);
  const VecX solution = z;
  EXPECT_EQ(lemke(lcp, {}, z).iterations, 0);
  EXPECT_EQ(z, solution);
  const MatX g = random_matrix(random, 9, 9);
  const Lcp regular{g * g.transpose() + 0.1 * MatX::Identity(9, 9), random_matrix(random, 9, 1)};
  VecX x;
  ASSERT_GT(lemke(regular, {}, x).iterations, 0);
  VecX guess = 1.3 * x;
  EXPECT_EQ(lemke(regular, {}, guess).iterations, 0);
  EXPECT_LT((guess - x).norm(), 1e-12 * x.norm());
}

// The stop condition and the pivot limit end the run with their own status.
TEST(Lemke, StopsWhenAsked) {
  Random random(17);
  const Lcp lcp = friction_lcp(random, 4, 4, 12, 0.4);
  LemkeOptions options;
  options.max_pivots = 2;
  VecX z;
  auto report = lemke(lcp, options, z);
  EXPECT_EQ(report.status, SolveStatus::max_iterations);
  EXPECT_EQ(report.iterations, 2);
  int polls = 0;
  options = {};
  options.should_stop = [&polls] { return ++polls > 3; };
  z.resize(0);
  report = lemke(lcp, options, z);
  EXPECT_EQ(report.status, SolveStatus::interrupted);
  EXPECT_EQ(report.iterations, 3);
}

// The oracle itself: the problem with M = −1, q = 1 has the two solutions z = 0 and z = 1.
TEST(EnumerateLcp, FindsEverySolution) {
  const auto all = enumerate_lcp({MatX::Constant(1, 1, -1), VecX::Ones(1)});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0][0], 0);
  EXPECT_NEAR(all[1][0], 1, 1e-15);
}

// The oracle sees solutions that exist only on singular supports: M = 0, q = 0 in one row.
TEST(EnumerateLcp, FollowsSingularSupports) {
  MatX M(2, 2);
  M << 1, 1, 1, 1;
  EXPECT_FALSE(enumerate_lcp({M, VecX::Constant(2, -1)}).empty());
  EXPECT_TRUE(enumerate_lcp({MatX::Zero(2, 2), VecX::Constant(2, -1)}).empty());
}

}  // namespace
}  // namespace talus::solve
