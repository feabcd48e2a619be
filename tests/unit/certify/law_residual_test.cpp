#include <talus/certify/law_residual.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <talus/base/random.hpp>
#include <talus/certify/friction_contact_residual.hpp>

#include "support/contact_blocks.hpp"

namespace talus::certify::TALUS_TEST_FILE {
namespace {

using problem::FrictionLaw;
using test::ContactBlock;

Vec3 random_vector(Random& random) {
  return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}

/// Whether r is in the polygon's cone, by its sides; `slack` ≥ 0 widens it.
bool is_in_polygon_cone(const Vec3& r, Real mu, Index k, Real slack) {
  for (Index j = 0; j < k; ++j) {
    const Real angle = (2 * static_cast<Real>(j) + 1) * M_PI / static_cast<Real>(k);
    const Real outward = std::cos(angle) * r[1] + std::sin(angle) * r[2];
    if (outward > mu * std::cos(M_PI / static_cast<Real>(k)) * r[0] + slack) return false;
  }
  return r[0] >= -slack;
}

/// Whether w is in its dual: no corner's ray has r·w < 0.
bool is_in_polygon_dual(const Vec3& w, Real mu, Index k, Real slack) {
  for (Index j = 0; j < k; ++j) {
    const Real angle = 2 * M_PI * static_cast<Real>(j) / static_cast<Real>(k);
    if (Vec3(1, mu * std::cos(angle), mu * std::sin(angle)).dot(w) < -slack) return false;
  }
  return true;
}

// Moreau's decomposition proves a projection: x = p + q, p in the cone, q in its polar, p ⟂ q.
TEST(LawResidual, NearestInPolygonConeSatisfiesMoreau) {
  Random random(1);
  int inside = 0, apex = 0;
  for (int i = 0; i < 20000; ++i) {
    const Index k = 4 + 2 * (i % 5);
    const Real mu = i % 10 == 0 ? 0 : random.uniform(0, 3);
    const Vec3 x = random_vector(random), p = nearest_in_polygon_cone(x, mu, k);
    ASSERT_TRUE(is_in_polygon_cone(p, mu, k, 1e-14)) << "i = " << i;
    ASSERT_TRUE(is_in_polygon_dual(p - x, mu, k, 1e-14)) << "i = " << i;
    ASSERT_LT(std::abs(p.dot(x - p)), 1e-14) << "i = " << i;
    inside += p == x;
    apex += p.isZero(0);
  }
  EXPECT_GT(inside, 1000);
  EXPECT_GT(apex, 1000);
}

// The certificate's own answer to one contact is the minimum: reference cases to 12 digits, and no
// scan of the angle finds less energy on thin boxes.
TEST(LawResidual, MostDissipativeIsTheMinimum) {
  const auto answer = [](const ContactBlock& c) { return most_dissipative(c.A, c.b, c.friction); };
  EXPECT_LT(
      (answer(test::case_nu1()) - Vec3(0.545807318898, -0.461473671574, -0.650005724232)).norm(),
      1e-10);
  EXPECT_LT((answer(test::case_nu4()) - Vec3(4.46777039722, 6.45682325458, 5.51076614841)).norm(),
            1e-9);
  EXPECT_LT(
      (answer(test::case_fig4()) - Vec3(0.32864306019, -0.308337170858, 0.154935766795)).norm(),
      1e-10);
  EXPECT_LT((answer(test::case_parabola()) - Vec3(0.666234143193, -0.615870170824, 0.254109949127))
                .norm(),
            1e-10);
  Random random(2);
  for (int i = 0; i < 4000; ++i) {
    const ContactBlock c = test::random_box_contact(random, 100, 3);
    const Vec3 r = answer(c);
    ASSERT_LT(test::kkt_residual(c, r), 1e-9) << "i = " << i;
    if (std::hypot(r[1], r[2]) < c.friction * r[0] * (1 - 1e-9)) continue;  // sticks
    const Real energy = test::contact_energy(c.A, c.b, r);
    ASSERT_LE(energy, test::scanned_energy(c) + 1e-10 * std::abs(energy)) << "i = " << i;
  }
  EXPECT_EQ(most_dissipative(test::case_nu4().A, {0, 1, 1}, 1), Vec3::Zero());
}

/// One contact as a problem.
problem::FrictionContact one_contact(const ContactBlock& c, FrictionLaw law) {
  problem::FrictionContact problem;
  problem.W = MatX(c.A).sparseView();
  problem.b = c.b;
  problem.friction = VecX::Constant(1, c.friction);
  problem.law = law;
  return problem;
}

// Each law's certificate accepts that law's answer and refuses the answers of the others where they
// differ (reference case R5, impulses to 12 digits).
TEST(LawResidual, TellsTheLawsApart) {
  const ContactBlock c = test::case_parabola();
  const Vec3 dissipative(0.666234143193, -0.615870170824, 0.254109949127),
      cone(0.838730630818, -0.700927088205, 0.460619461261), frictionless(0.5, 0, 0);
  const auto measure = [&](FrictionLaw law, const Vec3& r) {
    return certify(one_contact(c, law), r).natural_map;
  };
  EXPECT_LT(measure(FrictionLaw::maximum_dissipation, dissipative), 1e-11);
  EXPECT_LT(measure(FrictionLaw::cone_complementarity, cone), 1e-11);
  EXPECT_EQ(measure(FrictionLaw::frictionless, frictionless), 0);
  for (const FrictionLaw law : problem::kFrictionLaws) {
    if (law != FrictionLaw::maximum_dissipation) {
      EXPECT_GT(measure(law, dissipative), 1e-2);
    }
    if (law != FrictionLaw::cone_complementarity) {
      EXPECT_GT(measure(law, cone), 1e-2);
    }
    if (law != FrictionLaw::frictionless) {
      EXPECT_GT(measure(law, frictionless), 1e-2);
    }
  }
}

// The polyhedral certificate by hand: A = I, μ = 1, four directions, u_T along a corner: r_N = 1
// and the whole impulse at the opposite corner; in a round cone's slip direction between corners it
// is not accepted.
TEST(LawResidual, PolyhedralByHand) {
  problem::FrictionContact problem =
      one_contact({Mat3::Identity(), {-1, 3, 0.5}, 1}, FrictionLaw::polyhedral);
  problem.directions = 4;
  EXPECT_LT(certify(problem, Vec3(1, -1, 0)).natural_map, 1e-15);
  const Vec2 round = -Vec2(3, 0.5).normalized();
  EXPECT_GT(certify(problem, Vec3(1, round[0], round[1])).natural_map, 0.05);
}

// All numbers but the plain residual are free of units under every law.
TEST(LawResidual, IsUnitInvariant) {
  Random random(3);
  for (const FrictionLaw law : problem::kFrictionLaws)
    for (int i = 0; i < 200; ++i) {
      const ContactBlock c = test::random_box_contact(random, 3, 1);
      const Vec3 r = random_vector(random) + Vec3(1, 0, 0);
      const Real mass = std::exp(random.uniform(-7, 7)), speed = std::exp(random.uniform(-7, 7));
      ContactBlock other = c;
      other.A /= mass;
      other.b *= speed;
      const Certificate a = certify(one_contact(c, law), r),
                        b = certify(one_contact(other, law), Vec3(r * mass * speed));
      EXPECT_NEAR(a.natural_map, b.natural_map, 1e-9 * (1 + a.natural_map)) << to_string(law);
      EXPECT_NEAR(a.dual, b.dual, 1e-9 * (1 + a.dual)) << to_string(law);
      EXPECT_NEAR(a.primal, b.primal, 1e-9 * (1 + a.primal)) << to_string(law);
    }
}

// NaN meets nothing under any law.
TEST(LawResidual, NotANumberMeetsNothing) {
  for (const FrictionLaw law : problem::kFrictionLaws)
    EXPECT_FALSE(certify(one_contact(test::case_nu1(), law), Vec3(1, NAN, 0)).meets(0.5))
        << to_string(law);
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
