#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include <talus/geometry/manifold.hpp>
#include <talus/geometry/separation.hpp>

#include "poses.hpp"
#include "reference.hpp"
#include "shapes.hpp"

namespace talus::geometry::TALUS_TEST_FILE {
namespace {

using reference::Long;

Shape random_shape(Random& random, const std::string& kind) {
  if (kind == "sphere") return poses::sphere(random);
  if (kind == "box") return poses::box(random);
  if (kind == "capsule") return poses::capsule(random);
  return shapes::polytope(shapes::random_mesh(random, poses::log_uniform(random, 1e-3, 1e3), 100));
}

Long distance_to(const reference::Body& body, const Vec3& point) {
  reference::Body ball;
  ball.points = {point.cast<Long>()};
  return std::abs(reference::gap(body, ball));
}

class ManifoldOf : public testing::TestWithParam<std::pair<std::string, std::string>> {};

// A manifold is empty beyond the margin and not empty within it; its smallest gap is the signed
// distance and its points lie halfway between the surfaces along the normal, both up to the ties
// (1e-6 of the smaller size) that keep it from flickering.
TEST_P(ManifoldOf, AgreesWithTheSignedDistance) {
  const auto& [kind_a, kind_b] = GetParam();
  Random random(7);
  int contact_count = 0;
  for (int k = 0; k < 5000; ++k) {
    SCOPED_TRACE("pose " + std::to_string(k));
    const Shape a = random_shape(random, kind_a), b = random_shape(random, kind_b);
    const auto family =
        static_cast<poses::Family>(random.bits() % static_cast<int>(poses::Family::count));
    const Pose X = poses::pose(random, a, b, family);
    const Real size = bounding_radius(a) + bounding_radius(b);
    const Real smaller = std::min(bounding_radius(a), bounding_radius(b));
    const Real margin = 1e-3 * smaller, round_off = 1e-13 * size, tie = 1.5e-6 * smaller;
    const reference::Body body_a = reference::make(a), body_b = moved(reference::make(b), X);
    const Real expected = static_cast<Real>(reference::gap(body_a, body_b));
    const Manifold m = manifold(a, b, X, margin);
    if (std::abs(expected - margin) <= round_off + tie) continue;
    ASSERT_EQ(m.point_count > 0, expected < margin);
    if (m.point_count == 0) continue;
    ++contact_count;
    Real smallest = m.points[0].gap;
    for (int i = 0; i < m.point_count; ++i) {
      const ManifoldPoint& point = m.points[i];
      smallest = std::min(smallest, point.gap);
      ASSERT_TRUE(i == 0 || m.points[i - 1].feature < point.feature);
      const Vec3 half = point.gap / 2 * m.normal;
      // Of a tilted pair of faces one end of a point may hang beside the other shape.
      ASSERT_LE(std::min(distance_to(body_b, point.position + half),
                         distance_to(body_a, point.position - half)),
                tie + round_off);
    }
    ASSERT_NEAR(smallest, expected, tie + round_off);
  }
  EXPECT_GT(contact_count, 500);
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, ManifoldOf,
    testing::Values(std::pair("sphere", "sphere"), std::pair("sphere", "box"),
                    std::pair("sphere", "capsule"), std::pair("sphere", "polytope"),
                    std::pair("box", "box"), std::pair("box", "capsule"),
                    std::pair("box", "polytope"), std::pair("capsule", "capsule"),
                    std::pair("capsule", "polytope"), std::pair("polytope", "polytope")),
    [](const auto& pair) { return pair.param.first + "_" + pair.param.second; });

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
