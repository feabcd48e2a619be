#include <talus/certify/coulomb_residual.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/random.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/lcp_residual.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/math/cone_projection.hpp>

#include "support/contact_problems.hpp"
#include "support/lcp_families.hpp"

namespace talus::certify::TALUS_TEST_FILE {
namespace {

using problem::FrictionContact;
using problem::GlobalFrictionContact;

VecX random_vector(Random& random, Index n) {
  VecX v(n);
  for (Index i = 0; i < n; ++i) v[i] = random.uniform(-1, 1);
  return v;
}

Real relative_difference(Real a, Real b) {
  return std::abs(a - b) / std::max({std::abs(a), std::abs(b), Real(1e-12)});
}

void expect_same_unit_free_numbers(const Certificate& a, const Certificate& b) {
  EXPECT_LT(relative_difference(a.natural_map, b.natural_map), 1e-9);
  EXPECT_LT(relative_difference(a.primal, b.primal), 1e-9);
  EXPECT_LT(relative_difference(a.dual, b.dual), 1e-9);
  EXPECT_LT(relative_difference(a.complementarity, b.complementarity), 1e-9);
  EXPECT_LT(relative_difference(a.equation_of_motion, b.equation_of_motion), 1e-9);
  EXPECT_LT(relative_difference(a.worst_share, b.worst_share), 1e-9);
  EXPECT_EQ(a.worst_contact, b.worst_contact);
}

// The certificate's own projection, written apart from the solvers', is the same function.
RC_GTEST_PROP(CoulombResidual, OwnProjectionAgreesWithMath, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Real mu = random.uniform() < 0.1 ? 0 : random.uniform(0, 3);
  const Vec3 x = random_vector(random, 3) * std::pow(10, random.uniform(-8, 8));
  const Vec3 mine = nearest_in_friction_cone(x, mu), other = project_friction_cone(x, mu);
  RC_ASSERT((mine - other).norm() <= 4e-15 * x.norm());
}

// One contact, computed by hand: a unit mass, μ = 1, b = (−1, 0, 0), candidate r = (0.75, 0, 0.5).
// u = (−0.25, 0, 0.5), û = (0.25, 0, 0.5), ρ = 1, r − û = (0.5, 0, 0): natural map ‖(0.25, 0,
// 0.5)‖/‖r‖.
TEST(CoulombResidual, EveryFieldOfOneContactByHand) {
  FrictionContact problem{3, test::to_sparse(MatX::Identity(3, 3)), Vec3(-1, 0, 0), VecX::Ones(1)};
  const Certificate c = certify(problem, Vec3(0.75, 0, 0.5));
  const Real r = std::sqrt(0.75 * 0.75 + 0.25);
  const Real rounding = 8 * 0x1p-52 * (1 + std::sqrt(0.3125));  // of ‖b‖ and ‖u‖, taken off
  EXPECT_NEAR(c.natural_map, (std::sqrt(0.3125) - rounding) / r, 1e-15);
  EXPECT_NEAR(c.violation, std::sqrt(0.3125) - rounding, 1e-15);  // V = 1 m/s
  EXPECT_NEAR(c.plain, std::sqrt(0.3125),
              1e-15);  // the largest of ‖b‖ = 1, ‖r‖ = 0.901, ‖u‖ = 0.559
  EXPECT_EQ(c.primal, 0);
  // û = (0.25, 0, 0.5) is outside K* = {û_N ≥ ‖û_T‖} by (0.5 − 0.25)/√2.
  EXPECT_NEAR(c.dual, 0.25 / std::sqrt(2.0) / r, 1e-15);
  EXPECT_NEAR(c.complementarity, (0.75 * 0.25 + 0.25) / (r * r), 1e-15);
  EXPECT_NEAR(c.worst_velocity, std::sqrt(0.3125), 1e-15);
  EXPECT_EQ(c.worst_contact, 0);
  EXPECT_EQ(c.worst_share, 1);
  EXPECT_TRUE(c.is_finite);
  EXPECT_FALSE(c.meets(0.7));  // no tolerance allows a violation of more than 1/10
  EXPECT_EQ(c.worst(0.7).name, "violation");
  EXPECT_NEAR(c.excess(0.7), std::sqrt(0.3125) / 0.1, 1e-13);
}

// r = 0 is judged over ‖P_K(−ρb)‖: 1 where the contact should close, 0 where it is open; no
// contacts give zeros.
TEST(CoulombResidual, ZeroImpulse) {
  FrictionContact problem{3, test::to_sparse(2 * MatX::Identity(3, 3)), Vec3(-1, 0, 0),
                          VecX::Ones(1)};
  EXPECT_NEAR(certify(problem, Vec3::Zero()).natural_map, 1, 20 * 0x1p-52);  // less rounding
  problem.b = Vec3(1, 0.5, 0);
  const Certificate open = certify(problem, Vec3::Zero());
  EXPECT_EQ(open.natural_map, 0);
  EXPECT_TRUE(open.meets(1e-300));
  const Certificate none = certify({3, problem::SparseMatrix(0, 0), VecX(0), VecX(0)}, VecX(0));
  EXPECT_EQ(none.worst_contact, -1);
  EXPECT_TRUE(none.meets(1e-300));
}

// The worst contact is the one that was spoilt, and has nearly all of the squared natural map.
TEST(CoulombResidual, NamesTheWorstContact) {
  FrictionContact problem{3, test::to_sparse(MatX::Identity(12, 12)), VecX::Zero(12),
                          VecX::Ones(4)};
  for (Index i = 0; i < 4; ++i) problem.b[3 * i] = -1;
  VecX r = -problem.b;
  r[3 * 2 + 1] += 0.1;
  r[0] += 0.001;
  const Certificate c = certify(problem, r);
  EXPECT_EQ(c.worst_contact, 2);
  EXPECT_GT(c.worst_share, 0.99);
}

// NaN or infinity anywhere in the candidate meets no tolerance.
TEST(CoulombResidual, NotANumberMeetsNothing) {
  Random random(1);
  const FrictionContact problem = test::random_local(random, 3, 3, 3, 1);
  for (const Real bad : {Real(NAN), Real(INFINITY), -Real(INFINITY)})
    for (Index i = 0; i < 9; ++i) {
      VecX r = VecX::Ones(9);
      r[i] = bad;
      const Certificate c = certify(problem, r);
      EXPECT_FALSE(c.is_finite);
      EXPECT_FALSE(c.meets(1e300));
    }
  EXPECT_FALSE(Certificate{}.meets(1));
}

// Other units of mass, length and time (16 decades each) leave every number but plain and the
// velocity as it is, for any candidate; local form, 2-D and 3-D.
TEST(CoulombResidual, IsUnitInvariantInLocalForm) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    const Index d = 2 + i % 2, m = 1 + i % 5;
    const FrictionContact problem = test::random_local(random, d, m, m, 1.5);
    const VecX r = i % 7 == 0 ? VecX(VecX::Zero(d * m)) : random_vector(random, d * m);
    const Real mass = std::pow(10, random.uniform(-8, 8)),
               length = std::pow(10, random.uniform(-8, 8)),
               time = std::pow(10, random.uniform(-8, 8));
    FrictionContact other = problem;
    other.W = problem.W / mass;
    other.b = problem.b * (length / time);
    expect_same_unit_free_numbers(certify(problem, r), certify(other, r * (mass * length / time)));
  }
}

