#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/base/random.hpp>
#include <talus/geometry/ball_in_box.hpp>

namespace talus::geometry::TALUS_TEST_FILE {
namespace {

constexpr Real kPi = std::numbers::pi;
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// Area of the disc of radius ρ about the origin beyond x = a and y = b, by quadrature in x.
Real reference(Real a, Real b, Real c) {
  // ∫∫ over x ≥ a, y ≥ b of the height above z = c: mid-point rule after x = sin, n² points.
  constexpr int n = 1500;
  Real sum = 0;
  const Real x_end = std::sqrt(std::max(Real(0), 1 - b * b - c * c));
  if (x_end <= a) return 0;
  for (int i = 0; i < n; ++i) {
    const Real x = a + (x_end - a) * (i + 0.5) / n;
    const Real y_end = std::sqrt(std::max(Real(0), 1 - x * x - c * c));
    Real inner = 0;
    for (int j = 0; j < n && y_end > b; ++j) {
      const Real y = b + (y_end - b) * (j + 0.5) / n;
      inner += std::max(Real(0), std::sqrt(std::max(Real(0), 1 - x * x - y * y)) - c);
    }
    if (y_end > b) sum += inner * (y_end - b) / n;
  }
  return sum * (x_end - a) / n;
}

// Halves, quarters, eighths and caps of a ball: 2π/3, π/3, π/6, and π h²(3 − h)/3 of a cap.
TEST(BallInBox, KnownPieces) {
  const Vec3 low = Vec3::Constant(-kInfinity), high = Vec3::Constant(kInfinity);
  EXPECT_EQ(ball_in_box(Vec3::Zero(), 1, low, high), 4 * kPi / 3);
  EXPECT_NEAR(ball_in_box(Vec3::Zero(), 1, Vec3(0, -9, -9), high), 2 * kPi / 3, 1e-14);
  EXPECT_NEAR(ball_in_box(Vec3::Zero(), 1, low, Vec3(0, 0, 9)), kPi / 3, 1e-14);
  EXPECT_NEAR(ball_in_box(Vec3::Zero(), 2, Vec3::Zero(), high), 8 * kPi / 6, 1e-13);
  for (const Real h : {0.01, 0.5, 1.0, 1.3, 1.99})
    EXPECT_NEAR(ball_in_box(Vec3(5, 6, 7), 1, low, Vec3(9, 9, 6 + h)), kPi * h * h * (3 - h) / 3,
                1e-14);
  EXPECT_EQ(ball_in_box(Vec3::Zero(), 1, Vec3(0.6, 0.6, 0.6), high), 0) << "the corner is outside";
  // A small box inside the ball is the box.
  EXPECT_NEAR(ball_in_box(Vec3::Zero(), 1, Vec3(-0.3, 0.1, -0.2), Vec3(0.3, 0.4, 0.5)),
              0.6 * 0.3 * 0.7, 1e-14);
}

// The corner piece agrees with a quadrature of the height over its shadow.
TEST(BallInBox, AgreesWithQuadrature) {
  const Vec3 high = Vec3::Constant(2);
  for (const Vec3& corner : {Vec3(0.1, 0.2, 0.3), Vec3(0.5, 0.5, 0.5), Vec3(0, 0.7, 0.1)})
    EXPECT_NEAR(ball_in_box(Vec3::Zero(), 1, corner, high),
                reference(corner.x(), corner.y(), corner.z()), 1e-6)
        << corner.transpose();
}

// However a box that holds the ball is cut into boxes, the parts add up to the ball.
RC_GTEST_PROP(BallInBox, PartsAddUp, (std::uint64_t seed)) {
  Random random(seed);
  const Vec3 centre(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  const Real radius = random.uniform(0.1, 3);
  std::array<std::array<Real, 5>, 3> cut{};
  for (auto& axis : cut) {
    for (Real& place : axis) place = random.uniform(-4, 4);
    axis[0] = -kInfinity;
    axis[4] = kInfinity;
    std::sort(axis.begin(), axis.end());
  }
  Real sum = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k)
        sum += ball_in_box(centre, radius, Vec3(cut[0][i], cut[1][j], cut[2][k]),
                           Vec3(cut[0][i + 1], cut[1][j + 1], cut[2][k + 1]));
  const Real whole = 4 * kPi / 3 * std::pow(radius, 3);
  RC_ASSERT(std::abs(sum - whole) <= 1e-12 * whole);
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
