#include <talus/solve/pivoting/lemke.hpp>

#include <gtest/gtest.h>

#include <talus/base/random.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/problem/scale.hpp>
#include <talus/solve/pivoting/enumerate.hpp>

#include "support/lcp_families.hpp"

namespace talus::solve::TALUS_TEST_FILE {
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

/// How far a reported ray is from 0 ≤ z(t) ⟂ M z(t) + q + d z₀(t) ≥ 0 for all t ≥ 0, over the sizes
/// of what is compared; from M and q alone.
Real ray_violation(const Lcp& lcp, const problem::LcpRay& ray) {
  const MatX size = lcp.M.cwiseAbs();
  const VecX w = lcp.M * ray.z + lcp.q + ray.covering * ray.z0;
  const VecX w_size = size * ray.z.cwiseAbs() + lcp.q.cwiseAbs() + ray.covering * ray.z0;
  const VecX slope = lcp.M * ray.direction + ray.covering * ray.direction0;
  const VecX slope_size = size * ray.direction.cwiseAbs() + ray.covering * ray.direction0;
  // What changes w by as much as its terms are large: a smaller z is round-off.
  const Real largest = std::max(lcp.M.cwiseAbs().maxCoeff(), Real(1e-300));
  const auto over = [](const VecX& a, Real unit) { return VecX(a / std::max(unit, Real(1e-300))); };
  const Real w_unit = w_size.maxCoeff(), slope_unit = slope_size.maxCoeff();
  const VecX z = over(ray.z, w_unit / largest), y = over(w, w_unit);
  const VecX dz = over(ray.direction, slope_unit / largest), dy = over(slope, slope_unit);
  Real worst = std::max(-ray.z0, -ray.direction0);
  for (const VecX* a : {&z, &dz, &y, &dy}) worst = std::max(worst, -a->minCoeff());
  for (const VecX* a : {&z, &dz})
    for (const VecX* b : {&y, &dy})
      worst = std::max(worst, a->cwiseAbs().cwiseMin(b->cwiseAbs()).maxCoeff());
  return worst;
}

/// Whether y ≥ 0, Mᵀy ≤ 0 and q·y < 0, to round-off: nothing is feasible.
bool is_farkas(const Lcp& lcp, const VecX& y) {
  const VecX rise = lcp.M.transpose() * y;
  const Real largest = std::max(rise.maxCoeff(), -y.minCoeff() * lcp.M.cwiseAbs().maxCoeff());
  return lcp.q.dot(y) < -1e-8 * y.norm() && largest <= 1e-8 * y.norm();
}

// On any matrix, Lemke claims success only for a solution, and never on a problem that enumeration
// proves unsolvable; else it gives a ray, which is one, and which proves that nothing is feasible
// for the families where it must (all but the first). 100 000 problems of six families, half of
// them degenerate, n ≤ 8.
TEST(Lemke, AgreesWithEnumerationOnRandomProblems) {
  Random random(11);
  int solved = 0, unsolvable = 0, rays_of_solvable = 0, proofs = 0;
  for (int i = 0; i < 100000; ++i) {
    const Index n = 1 + static_cast<Index>(random.uniform() * 8);
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
        M = linalg::product(g, g.transpose()) + 0.01 * MatX::Identity(n, n);
        break;
      case 2:
        M = g.leftCols(1) * g.leftCols(1).transpose();
        break;  // rank 1
      case 3:
        M = g - g.transpose();
        break;  // skew: LP duality
      case 4:
        M = linalg::product(g, g.transpose()) + (g - g.transpose());
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
      ASSERT_NE(report.ray, nullptr) << "i = " << i;
      ASSERT_LT(ray_violation(lcp, *report.ray), 1e-6) << "i = " << i;
      ASSERT_GT(report.ray->z0, 0) << "i = " << i;
      if (report.ray->proves_infeasible) {
        ++proofs;
        ASSERT_TRUE(all.empty()) << "i = " << i;
        ASSERT_TRUE(is_farkas(lcp, report.ray->direction)) << "i = " << i;
      }
      ASSERT_TRUE(report.ray->proves_infeasible || !ray_proves_unsolvable) << "i = " << i;
      if (all.empty())
        ++unsolvable;
      else
        ++rays_of_solvable;
      ASSERT_TRUE(all.empty() || !ray_proves_unsolvable) << "i = " << i;
    }
  }
  EXPECT_GT(solved, 50000);
  EXPECT_GT(unsolvable, 10000);
  EXPECT_LT(rays_of_solvable, 3000);
  EXPECT_GT(proofs, 10000);
  RecordProperty("solved", solved);
  RecordProperty("unsolvable", unsolvable);
  RecordProperty("rays_of_solvable", rays_of_solvable);
  RecordProperty("proofs", proofs);
}

