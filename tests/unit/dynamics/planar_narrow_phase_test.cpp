#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include <talus/base/random.hpp>
#include <talus/dynamics/planar_narrow_phase.hpp>

// Corners of polygons against the sides of others.

namespace talus::TALUS_TEST_FILE {
namespace {

using geometry::PlanarShape;

struct Two {
  std::vector<PlanarShape> shapes;
  std::array<dynamics::PlanarPose, 2> poses;

  /// The contact with the least gap of the two.
  [[nodiscard]] dynamics::PlanarWitness deepest() const {
    dynamics::PlanarWitness least;
    least.gap = std::numeric_limits<Real>::infinity();
    for (const Index a : {0, 1}) {
      const auto of_a = static_cast<std::size_t>(a), of_b = 1 - of_a;
      for (std::size_t corner = 0; corner < shapes[of_b].corners.size(); ++corner) {
        const auto touch = dynamics::closest_features({a, 1 - a, corner}, shapes, poses[of_a],
                                                      poses[of_b], true, true);
        if (touch.gap < least.gap) least = touch;
      }
    }
    return least;
  }
};

// A box and a triangle side by side that overlap without a corner of one in the other: the box's
// lower right corner is below the triangle's lower side, and the triangle's left one below the box.
// They touch where the triangle's left side parts them with the smallest motion.
TEST(PlanarNarrowPhase, SidesThatCrossBelowBothCornersTouch) {
  Two two;
  two.shapes = {{{{-1, 0}, {0, 0}, {0, 1}, {-1, 1}}}, {{{-0.01, -1e-3}, {1, 0.3}, {0.5, 1.5}}}};
  const dynamics::PlanarWitness touch = two.deepest();
  const Vec2 along = Vec2(0.51, 1.501).normalized(), to_box(-along.y(), along.x());
  EXPECT_NEAR(touch.gap, to_box.dot(Vec2(0.01, 1e-3)), 1e-15);
  EXPECT_LT(touch.gap, -0.009);
  EXPECT_EQ(touch.body_a, 1);
  EXPECT_EQ(touch.side, 2);
  EXPECT_NEAR((touch.normal - to_box).norm(), 0, 1e-15);
  EXPECT_NEAR((touch.inward - along).norm(), 0, 1e-15) << "from there the side goes on upwards";
}

// Convex polygons are apart where the normal of a side of one of them parts them, by the largest
// gap along such a normal (the separating axis). Where that is negative some corner is in contact,
// which reads this depth unless it is at a corner of the other; where it is positive, the least gap
// is the distance.
TEST(PlanarNarrowPhase, PolygonsThatOverlapTouch) {
  Random random(5);
  int overlaps = 0, as_deep = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Two two;
    for (int k = 0; k < 2; ++k) {
      std::vector<Vec2> points(static_cast<std::size_t>(random.uniform(3, 9)));
      for (Vec2& p : points) p = {random.uniform(-1, 1), random.uniform(-1, 1)};
      two.shapes.push_back({geometry::convex_hull(points)});
    }
    two.poses[0] = {{0, 0}, dynamics::rotation2d(random.uniform(-3, 3))};
    two.poses[1] = {{random.uniform(0, 2), 0}, dynamics::rotation2d(random.uniform(-3, 3))};
    const Real apart =
        geometry::separation(two.shapes[0], two.poses[0], two.shapes[1], two.poses[1]);
    if (apart < -0.1) continue;
    const Real gap = two.deepest().gap;
    if (apart >= 0) {
      EXPECT_NEAR(gap, apart, 1e-14) << "trial " << trial;
      continue;
    }
    EXPECT_LT(gap, 0) << "trial " << trial << ": they overlap by " << -apart;
    ++overlaps;
    as_deep += std::abs(gap - apart) <= 1e-14;
  }
  EXPECT_GE(overlaps, 1000);
  EXPECT_GE(as_deep, 0.9 * overlaps);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
