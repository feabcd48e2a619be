#include <gtest/gtest.h>

#include <algorithm>

#include <talus/geometry/manifold.hpp>

#include "poses.hpp"
#include "reference.hpp"

namespace talus::geometry {
namespace {

template <class MakeA, class MakeB>
void check(MakeA make_a, MakeB make_b, int pose_count) {
  Random random(7);
  int contacts = 0;
  for (int k = 0; k < pose_count; ++k) {
    const Shape a = make_a(random), b = make_b(random);
    const auto family = static_cast<poses::Family>(k % static_cast<int>(poses::Family::count));
    const Pose X = poses::pose(random, a, b, family);
    const Real size = bounding_radius(a) + bounding_radius(b);
    const Real smaller = std::min(bounding_radius(a), bounding_radius(b));
    const Real expected = static_cast<Real>(
        reference::gap(reference::make(a), reference::moved(reference::make(b), X)));
    const Manifold m = manifold(a, b, X, 1e-3 * smaller);
    if (expected > 1e-3 * smaller + 1e-13 * size) {
      EXPECT_EQ(m.point_count, 0) << "pose " << k;
      continue;
    }
    if (expected > 1e-3 * smaller - 1e-13 * size) continue;
    ++contacts;
    if (m.point_count == 0) {
      ADD_FAILURE() << "no points, pose " << k << " family " << k % 5 << " gap " << expected / size;
      continue;
    }
    Real deepest = m.points[0].gap;
    for (int i = 1; i < m.point_count; ++i) deepest = std::min(deepest, m.points[i].gap);
    EXPECT_NEAR(deepest, expected, 1e-5 * smaller + 1e-13 * size)
        << "pose " << k << " family " << k % 5 << " gap/size " << expected / size << " size "
        << size << " smaller " << smaller << " points " << m.point_count;
  }
  EXPECT_GT(contacts, pose_count / 10);
}

// The smallest gap of a manifold is the signed distance of the shapes, up to the stated tie.
TEST(ManifoldGap, IsTheSignedDistance) { check(poses::box, poses::box, 2000); }
// The same for a box and a capsule.
TEST(ManifoldGap, BoxCapsule) { check(poses::box, poses::capsule, 2000); }
// The same for two capsules.
TEST(ManifoldGap, CapsuleCapsule) { check(poses::capsule, poses::capsule, 2000); }
// The same for a sphere and a box, in swapped order.
TEST(ManifoldGap, BoxSphere) { check(poses::sphere, poses::box, 2000); }

}  // namespace
}  // namespace talus::geometry
