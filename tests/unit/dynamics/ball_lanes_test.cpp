#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/dynamics/detail/ball_lanes.hpp>
#include <talus/math/periodic_cell.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

using problem::CentralBatch;
using problem::kLanes;

constexpr int kBatches = 37;  // more than are written at once
constexpr int kFull = 30;     // then come batches with planes and empty lanes
constexpr std::uint32_t kPlane = 40, kNobody = 41;

struct alignas(4 * sizeof(Real)) Ball {
  Real x, y, z, radius;
};

/// Pairs of balls at distances from concentric to far apart, and balls on either side of a plane.
struct Pairs {
  std::vector<CentralBatch> batches = std::vector<CentralBatch>(kBatches);
  std::vector<Ball> balls;
  std::vector<Vec3> normals = std::vector<Vec3>(kNobody, Vec3::Zero());
  std::vector<Real> gaps = std::vector<Real>(kLanes * kBatches);
  std::vector<float> turning = std::vector<float>(kLanes * kBatches, 2.5F);
  dynamics::detail::LeastGaps least;

  explicit Pairs(Real cell) {
    Random random(11);
    for (int i = 0; i < 40; ++i)
      balls.push_back({random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1),
                       random.uniform(0.05, 0.4)});
    balls[1] = {balls[0].x, balls[0].y, balls[0].z, balls[1].radius};  // concentric
    for (CentralBatch& batch : batches)
      for (int l = 0; l < kLanes; ++l) {
        batch.body_a[l] = static_cast<std::uint32_t>(random.uniform(0, 39));
        batch.body_b[l] = batch.body_a[l] + 1;
        batch.inverse_normal[l] = static_cast<float>(random.uniform(0.1, 3));
      }
    batches[3].body_a[5] = 0;
    batches[3].body_b[5] = 1;
    if (cell > 0)
      for (Ball& ball : balls)  // several lengths of the cell
        ball = {3 * ball.x, 3 * ball.y, 3 * ball.z, 3 * ball.radius};
    balls.push_back({0.4, 0.3, 0.6, 0});
    normals[kPlane] = Vec3(0.3, -0.5, 0.8).normalized();
    for (int k = kFull; k < kBatches; ++k) {
      CentralBatch& batch = batches[k];
      batch.body_b[k % 3] = batch.body_b[5] = batch.body_a[6] = kPlane;
      batch.body_a[7] = batch.body_b[7] = kNobody;
      batch.inverse_normal[7] = 0;
      batch.arm[0][7] = gaps[kLanes * k + 7] = 17;
    }
  }

  void refresh(Simd simd, Real cell) {
    const Real inverse = cell > 0 ? 1 / cell : 0;
    dynamics::detail::refresh_balls(simd)({batches.data(),
                                           &balls[0].x,
                                           normals[0].data(),
                                           kNobody,
                                           turning.data(),
                                           gaps.data(),
                                           1e-2,
                                           0.01,
                                           cell > 0,
                                           {cell, cell, cell},
                                           {inverse, inverse, inverse}},
                                          {0, kFull, kBatches}, least);
  }
};

// Balls with the difference d of their centres, the nearest image's in a periodic cell, have the
// gap g = |d| − r_A − r_B, arms α n = d/(r_A + r_B) that end at one point, and the bias max(0,
// g)/h, over α; concentric ones any unit normal. A ball and a plane have g = n·d − r, n from A to
// B, and α = 1; empty lanes stay as they are. To round-off, and with every instruction set to the
// same bits.
TEST(BallLanes, ContactsOfBallsHaveTheirGapsAndArms) {
  for (const Real cell : {0.0, 1.0}) {
    Pairs first(cell);
    first.refresh(Simd::baseline, cell);
    Real deepest = 0, deepest_with_slop = 0;
    for (int k = 0; k < kBatches; ++k)
      for (int l = 0; l < kLanes; ++l) {
        const CentralBatch& batch = first.batches[k];
        if (batch.body_a[l] == kNobody) {
          EXPECT_EQ(batch.arm[0][l], 17);
          EXPECT_EQ(first.gaps[kLanes * k + l], 17);
          EXPECT_EQ(batch.inverse_tangential[l], 0);
          continue;
        }
        const Ball &a = first.balls[batch.body_a[l]], &b = first.balls[batch.body_b[l]];
        Vec3 d(b.x - a.x, b.y - a.y, b.z - a.z);
        if (cell > 0) d = d.unaryExpr([&](Real x) { return x - cell * std::round(x / cell); });
        const Real reach = a.radius + b.radius, gap = first.gaps[kLanes * k + l];
        const Vec3 arm(batch.arm[0][l], batch.arm[1][l], batch.arm[2][l]);
        const bool is_flat = a.radius == 0 || b.radius == 0, is_concentric = d.norm() == 0;
        const Vec3 n = a.radius == 0 ? first.normals[kPlane] : Vec3(-first.normals[kPlane]);
        EXPECT_NEAR(gap, (is_flat ? n.dot(d) : d.norm()) - reach, 1e-14);
        const Vec3 arm_of_balls = is_concentric ? Vec3(0, 0, 1) : Vec3(d / reach);
        EXPECT_LT((arm - (is_flat ? n : arm_of_balls)).norm(), 1e-13);
        const Real alpha = is_flat || is_concentric ? 1 : d.norm() / reach;
        EXPECT_NEAR(batch.bias[l] * alpha, std::max(Real(0), gap) / 1e-2, 1e-11);
        EXPECT_NEAR(batch.inverse_arm2[l] * alpha * alpha, 1, 1e-14);
        EXPECT_NEAR(batch.inverse_tangential[l],
                    1 / (1 / batch.inverse_normal[l] + alpha * alpha * 2.5), 1e-6);
        deepest = std::min(deepest, gap);
        const Real size = is_flat ? reach : std::min(a.radius, b.radius);
        deepest_with_slop = std::min(deepest_with_slop, gap + 0.01 * size);
      }
    EXPECT_EQ(*std::min_element(first.least.gap, first.least.gap + kLanes), deepest);
    EXPECT_EQ(*std::min_element(first.least.with_slop, first.least.with_slop + kLanes),
              deepest_with_slop);
    for (const Simd simd : simd_levels()) {
      Pairs other(cell);
      other.refresh(simd, cell);
      EXPECT_EQ(
          std::memcmp(first.batches.data(), other.batches.data(), kBatches * sizeof(CentralBatch)),
          0)
          << name(simd);
      EXPECT_EQ(first.gaps, other.gaps) << name(simd);
    }
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
