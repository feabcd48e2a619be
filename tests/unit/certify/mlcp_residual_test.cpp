#include <talus/certify/mlcp_residual.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/certify/bounded_friction_residual.hpp>

#include "support/class_problems.hpp"

namespace talus::certify::TALUS_TEST_FILE {
namespace {

Random draw_random() { return Random(*rc::gen::arbitrary<std::uint64_t>()); }

VecX powers(Random& random, Index n) {
  VecX result(n);
  for (Index i = 0; i < n; ++i) result[i] = std::pow(10, random.uniform(-6, 6));
  return result;
}

// A mixed LCP made from its solution is certified to round-off; with z or x moved it is not.
RC_GTEST_PROP(MlcpResidual, IsZeroAtASolutionOnly, ()) {
  Random random = draw_random();
  const test::SolvedMlcp solved = test::random_mlcp(random, 4, 5);
  const Certificate c = certify(solved.problem, solved.x, solved.z);
  RC_ASSERT(c.is_finite);
  RC_ASSERT(c.equation_of_motion <= 1e-14);
  if (solved.z.norm() > 0) RC_ASSERT(c.natural_map <= 1e-12);
  VecX x = solved.x;
  x[1] += 0.1;
  RC_ASSERT(certify(solved.problem, x, solved.z).equation_of_motion > 1e-4);
  VecX z = solved.z;
  z[0] += z[0] > 0 ? -2 * z[0] : 1;
  RC_ASSERT(!certify(solved.problem, solved.x, z).meets(1e-6));
}

// Every row and every unknown in a unit of its own: z and w share an energy, the equations and x
// have any; natural map and equation of motion stay.
RC_GTEST_PROP(MlcpResidual, IsUnitInvariant, ()) {
  Random random = draw_random();
  const Index n = 3, m = 4;
  const test::SolvedMlcp solved = test::random_mlcp(random, n, m);
  const VecX x_unit = powers(random, n), z_unit = powers(random, m);
  const Real energy = std::pow(10, random.uniform(-6, 6));
  // equations: energy/x_unit, as an equation of motion has, so that the coupling C, D keeps its
  // meaning
  const VecX row = energy * x_unit.cwiseInverse(), w_unit = energy * z_unit.cwiseInverse();
  const problem::Mlcp& p = solved.problem;
  const problem::Mlcp other{row.asDiagonal() * p.A * x_unit.cwiseInverse().asDiagonal(),
                            row.asDiagonal() * p.C * z_unit.cwiseInverse().asDiagonal(),
                            w_unit.asDiagonal() * p.D * x_unit.cwiseInverse().asDiagonal(),
                            w_unit.asDiagonal() * p.B * z_unit.cwiseInverse().asDiagonal(),
                            row.cwiseProduct(p.a),
                            w_unit.cwiseProduct(p.b)};
  const VecX x = solved.x + test::random_matrix(random, n, 1);
  const VecX z = test::random_matrix(random, m, 1);
  const Certificate a = certify(p, x, z);
  const Certificate b = certify(other, x.cwiseProduct(x_unit), z.cwiseProduct(z_unit));
  RC_ASSERT(std::abs(a.natural_map - b.natural_map) <= 1e-10 * a.natural_map);
  RC_ASSERT(std::abs(a.equation_of_motion - b.equation_of_motion) <= 1e-10);
  RC_ASSERT(std::abs(a.complementarity - b.complementarity) <= 1e-10 * a.complementarity);
}

// By hand: 0 = 2x − z + 1, w = x + 2z − 3. At x = 0, z = 1: defect 0; w = −1, ρ = 1/2: z̃ = √2,
// w̃ = −1/√2: natural map ½. At x = 0, z = 2 the defect is −1 of sizes 2 + 1.
TEST(MlcpResidual, ByHand) {
  const auto one = [](Real value) { return MatX::Constant(1, 1, value); };
  const problem::Mlcp p{one(2), one(-1), one(1), one(2), one(1), one(-3)};
  const Certificate c = certify(p, one(0), one(1));
  EXPECT_EQ(c.equation_of_motion, 0);
  EXPECT_NEAR(c.natural_map, 0.5, 1e-15);
  EXPECT_NEAR(c.dual, 0.5, 1e-15);
  EXPECT_NEAR(certify(p, one(0), one(2)).equation_of_motion, 1.0 / 3, 1e-15);
  EXPECT_FALSE(certify(p, one(0), one(NAN)).meets(1e300));
}

// An equation whose terms are what rounding leaves of another one's has no residual of its own: 0 =
// x₁ + 1, 0 = x₂ + 1e-17 at x = (−1, 0). One that is 1e-9 of it has: 64 ε are 1.4e-14.
TEST(MlcpResidual, WhatRoundingLeavesOfOtherEquationsIsNone) {
  const auto residual = [](Real other) {
    const problem::Mlcp p{MatX::Identity(2, 2), MatX(2, 0),       MatX(0, 2),
                          MatX(0, 0),           VecX{{1, other}}, VecX(0)};
    return certify(p, VecX{{-1, 0}}, VecX(0)).equation_of_motion;
  };
  EXPECT_EQ(residual(1e-17), 0);
  EXPECT_EQ(residual(1e-9), 1);
}

// A w that is what rounding leaves of the terms of its sum is none: a contact that the equation
// x = 1 holds at rest, w = x − 1 + rounding, is certified without an impulse. One of 1e-9 is not.
TEST(MlcpResidual, WhatRoundingLeavesOfAContactHeldByEquationsIsNone) {
  const auto natural_map = [](Real rate) {
    const MatX one = MatX::Ones(1, 1);
    const problem::Mlcp p{one, one, one, one, VecX::Constant(1, -1), VecX::Constant(1, rate - 1)};
    return certify(p, VecX::Ones(1), VecX::Zero(1)).natural_map;
  };
  EXPECT_EQ(natural_map(-1e-15), 0);
  EXPECT_EQ(natural_map(-1e-9), 1);
}

// Bounded friction made from its solution is certified; one impulse past its bound, or one that
// pushes along the slip, is not.
RC_GTEST_PROP(BoundedResidual, IsZeroAtASolutionOnly, ()) {
  Random random = draw_random();
  const Index d = 1 + random.bits() % 2, m = 1 + random.bits() % 5;
  const test::SolvedBounded solved = test::random_bounded(random, d, m);
  const Certificate c = certify(solved.problem, solved.r);
  if (solved.r.norm() > 0.01) RC_ASSERT(c.natural_map <= 1e-11);
  VecX over = solved.r;
  over[0] += 3 * (solved.problem.bound[0] + 1);
  RC_ASSERT(certify(solved.problem, over).primal > 0.1);
  RC_ASSERT(!certify(solved.problem, over).meets(0.01));
}

// A slider by hand: one row, W = 2, b = 3, bound 1: r = −1, u = 1; r = +1 pushes along the slip.
TEST(BoundedResidual, ByHand) {
  const problem::BoundedFriction p{1, test::to_sparse(MatX::Constant(1, 1, 2)),
                                   VecX::Constant(1, 3), VecX::Ones(1)};
  EXPECT_EQ(certify(p, VecX::Constant(1, -1)).natural_map, 0);
  // r̃ = √2, ũ = 5/√2, bound √2: P(r̃ − ũ) = −√2.
  EXPECT_NEAR(certify(p, VecX::Constant(1, 1)).natural_map, 2, 1e-15);
  EXPECT_NEAR(certify(p, VecX::Constant(1, 1)).complementarity, 10.0 / 2, 1e-15);
}

// Joints that slide beside joints that turn: other units for each leave the certificate as it is.
RC_GTEST_PROP(BoundedResidual, IsUnitInvariant, ()) {
  Random random = draw_random();
  const Index d = 1 + random.bits() % 2, m = 3;
  const test::SolvedBounded solved = test::random_bounded(random, d, m);
  const VecX unit = powers(random, m);
  VecX impulse(d * m);
  for (Index i = 0; i < d * m; ++i) impulse[i] = unit[i / d];
  const VecX velocity = 7.0 * impulse.cwiseInverse();
  problem::BoundedFriction other = solved.problem;
  other.W = velocity.asDiagonal() * solved.problem.W * impulse.cwiseInverse().asDiagonal();
  other.b = velocity.cwiseProduct(solved.problem.b);
  other.bound = unit.cwiseProduct(solved.problem.bound);
  const VecX r = solved.r + test::random_matrix(random, d * m, 1);
  const Certificate a = certify(solved.problem, r), b = certify(other, r.cwiseProduct(impulse));
  RC_ASSERT(std::abs(a.natural_map - b.natural_map) <= 1e-11 * a.natural_map);
  RC_ASSERT(std::abs(a.primal - b.primal) <= 1e-11);
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
