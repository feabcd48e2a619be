#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/random.hpp>
#include <talus/math/cone_projection.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

// Numbers up to 1, μ up to 3: a dozen roundings of terms up to 1 + μ, 12 · 4 · 1.1e-16.
constexpr Real kRoundOff = 6e-15;

Vec3 random_vector(Random& random) {
  return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}

// Moreau's decomposition: x = P_K(x) + P_K°(x), the two parts orthogonal, the second in the polar
// cone −K*.
RC_GTEST_PROP(ConeProjection, SatisfiesMoreausDecomposition, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Real mu = random.uniform(0, 3);
  const Vec3 x = random_vector(random);
  const Vec3 p = project_friction_cone(x, mu);
  const Vec3 polar = x - p;
  RC_ASSERT(std::hypot(p[1], p[2]) <= mu * p[0] + kRoundOff);
  RC_ASSERT(mu * std::hypot(polar[1], polar[2]) <= -polar[0] + kRoundOff);
  RC_ASSERT(std::abs(p.dot(polar)) < kRoundOff);
}

// A projection is non-expansive and idempotent.
RC_GTEST_PROP(ConeProjection, IsNonExpansiveAndIdempotent, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Real mu = random.uniform(0, 3);
  const Vec3 x = random_vector(random), y = random_vector(random);
  const Vec3 px = project_friction_cone(x, mu), py = project_friction_cone(y, mu);
  RC_ASSERT((px - py).norm() <= (x - y).norm() + kRoundOff);
  RC_ASSERT((project_friction_cone(px, mu) - px).norm() < kRoundOff);
}

Vec5 random_rolling(Random& random) {
  Vec5 x;
  for (int i = 0; i < 5; ++i) x[i] = random.uniform(-1, 1);
  return x;
}

// Moreau's decomposition for the rolling cone, whose polar cone is x_N + μ‖x_T‖ + μ_r‖x_R‖ ≤ 0:
// with the two memberships and orthogonality it also proves that the point is the nearest one.
RC_GTEST_PROP(RollingProjection, SatisfiesMoreausDecomposition, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Real mu = random.uniform() < 0.1 ? 0 : random.uniform(0, 3);
  const Real nu = random.uniform() < 0.1 ? 0 : random.uniform(0, 3);
  const Vec5 x = random_rolling(random);
  const Vec5 p = project_rolling_cone(x, mu, nu), polar = x - p;
  RC_ASSERT(std::hypot(p[1], p[2]) <= mu * p[0] + kRoundOff);
  RC_ASSERT(std::hypot(p[3], p[4]) <= nu * p[0] + kRoundOff);
  RC_ASSERT(polar[0] + mu * std::hypot(polar[1], polar[2]) + nu * std::hypot(polar[3], polar[4]) <=
            kRoundOff);
  RC_ASSERT(std::abs(p.dot(polar)) < kRoundOff);
}

// It is non-expansive and idempotent.
RC_GTEST_PROP(RollingProjection, IsNonExpansiveAndIdempotent, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Real mu = random.uniform(0, 3), nu = random.uniform(0, 3);
  const Vec5 x = random_rolling(random), y = random_rolling(random);
  const Vec5 px = project_rolling_cone(x, mu, nu), py = project_rolling_cone(y, mu, nu);
  RC_ASSERT((px - py).norm() <= (x - y).norm() + kRoundOff);
  RC_ASSERT((project_rolling_cone(px, mu, nu) - px).norm() < kRoundOff);
}

// Points on the edges of the cone, where the cases of the projection meet and round-off decides,
// are left where they are.
RC_GTEST_PROP(RollingProjection, LeavesTheEdgesAlone, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Real mu = random.uniform(0, 3), nu = random.uniform(0, 3), a = random.uniform(0, 6),
             b = random.uniform(0, 6);
  const Real turn = *rc::gen::element(0.0, 0.5, 1.0);
  Vec5 x;
  x << 1, mu * std::cos(a), mu * std::sin(a), turn * nu * std::cos(b), turn * nu * std::sin(b);
  RC_ASSERT((project_rolling_cone(x, mu, nu) - x).norm() < kRoundOff);
  std::swap(x[1], x[3]);
  std::swap(x[2], x[4]);
  RC_ASSERT((project_rolling_cone(x, nu, mu) - x).norm() < kRoundOff);
}

// Where the rolling part is short enough to be left alone, the rest is the friction cone.
RC_GTEST_PROP(RollingProjection, WithoutRollingIsTheFrictionCone, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Real mu = random.uniform(0, 3);
  Vec5 x = random_rolling(random);
  x.tail<2>().setZero();
  const Vec5 p = project_rolling_cone(x, mu, random.uniform(0, 3));
  RC_ASSERT((p.head<3>() - project_friction_cone(x.head<3>(), mu)).norm() < kRoundOff);
  RC_ASSERT(p.tail<2>().isZero(0));
}

// Without friction the cone is the ray of pushing impulses: a pull straight along the normal goes
// to zero, as every other pull does.
TEST(ConeProjection, WithoutFrictionPullsGoToZero) {
  EXPECT_EQ(project_friction_cone(Vec3(-1, 0, 0), 0), Vec3(0, 0, 0));
  EXPECT_EQ(project_friction_cone(Vec3(-1, 0.5, 0), 0), Vec3(0, 0, 0));
  EXPECT_EQ(project_friction_cone(Vec3(2, 0, 0), 0), Vec3(2, 0, 0));
  EXPECT_EQ(project_friction_cone(Vec3(2, 1, 1), 0), Vec3(2, 0, 0));
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