// The same in global form, where coordinates carry units of their own: translations in m, rotations
// in rad, so that the rows of M, H, f are rescaled differently.
TEST(CoulombResidual, IsUnitInvariantInGlobalForm) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Index d = 3, m = 2 + i % 3;
    const GlobalFrictionContact problem = test::random_global(random, d, m, m, 1.5);
    const VecX r = random_vector(random, d * m), v = random_vector(random, problem.M.rows());
    const Real mass = std::pow(10, random.uniform(-6, 6)),
               length = std::pow(10, random.uniform(-6, 6)),
               time = std::pow(10, random.uniform(-6, 6));
    GlobalFrictionContact other = problem;
    other.M = problem.M * mass;
    other.f = problem.f * (mass * length / time);
    other.w = problem.w * (length / time);
    expect_same_unit_free_numbers(certify(problem, r, v),
                                  certify(other, r * (mass * length / time), v * (length / time)));
  }
}

// The certificate of an LCP does not change with units either: impulses beside slip speeds.
TEST(LcpResidual, IsUnitInvariant) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const Index contacts = 1 + i % 3, k = 4;
    const problem::Lcp lcp = test::friction_lcp(random, contacts, k, 6, 0.5);
    const VecX z = random_vector(random, lcp.size());
    const Real impulse = std::pow(10, random.uniform(-8, 8)),
               speed = std::pow(10, random.uniform(-8, 8));
    VecX z_unit(lcp.size()), w_unit(lcp.size());
    for (Index j = 0; j < lcp.size(); ++j) {
      const bool is_slip = j >= contacts * (k + 1);
      z_unit[j] = is_slip ? speed : impulse;
      w_unit[j] = is_slip ? impulse : speed;
    }
    const problem::Lcp other{w_unit.asDiagonal() * lcp.M * z_unit.cwiseInverse().asDiagonal(),
                             w_unit.cwiseProduct(lcp.q)};
    expect_same_unit_free_numbers(certify(lcp, z), certify(other, z.cwiseProduct(z_unit)));
  }
}

