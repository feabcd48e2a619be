#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/geometry/convex_hull.hpp>

#include "meshes.hpp"
#include "poses.hpp"

// Bodies over rough ground, whose triangles face each other and whose ridges are thin.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

constexpr int kCells = 8;
constexpr Real kCell = 0.2, kRough = 0.2;  // [m]

std::shared_ptr<const TriangleMesh> rough_ground(Random& random) {
  return meshes::surface(meshes::graph(
      kCells, kCell, 0.3, random, [&](Real, Real) { return random.uniform(-kRough, kRough); }));
}

/// The largest gap [m] between a box and a triangle along the 13 axes that part two such bodies.
Real parted(const Vec3& half, const Pose& X, const TriangleMesh& mesh, int t) {
  std::array<Vec3, 3> x;
  for (int k = 0; k < 3; ++k) x[k] = X.q.conjugate() * (mesh.corner(t, k) - X.p);
  std::vector<Vec3> axes = {(x[1] - x[0]).cross(x[2] - x[0])};
  for (int i = 0; i < 3; ++i) {
    axes.push_back(Vec3::Unit(i));
    for (int k = 0; k < 3; ++k) axes.push_back(Vec3::Unit(i).cross(x[(k + 1) % 3] - x[k]));
  }
  Real most = -std::numeric_limits<Real>::infinity();
  for (const Vec3& axis : axes) {
    if (axis.norm() < 1e-9) continue;
    const Vec3 n = axis.normalized();
    const auto [low, high] = std::minmax({n.dot(x[0]), n.dot(x[1]), n.dot(x[2])});
    const Real reach = n.cwiseAbs().dot(half);
    most = std::max({most, low - reach, -high - reach});
  }
  return most;
}

Real parted(const Vec3& half, const Pose& X, const TriangleMesh& mesh) {
  Real least = std::numeric_limits<Real>::infinity();
  for (int t = 0; t < static_cast<int>(mesh.triangles().size()); ++t)
    least = std::min(least, parted(half, X, mesh, t));
  return least;
}

Real least_gap(const Shape& mesh, const Shape& b, const Pose& X, Real margin) {
  PairContacts contacts;
  contacts_of_pair(mesh, b, X, margin, contacts);
  Real least = std::numeric_limits<Real>::infinity();
  for (const PairContact& point : contacts.points) least = std::min(least, point.gap);
  return least;
}

// What touches no triangle overlaps with nothing: the solid behind a triangle ends where the ground
// ends, on the other side of its ridge, and no contact pushes a body out of what lies behind that.
// What cuts a triangle by 1 mm has a contact with an overlap.
TEST(MeshGround, OnlyWhatIsCutIsOverlapped) {
  Random random(390);
  const Vec3 half(0.1, 0.05, 0.04);
  int clear = 0, cut = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const auto ground = rough_ground(random);
    for (int i = 0; i < 100; ++i) {
      const Pose X{
          {random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.1, 0.3)},
          poses::rotation(random)};
      const Real sat = parted(half, X, *ground);
      const bool is_above = least_gap(ground, Sphere{1e-6}, X, kRough * 4) > 0;
      const Real gap = least_gap(ground, Box{half}, X, 5e-3);
      if (sat > 1e-6) {
        ++clear;
        EXPECT_GT(gap, -1e-6) << trial << ' ' << i << ": " << sat << " apart";
      } else if (sat < -1e-3 && is_above) {
        ++cut;
        EXPECT_LT(gap, 0) << trial << ' ' << i << ": " << sat;
      }
    }
  }
  EXPECT_GT(clear, 300);
  EXPECT_GT(cut, 300);
}

// Contacts are of points in space: where a hull's frame has its origin is nothing to them, but for
// ties, which are 1e-6 of the hull's extent about that. (Deep in rough ground there are several
// ways out, and ties decide.)
TEST(MeshGround, OriginsOfHullsMeanNothing) {
  Random random(391);
  int touching = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const auto ground = rough_ground(random);
    std::vector<Vec3> corners(12);
    for (Vec3& x : corners)
      x = {random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(-0.06, 0.06)};
    const Vec3 shift(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const auto hull = std::make_shared<const Polytope>(convex_hull(corners));
    const Real tie = 1e-6 * (shift.norm() + hull->bounding_radius());
    const auto moved = std::make_shared<const Polytope>(hull->moved(1, shift));
    for (int i = 0; i < 200; ++i) {
      const Pose X{{random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), random.uniform(0, 0.25)},
                   poses::rotation(random)};
      PairContacts own, other;
      contacts_of_pair(ground, hull, X, 5e-3, own);
      contacts_of_pair(ground, moved, {X.p - X.q * shift, X.q}, 5e-3, other);
      if (std::any_of(own.points.begin(), own.points.end(),
                      [](const PairContact& point) { return point.gap < -2e-3; }))
        continue;
      for (auto* found : {&own.points, &other.points})
        std::sort(found->begin(), found->end(),
                  [](const PairContact& x, const PairContact& y) { return x.feature < y.feature; });
      touching += own.points.empty() ? 0 : 1;
      ASSERT_EQ(own.points.size(), other.points.size()) << trial << ' ' << i;
      for (std::size_t k = 0; k < own.points.size(); ++k) {
        EXPECT_NEAR(own.points[k].gap, other.points[k].gap, tie) << trial << ' ' << i;
        EXPECT_LT((own.points[k].normal - other.points[k].normal).norm(), 1e-6);
      }
    }
  }
  EXPECT_GT(touching, 100);
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
