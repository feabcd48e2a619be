#include <talus/geometry/convex_hull.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <talus/base/error.hpp>

#include "poses.hpp"
#include "shapes.hpp"

namespace talus::geometry::TALUS_TEST_FILE {
namespace {

std::vector<Vec3> moved(std::vector<Vec3> points, const Quat& q, Real scale, const Vec3& shift) {
  for (Vec3& x : points) x = scale * (q * x) + shift;
  return points;
}

std::string refusal(const std::vector<Vec3>& points) {
  try {
    (void)convex_hull(points);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Facets in one plane become one face: a turned cube has 6 and a prism of 64 sides has 66, at any
// scale and also a million sizes from the origin.
TEST(ConvexHull, MergesCoplanarFacets) {
  Random random(1);
  for (const Real scale : {1e-3, 1.0, 1e3})
    for (const Real distance : {0.0, 1e5}) {
      const Quat q = poses::rotation(random);
      const Vec3 shift = distance * scale * poses::unit_vector(random);
      const Polytope cube =
          convex_hull(moved(shapes::box_mesh(Vec3::Ones()).vertices, q, scale, shift));
      EXPECT_EQ(cube.vertices().size(), 8U);
      EXPECT_EQ(cube.edges().size(), 12U);
      EXPECT_EQ(cube.face_loops().size(), 6U) << scale << " at " << distance;
      const Polytope prism =
          convex_hull(moved(shapes::prism_mesh(64, 1, 0.5).vertices, q, scale, shift));
      EXPECT_EQ(prism.face_loops().size(), 66U) << scale << " at " << distance;
      EXPECT_EQ(prism.vertices().size(), 128U);
    }
}

// The hull of points on a sphere is that of a search over all triples: same faces, same volume to
// 3e-15; points inside and points given twice change nothing, and neither does their order.
TEST(ConvexHull, IsThatOfTheSearchOverAllTriples) {
  Random random(2);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Vec3> points;
    for (int i = 0; i < 8 + trial; ++i) points.push_back(poses::unit_vector(random));
    const auto expected = shapes::polytope(shapes::hull_mesh(points));
    const Real volume = mass_properties(expected, 1).mass;
    std::vector<Vec3> more = points;
    for (const Vec3& x : points)
      more.push_back((x + points[0] + points[1] + points[2]) / 4);  // inside
    more.insert(more.end(), points.begin(), points.end());
    std::reverse(more.begin(), more.end());
    for (const auto& given : {points, more}) {
      const auto hull = std::make_shared<const Polytope>(convex_hull(given));
      EXPECT_EQ(hull->face_loops().size(), expected->face_loops().size());
      EXPECT_EQ(hull->vertices().size(), points.size());
      EXPECT_NEAR(mass_properties(hull, 1).mass / volume, 1, 3e-15);
    }
  }
}

// Points without a volume are refused with the reason, at any scale; so are too few of them and
// numbers that are not finite.
TEST(ConvexHull, RefusesFlatInputWithAReason) {
  Random random(3);
  std::vector<Vec3> square, line;
  for (int i = 0; i < 30; ++i) {
    square.emplace_back(random.uniform(), random.uniform(), 0);
    line.emplace_back(i, 2 * i, 3 * i);
  }
  for (const Real scale : {1e-3, 1.0, 1e3}) {
    const Quat q = poses::rotation(random);
    EXPECT_NE(refusal(moved(square, q, scale, Vec3::Zero())).find("in a plane"), std::string::npos);
    EXPECT_NE(refusal(moved(line, q, scale, Vec3::Zero())).find("on a line"), std::string::npos);
  }
  EXPECT_NE(refusal({Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::Zero()})
                .find("at least 4 different points, got 3"),
            std::string::npos);
  square[7].z() = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_NE(refusal(square).find("point 7 is not finite"), std::string::npos);
}

// A scaled and shifted polytope is the polytope of the scaled and shifted corners.
TEST(Polytope, MovesWithItsCorners) {
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    const shapes::Mesh mesh = shapes::random_mesh(random, 1, 10);
    const Vec3 shift(1, -2, 3);
    const Polytope moved_body = Polytope::from_faces(mesh.vertices, mesh.faces).moved(0.7, shift);
    const Polytope expected =
        Polytope::from_faces(moved(mesh.vertices, Quat::Identity(), 0.7, shift), mesh.faces);
    EXPECT_NEAR(moved_body.bounding_radius(), expected.bounding_radius(), 1e-15);
    for (std::size_t f = 0; f < expected.face_offsets().size(); ++f)
      EXPECT_NEAR(moved_body.face_offsets()[f], expected.face_offsets()[f], 1e-14);
  }
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
