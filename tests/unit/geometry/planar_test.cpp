#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/geometry/planar.hpp>

namespace talus::geometry::TALUS_TEST_FILE {
namespace {

constexpr Real kPi = std::numbers::pi;

PlanarShape square() {
  return {convex_hull({{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0.5}}), 0, false, {}};
}

// The hull keeps the corners only, counter-clockwise; points on a side are left out.
TEST(Planar, HullIsCounterClockwise) {
  const auto hull = convex_hull({{1, 1}, {0, 0}, {1, 0}, {0.5, 0}, {0, 1}, {0.4, 0.6}});
  ASSERT_EQ(hull.size(), 4U);
  Real area = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec2 a = hull[i], b = hull[(i + 1) % 4];
    area += (a.x() * b.y() - a.y() * b.x()) / 2;
  }
  EXPECT_NEAR(area, 1, 1e-15);
}

// Outside a polygon the distance is that from the nearest side or corner, inside it is negative and
// tells the shortest way out.
TEST(Planar, DistanceHasASign) {
  const CoreDistance side = distance_from_core(square(), {0.3, 1.2});
  EXPECT_NEAR(side.distance, 0.2, 1e-15);
  EXPECT_NEAR((side.normal - Vec2(0, 1)).norm(), 0, 1e-15);
  EXPECT_NEAR((side.nearest - Vec2(0.3, 1)).norm(), 0, 1e-15);
  const CoreDistance corner = distance_from_core(square(), {1.3, 1.4});
  EXPECT_NEAR(corner.distance, 0.5, 1e-15);
  EXPECT_NEAR((corner.normal - Vec2(0.6, 0.8)).norm(), 0, 1e-15);
  const CoreDistance inside = distance_from_core(square(), {0.9, 0.4});
  EXPECT_NEAR(inside.distance, -0.1, 1e-15);
  EXPECT_NEAR((inside.normal - Vec2(1, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((inside.nearest - Vec2(1, 0.4)).norm(), 0, 1e-15);
  const PlanarShape line =
      project_to_plane(Plane{}, {Vec3(0, 2, 0), rotation_between(Vec3::UnitZ(), Vec3::UnitY())});
  EXPECT_NEAR(distance_from_core(line, {5, 1.5}).distance, -0.5, 1e-15);
}

// The shadow of a solid on the plane: sphere → disc, capsule → rod (a disc from its end), turned
// box → its outline, seen from above.
TEST(Planar, ShadowsAreExact) {
  const PlanarShape disc = project_to_plane(Sphere{0.2}, {Vec3(1, 2, 5), Quat::Identity()});
  EXPECT_EQ(disc.corners.size(), 1U);
  EXPECT_EQ(disc.radius, 0.2);
  const Quat lying = rotation_between(Vec3::UnitZ(), Vec3::UnitX());
  const PlanarShape rod = project_to_plane(Capsule{0.1, 0.5}, {Vec3::Zero(), lying});
  ASSERT_EQ(rod.corners.size(), 2U);
  EXPECT_NEAR((rod.corners[1] - rod.corners[0]).norm(), 1, 1e-15);
  const Quat turned(Eigen::AngleAxis<Real>(kPi / 4, Vec3::UnitX()));
  const PlanarShape box = project_to_plane(Box{{0.5, 0.3, 0.4}}, {Vec3::Zero(), turned});
  Real height = 0;
  for (const Vec2& c : box.corners) height = std::max(height, c.y());
  EXPECT_NEAR(height, (0.3 + 0.4) / std::sqrt(2), 1e-15);
}

// Areas and polar moments against their closed forms: disc, rod (as a rectangle with two half
// discs, by integration over strips), rectangle off the origin, triangle.
TEST(Planar, AreasAndMoments) {
  const AreaProperties disc = area_properties({{{1, 2}}, 0.3, false, {}});
  EXPECT_NEAR(disc.area, kPi * 0.09, 1e-15);
  EXPECT_NEAR(disc.moment, kPi * std::pow(0.3, 4) / 2, 1e-15);
  const AreaProperties box =
      area_properties({convex_hull({{1, 1}, {3, 1}, {3, 2}, {1, 2}}), 0, false, {}});
  EXPECT_NEAR(box.area, 2, 1e-14);
  EXPECT_NEAR((box.centre - Vec2(2, 1.5)).norm(), 0, 1e-14);
  EXPECT_NEAR(box.moment, 2 * (4 + 1) / 12.0, 1e-13);
  const Real r = 0.2, l = 0.7;
  const AreaProperties rod = area_properties({{{0, 0}, {l, 0}}, r, false, {}});
  Real area = 0, moment = 0;
  constexpr int kStrips = 200000;
  for (int i = 0; i < kStrips; ++i) {  // strips across, x from the rod's middle
    const Real width = (l + 2 * r) / kStrips, x = -(l / 2 + r) + (i + 0.5) * width;
    const Real past = std::max(std::abs(x) - l / 2, 0.0), half = std::sqrt(r * r - past * past);
    area += 2 * half * width;
    moment += width * (2 * half * x * x + 2 * half * half * half / 3);
  }
  EXPECT_NEAR(rod.area, area, 1e-7);
  EXPECT_NEAR(rod.moment, moment, 1e-7);
}

// The separation of two shapes is the distance of their surfaces, and less than 0 by the smallest
// motion that parts them where they overlap, cores that cross without a corner inside included.
TEST(Planar, SeparationOfWholeShapes) {
  const PlanarShape disc{{Vec2(0, 0)}, 0.1, false, Vec2::UnitY()};
  const PlanarShape rod{{Vec2(-0.5, 0), Vec2(0.5, 0)}, 0.02, false, Vec2::UnitY()};
  const PlanarShape box{{Vec2(0.2, 0.05), Vec2(-0.2, 0.05), Vec2(-0.2, -0.05), Vec2(0.2, -0.05)},
                        0,
                        false,
                        Vec2::UnitY()};
  const PlanarShape ground{{Vec2(0, 0)}, 0, true, Vec2::UnitY()};
  const auto at = [](Real x, Real y, Real angle = 0) {
    return PlanarPose{Vec2(x, y), Eigen::Rotation2D<Real>(angle).toRotationMatrix()};
  };
  const Real quarter = std::numbers::pi / 2;
  EXPECT_NEAR(separation(disc, at(0, 0), disc, at(0.3, 0.4)), 0.5 - 0.2, 1e-15);
  EXPECT_NEAR(separation(disc, at(1, 1), disc, at(1.1, 1)), 0.1 - 0.2, 1e-15);
  EXPECT_NEAR(separation(ground, at(0, 0), box, at(3, 0.1, quarter)), 0.1 - 0.2, 1e-15);
  EXPECT_NEAR(separation(box, at(3, 0.1, quarter), ground, at(0, 0)), 0.1 - 0.2, 1e-15);
  EXPECT_NEAR(separation(rod, at(0, 0), rod, at(0, 0.3)), 0.3 - 0.04, 1e-15);
  EXPECT_NEAR(separation(rod, at(0, 0), rod, at(1.3, 0)), 0.3 - 0.04, 1e-15) << "in one line";
  EXPECT_NEAR(separation(box, at(0, 0), disc, at(0.3, 0.15)), std::sqrt(0.02) - 0.1, 1e-15);
  EXPECT_NEAR(separation(box, at(0, 0), disc, at(0.1, 0.02)), -0.03 - 0.1, 1e-15) << "inside";
  EXPECT_NEAR(separation(box, at(0, 0), box, at(0, 0, quarter)), -0.25, 1e-15) << "a cross";
  EXPECT_NEAR(separation(rod, at(0, 0), rod, at(0.4, 0.1, quarter)), -0.1 - 0.04, 1e-15);
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
