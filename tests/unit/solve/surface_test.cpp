#include <gtest/gtest.h>

#include <cmath>

#include "support/one_contact.hpp"
#include "support/random_blocks.hpp"

namespace talus::solve::TALUS_TEST_FILE {
namespace {

/// Share of its bound that a part of an impulse has reached, and whether it opposes `velocity`
/// along the normal of the bound's ellipse.
struct Part {
  Real share, turn;
};
Part part(const Vec2& impulse, const Vec2& velocity, const Vec2& bound) {
  const Vec2 inside = impulse.cwiseQuotient(bound), pushed = velocity.cwiseProduct(bound);
  return {inside.norm(), (pushed / pushed.norm() + inside / inside.norm()).norm()};
}

// Whatever a contact resists at once: no force pulls by more than the cohesion, every part of the
// impulse stays in its bound and either stops its velocity or has reached the bound against it.
TEST(Surface, AllAtOnceKeepsEveryLaw) {
  Random random(3);
  int stuck[3] = {}, moving[3] = {}, open = 0;
  for (int i = 0; i < 10000; ++i) {
    const Mat6 A = test::random_spd<6>(random, 30);
    const Vec6 b = test::random_vector<6>(random);
    const test::ContactSurface surface{{random.uniform(0.1, 0.8), random.uniform(0.1, 0.8)},
                                       random.uniform(0.1, 0.5),
                                       random.uniform(0.1, 0.5),
                                       random.uniform(0, 0.5)};
    const Vec6 r = test::solve_surface({}, surface, A, b, Vec6::Zero()), u = A * r + b;
    const Real normal = r[0] + surface.cohesion, size = b.norm() + A.norm() * (r.norm() + 1);
    const Real small = 1e-9 * size;
    ASSERT_GE(normal, -1e-12);
    ASSERT_GE(u[0], -small) << "i = " << i;
    ASSERT_LT(normal * u[0], small) << "i = " << i;
    if (normal < 1e-12) {
      ++open;
      ASSERT_LT(r.tail<5>().norm(), 1e-12);
      continue;
    }
    const Vec2 spin_bound = Vec2::Constant(surface.torsion * normal);
    const Part parts[3] = {
        part(r.segment<2>(1), u.segment<2>(1), normal * surface.friction),
        part(r.segment<2>(3), u.segment<2>(3), Vec2::Constant(surface.rolling * normal)),
        part(Vec2(r[5], 0), Vec2(u[5], 0), spin_bound)};
    const Real speeds[3] = {u.segment<2>(1).norm(), u.segment<2>(3).norm(), std::abs(u[5])};
    for (int k = 0; k < 3; ++k) {
      ASSERT_LT(parts[k].share, 1 + 1e-9) << "i = " << i << ", part " << k;
      ++(speeds[k] < small ? stuck : moving)[k];
      if (speeds[k] < small) continue;
      ASSERT_NEAR(parts[k].share, 1, 1e-9) << "i = " << i << ", part " << k;
      ASSERT_LT(parts[k].turn, 1e-8 * size / speeds[k]) << "i = " << i << ", part " << k;
    }
  }
  EXPECT_GT(open, 300);
  for (int k = 0; k < 3; ++k) {
    EXPECT_GT(stuck[k], 100) << "part " << k;
    EXPECT_GT(moving[k], 100) << "part " << k;
  }
}

// Without friction along one axis there is no impulse along it, rolling or not, and nothing else
// changes.
TEST(Surface, NoFrictionAcross) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const Mat6 A = test::random_spd<6>(random, 30);
    Vec6 b = test::random_vector<6>(random);
    b[0] = -std::abs(b[0]) - 0.1;
    for (const Real rolling : {0.0, 0.2}) {
      const test::ContactSurface surface{{0.5, 0}, rolling, rolling, 0};
      const Vec6 r = test::solve_surface({}, surface, A, b, Vec6::Zero()), u = A * r + b;
      ASSERT_EQ(r[2], 0);
      ASSERT_LE(std::abs(r[1]), 0.5 * r[0] + 1e-12);
      ASSERT_LT(std::abs(r[0] * u[0]), 1e-10);
      if (std::abs(u[1]) > 1e-10) {
        ASSERT_NEAR(r[1], -std::copysign(0.5 * r[0], u[1]), 1e-10);
      }
    }
  }
}

}  // namespace
}  // namespace talus::solve::TALUS_TEST_FILE