// For P-matrices the solution is unique: Lemke and enumeration give the same vector.
TEST(Lemke, FindsTheUniqueSolutionOfPMatrices) {
  Random random(12);
  for (int i = 0; i < 3000; ++i) {
    const Index n = 1 + i % 7;
    const MatX g = random_matrix(random, n, n);
    const Lcp lcp{
        linalg::product(g, g.transpose()) + 0.1 * MatX::Identity(n, n) + g - g.transpose(),
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
// solution. Without retries this must not be called converged; a later try then solves it.
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

// An infeasible problem (M = 0, q < 0) ends on a ray that proves it, said as such; where z = (0, 1)
// solves a problem but every covering vector leads to a ray, it is said to prove nothing.
TEST(Lemke, ReportsASecondaryRay) {
  VecX z;
  auto report = lemke({MatX::Zero(2, 2), VecX::Constant(2, -1)}, {}, z);
  EXPECT_EQ(report.status, SolveStatus::ray_termination);
  EXPECT_NE(report.detail.find("which proves"), std::string::npos);
  ASSERT_NE(report.ray, nullptr);
  EXPECT_TRUE(report.ray->proves_infeasible);
  EXPECT_EQ(report.ray->direction.maxCoeff(), 1);

  Lcp lcp{MatX(2, 2), VecX(2)};
  lcp.M << -1, 2, -1, 1;
  lcp.q << -2, -1;
  const VecX solution = Vec2(0, 1);
  ASSERT_LT(violation(lcp, solution), 1e-15);
  report = lemke(lcp, {}, z);
  EXPECT_EQ(report.status, SolveStatus::ray_termination) << report.detail;
  ASSERT_NE(report.ray, nullptr);
  EXPECT_FALSE(report.ray->proves_infeasible);
  EXPECT_LT(ray_violation(lcp, *report.ray), 1e-12);
  EXPECT_NE(report.detail.find("8 tries"), std::string::npos);
}

/// A problem of a family with solutions, or without any; `copositive_plus` but for the circulant.
struct Family {
  const char* name;
  Lcp (*make)(Random& random, Index n);
  bool is_feasible = true;
};

class LemkeFamilies : public testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(
    Solve, LemkeFamilies,
    testing::Values(
        Family{"circulant",
               [](Random&, Index n) {
                 n += 1 - n % 2;  // a P-matrix for odd n
                 Lcp lcp{MatX::Identity(n, n), VecX::Constant(n, -1)};
                 for (Index i = 0; i < n; ++i) lcp.M(i, (i + 1) % n) = 2;
                 return lcp;
               }},
        Family{"degenerate",
               [](Random& random, Index n) {
                 const MatX G = (2 * random_matrix(random, n, n)).array().round();
                 const MatX M = linalg::product(G, G.transpose());
                 return Lcp{M, test::feasible_q(random, M).array().round()};
               }},
        Family{"copositive",
               [](Random& random, Index n) {  // strictly, and far from positive semidefinite
                 const MatX G = random_matrix(random, n, n / 2);
                 const MatX M = linalg::product(G, G.transpose()) +
                                static_cast<Real>(n) / 4 * random_matrix(random, n, n).cwiseAbs();
                 return Lcp{M, random_matrix(random, n, 1)};
               }},
        Family{"psd",
               [](Random& random, Index n) {
                 const MatX G = random_matrix(random, n, n / 2);
                 const MatX M = linalg::product(G, G.transpose());
                 return Lcp{M, test::feasible_q(random, M)};
               }},
        Family{"rank_1",
               [](Random& random, Index n) {
                 const MatX G = random_matrix(random, n, 1);
                 const MatX M = linalg::product(G, G.transpose());
                 return Lcp{M, test::feasible_q(random, M)};
               }},
        Family{"skew_dominated",
               [](Random& random, Index n) {
                 const MatX G = random_matrix(random, n, n), A = random_matrix(random, n, n);
                 const MatX M = 1e-3 * linalg::product(G, G.transpose()) + A - A.transpose();
                 return Lcp{M, random_matrix(random, n, 1)};
               }},
        Family{"friction",
               [](Random& random, Index n) { return friction_lcp(random, n / 6, 4, n / 4, 0.5); }},
        Family{"infeasible",
               [](Random& random, Index n) {  // y > 0 with M y = 0 and q·y = −1
                 const VecX y = random_matrix(random, n, 1).cwiseAbs().array() + 0.1;
                 MatX G = random_matrix(random, n, n / 2);
                 G -= y * (y.transpose() * G) / y.squaredNorm();
                 VecX q = random_matrix(random, n, 1);
                 q -= (q.dot(y) + 1) / y.squaredNorm() * y;
                 return Lcp{linalg::product(G, G.transpose()), q};
               },
               false}),
    [](const auto& the) { return the.param.name; });

// Up to n = 200 every problem of these families is solved, and verified here, if it has a solution;
// if it has none the ray proves it.
TEST_P(LemkeFamilies, AreSolvedOrProvedInfeasible) {
  Random random(18);
  for (const Index n : {6, 12, 24, 50, 100, 200})
    for (int k = 0; k < (n <= 50 ? 20 : 4); ++k) {
      const Lcp lcp = GetParam().make(random, n);
      LemkeOptions options;
      options.tolerance = 1e-9;
      VecX z;
      const auto report = lemke(lcp, options, z);
      if (GetParam().is_feasible) {
        ASSERT_EQ(report.status, SolveStatus::converged) << n << ' ' << report.detail;
        ASSERT_LT(violation(lcp, z), 1e-8) << n << ' ' << report.detail;
        ASSERT_EQ(report.ray, nullptr);
      } else {
        ASSERT_EQ(report.status, SolveStatus::ray_termination) << n << ' ' << report.detail;
        ASSERT_NE(report.ray, nullptr);
        ASSERT_TRUE(report.ray->proves_infeasible) << n << ' ' << report.detail;
        ASSERT_TRUE(is_farkas(lcp, report.ray->direction)) << n;
        ASSERT_LT(ray_violation(lcp, *report.ray), 1e-6) << n;
      }
    }
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
  const Lcp regular{linalg::product(g, g.transpose()) + 0.1 * MatX::Identity(9, 9),
                    random_matrix(random, 9, 1)};
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
}  // namespace talus::solve::TALUS_TEST_FILE
