#include <talus/solve/gauss_seidel/local/maximum_dissipation.hpp>

#include <gtest/gtest.h>

#include <limits>

#include <talus/solve/gauss_seidel/local/coulomb.hpp>
#include <talus/solve/newton/detail/turned_slip.hpp>

#include "support/contact_blocks.hpp"
#include "support/random_blocks.hpp"

namespace talus::solve::TALUS_TEST_FILE {
namespace {

using test::contact_energy;
using test::ContactBlock;
using test::kkt_residual;
using test::random_spd;
using test::random_vector;

Vec3 solved(const ContactBlock& c, const Vec3& previous = Vec3::Zero()) {
  return solve_maximum_dissipation(c.A, c.b, c.friction, previous).impulse;
}
Vec3 by_quartic(const ContactBlock& c) {
  return solve_maximum_dissipation_quartic(c.A, c.b, c.friction).impulse;
}

// The reference cases to their printed 12 digits, by both paths: a stick among three Coulomb
// solutions, one of several slips, a hyperbola with two minima, the exact parabola, a sphere.
TEST(MaximumDissipation, SolvesTheReferenceCases) {
  struct Reference {
    ContactBlock contact;
    Vec3 impulse;
    Real energy;
  };
  const Reference references[] = {
      {test::case_nu1(), {0.545807318898, -0.461473671574, -0.650005724232}, -0.767619532478},
      {test::case_nu4(), {4.46777039722, 6.45682325458, 5.51076614841}, -4.58812903407},
      {test::case_fig4(), {0.32864306019, -0.308337170858, 0.154935766795}, -0.351004053102},
      {test::case_parabola(), {0.666234143193, -0.615870170824, 0.254109949127}, -0.91681979051},
      {test::case_sphere(), {1, -0.291042750044, -0.0727606875109}, -0.960965843843}};
  for (const Reference& reference : references) {
    for (const Vec3& r : {solved(reference.contact), by_quartic(reference.contact)}) {
      EXPECT_LT((r - reference.impulse).norm(), 1e-10 * reference.impulse.norm());
      EXPECT_NEAR(contact_energy(reference.contact.A, reference.contact.b, r), reference.energy,
                  1e-10 * std::abs(reference.energy));
    }
  }
}

// Every slip under maximum dissipation is a slip under Coulomb's law of the turned velocity: it
// points against the friction, and its size is the multiplier κ; rows are turned by its derivative.
TEST(MaximumDissipation, IsCoulombsLawOfATurnedSlip) {
  Random random(20);
  int slips = 0;
  for (int i = 0; i < 2000; ++i) {
    const ContactBlock c{random_spd<3>(random, 100), random_vector<3>(random) - Vec3(1, 0, 0),
                         random.uniform(0.1, 1)};
    const Vec3 r = solved(c), u = c.A * r + c.b;
    const Vec2 lean = c.friction / c.A(0, 0) * c.A.bottomLeftCorner<2, 1>();
    if (lean.norm() > 0.9 || r[0] <= 0 || u.tail<2>().norm() < 1e-6) continue;
    ++slips;
    const detail::TurnedSlip<3> turned(u, lean);
    const Vec2 slip = turned.velocity.tail<2>();
    EXPECT_NEAR(slip.norm(), turned.speed, 1e-12 * turned.speed);
    EXPECT_LT((slip / turned.speed + r.tail<2>() / r.tail<2>().norm()).norm(), 1e-7);

    Mat3 P = Mat3::Identity();
    turned.turn(P);
    const Vec3 du = random_vector<3>(random);
    const Real step = 1e-6 * u.tail<2>().norm();
    const Vec3 difference = detail::TurnedSlip<3>(u + step * du, lean).velocity -
                            detail::TurnedSlip<3>(u - step * du, lean).velocity;
    EXPECT_LT((P * du - difference / (2 * step)).norm(), 1e-6 * P.norm());
  }
  EXPECT_GT(slips, 300);
}

/// Contacts of a kind, and how far the least energy and the impulse can be told in double
/// precision: a block of condition C, rounded, is another one, whose solution differs by about C
/// eps.
struct Family {
  const char* name;
  ContactBlock (*make)(Random&);
  Real energy_tolerance = 1e-10;
  Real agreement = 1e-16;  // of two impulses, squared, in the norm of energy
};

ContactBlock box(Random& random) { return test::random_box_contact(random, 1e3, 5); }
ContactBlock parabola(Random& random) {
  ContactBlock c = test::random_box_contact(random, 1e2, 5);
  test::set_eccentricity(c, 1 + 1e-8 * random.uniform(-1, 1));
  return c;
}
ContactBlock conditioned(Random& random, Real condition) {
  ContactBlock c{random_spd<3>(random, condition), random_vector<3>(random), random.uniform(0, 5)};
  c.b[0] = -std::abs(c.b[0]) * std::pow(10, -random.uniform(0, 3));
  return c;
}
ContactBlock condition_1e4(Random& random) { return conditioned(random, 1e4); }
ContactBlock condition_1e8(Random& random) { return conditioned(random, 1e8); }

constexpr Family kFamilies[] = {{"boxes of aspect 1e3", box},
                                {"parabolas", parabola},
                                {"condition 1e4", condition_1e4},
                                {"condition 1e8", condition_1e8, 1e-8, 1e-13}};

// The answer satisfies the conditions of the minimum, and no scan of the angle finds less energy:
// thin boxes, parabolas |ε − 1| ≤ 1e-8, ill-conditioned blocks.
TEST(MaximumDissipation, IsTheMinimumOnEveryFamily) {
  for (const Family& family : kFamilies) {
    Random random(11);
    Real worst = 0;
    int slips = 0;
    for (int i = 0; i < 20000; ++i) {
      const ContactBlock c = family.make(random);
      const LocalSolution s = solve_maximum_dissipation(c.A, c.b, c.friction, Vec3::Zero());
      const Real residual = kkt_residual(c, s.impulse);
      worst = std::max(worst, residual);
      ASSERT_LT(residual, 1e-8) << family.name << ", i = " << i;
      if (s.state != ContactState::slip) continue;
      ++slips;
      if (i % 4 != 0) continue;
      const Real energy = contact_energy(c.A, c.b, s.impulse);
      ASSERT_LE(energy, test::scanned_energy(c) + family.energy_tolerance * std::abs(energy))
          << family.name << ", i = " << i;
    }
    EXPECT_GT(slips, 2000) << family.name;
    EXPECT_LT(worst, 1e-10) << family.name;
  }
}

// Newton in a bracket and the analytic quartic are one solution, whatever Newton starts from.
TEST(MaximumDissipation, BothPathsAgree) {
  for (const Family& family : kFamilies) {
    Random random(12);
    for (int i = 0; i < 25000; ++i) {
      const ContactBlock c = family.make(random);
      const Vec3 r = solved(c, i % 2 == 0 ? Vec3::Zero() : random_vector<3>(random)),
                 other = by_quartic(c);
      const Vec3 difference = r - other;
      // In the norm of energy, which does not blow up along flat directions.
      const Real size = r.dot(c.A * r) + std::abs(c.b.dot(r));
      ASSERT_LT(difference.dot(c.A * difference), family.agreement * size)
          << family.name << ", i = " << i;
    }
  }
}

// Without coupling of normal and tangent (c = 0, any D) the law is Coulomb's.
TEST(MaximumDissipation, IsCoulombWithoutCoupling) {
  Random random(13);
  for (int i = 0; i < 100000; ++i) {
    ContactBlock c = conditioned(random, std::pow(10, random.uniform(0, 4)));
    c.A(0, 1) = c.A(1, 0) = c.A(0, 2) = c.A(2, 0) = 0;
    const Vec3 r = solved(c);
    const Vec3 coulomb = solve_coulomb(c.A, c.b, c.friction, Vec3::Zero()).impulse;
    ASSERT_LT((r - coulomb).norm(), 1e-9 * coulomb.norm()) << "i = " << i;
  }
}

// A contact that closes dissipates at least what the law of Coulomb does in any of its solutions.
TEST(MaximumDissipation, DissipatesAtLeastWhatCoulombDoes) {
  for (const Family& family : kFamilies) {
    Random random(14);
    for (int i = 0; i < 100000; ++i) {
      const ContactBlock c = family.make(random);
      const Vec3 r = solved(c);
      const Real energy = contact_energy(c.A, c.b, r);
      const CoulombSolutions all = enumerate_coulomb(c.A, c.b, c.friction);
      for (int k = 0; k < all.count; ++k) {
        const Vec3& other = all.solutions[static_cast<std::size_t>(k)].impulse;
        const Real coulomb = contact_energy(c.A, c.b, other);
        const Real round_off = 1e-14 * (std::abs(c.b.dot(other)) + std::abs(c.b.dot(r)));
        ASSERT_LE(energy, coulomb + round_off) << family.name << ", i = " << i;
        ASSERT_LE(coulomb, -c.b[0] * c.b[0] / (2 * c.A(0, 0)) + round_off) << family.name;
      }
    }
  }
}

// b_N ≥ 0 leaves r = 0, μ = 0 the normal law; singular blocks are solved as limits; NaN stays NaN.
TEST(MaximumDissipation, DegenerateInput) {
  const ContactBlock c = test::case_nu4();
  for (const Real normal : {0.0, 1e-300, 3.0})
    EXPECT_EQ(solve_maximum_dissipation(c.A, {normal, -5, 2}, 1.9, Vec3(1, 1, 0)).impulse,
              Vec3::Zero());
  EXPECT_EQ(solve_maximum_dissipation(c.A, c.b, 0, Vec3::Zero()).impulse, Vec3(0.02 / 1.36, 0, 0));
  EXPECT_TRUE(
      solve_maximum_dissipation(c.A, {NAN, 1, 1}, 1, Vec3::Zero()).impulse.array().isNaN().all());
  EXPECT_TRUE(
      solve_maximum_dissipation_quartic(c.A, {-1, INFINITY, 1}, 1).impulse.array().isNaN().all());
  Random random(15);
  for (int i = 0; i < 20000; ++i) {
    const Vec3 g = random_vector<3>(random), h = random_vector<3>(random);
    ContactBlock s{g * g.transpose(), random_vector<3>(random), random.uniform(0.01, 2)};
    if (i % 2 == 0) s.A += h * h.transpose();
    s.b[0] = -std::abs(s.b[0]);
    if (s.A(0, 0) < 1e-3) continue;
    const Vec3 r = solved(s);
    ASSERT_TRUE(r.allFinite());
    ASSERT_LT(kkt_residual(s, r), 1e-8) << "i = " << i;
  }
}

}  // namespace
}  // namespace talus::solve::TALUS_TEST_FILE
