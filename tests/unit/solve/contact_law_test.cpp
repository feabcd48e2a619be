#include <talus/solve/gauss_seidel/local/contact_law.hpp>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <talus/linalg/dense.hpp>
#include <talus/math/cone_projection.hpp>
#include <talus/problem/convert.hpp>
#include <talus/solve/gauss_seidel/local/cone_complementarity.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>
#include <talus/solve/gauss_seidel/local/maximum_dissipation.hpp>
#include <talus/solve/pivoting/enumerate.hpp>

#include "support/contact_blocks.hpp"
#include "support/one_contact.hpp"
#include "support/random_blocks.hpp"

namespace talus::solve::TALUS_TEST_FILE {
namespace {

using problem::FrictionLaw;
using test::contact_energy;
using test::ContactBlock;
using test::random_spd;
using test::random_vector;

constexpr Real kEps = 2.220446049250313e-16;

Vec3 solved(FrictionLaw law, const ContactBlock& c, const Vec3& previous = Vec3::Zero()) {
  return solve_contact({law, FrictionPolygon(8)}, c.A, c.b, c.friction, previous).impulse;
}

ContactBlock random_contact(Random& random, Real condition, Real largest_friction) {
  ContactBlock c{random_spd<3>(random, condition), random_vector<3>(random),
                 random.uniform(0, largest_friction)};
  return c;
}

/// ‖r − P_K(r − ρu)‖ of cone complementarity, in units of the round-off of evaluating it.
Real cone_map_in_roundoffs(const ContactBlock& c, const Vec3& r) {
  const Real rho = 3 / c.A.trace();
  const Vec3 u = c.A * r + c.b;
  const Real size = r.norm() + rho * (c.A.norm() * r.norm() + c.b.norm());
  return (r - project_friction_cone(r - rho * u, c.friction)).norm() / (kEps * size);
}

// Cone complementarity in the reference cases, to the printed 12 digits.
TEST(ConeComplementarity, SolvesTheReferenceCases) {
  const Vec3 stick = solved(FrictionLaw::cone_complementarity, test::case_nu1());
  EXPECT_LT((stick - Vec3(0.545807318898, -0.461473671574, -0.650005724232)).norm(), 1e-10);
  const ContactBlock parabola = test::case_parabola(), sphere = test::case_sphere();
  const Vec3 r5 = solved(FrictionLaw::cone_complementarity, parabola);
  EXPECT_LT((r5 - Vec3(0.838730630818, -0.700927088205, 0.460619461261)).norm(), 1e-11);
  EXPECT_NEAR(contact_energy(parabola.A, parabola.b, r5), -1.02076566307, 1e-11);
  const Vec3 r1 = solved(FrictionLaw::cone_complementarity, sphere);
  EXPECT_LT((r1 - Vec3(1.23077250482, -0.358207414482, -0.0895518536205)).norm(), 1e-11);
  EXPECT_NEAR(contact_energy(sphere.A, sphere.b, r1), -0.995981630299, 1e-12);
}

// K ∋ r ⟂ u ∈ K*: the natural map vanishes to round-off, condition numbers up to 1e8, μ up to 5,
// whether or not the contact closes by itself, from any start.
TEST(ConeComplementarity, HoldsOnRandomBlocks) {
  Random random(21);
  int states[3] = {};
  Real worst = 0;
  for (int i = 0; i < 100000; ++i) {
    const ContactBlock c = random_contact(random, std::pow(10, random.uniform(0, 8)), 5);
    const LocalSolution s = solve_cone_complementarity(
        c.A, c.b, c.friction, i % 2 == 0 ? Vec3::Zero() : random_vector<3>(random));
    ++states[static_cast<int>(s.state)];
    worst = std::max(worst, cone_map_in_roundoffs(c, s.impulse));
    ASSERT_LT(worst, 100) << "i = " << i;
  }
  EXPECT_LT(worst, 20);
  for (const int count : states) EXPECT_GT(count, 1000);
}

// The same on thin boxes and on singular blocks, where E is bounded on the cone.
TEST(ConeComplementarity, HoldsOnThinBoxesAndSingularBlocks) {
  Random random(22);
  for (int i = 0; i < 100000; ++i) {
    const ContactBlock c = test::random_box_contact(random, 1e3, 5);
    ASSERT_LT(cone_map_in_roundoffs(c, solved(FrictionLaw::cone_complementarity, c)), 100)
        << "i = " << i;
  }
  for (int i = 0; i < 20000; ++i) {
    const Vec3 g = random_vector<3>(random), h = random_vector<3>(random);
    ContactBlock s{g * g.transpose(), random_vector<3>(random), random.uniform(0.01, 2)};
    if (i % 2 == 0) s.A += h * h.transpose();
    if (s.A(0, 0) < 1e-3) continue;
    const Vec2 slide(random.uniform(-1, 1), random.uniform(-1, 1));
    s.b = s.A * s.b + Vec3(s.friction * slide.norm() + 0.01, slide[0], slide[1]);  // bounded
    const Vec3 r = solved(FrictionLaw::cone_complementarity, s);
    ASSERT_TRUE(r.allFinite());
    ASSERT_LT(cone_map_in_roundoffs(s, r), 1e4) << "i = " << i;
  }
}

// Where the eigenvector of the pencil is orthogonal to b the matrix of the root is singular; the
// answer stays the limit of its neighbours.
TEST(ConeComplementarity, HardCase) {
  const ContactBlock c{Vec3(1, 2, 3).asDiagonal(), {0, -1, 0.5}, 0.7};
  const Vec3 r = solved(FrictionLaw::cone_complementarity, c);
  EXPECT_LT(cone_map_in_roundoffs(c, r), 20);
  for (const Real normal : {-1e-9, 1e-9}) {
    ContactBlock near = c;
    near.b[0] = normal;
    EXPECT_LT((solved(FrictionLaw::cone_complementarity, near) - r).norm(), 1e-8);
  }
}

// In the plane the law is that of space restricted to one tangent.
TEST(ConeComplementarity, PlaneEqualsSpaceRestricted) {
  Random random(23);
  for (int i = 0; i < 50000; ++i) {
    const Mat2 A = random_spd<2>(random, std::pow(10, random.uniform(0, 4)));
    const Vec2 b = random_vector<2>(random);
    const Real mu = random.uniform(0, 3);
    const Vec2 plane = solve_cone_complementarity_2d(A, b, mu).impulse;
    ContactBlock c{Mat3::Zero(), Vec3(b[0], b[1], 0), mu};
    c.A.topLeftCorner<2, 2>() = A;
    c.A(2, 2) = A(1, 1);
    ASSERT_LT(cone_map_in_roundoffs(c, Vec3(plane[0], plane[1], 0)), 200) << "i = " << i;
  }
}

// The answer with a polygon is one of the basic solutions of its LCP, found by trying all supports.
TEST(Polyhedral, AnswersWithASolutionOfItsLcp) {
  Random random(24);
  const LocalLaw law{FrictionLaw::polyhedral, FrictionPolygon(4)};
  int states[3] = {};
  for (int i = 0; i < 4000; ++i) {
    ContactBlock c = random_contact(random, std::pow(10, random.uniform(0, 3)), 2);
    problem::FrictionContact problem;
    problem.W = MatX(c.A).sparseView();
    problem.b = c.b;
    problem.friction = VecX::Constant(1, c.friction);
    const problem::PolyhedralLcp lcp = problem::to_lcp(problem, 4);
    const LocalSolution s = solve_contact(law, c.A, c.b, c.friction, Vec3::Zero());
    ++states[static_cast<int>(s.state)];
    Real nearest = HUGE_VAL, least = HUGE_VAL;
    for (const VecX& z : enumerate_lcp(lcp.lcp)) {
      const Vec3 r = lcp.impulse * z;
      nearest = std::min(nearest, (r - s.impulse).norm());
      least = std::min(least, contact_energy(c.A, c.b, r));
    }
    ASSERT_LT(nearest, 1e-8 * (1 + s.impulse.norm())) << "i = " << i;
    // Without a previous impulse: stick, or the most dissipative.
    if (s.state == ContactState::slip) {
      ASSERT_LE(contact_energy(c.A, c.b, s.impulse), least + 1e-8 * std::abs(least));
    }
  }
  for (const int count : states) EXPECT_GT(count, 100);
}

// With more and more sides the polygon's answer tends to Coulomb's, as 1/k.
TEST(Polyhedral, TendsToCoulomb) {
  const ContactBlock c = test::case_fig4();
  const Vec3 exact = solved(FrictionLaw::coulomb, c);
  Real before = HUGE_VAL;
  for (const Index sides : {16, 64, 256, 1024}) {
    const LocalLaw law{FrictionLaw::polyhedral, FrictionPolygon(sides)};
    const Real error =
        (solve_contact(law, c.A, c.b, c.friction, Vec3::Zero()).impulse - exact).norm();
    EXPECT_LT(error, 4.0 / static_cast<Real>(sides) * exact.norm());
    EXPECT_LE(error, before);
    before = error;
  }
}

// The nearest of several slips is taken when there was an impulse before.
TEST(Polyhedral, ChoosesTheNearest) {
  const ContactBlock c = test::case_nu4();
  const LocalLaw law{FrictionLaw::polyhedral, FrictionPolygon(64)};
  for (const Vec3& previous : {Vec3(2.76, 4.03, 3.36), Vec3(0.556, 0.42, 0.97)}) {
    const Vec3 r = solve_contact(law, c.A, c.b, c.friction, previous).impulse;
    EXPECT_LT((r - previous).norm(), 0.15 * previous.norm());
  }
}

// The order of the laws for a contact that closes: E_cone ≤ E_maximum dissipation ≤ E_Coulomb ≤
// −b_N²/2a < 0; and sticking is one answer in all three.
TEST(Laws, OrderOfDissipation) {
  Random random(25);
  int sticks = 0, differ = 0;
  for (int i = 0; i < 100000; ++i) {
    ContactBlock c =
        i % 2 == 0 ? random_contact(random, 1e3, 3) : test::random_box_contact(random, 30, 3);
    c.b[0] = -std::abs(c.b[0]);
    const Vec3 cone = solved(FrictionLaw::cone_complementarity, c),
               dissipative = solved(FrictionLaw::maximum_dissipation, c),
               coulomb = solved(FrictionLaw::coulomb, c);
    const auto energy = [&](const Vec3& r) { return contact_energy(c.A, c.b, r); };
    const Real slack = 1e-13 * (std::abs(c.b.dot(coulomb)) + std::abs(c.b.dot(dissipative)));
    ASSERT_LE(energy(cone), energy(dissipative) + slack) << "i = " << i;
    ASSERT_LE(energy(dissipative), energy(coulomb) + slack) << "i = " << i;
    ASSERT_LE(energy(coulomb), energy(solved(FrictionLaw::frictionless, c)) + slack);
    ASSERT_LT(energy(coulomb), 0);
    const LocalSolution stick = solve_coulomb(c.A, c.b, c.friction, Vec3::Zero());
    differ += (dissipative - coulomb).norm() > 1e-3 * coulomb.norm();
    if (stick.state != ContactState::stick) continue;
    ++sticks;
    ASSERT_LT((cone - coulomb).norm(), 1e-9 * coulomb.norm());
    ASSERT_LT((dissipative - coulomb).norm(), 1e-9 * coulomb.norm());
  }
  EXPECT_GT(sticks, 3000);
  EXPECT_GT(differ, 3000);
}

// E(r) − E(stick) = ½ uᵀA⁻¹u for every r.
RC_GTEST_PROP(Laws, EnergyAboveStickIsThatOfTheSlipVelocity, (std::uint32_t seed)) {
  Random random(seed);
  const ContactBlock c = random_contact(random, 100, 2);
  const linalg::PartialPivLu lu(c.A);
  const Vec3 stick = -lu.solve(VecX(c.b));
  for (const FrictionLaw law : problem::kFrictionLaws) {
    const Vec3 r = solved(law, c), u = c.A * r + c.b;
    const Real above = contact_energy(c.A, c.b, r) - contact_energy(c.A, c.b, stick);
    RC_ASSERT(std::abs(above - u.dot(lu.solve(VecX(u))) / 2) <=
              1e-10 * (1 + std::abs(c.b.dot(stick))));
  }
}

// Units: S(s A, t b) = (t/s) S(A, b) for every law, over 24 decades.
RC_GTEST_PROP(Laws, ScaleWithTheirUnits, (std::uint32_t seed)) {
  Random random(seed);
  const ContactBlock c = random_contact(random, 100, 2);
  const Vec3 previous = random_vector<3>(random);
  const Real s = std::pow(10, random.uniform(-12, 12)), t = std::pow(10, random.uniform(-12, 12));
  for (const FrictionLaw law : problem::kFrictionLaws) {
    const Vec3 r = solved(law, c, previous);
    const Vec3 scaled =
        solved(law, {s * c.A, t * c.b, c.friction}, Vec3(t / s * previous)) * (s / t);
    RC_ASSERT((scaled - r).norm() <= 1e-9 * r.norm());
  }
}

// Turning the tangents turns the answer; a polygon allows turns by its own angle.
RC_GTEST_PROP(Laws, TurnWithTheTangents, (std::uint32_t seed)) {
  Random random(seed);
  const ContactBlock c = random_contact(random, 100, 2);
  const Vec3 previous = random_vector<3>(random);
  for (const FrictionLaw law : problem::kFrictionLaws) {
    const Real angle = law == FrictionLaw::polyhedral
                           ? 2 * M_PI / 8 * std::floor(8 * random.uniform())
                           : random.uniform(0, 2 * M_PI);
    Mat3 R = Mat3::Identity();
    R.bottomRightCorner<2, 2>() << std::cos(angle), -std::sin(angle), std::sin(angle),
        std::cos(angle);
    const Vec3 r = solved(law, c, previous);
    const ContactBlock other{R * c.A * R.transpose(), R * c.b, c.friction};
    RC_ASSERT((R.transpose() * solved(law, other, Vec3(R * previous)) - r).norm() <=
              1e-8 * r.norm());
  }
}

// What every law makes of a contact that opens, of no friction, and of what is not a number.
TEST(Laws, DegenerateInput) {
  const ContactBlock c = test::case_nu4();
  for (const FrictionLaw law : problem::kFrictionLaws) {
    EXPECT_EQ(solved(law, {c.A, {20, 1, 2}, 1.9}, Vec3(1, 1, 0)), Vec3::Zero());
    EXPECT_EQ(solved(law, {c.A, c.b, 0}), Vec3(0.02 / 1.36, 0, 0));
    EXPECT_TRUE(solved(law, {c.A, {-1, NAN, 0}, 1}).array().isNaN().all()) << to_string(law);
    EXPECT_TRUE(solved(law, {c.A, {NAN, 1, 0}, 1}).array().isNaN().all()) << to_string(law);
    const Mat3 none = Mat3::Constant(NAN);
    EXPECT_TRUE(solved(law, {none, {-1, 0, 0}, 1}).array().isNaN().all()) << to_string(law);
    EXPECT_EQ(problem::friction_law(to_string(law)), law);
  }
  EXPECT_EQ(problem::friction_law("coulumb"), std::nullopt);
}

/// What anisotropic friction asks for with Coulomb's law: u = 0, or u_N = 0 and u_T against the
/// normal of the ellipse at r_T.
void expect_anisotropic_law(const ContactBlock& c, const Vec2& mu, const Vec3& r) {
  const Vec3 u = c.A * r + c.b;
  const Real size = c.b.norm() + c.A.norm() * r.norm();
  const Vec2 x(r[1] / mu[0], r[2] / mu[1]);
  EXPECT_LE(x.norm(), r[0] * (1 + 1e-12));
  if (r[0] == 0) {
    EXPECT_GE(c.b[0], 0);
    return;
  }
  EXPECT_NEAR(u[0], 0, 1e-10 * size);
  if (x.norm() < r[0] * (1 - 1e-9)) {
    EXPECT_LT(u.norm(), 1e-10 * size);
    return;
  }
  const Vec2 normal = Vec2(x[0] / mu[0], x[1] / mu[1]).normalized(), slip(u[1], u[2]);
  EXPECT_LT((slip + slip.norm() * normal).norm(), 1e-7 * size);
}

// Anisotropic friction: slip against the normal of the ellipse; equal coefficients are the round
// cone; where one vanishes, friction acts along the other axis alone.
TEST(Anisotropic, SlipsAgainstTheNormalOfTheEllipse) {
  Random random(26);
  const LocalLaw coulomb;
  for (int i = 0; i < 5000; ++i) {
    const ContactBlock c = random_contact(random, 100, 1);
    const Vec2 mu(random.uniform(0.05, 1), random.uniform(0.05, 1));
    const Vec3 previous = random_vector<3>(random);
    expect_anisotropic_law(c, mu, test::solve_anisotropic(coulomb, c.A, c.b, mu, previous).impulse);
    const Vec3 round =
        test::solve_anisotropic(coulomb, c.A, c.b, Vec2::Constant(mu[0]), previous).impulse;
    ASSERT_LE((round - solve_contact(coulomb, c.A, c.b, mu[0], previous).impulse).norm(),
              1e-12 * round.norm());
    const Vec3 slippery =
        test::solve_anisotropic(coulomb, c.A, c.b, Vec2(0, mu[1]), previous).impulse;
    const Vec3 nearly =
        test::solve_anisotropic(coulomb, c.A, c.b, Vec2(1e-9, mu[1]), slippery).impulse;
    EXPECT_EQ(slippery[1], 0);
    ASSERT_LT((slippery - nearly).norm(), 1e-5 * (1 + slippery.norm())) << "i = " << i;
  }
}

// Cohesion: at most c of pull, friction up to μ(r_N + c), and none of both where c = 0.
TEST(Cohesive, PullsAtMostByItsBound) {
  const Mat3 A = Vec3(2, 7, 7).asDiagonal();
  const LocalLaw coulomb;
  const auto solve = [&](const Vec3& b, Real cohesion) {
    return test::solve_cohesive(coulomb, A, b, 0.5, cohesion, Vec3::Zero()).impulse;
  };
  EXPECT_EQ(solve({0.6, 0, 0}, 0.4), Vec3(-0.3, 0, 0));  // held: u_N = 0 by a pull of 0.3
  EXPECT_EQ(solve({1.0, 0, 0}, 0.4), Vec3(-0.4, 0, 0));  // torn off: u_N = 0.2
  EXPECT_LT((solve({0.6, 0.7, 0}, 0.4) - Vec3(-0.3, -0.05, 0)).norm(),
            1e-15);  // slips at μ(r_N + c)
  EXPECT_LT((solve({0.6, 0.2, 0}, 0.4) - Vec3(-0.3, -0.2 / 7, 0)).norm(), 1e-15);  // sticks
  EXPECT_EQ(solve({-1, 0.3, 0}, 0), solve_coulomb(A, {-1, 0.3, 0}, 0.5, Vec3::Zero()).impulse);
}

// Restitution: a sticking contact leaves with u = −(e_N u⁻_N, e_T u⁻_T); with e_N = e_T ≤ 1 no law
// raises the energy.
TEST(Restitution, ReversesAndNeverFeedsEnergy) {
  const ContactBlock nu1 = test::case_nu1();
  const Vec3 b = with_restitution(nu1.b, nu1.b, 0.5, 0.5);
  const Vec3 r = solve_coulomb(nu1.A, b, nu1.friction, Vec3::Zero()).impulse;
  EXPECT_LT((nu1.A * r + nu1.b + 0.5 * nu1.b).norm(), 1e-12);
  EXPECT_EQ(with_restitution({1, 2, 3}, {0.5, 1, 1}, 0.5, 0), Vec3(1, 2, 3));  // was opening
  Random random(27);
  for (int i = 0; i < 20000; ++i) {
    ContactBlock c = random_contact(random, 100, 2);
    c.b[0] = -std::abs(c.b[0]);
    const Real e = random.uniform();
    for (const FrictionLaw law : problem::kFrictionLaws) {
      ContactBlock impact = c;
      impact.b = with_restitution(c.b, c.b, e, e);
      const Vec3 impulse = solved(law, impact);
      ASSERT_LE(contact_energy(c.A, c.b, impulse), 1e-12 * std::abs(c.b.dot(impulse)))
          << to_string(law) << ", i = " << i;
    }
  }
}

}  // namespace
}  // namespace talus::solve::TALUS_TEST_FILE