// An LCP by hand: M = diag(2, 8), q = (−2, 8), z = (1, 0.25): w = (0, 10); ρ = (1/2, 1/8),
// z̃ = (√2, 0.25√8), w̃ = (0, 10/√8). The rows are two islands: row 1 misses by all of its 0.25√8,
// a quarter of q̃ = 8/√8.
TEST(LcpResidual, ByHand) {
  problem::Lcp lcp{Vec2(2, 8).asDiagonal(), Vec2(-2, 8)};
  const Certificate c = certify(lcp, Vec2(1, 0.25));
  EXPECT_NEAR(c.natural_map, 1, 1e-15);
  EXPECT_NEAR(c.violation, 0.25, 1e-14);  // less 8 ε (10 + 8)/8 of rounding
  EXPECT_NEAR(c.work, 2.5 / 8, 1e-14);    // z̃ w̃ over q̃²
  EXPECT_NEAR(c.plain, 0.25 / 10, 1e-15);
  EXPECT_NEAR(c.complementarity, 2.5 / 2.5, 1e-15);
  EXPECT_EQ(c.primal, 0);
  EXPECT_EQ(c.dual, 0);
  EXPECT_EQ(c.worst_contact, 1);
  EXPECT_EQ(c.worst_share, 1);
  EXPECT_EQ(certify(lcp, Vec2(1, 0)).natural_map, 0);
  EXPECT_EQ(certify(lcp, Vec2(0, 0)).natural_map, 1);
}

// A velocity that does not belong to the impulses shows in the equation of motion, and is not met.
TEST(GlobalResidual, CatchesAWrongVelocity) {
  Random random(5);
  const GlobalFrictionContact problem = test::random_global(random, 3, 2, 2, 0);
  const MatX M = problem.M, H = problem.H;
  const VecX r = VecX::Zero(6);
  VecX v = linalg::FullPivLu(M).solve(VecX(H * r + problem.f));
  EXPECT_LT(certify(problem, r, v).equation_of_motion, 1e-15);
  v[0] += 1e-3;
  const Certificate c = certify(problem, r, v);
  EXPECT_NEAR(c.equation_of_motion,
              M.col(0).norm() * 1e-3 / std::max(problem.f.norm(), (M * v).norm()), 1e-12);
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
