#include <talus/certify/cone_residual.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Eigenvalues>

#include <talus/certify/detail/nearest.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/lcp_residual.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/math/cone_projection.hpp>
#include <talus/problem/convert.hpp>
#include <talus/problem/scale.hpp>

#include "support/class_problems.hpp"

namespace talus::certify::TALUS_TEST_FILE {
namespace {

using problem::Cone;
using problem::ConeKind;
using problem::ConeProblem;

/// Round-off of a product with W over the size of the answer, for problems of order 1.
constexpr Real kRoundOff = 1e-13;

Random draw_random() { return Random(*rc::gen::arbitrary<std::uint64_t>()); }

VecX nearest(const Cone& cone, VecX r, const VecX& lower = {}, const VecX& upper = {}) {
  detail::move_to_nearest(cone, cone.rolling, lower, upper, r);
  return r;
}

Cone random_contact(Random& random, ConeKind kind, Index size) {
  Cone cone{kind, 0, size, random.uniform() < 0.1 ? 0 : random.uniform(0, 3), 0};
  if (kind == ConeKind::rolling)
    cone.rolling = random.uniform() < 0.1 ? 0 : std::pow(10, random.uniform(-3, 3));
  return cone;
}

// The nearest point p of a convex cone K to x is the only one with p ∈ K, x − p ∈ −K*, p·(x − p) =
// 0 (Moreau): all three hold for the friction and the rolling cone, at any x and any coefficient.
RC_GTEST_PROP(Nearest, IsMoreausDecomposition, ()) {
  Random random = draw_random();
  const bool is_rolling = random.uniform() < 0.5;
  const Cone cone =
      is_rolling ? random_contact(random, ConeKind::rolling, 5)
                 : random_contact(random, ConeKind::friction, random.uniform() < 0.5 ? 2 : 3);
  const VecX x = test::random_matrix(random, cone.size, 1) * std::pow(10, random.uniform(-6, 6));
  const VecX p = nearest(cone, x), rest = p - x;
  const Real small = 1e-14 * x.norm() * (1 + cone.friction + cone.rolling);
  const Index tangents = is_rolling ? 2 : cone.size - 1;
  RC_ASSERT(p[0] >= 0);
  RC_ASSERT(p.segment(1, tangents).norm() <= cone.friction * p[0] + small);
  Real needed = cone.friction * rest.segment(1, tangents).norm();
  if (is_rolling) {
    RC_ASSERT(p.tail(2).norm() <= cone.rolling * p[0] + small);
    needed += cone.rolling * rest.tail(2).norm();
  }
  RC_ASSERT(rest[0] >= needed - small * (1 + cone.friction + cone.rolling));
  RC_ASSERT(std::abs(p.dot(rest)) <= small * x.norm());
}

// For every kind of set p is the only point of it with (x − p)·(s − p) ≤ 0 for every s of the set;
// it stays where it is (idempotent), and two points come no further apart (non-expansive). Two
// dozen roundings of terms up to 2 (1 + 3 + 3).
RC_GTEST_PROP(Nearest, IsTheNearestPointOfEveryKindOfSet, ()) {
  constexpr Real kFewRoundings = 24 * 14 * 1.2e-16;
  Random random = draw_random();
  const test::RandomSet set(random);
  const Index n = set.cone.size;
  const VecX x = 2 * test::random_matrix(random, n, 1), y = 2 * test::random_matrix(random, n, 1);
  const VecX p = nearest(set.cone, x, set.lower, set.upper),
             q = nearest(set.cone, y, set.lower, set.upper);
  RC_ASSERT(set.excess(p) <= kFewRoundings);
  for (int k = 0; k < 10; ++k) RC_ASSERT((x - p).dot(set.member(random) - p) <= kFewRoundings);
  RC_ASSERT((p - q).norm() <= (x - y).norm() + kFewRoundings);
  RC_ASSERT((nearest(set.cone, p, set.lower, set.upper) - p).norm() <= kFewRoundings);
}

// The same for the ball of a joint with bounded friction, an interval or a disc, also of radius 0.
RC_GTEST_PROP(Nearest, IsTheNearestPointOfTheBall, ()) {
  constexpr Real kFewRoundings = 24 * 4 * 1.2e-16;
  Random random = draw_random();
  const Index d = random.uniform() < 0.5 ? 1 : 2;
  const Real bound = random.uniform() < 0.1 ? 0 : random.uniform(0, 2);
  const VecX x = 2 * test::random_matrix(random, d, 1), y = 2 * test::random_matrix(random, d, 1);
  const VecX p = detail::nearest_in_ball(x, bound), s = detail::nearest_in_ball(y, bound);
  RC_ASSERT(p.norm() <= bound + kFewRoundings);
  for (int k = 0; k < 10; ++k) {
    const VecX member = (k < 5 ? 1 : random.uniform()) * bound * test::random_direction(random, d);
    RC_ASSERT((x - p).dot(member - p) <= kFewRoundings);
  }
  RC_ASSERT((p - s).norm() <= (x - y).norm() + kFewRoundings);
  RC_ASSERT((detail::nearest_in_ball(p, bound) - p).norm() <= kFewRoundings);
}

// The certificate's friction cone and that of the solvers, written apart, are the same function.
RC_GTEST_PROP(Nearest, AgreesWithTheSolversProjection, ()) {
  Random random = draw_random();
  const Cone cone = random_contact(random, ConeKind::friction, 3);
  const VecX x = test::random_matrix(random, 3, 1);
  const Vec3 other = project_friction_cone(Vec3(x), cone.friction);
  RC_ASSERT((nearest(cone, x) - other).norm() <= 1e-14 * x.norm());
}

// Without rolling moments (μ_r = 0) the rolling cone is the friction cone, and r_R = 0.
RC_GTEST_PROP(Nearest, RollingWithoutResistanceIsFriction, ()) {
  Random random = draw_random();
  const Cone rolling{ConeKind::rolling, 0, 5, random.uniform(0, 2), 0};
  const Cone friction{ConeKind::friction, 0, 3, rolling.friction, 0};
  const VecX x = test::random_matrix(random, 5, 1), p = nearest(rolling, x);
  RC_ASSERT((p.head(3) - nearest(friction, x.head(3))).norm() <= 1e-15);
  RC_ASSERT(p.tail(2).norm() == 0);
}

// A problem made from its solution is certified to round-off, for products of all kinds of sets;
// every residual by name vanishes.
RC_GTEST_PROP(ConeResidual, IsZeroAtASolution, ()) {
  Random random = draw_random();
  const test::SolvedCones solved = test::random_cones(random, 1 + random.bits() % 6);
  const Certificate c = certify(solved.problem, solved.r);
  RC_ASSERT(c.is_finite);
  for (const Real value : {c.natural_map, c.plain, c.primal, c.dual, c.complementarity})
    RC_ASSERT(value <= 20 * kRoundOff * (1 + solved.u.norm() / solved.r.norm()));
}

// Moved off the solution of a problem with one solution (W positive definite), a candidate is seen:
// the natural map is at least of the size of the move, up to the condition of the scaled W.
RC_GTEST_PROP(ConeResidual, IsPositiveOffTheSolution, ()) {
  Random random = draw_random();
  const test::SolvedCones solved = test::random_cones(random, 1 + random.bits() % 4);
  const VecX move = test::random_matrix(random, solved.r.size(), 1);
  const Real size = std::pow(10, random.uniform(-5, 0));
  const Certificate c = certify(solved.problem, solved.r + size * move);
  const VecX root = problem::cone_scale(solved.problem).cwiseSqrt();
  const MatX scaled = root.asDiagonal() * MatX(solved.problem.W) * root.asDiagonal();
  const VecX eigenvalues = linalg::symmetric_eigenvalues(scaled);
  // ‖r̃ − r̃*‖ ≤ (1 + L)/c ‖natural map‖ for a strongly monotone map (Pang 1987).
  const VecX r = (solved.r + size * move).cwiseQuotient(root);
  const Real error = size * move.cwiseQuotient(root).norm();
  const Real bound = (1 + eigenvalues.maxCoeff()) / eigenvalues.minCoeff();
  RC_ASSERT(c.natural_map * r.norm() * bound >= error * (1 - 1e-6));
}

// Other units of every row, 8 decades each way and others for the rows R than for N and T, leave
// every number but plain and the velocity as it is, at any candidate.
RC_GTEST_PROP(ConeResidual, IsUnitInvariant, ()) {
  Random random = draw_random();
  const test::SolvedCones solved = test::random_cones(random, 1 + random.bits() % 6);
  const VecX unit = test::random_units(random, solved.problem, 8);
  const ConeProblem other =
      test::in_units(solved.problem, unit, std::pow(10, random.uniform(-8, 8)));
  const VecX r = random.uniform() < 0.1
                     ? VecX(VecX::Zero(solved.r.size()))
                     : VecX(solved.r + test::random_matrix(random, solved.r.size(), 1));
  const Certificate a = certify(solved.problem, r), b = certify(other, r.cwiseProduct(unit));
  const auto is_same = [](Real x, Real y) {
    return std::abs(x - y) <= 1e-10 * std::max({std::abs(x), std::abs(y), Real(1e-2)});
  };
  RC_ASSERT(is_same(a.natural_map, b.natural_map));
  RC_ASSERT(is_same(a.primal, b.primal));
  RC_ASSERT(is_same(a.dual, b.dual));
  RC_ASSERT(is_same(a.complementarity, b.complementarity));
  RC_ASSERT(is_same(a.worst_share, b.worst_share));
}

// One rolling contact by hand, unit block: μ = μ_r = 1, b = (−2, 0, 0, 0, 0), r = (2, 0, 0, 1, 0):
// u = (0, 0, 0, 1, 0), û = (1, 0, 0, 1, 0), r − û = (1, 0, 0, 0, 0) is in K: natural map
// ‖(1, 0, 0, 1, 0)‖/‖r‖; û is on the boundary of K*, r·û = 3.
TEST(RollingResidual, ByHand) {
  problem::RollingFrictionContact problem{test::to_sparse(MatX::Identity(5, 5)), VecX::Zero(5),
                                          VecX::Ones(1), VecX::Ones(1)};
  problem.b[0] = -2;
  VecX r = VecX::Zero(5);
  r[0] = 2;
  r[3] = 1;
  const Certificate c = certify(problem, r);
  EXPECT_NEAR(c.natural_map, std::sqrt(2.0 / 5), 1e-15);
  EXPECT_NEAR(c.plain, std::sqrt(2.0 / 5), 1e-15);
  EXPECT_EQ(c.primal, 0);
  EXPECT_NEAR(c.dual, 0, 1e-15);
  EXPECT_NEAR(c.complementarity, 3.0 / 5, 1e-15);
  EXPECT_EQ(c.worst_contact, 0);
  r[3] = 0;
  EXPECT_EQ(certify(problem, r).natural_map, 0);
}

// Exact law: a constructed solution of rolling contacts is certified; the associated certificate of
// the same numbers is not content as soon as a contact slides or rolls.
RC_GTEST_PROP(RollingResidual, IsZeroAtASolutionOfTheExactLaw, ()) {
  Random random = draw_random();
  const test::SolvedRolling solved = test::random_rolling(random, 1 + random.bits() % 5);
  RC_ASSERT(certify(solved.problem, solved.r).natural_map <= 100 * kRoundOff);
  VecX off = solved.r;
  off[3] += 0.1;
  RC_ASSERT(certify(solved.problem, off).natural_map > 1e-6);
}

// Another unit of length alone changes μ_r, the rows R and the velocities, not the certificate.
RC_GTEST_PROP(RollingResidual, DoesNotKnowTheUnitOfLength, ()) {
  Random random = draw_random();
  const test::SolvedRolling solved = test::random_rolling(random, 1 + random.bits() % 4);
  const Index m = solved.problem.contact_count();
  const Real length = std::pow(10, random.uniform(-6, 6));
  VecX impulse(5 * m), velocity(5 * m);
  for (Index i = 0; i < m; ++i) {
    impulse.segment(5 * i, 5) << length, length, length, length * length, length * length;
    velocity.segment(5 * i, 5) << length, length, length, 1, 1;
  }
  problem::RollingFrictionContact other = solved.problem;
  other.W = velocity.asDiagonal() * solved.problem.W * impulse.cwiseInverse().asDiagonal();
  other.b = velocity.cwiseProduct(solved.problem.b);
  other.rolling *= length;
  const VecX r = solved.r + test::random_matrix(random, 5 * m, 1);
  const Certificate a = certify(solved.problem, r), b = certify(other, r.cwiseProduct(impulse));
  RC_ASSERT(std::abs(a.natural_map - b.natural_map) <= 1e-11 * a.natural_map);
  RC_ASSERT(std::abs(a.complementarity - b.complementarity) <= 1e-11 * a.complementarity);
  RC_ASSERT(a.worst_contact == b.worst_contact);
}

// Constraints and contacts together: zero at a constructed solution, and a constraint that moves is
// the worst row.
RC_GTEST_PROP(BilateralResidual, IsZeroAtASolution, ()) {
  Random random = draw_random();
  const test::SolvedBilateral solved =
      test::random_bilateral(random, 2 + random.bits() % 2, 3, 1 + random.bits() % 4);
  RC_ASSERT(certify(solved.problem, solved.r).natural_map <= 100 * kRoundOff);
  problem::BilateralContact moving = solved.problem;
  moving.b[1] += 1e3;
  const Certificate c = certify(moving, solved.r);
  RC_ASSERT(c.worst_contact == 1);
  RC_ASSERT(c.worst_velocity >= 0.99e3 && c.worst_velocity <= 1.01e3);
}

// Where the classes meet they agree: contacts of equal blocks have the natural map of the Coulomb
// certificate; a symmetric LCP that of the LCP certificate; a box QP names the row.
TEST(ConeResidual, AgreesWithTheOlderCertificates) {
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    problem::FrictionContact contacts = test::random_local(random, 3, 3, 3, 1);
    MatX W = contacts.W;
    W.diagonal().setConstant(2);  // one ρ: the weights drop out
    contacts.W = test::to_sparse(W);
    const problem::BilateralContact same{3, 0, contacts.W, contacts.b, contacts.friction};
    const VecX r = test::random_matrix(random, 9, 1);
    const Certificate a = certify(contacts, r), b = certify(same, r);
    EXPECT_NEAR(a.natural_map, b.natural_map, 1e-14 * a.natural_map);
    EXPECT_NEAR(a.plain, b.plain, 1e-14 * a.plain);
    EXPECT_NEAR(a.dual, b.dual, 1e-14 * a.natural_map);
    EXPECT_NEAR(a.complementarity, b.complementarity, 1e-14 * a.complementarity);
    EXPECT_NEAR(a.worst_velocity, b.worst_velocity, 1e-14 * a.worst_velocity);

    const MatX M = test::random_gram(random, 4, 3, 0.1);
    const VecX q = test::random_matrix(random, 4, 1), z = test::random_matrix(random, 4, 1);
    const ConeProblem cones{test::to_sparse(M), q, {{ConeKind::nonnegative, 0, 4, 0, 0}}, {}, {}};
    const Certificate c = certify(problem::Lcp{M, q}, z), d = certify(cones, z);
    EXPECT_NEAR(c.natural_map, d.natural_map, 1e-14 * c.natural_map);
    EXPECT_NEAR(c.dual, d.dual, 1e-14 * c.natural_map);
  }
}

// A box QP by hand: min ½(x₀² + 4x₁²) − x₀ − 8x₁ over 0 ≤ x ≤ 1: x = (1, 1) with y = (0, −4). At
// (1, 0.5): y₁ = −6, ρ = 1/4, x̃₁ = 1, ỹ₁ = −3, the bound at 2: a miss of 1 over |x̃₁| = 1, an
// island of its own.
TEST(BoxQpResidual, ByHand) {
  const problem::BoxQp qp{test::to_sparse(Vec2(1, 4).asDiagonal()), Vec2(-1, -8), Vec2(0, 0),
                          Vec2(1, 1)};
  EXPECT_EQ(certify(qp, Vec2(1, 1)).natural_map, 0);
  const Certificate c = certify(qp, Vec2(1, 0.5));
  EXPECT_NEAR(c.natural_map, 1, 1e-15);
  EXPECT_EQ(c.worst_contact, 1);
  EXPECT_EQ(c.dual, 0);
  EXPECT_NEAR(c.complementarity, 3.0 / 2, 1e-15);
  EXPECT_NEAR(certify(qp, Vec2(1, 3)).primal, 4 / std::sqrt(37.0), 1e-15);
}

// r = 0 is judged over ‖P_K(−ρb)‖; an empty problem has zeros; NaN meets nothing.
TEST(ConeResidual, ZeroEmptyAndNotANumber) {
  ConeProblem problem{test::to_sparse(MatX::Identity(3, 3)),
                      Vec3(-1, 0, 0),
                      {{ConeKind::friction, 0, 3, 1, 0}},
                      {},
                      {}};
  EXPECT_EQ(certify(problem, Vec3::Zero()).natural_map, 1);
  problem.b[0] = 1;
  EXPECT_EQ(certify(problem, Vec3::Zero()).natural_map, 0);
  EXPECT_TRUE(certify(ConeProblem{}, VecX()).meets(1e-300));
  for (const Real bad : {Real(NAN), Real(INFINITY)}) {
    const Certificate c = certify(problem, Vec3(0, bad, 0));
    EXPECT_FALSE(c.is_finite);
    EXPECT_FALSE(c.meets(1e300));
  }
}

// In global form with the velocities that belong to the impulses, the certificate is that of the
// local form; with others it is not met: the equation of motion says so. For any impulses.
TEST(GlobalForms, AgreeWithLocalFormsAndCatchWrongVelocities) {
  Random random(11);
  const auto compare = [](const auto& global, const VecX& r) {
    const problem::LocalForm local(global);
    VecX v = local.velocity(r);
    const Certificate a = certify(local.problem(), r), b = certify(global, r, v);
    ASSERT_TRUE(b.is_finite);
    EXPECT_LE(b.equation_of_motion, 1e-14);
    EXPECT_NEAR(b.natural_map, a.natural_map, 1e-11 * (1 + a.natural_map));
    EXPECT_NEAR(b.plain, a.plain, 1e-11 * (1 + a.plain));
    EXPECT_NEAR(b.primal, a.primal, 1e-11);
    EXPECT_NEAR(b.dual, a.dual, 1e-11 * (1 + a.dual));
    EXPECT_NEAR(b.complementarity, a.complementarity, 1e-11 * (1 + a.complementarity));
    EXPECT_NEAR(b.worst_velocity, a.worst_velocity, 1e-11 * (1 + a.worst_velocity));
    EXPECT_EQ(b.worst_contact, a.worst_contact);
    v[0] += 1e-3;
    const Certificate wrong = certify(global, r, v);
    const Real size = std::max((global.M * v).norm(), global.f.norm());
    EXPECT_GT(wrong.equation_of_motion, 0.1e-3 / (size + r.norm() * 10));
    EXPECT_FALSE(wrong.meets(1e-6));
    auto singular = global;
    singular.M = problem::SparseMatrix(global.M.rows(), global.M.cols());
    EXPECT_FALSE(certify(singular, r, v).is_finite);
    v[0] = NAN;
    EXPECT_FALSE(certify(global, r, v).meets(1));
  };
  for (Index i = 0; i < 40; ++i) {
    const Index m = 1 + i % 4, d = 2 + i % 2, p = i % 5;
    compare(test::random_global_rolling(random, 3, m), test::random_matrix(random, 5 * m, 1));
    compare(test::random_global_bilateral(random, d, 3, p, m),
            test::random_matrix(random, p + d * m, 1));
  }
}

// By hand: a unit mass in a line, held by a constraint (G = 1, b = 0) under the momentum f = −2,
// and a contact along the same line that may not carry: λ = 2, r = 0, v = 0 solves. Letting the
// constraint slip by 1 m/s (λ = 3) is wrong by 1 over the size 3.
TEST(GlobalForms, ConstraintByHand) {
  problem::GlobalBilateralContact held;
  held.dimension = 2;
  held.M = test::to_sparse(MatX::Identity(2, 2));
  held.H = test::to_sparse(MatX::Identity(2, 2));
  held.G = test::to_sparse(Vec2(1, 0));
  held.f = Vec2(-2, 0);
  held.w = VecX::Zero(2);
  held.b = VecX::Zero(1);
  held.friction = VecX::Constant(1, 0.5);
  const Certificate right = certify(held, Vec3(2, 0, 0), Vec2(0, 0));
  EXPECT_EQ(right.natural_map, 0);
  EXPECT_EQ(right.equation_of_motion, 0);
  const Certificate wrong = certify(held, Vec3(3, 0, 0), Vec2(1, 0));
  EXPECT_EQ(wrong.equation_of_motion, 0);
  EXPECT_NEAR(wrong.natural_map, 1.0 / 3, 1e-15);
  EXPECT_EQ(wrong.worst_contact, 0);
  held.f = Vec2(2, 0);  // it pulls as well as it pushes
  EXPECT_EQ(certify(held, Vec3(-2, 0, 0), Vec2(0, 0)).natural_map, 0);
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
