#include <gtest/gtest.h>

#include <vector>

#include <talus/base/random.hpp>
#include <talus/math/cone_projection.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>

#include "support/random_blocks.hpp"

namespace talus::solve::TALUS_TEST_FILE {
namespace {

using test::random_spd;
using test::random_vector;

constexpr Real kEps = 2.220446049250313e-16;

Vec3 desaxce(const Vec3& u, Real mu) { return u + Vec3(mu * std::hypot(u[1], u[2]), 0, 0); }

Real energy(const Mat3& A, const Vec3& b, const Vec3& r) { return r.dot(A * r) / 2 + b.dot(r); }

/// Natural map ‖r − P_K(r − ρû)‖ in units of the round-off that evaluating it costs:
/// eps (‖r‖ + ρ(‖A‖‖r‖ + ‖b‖)(1 + μ)).
Real natural_map_in_roundoffs(const Mat3& A, const Vec3& b, Real mu, const Vec3& r) {
  const Real rho = 3 / A.trace();
  const Vec3 u = A * r + b;
  const Real size = r.norm() + rho * (1 + mu) * (A.norm() * r.norm() + b.norm());
  return (r - project_friction_cone(r - rho * desaxce(u, mu), mu)).norm() / (kEps * size);
}

Mat3 symmetric(Real a, Real b, Real c, Real d, Real e, Real f) {
  Mat3 m;
  m << a, b, c, b, d, e, c, e, f;
  return m;
}

struct Reference {
  Mat3 A;
  Vec3 b;
  Real mu;
  std::vector<Vec3> solutions;  // rising energy
  std::vector<Real> energies;
};

Reference nu1() {
  return {symmetric(4.0278121188063, 0.40564358671772, 2.9403056419751, 4.1040345936977,
                    0.19615108224415, 3.8681532874959),
          {-0.1, 1.8, 1.0},
          1.55,
          {{0.545807318898, -0.461473671574, -0.650005724232},
           {0.297797815562, -0.323446545339, -0.329309177893},
           {0.125688340749, -0.156042319936, -0.116638029335}},
          {-0.767619532478, -0.644803150828, -0.349481962209}};
}
Reference nu4() {
  return {symmetric(1.36, -0.46, -0.56, 0.62, -0.5, 1.5),
          {-0.02, 0.12, -1.76},
          1.9,
          {{2.7612401319, 4.02807454585, 3.36137908624},
           {0.556003101919, 0.420651714136, 0.969043625192},
           {0.0642230201869, -0.00212952040883, 0.122005155076}},
          {-3.88320378869, -1.30993033253, -0.206494085443}};
}
Reference fig4() {
  return {symmetric(1.4501754192701, 0.55589512440758, -1.3243356385218, 5.6318041628624,
                    -1.3403168438974, 4.9180204178675),
          {-0.1, 1.8, -0.7},
          1.05,
          {{0.283641604759, -0.272215703857, 0.120820353911}},
          {-0.344257930805}};
}
Reference r1() {
  return {symmetric(1, 0, 0, 3.5, 0, 3.5),
          {-1, 2, 0.5},
          0.3,
          {{1, -0.291042750044, -0.0727606875109}},
          {-0.960965843843}};
}

// The reference cases of contact theory: every Coulomb solution is found, to the printed 12 digits.
// The inputs NU-1 and FIG4 are themselves printed to 14 digits, which leaves ~1e-11 of freedom.
TEST(Coulomb, FindsEverySolutionOfTheReferenceCases) {
  for (const Reference& c : {nu1(), nu4(), fig4(), r1()}) {
    const CoulombSolutions found = enumerate_coulomb(c.A, c.b, c.mu);
    ASSERT_EQ(found.count, static_cast<int>(c.solutions.size()));
    std::vector<bool> matched(c.solutions.size(), false);
    for (int i = 0; i < found.count; ++i) {
      const Vec3& r = found.solutions[static_cast<std::size_t>(i)].impulse;
      for (std::size_t k = 0; k < c.solutions.size(); ++k)
        if ((r - c.solutions[k]).norm() < 2e-11 * c.solutions[k].norm() + 1e-12) {
          matched[k] = true;
          EXPECT_NEAR(energy(c.A, c.b, r), c.energies[k], 2e-11 * std::abs(c.energies[k]));
        }
    }
    for (std::size_t k = 0; k < matched.size(); ++k) EXPECT_TRUE(matched[k]) << "solution " << k;
  }
}

// The exact parabola (ε = 1): one slip solution, dissipating less than maximum dissipation's
// −0.91681979051 and more than the frictionless bound −b_N²/2a = −0.125.
TEST(Coulomb, SolvesTheExactParabola) {
  const Mat3 A = symmetric(1, 0.6, 0.8, 2, 0.3, 3);
  const Vec3 b(-0.5, 1, -2);
  const CoulombSolutions found = enumerate_coulomb(A, b, 1);
  ASSERT_EQ(found.count, 1);
  const Vec3 r = found.solutions[0].impulse;
  EXPECT_LT(natural_map_in_roundoffs(A, b, 1, r), 20);
  EXPECT_GT(energy(A, b, r), -0.91681979051);
  EXPECT_LE(energy(A, b, r), -0.125);
}

// Choice among several solutions: stick if feasible whatever came before, else the slip nearest to
// the previous impulse, else (no previous impulse) the most dissipative.
TEST(Coulomb, ChoosesDeterministicallyAmongSeveralSolutions) {
  const Reference one = nu1();
  for (const Vec3& previous : one.solutions) {
    const LocalSolution s = solve_coulomb(one.A, one.b, one.mu, previous);
    EXPECT_EQ(s.state, ContactState::stick);
    EXPECT_LT((s.impulse - one.solutions[0]).norm(), 1e-11);
  }
  const Reference four = nu4();
  for (const Vec3& previous : four.solutions) {
    const LocalSolution s = solve_coulomb(four.A, four.b, four.mu, previous * 1.05);
    EXPECT_EQ(s.state, ContactState::slip);
    EXPECT_LT((s.impulse - previous).norm(), 2e-11 * previous.norm() + 1e-12);
  }
  EXPECT_LT(
      (solve_coulomb(four.A, four.b, four.mu, Vec3::Zero()).impulse - four.solutions[0]).norm(),
      1e-10);
}

// Every returned solution satisfies the complementarity law to round-off, condition numbers up to
// 1e8, μ up to 3, and dissipates at least what frictionless contact does: E ≤ −b_N²/2a.
TEST(Coulomb, EverySolutionSatisfiesTheLawOnRandomBlocks) {
  Random random(1);
  Real worst = 0;
  int counts[6] = {}, states[3] = {};
  for (int i = 0; i < 100000; ++i) {
    const Real condition = std::pow(10, random.uniform(0, 8));
    const Mat3 A = random_spd<3>(random, condition);
    Vec3 b = random_vector<3>(random);
    if (i % 3 == 0) b[0] = -std::abs(b[0]) * std::pow(10, -random.uniform(0, 6));
    const Real mu = random.uniform(0, i % 2 == 0 ? 0.8 : 3);
    const CoulombSolutions all = enumerate_coulomb(A, b, mu);
    ++counts[all.count];
    EXPECT_EQ(all.count % 2, 1) << "i = " << i;
    for (int k = 0; k < all.count; ++k) {
      const LocalSolution& s = all.solutions[static_cast<std::size_t>(k)];
      worst = std::max(worst, natural_map_in_roundoffs(A, b, mu, s.impulse));
      if (b[0] < 0) {
        ASSERT_LE(energy(A, b, s.impulse), -b[0] * b[0] / (2 * A(0, 0)) * (1 - 1e-9))
            << "i = " << i;
      }
    }
    const LocalSolution s = solve_coulomb(A, b, mu, random_vector<3>(random));
    ++states[static_cast<int>(s.state)];
    const Real residual = natural_map_in_roundoffs(A, b, mu, s.impulse);
    ASSERT_LT(residual, 100) << "i = " << i << ", condition " << condition << ", mu " << mu;
    worst = std::max(worst, residual);
  }
  EXPECT_LT(worst, 4);
  // All kinds occurred, otherwise this test shows less than it says.
  EXPECT_GT(counts[3], 100);
  for (const int n : states) EXPECT_GT(n, 1000);
}

// The fast path never changes the answer: solve_coulomb returns a member of the enumeration, and it
// is the one that the rule names.
TEST(Coulomb, FastPathObeysTheRule) {
  Random random(2);
  for (int i = 0; i < 50000; ++i) {
    const Mat3 A = random_spd<3>(random, std::pow(10, random.uniform(0, 3)));
    Vec3 b = random_vector<3>(random);
    b[0] = -std::abs(b[0]);
    const Real mu = random.uniform(0, 3);
    const Vec3 previous = random_vector<3>(random);
    const CoulombSolutions all = enumerate_coulomb(A, b, mu);
    const LocalSolution s = solve_coulomb(A, b, mu, previous);
    Vec3 expected = all.solutions[0].impulse;
    if (all.solutions[0].state == ContactState::slip)
      for (int k = 1; k < all.count; ++k) {
        const Vec3& other = all.solutions[static_cast<std::size_t>(k)].impulse;
        if ((other - previous).norm() < (expected - previous).norm()) expected = other;
      }
    ASSERT_LT((s.impulse - expected).norm(), 1e-9 * expected.norm()) << "i = " << i;
  }
}

// An independent count of slip solutions, by scanning the trigonometric equation
// g_C(φ) = (β Â d + w b̂)ᵀ J d = 0 with w > 0 and u_T·d < 0, agrees with the enumeration.
TEST(Coulomb, CountsAgreeWithAScanOfTheTrigonometricEquation) {
  Random random(3);
  int several = 0, compared = 0;
  for (int i = 0; i < 1500; ++i) {
    Mat3 A = random_spd<3>(random, std::pow(10, random.uniform(0, 2)));
    Vec3 b = random_vector<3>(random);
    b[0] = -0.3 * std::abs(b[0]);
    Real mu = random.uniform(0.3, 3);
    if (i % 4 == 0) {  // neighbours of a case with three slips, which are rare among random ones
      A = nu4().A + 0.02 * A;
      b = nu4().b + Vec3(0, 0.02 * b[1], 0.02 * b[2]);
      mu = nu4().mu;
    }
    const Vec2 c(A(1, 0), A(2, 0));
    const Mat2 reduced = A.bottomRightCorner<2, 2>() - c * c.transpose() / A(0, 0);
    const Vec2 rhs = Vec2(b[1], b[2]) - b[0] / A(0, 0) * c, e = mu / A(0, 0) * c;
    const Real beta = -mu * b[0] / A(0, 0);
    const auto g = [&](Real phi, bool& valid) {
      const Vec2 d(std::cos(phi), std::sin(phi));
      const Real w = 1 + e.dot(d);
      const Vec2 v = beta * (reduced * d) + w * rhs;  // w u_T
      valid = w > 0 && v.dot(d) < 0;
      return v[1] * d[0] - v[0] * d[1];
    };
    constexpr int kSamples = 20000;
    int scanned = 0;
    bool before_valid = false, valid = false, clear = true;
    Real before = g(0, before_valid);
    for (int k = 1; k <= kSamples; ++k) {
      const Real now = g(2 * M_PI * k / kSamples, valid);
      if (before * now < 0) {
        if (valid && before_valid) ++scanned;
        if (valid != before_valid) clear = false;  // root at the edge of the valid arc
      }
      before = now;
      before_valid = valid;
    }
    const CoulombSolutions all = enumerate_coulomb(A, b, mu);
    int slips = 0;
    for (int k = 0; k < all.count; ++k)
      slips += all.solutions[static_cast<std::size_t>(k)].state == ContactState::slip;
    if (!clear) continue;
    ++compared;
    several += slips > 1;
    EXPECT_EQ(slips, scanned) << "i = " << i;
  }
  EXPECT_GT(compared, 1400);
  EXPECT_GT(several, 20);
}

// Scaling: S(A, s b) = s S(A, b) and S(s A, b) = S(A, b)/s, over 24 decades.
TEST(Coulomb, ScalesWithItsUnits) {
  Random random(4);
  for (int i = 0; i < 5000; ++i) {
    const Mat3 A = random_spd<3>(random, 100);
    Vec3 b = random_vector<3>(random);
    b[0] = -std::abs(b[0]);
    const Real mu = random.uniform(0, 1.5);
    const Vec3 previous = random_vector<3>(random);
    const Real s = std::pow(10, random.uniform(-12, 12)), t = std::pow(10, random.uniform(-12, 12));
    const Vec3 r = solve_coulomb(A, b, mu, previous).impulse;
    const Vec3 scaled = solve_coulomb(s * A, t * b, mu, t / s * previous).impulse * (s / t);
    ASSERT_LT((scaled - r).norm(), 1e-10 * r.norm()) << "i = " << i;
  }
}

// Equivariance under a rotation of the tangent axes (t1, t2).
TEST(Coulomb, RotatesWithTheTangents) {
  Random random(5);
  for (int i = 0; i < 5000; ++i) {
    const Mat3 A = random_spd<3>(random, 100);
    Vec3 b = random_vector<3>(random);
    b[0] = -std::abs(b[0]);
    const Real mu = random.uniform(0, 1.5), angle = random.uniform(0, 2 * M_PI);
    Mat3 R = Mat3::Identity();
    R.bottomRightCorner<2, 2>() << std::cos(angle), -std::sin(angle), std::sin(angle),
        std::cos(angle);
    const Vec3 previous = random_vector<3>(random);
    const Vec3 r = solve_coulomb(A, b, mu, previous).impulse;
    const Vec3 turned =
        R.transpose() * solve_coulomb(R * A * R.transpose(), R * b, mu, R * previous).impulse;
    ASSERT_LT((turned - r).norm(), 1e-9 * r.norm()) << "i = " << i;
  }
}

// The closed form of spheres and the general path are one function: the answer does not jump as
// c → 0 and D → δI.
TEST(Coulomb, SphereFormContinuesTheGeneralForm) {
  Random random(6);
  for (int i = 0; i < 2000; ++i) {
    Mat3 A = Vec3(1, 3.5, 3.5).asDiagonal();
    Vec3 b = random_vector<3>(random);
    b[0] = -std::abs(b[0]);
    const Vec3 closed = solve_coulomb(A, b, 0.4, Vec3::Zero()).impulse;
    A(0, 1) = A(1, 0) = 1e-12;
    A(1, 2) = A(2, 1) = 1e-12;
    const Vec3 general = solve_coulomb(A, b, 0.4, Vec3::Zero()).impulse;
    ASSERT_LT((closed - general).norm(), 1e-10 * closed.norm());
  }
}

// μ = 0 leaves the normal law r_N = max(0, −b_N/a); b_N ≥ 0 leaves r = 0, also for jammed blocks.
TEST(Coulomb, DegenerateFrictionAndSeparation) {
  const Reference c = nu4();
  const LocalSolution slippery = solve_coulomb(c.A, c.b, 0, Vec3::Zero());
  EXPECT_EQ(slippery.impulse, Vec3(0.02 / 1.36, 0, 0));
  EXPECT_EQ(slippery.state, ContactState::slip);
  for (const Real normal : {0.0, 1e-300, 3.0}) {
    const LocalSolution open = solve_coulomb(c.A, Vec3(normal, -5, 2), 1.9, Vec3(1, 1, 0));
    EXPECT_EQ(open.impulse, Vec3::Zero());
    EXPECT_EQ(open.state, ContactState::open);
  }
}

// Singular blocks (rank 1 and 2, as at the end of a needle or for a planar body) are solved as
// limits of positive definite ones: the law holds to the documented shift, 2⁻⁴⁶ of the block.
TEST(Coulomb, SolvesSingularBlocks) {
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const Vec3 g = random_vector<3>(random), h = random_vector<3>(random);
    Mat3 A = g * g.transpose();
    if (i % 2 == 0) A += h * h.transpose();
    Vec3 b = random_vector<3>(random);
    b[0] = -std::abs(b[0]);
    if (A(0, 0) < 1e-3) continue;
    const Real mu = random.uniform(0, 2);
    const Vec3 r = solve_coulomb(A, b, mu, random_vector<3>(random)).impulse;
    ASSERT_TRUE(r.allFinite());
    ASSERT_LT(natural_map_in_roundoffs(A, b, mu, r), 1000) << "i = " << i;
  }
}

// A slightly unsymmetric block is solved as it is, not symmetrised.
TEST(Coulomb, SolvesUnsymmetricBlocks) {
  Random random(8);
  for (int i = 0; i < 20000; ++i) {
    Mat3 A = random_spd<3>(random, 50);
    A += 0.01 * cross_matrix(random_vector<3>(random)) * A.trace() / 3;
    Vec3 b = random_vector<3>(random);
    b[0] = -std::abs(b[0]);
    const Real mu = random.uniform(0, 1.5);
    const Vec3 r = solve_coulomb(A, b, mu, random_vector<3>(random)).impulse;
    ASSERT_LT(natural_map_in_roundoffs(A, b, mu, r), 100) << "i = " << i;
  }
}

// NaN or infinity in the input comes out as NaN, so that no caller takes it for a solution.
TEST(Coulomb, PropagatesNotANumber) {
  const Reference c = nu4();
  EXPECT_TRUE(solve_coulomb(c.A, Vec3(NAN, 1, 1), 1, Vec3::Zero()).impulse.array().isNaN().all());
  EXPECT_TRUE(
      solve_coulomb(c.A, Vec3(1, INFINITY, 1), 1, Vec3::Zero()).impulse.array().isNaN().all());
}

// In the plane: the law holds, and the answer is that of the 3-D problem restricted to one tangent.
TEST(Coulomb, PlaneEqualsSpaceRestricted) {
  Random random(9);
  for (int i = 0; i < 50000; ++i) {
    const Mat2 A = random_spd<2>(random, std::pow(10, random.uniform(0, 6)));
    Vec2 b = random_vector<2>(random);
    b[0] = -std::abs(b[0]);
    const Real mu = random.uniform(0, 2);
    const LocalSolution2 plane = solve_coulomb_2d(A, b, mu, Vec2::Zero());
    Mat3 A3 = Mat3::Zero();
    A3.topLeftCorner<2, 2>() = A;
    A3(2, 2) = A(1, 1);
    const Vec3 b3(b[0], b[1], 0), r3(plane.impulse[0], plane.impulse[1], 0);
    ASSERT_LT(natural_map_in_roundoffs(A3, b3, mu, r3), 100) << "i = " << i;
    const LocalSolution space = solve_coulomb(A3, b3, mu, r3);
    ASSERT_EQ(space.state, plane.state);
    ASSERT_LT((space.impulse - r3).norm(), 1e-8 * r3.norm()) << "i = " << i;
  }
}

}  // namespace
}  // namespace talus::solve::TALUS_TEST_FILE
