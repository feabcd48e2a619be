#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include <rapidcheck/gtest.h>

#include <talus/certify/cone_residual.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/lcp_residual.hpp>
#include <talus/certify/mlcp_residual.hpp>
#include <talus/problem/convert.hpp>

// The verdict on cone problems, box QPs, LCPs, rolling and bilateral contacts in velocities, block
// by block and island by island (docs/adr/0019): no impulses, however large, hide what a row
// misses.

namespace talus::certify::TALUS_TEST_FILE {
namespace {

using problem::Cone;
using problem::ConeKind;
using problem::ConeProblem;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kLoosest = 1e-4;  // tolerance at which a violation may be 1/10

VecX rows_of(std::initializer_list<Real> values) {
  return Eigen::Map<const VecX>(values.begin(), static_cast<Index>(values.size()));
}

/// d rows of each of two blocks: a body between two supports that close on it at 1 m/s.
ConeProblem squeezed(Index d, const Cone& cone) {
  MatX W = MatX::Identity(2 * d, 2 * d);
  W(0, d) = W(d, 0) = -1;
  ConeProblem problem;
  problem.W = W.sparseView();
  problem.b = VecX::Zero(2 * d);
  problem.b[0] = problem.b[d] = -1;
  for (const Index first : {Index{0}, d}) {
    problem.cones.push_back(cone);
    problem.cones.back().first = first;
    problem.cones.back().size = d;
  }
  if (cone.kind == ConeKind::box) {
    problem.lower = VecX::Zero(2 * d);
    problem.upper = VecX::Constant(2 * d, kInfinity);
  }
  return problem;
}

VecX pressed(Index d, Real first, Real second) {
  VecX r = VecX::Zero(2 * d);
  r[0] = first;
  r[d] = second;
  return r;
}

// W = [1 −1; −1 1], b = (−1, −1): u₁ + u₂ = −2 whatever r is, so one block closes at 1 or more, as
// it did without r. As r grows the natural map falls below any tolerance; the violation stays at 1.
RC_GTEST_PROP(ConeViolation, OfAnInfeasibleProblemStaysAbove1, ()) {
  const Real size = std::pow(10, *rc::gen::inRange(-3, 13));
  const Real difference = *rc::gen::inRange(-1000, 1001) / 500.0;
  const Real least = 1 - 1e-12 * (1 + size * 1e-4);
  const Real mu = 0.5, rolling = 0.01;
  std::vector<Certificate> all;
  for (const Cone& cone :
       {Cone{ConeKind::nonnegative, 0, 1, 0, 0}, Cone{ConeKind::box, 0, 1, 0, 0},
        Cone{ConeKind::friction, 0, 3, mu, 0}, Cone{ConeKind::rolling, 0, 5, mu, rolling}}) {
    const Index d = cone.size;
    all.push_back(certify(squeezed(d, cone), pressed(d, size + difference, size)));
  }
  const ConeProblem bodies = squeezed(5, Cone{ConeKind::rolling, 0, 5, mu, rolling});
  all.push_back(certify(
      problem::RollingFrictionContact{bodies.W, bodies.b, Vec2(mu, mu), Vec2(rolling, rolling)},
      pressed(5, size + difference, size)));
  const ConeProblem points = squeezed(3, Cone{ConeKind::friction, 0, 3, mu, 0});
  all.push_back(certify(problem::BilateralContact{3, 0, points.W, points.b, Vec2(mu, mu)},
                        pressed(3, size + difference, size)));
  const ConeProblem rows = squeezed(1, Cone{ConeKind::box, 0, 1, 0, 0});
  all.push_back(certify(problem::BoxQp{rows.W, rows.b, rows.lower, rows.upper},
                        pressed(1, size + difference, size)));
  all.push_back(certify(problem::Lcp{rows.W, rows.b}, pressed(1, size + difference, size)));
  const MatX J{{1, -1}};  // x the velocity of the body: x = z₁ − z₂
  all.push_back(certify(
      problem::Mlcp{MatX::Ones(1, 1), -J, J.transpose(), MatX::Zero(2, 2), VecX::Zero(1), rows.b},
      VecX::Constant(1, size + difference - size), pressed(1, size + difference, size)));
  for (std::size_t k = 0; k < all.size(); ++k) {
    RC_LOG() << k << ": " << all[k].violation << '\n';
    RC_ASSERT(all[k].violation >= least);
    RC_ASSERT(!all[k].meets(kLoosest));
  }
}

// min g x has no least value where nothing bounds x: u = g at every x, however far.
TEST(ConeViolation, OfAnUnboundedQpIsTheSlope) {
  problem::SparseMatrix none(1, 1);
  const problem::BoxQp qp{none, VecX::Constant(1, 3), VecX::Constant(1, -kInfinity),
                          VecX::Constant(1, kInfinity)};
  for (const Real x : {0.0, -1.0, -1e36}) {
    const Certificate c = certify(qp, VecX::Constant(1, x));
    EXPECT_NEAR(c.violation, 1, 1e-12) << x;
    EXPECT_FALSE(c.meets(kLoosest)) << x;
  }
}

// Nor does z hide it whose rounding covers the rate: 64 ε of 10¹⁴ are more than the 1 that is left
// open, and what rounding takes off a rate ends at a thousandth of what the row has to answer.
TEST(ConeViolation, OfAnInfeasibleLcpIsNotRounding) {
  const MatX B{{1, -1}, {-1, 1}};
  for (const Real z : {1e12, 1e13, 3.6e13, 1e14, 1e15}) {
    const problem::Mlcp mlcp{MatX(0, 0), MatX(0, 2), MatX(2, 0), B, VecX(0), Vec2(-1, -1)};
    EXPECT_FALSE(certify(mlcp, VecX(0), Vec2(z, z)).meets(kLoosest)) << z;
    EXPECT_FALSE(certify(problem::Lcp{B, Vec2(-1, -1)}, Vec2(z, z)).meets(kLoosest)) << z;
  }
}

// Nor does a large number that another row is given hide it: z₁ = z₂ here, so that w₃ = −d < 0 for
// every z ≥ 0, however large z₂ is beside Q, which stands in a row that asks for nothing.
TEST(ConeViolation, OfAnInfeasibleLcpIsNotHiddenByOtherRows) {
  problem::Lcp lcp;
  lcp.M = MatX::Zero(4, 4);
  lcp.M.topLeftCorner<3, 2>() << 1, -1, -1, 1, 1, -1;
  lcp.M.row(3) << 0, 1e-3, 0, 1;
  for (const auto& [d, Q] : {std::pair(1.0, 1e16), {1e-3, 1e13}, {1e-7, 1e9}, {1e-9, 1e7}}) {
    lcp.q = VecX{{0, 0, -d, Q}};
    for (const Real z : {Real(1), Q, 100 * Q, 1e5 * Q})
      EXPECT_FALSE(certify(lcp, VecX{{z, z, 0, 0}}).meets(1e-8)) << d << " " << z;
  }
}

// Equations that contradict each other, x₁ − x₂ = 1 = x₂ − x₁: one is missed by 1 or more, however
// large x is.
TEST(ConeViolation, OfEquationsThatContradictIsWhatOneMisses) {
  const problem::Mlcp mlcp{MatX{{1, -1}, {-1, 1}}, MatX(2, 0), MatX(0, 2), MatX(0, 0),
                           Vec2(-1, -1),           VecX(0)};
  for (const Real x : {0.0, 1.0, 1e12}) {
    const Certificate c = certify(mlcp, Vec2(x + 0.5, x), VecX(0));
    EXPECT_GE(c.violation, 1) << x;
    EXPECT_FALSE(c.meets(kLoosest)) << x;
  }
}

// Impulses in whose rounding the velocity is lost are no answer, whatever their friction.
TEST(ConeViolation, OfWhatRoundingHidesIsNotSmall) {
  const Real r = 1e17;
  const VecX pair = pressed(3, r, r);
  const ConeProblem smooth = squeezed(3, Cone{ConeKind::friction, 0, 3, 0, 0});
  const Vec2 none(0, 0);
  EXPECT_FALSE(certify(smooth, pair).meets(kLoosest));
  EXPECT_FALSE(
      certify(problem::FrictionContact{.W = smooth.W, .b = smooth.b, .friction = none}, pair)
          .meets(kLoosest));
  EXPECT_FALSE(
      certify(problem::BilateralContact{3, 0, smooth.W, smooth.b, none}, pair).meets(kLoosest));
}

// Where bounds leave out 0, what a row has to answer is counted from the bound that is nearest:
// u = 2 x − 6 over [1, 5] is −4 there, and x = 2.9 misses 0 by 0.2.
TEST(ConeViolation, CountsFromTheNearestBound) {
  problem::SparseMatrix H(1, 1);
  H.insert(0, 0) = 2;
  const problem::BoxQp qp{H, VecX::Constant(1, -6), VecX::Constant(1, 1), VecX::Constant(1, 5)};
  EXPECT_NEAR(certify(qp, VecX::Constant(1, 2.9)).violation, 0.2 / 4, 1e-12);
  EXPECT_EQ(certify(qp, VecX::Constant(1, 3)).violation, 0);
}

// Where the nearest bound is the free optimum a row has nothing to answer but the rounding of its
// terms: it is met there.
TEST(ConeViolation, OfABoundThatIsTheOptimumIsNone) {
  const MatX H{{0.3, 0.1}, {0.1, 0.7}};
  const VecX x = rows_of({1.1, 2.3}), free = VecX::Constant(2, kInfinity);
  EXPECT_TRUE(certify(problem::BoxQp{H.sparseView(), -(H * x), x, free}, x).meets(1e-12));
  problem::SparseMatrix one(1, 1);
  one.insert(0, 0) = 0.3;
  const problem::BoxQp row{one, VecX::Constant(1, 0.9), VecX::Constant(1, -kInfinity),
                           VecX::Constant(1, -3)};
  EXPECT_TRUE(certify(row, VecX::Constant(1, -3)).meets(1e-12));
  EXPECT_FALSE(certify(row, VecX::Constant(1, -3.1)).meets(1e-3));
}

// A constraint that is left open by a tenth of its rate misses by a tenth, whatever presses beside.
TEST(ConeViolation, OfAConstraintIsWhatItLeavesOpen) {
  MatX W = MatX::Identity(4, 4);
  const VecX b = rows_of({-2, 0, 0, 0});
  const problem::BilateralContact problem{3, 1, W.sparseView(), b, VecX::Constant(1, 0.5)};
  EXPECT_NEAR(certify(problem, rows_of({1.8, 0, 0, 0})).violation, 0.1, 1e-12);
  EXPECT_EQ(certify(problem, rows_of({2, 0, 0, 0})).violation, 0);
}

// Two problems side by side are judged as each alone: a light block that is wrong by all of its
// speed is not forgiven for a heavy one that is right.
TEST(ConeViolation, AnotherIslandHidesNothing) {
  for (const Real heavy : {1.0, 1e12}) {
    MatX W = MatX::Zero(2, 2);
    W(0, 0) = 1 / heavy;
    W(1, 1) = 1;
    const ConeProblem problem{
        W.sparseView(),
        Vec2(-1, -1),
        {{ConeKind::nonnegative, 0, 1, 0, 0}, {ConeKind::nonnegative, 1, 1, 0, 0}},
        {},
        {}};
    const Certificate wrong = certify(problem, Vec2(heavy, 0.5));
    EXPECT_NEAR(wrong.natural_map, 1, 1e-12) << heavy;
    EXPECT_NEAR(wrong.violation, 0.5, 1e-12) << heavy;
    EXPECT_EQ(wrong.worst_contact, 1) << heavy;
    EXPECT_TRUE(certify(problem, Vec2(heavy, 1)).meets(1e-12)) << heavy;
    const Certificate of_lcp = certify(problem::Lcp{W, problem.b}, Vec2(heavy, 0.5));
    EXPECT_NEAR(of_lcp.natural_map, 1, 1e-12) << heavy;
    EXPECT_NEAR(of_lcp.violation, 0.5, 1e-12) << heavy;
  }
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
