#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/geometry/manifold.hpp>
#include <talus/geometry/separation.hpp>

#include "poses.hpp"
#include "reference.hpp"
#include "shapes.hpp"

namespace talus::geometry::TALUS_TEST_FILE {
namespace {

// Shapes deep inside each other, with equal centres and axes, where every direction is a tie: the
// depth is still the least translation and the manifold has finite points of a unit normal.
TEST(DeepOverlap, HasTheLeastTranslationAndFinitePoints) {
  Random random(41);
  const std::vector<Shape> all = {Sphere{0.7},
                                  Box{Vec3(1, 1, 1)},
                                  Box{Vec3(2, 0.3, 0.01)},
                                  Capsule{0.2, 1},
                                  shapes::polytope(shapes::octahedron_mesh()),
                                  shapes::polytope(shapes::prism_mesh(6, 1, 0.2))};
  for (const Shape& a : all)
    for (const Shape& b : all)
      for (int k = 0; k < 60; ++k) {
        Pose X;
        if (k > 0) X.q = poses::orientation(random, static_cast<poses::Family>(k % 5));
        if (k >= 30) X.p = random.uniform(0, 0.1) * poses::unit_vector(random);
        const Separation s = separation(a, b, X);
        const bool is_round =
            std::holds_alternative<Sphere>(a) || std::holds_alternative<Capsule>(a) ||
            std::holds_alternative<Sphere>(b) || std::holds_alternative<Capsule>(b);
        const Real expected =
            static_cast<Real>(reference::gap(reference::make(a), moved(reference::make(b), X)));
        ASSERT_NEAR(s.gap, expected, is_round ? 1e-13 : 1e-14);
        ASSERT_NEAR(s.normal.norm(), 1, poses::kUnitNorm);
        ASSERT_TRUE(s.on_a.allFinite() && s.on_b.allFinite());
        ASSERT_NEAR(s.normal.dot(s.on_b - s.on_a), s.gap, 1e-13);
        const Manifold m = manifold(a, b, X, 0);
        ASSERT_EQ(m.point_count > 0, s.gap <= 0)
            << a.index() << " on " << b.index() << " pose " << k;
        if (m.point_count == 0) continue;
        Real deepest = 0;
        for (int i = 0; i < m.point_count; ++i) {
          ASSERT_TRUE(m.points[i].position.allFinite());
          deepest = std::min(deepest, m.points[i].gap);
        }
        ASSERT_NEAR(deepest, expected, 3e-6);
      }
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
