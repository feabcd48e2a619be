#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <talus/geometry/contacts_of_pair.hpp>

#include "meshes.hpp"
#include "poses.hpp"

// Bands T1, T2 and T4: balls on meshes, and the tree of boxes.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

Shape shape_of(const MeshData& mesh) { return meshes::surface(mesh); }

Pose at(const Vec3& p) { return {p, Quat::Identity()}; }

Real flat(Real, Real) { return 0; }

// A ball over a flat surface of random triangles has one contact with the surface's normal, also
// straight above vertices and edges, at penetrations of 1e-9 and 1e-3 radii and above the surface.
TEST(MeshSphere, OneContactOnAFlatMesh) {
  Random random(1);
  Real worst_tilt = 0, worst_gap = 0;
  for (const int n : {20, 70}) {
    const Shape mesh = shape_of(meshes::graph(n, 1, 0.3, random, flat));
    const auto& surface = *std::get<std::shared_ptr<const TriangleMesh>>(mesh);
    const Real radius = 1.5;
    PairContacts contacts;
    for (int k = 0; k < 6000; ++k) {
      Vec3 p(random.uniform(-0.4, 0.4) * n, random.uniform(-0.4, 0.4) * n, 0);
      const int t = static_cast<int>(random.bits() % surface.triangles().size());
      if (k % 5 == 0) p = surface.corner(t, 0);
      if (k % 5 == 1) p = (surface.corner(t, 0) + surface.corner(t, 1)) / 2;
      if (p.cwiseAbs().maxCoeff() > 0.4 * n) continue;
      const Real gap = radius * std::array{-1e-9, -1e-3, 1e-6, 0.0}[k % 4];
      p.z() = radius + gap;
      contacts_of_pair(mesh, Sphere{radius}, at(p), 1e-3 * radius, contacts);
      ASSERT_EQ(contacts.points.size(), 1U) << p.transpose();
      worst_tilt = std::max(worst_tilt, (contacts.points[0].normal - Vec3::UnitZ()).norm());
      worst_gap = std::max(worst_gap, std::abs(contacts.points[0].gap - gap) / radius);
    }
  }
  EXPECT_LE(worst_tilt, 1e-12);
  EXPECT_LE(worst_gap, 1e-14);
  RecordProperty("tilt", testing::PrintToString(worst_tilt));
  RecordProperty("gap", testing::PrintToString(worst_gap));
}

// In a groove of two slopes a ball touches both, with their normals; on a ridge it touches once,
// with the direction from the ridge to its centre.
TEST(MeshSphere, TwoContactsInAGrooveOneOnARidge) {
  Random random(2);
  for (const Real slope : {0.05, 0.3, 1.0, 3.0}) {
    const Real cosine = 1 / std::hypot(1, slope), sine = slope * cosine;
    const Shape groove = shape_of(
        meshes::graph(20, 1, 0, random, [&](Real x, Real) { return slope * std::abs(x); }));
    const Shape ridge = shape_of(
        meshes::graph(20, 1, 0, random, [&](Real x, Real) { return -slope * std::abs(x); }));
    PairContacts contacts;
    for (int k = 0; k < 200; ++k) {
      const Real radius = random.uniform(0.2, 1.2), y = random.uniform(-5, 5);
      const Real gap = radius * std::array{-1e-3, -1e-9, 1e-6}[k % 3];
      const Real margin = 1e-3 * radius;
      contacts_of_pair(groove, Sphere{radius}, at({0, y, (radius + gap) / cosine}), margin,
                       contacts);
      ASSERT_EQ(contacts.points.size(), 2U);
      for (const PairContact& contact : contacts.points) {
        EXPECT_NEAR(contact.gap, gap, 1e-14);
        EXPECT_NEAR(contact.normal.z(), cosine, 1e-12);
        EXPECT_NEAR(std::abs(contact.normal.x()), sine, 1e-12);
      }
      EXPECT_LT(contacts.points[0].normal.x() * contacts.points[1].normal.x(), 0);
      const Real angle = random.uniform(-0.95, 0.95) * std::atan(slope);
      const Vec3 away(std::sin(angle), 0, std::cos(angle));
      contacts_of_pair(ridge, Sphere{radius}, at((radius + gap) * away + y * Vec3::UnitY()), margin,
                       contacts);
      ASSERT_EQ(contacts.points.size(), 1U);
      EXPECT_NEAR(contacts.points[0].gap, gap, 1e-14);
      EXPECT_LE((contacts.points[0].normal - away).norm(), 1e-12);
    }
  }
}

// A ball rolling from triangle to triangle of one plane keeps the name of its contact; another
// plane has another name.
TEST(MeshSphere, KeepsItsNameWithinAPlane) {
  const Shape box = shape_of(meshes::box({1, 1, 1}));
  PairContacts contacts;
  contacts_of_pair(box, Sphere{0.1}, at({-0.5, 0.3, 1.1}), 0.01, contacts);
  ASSERT_EQ(contacts.points.size(), 1U);
  const FeatureId top = contacts.points[0].feature;
  contacts_of_pair(box, Sphere{0.1}, at({0.5, -0.3, 1.1}), 0.01, contacts);
  ASSERT_EQ(contacts.points.size(), 1U);
  EXPECT_EQ(contacts.points[0].feature, top);
  contacts_of_pair(box, Sphere{0.1}, at({1.1, -0.3, 0.2}), 0.01, contacts);
  ASSERT_EQ(contacts.points.size(), 1U);
  EXPECT_NE(contacts.points[0].feature, top);
}

// A ball whose centre has passed the surface is pushed back out, through the nearest triangle, with
// the signed gap; the far side of a thin plate does not pull.
TEST(MeshSphere, PushesDeepBallsBackOut) {
  const Shape box = shape_of(meshes::box({1, 1, 1}));
  PairContacts contacts;
  contacts_of_pair(box, Sphere{0.3}, at({0.2, 0.1, 0.9}), 0.01, contacts);
  ASSERT_EQ(contacts.points.size(), 1U);
  EXPECT_LT((contacts.points[0].normal - Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_NEAR(contacts.points[0].gap, -0.4, 1e-15);
  const Shape plate = shape_of(meshes::box({1, 1, 0.01}));
  contacts_of_pair(plate, Sphere{0.3}, at({0.2, 0.1, 0.25}), 0.01, contacts);
  ASSERT_EQ(contacts.points.size(), 1U);
  EXPECT_NEAR(contacts.points[0].gap, 0.25 - 0.01 - 0.3, 1e-15);
}

// Swapping mesh and ball turns the contact round.
TEST(MeshSphere, IsTheSameSeenFromTheBall) {
  Random random(4);
  const Shape mesh = shape_of(meshes::graph(
      10, 1, 0.3, random, [](Real x, Real y) { return 0.3 * std::sin(x) * std::cos(y); }));
  PairContacts there, back;
  int contact_count = 0;
  for (int k = 0; k < 500; ++k) {
    const Pose X{Vec3(random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(0.5, 1.2)),
                 poses::rotation(random)};
    contacts_of_pair(mesh, Sphere{0.8}, X, 0.05, there);
    contacts_of_pair(Sphere{0.8}, mesh, X.inverse(), 0.05, back);
    ASSERT_EQ(there.points.size(), back.points.size());
    for (std::size_t i = 0; i < there.points.size(); ++i) {
      EXPECT_EQ(there.points[i].feature, back.points[i].feature);
      EXPECT_NEAR(there.points[i].gap, back.points[i].gap, 1e-14);
      EXPECT_LT((there.points[i].normal + X.q * back.points[i].normal).norm(), 1e-13);
      EXPECT_LT((there.points[i].position - X * back.points[i].position).norm(), 1e-13);
    }
    contact_count += static_cast<int>(there.points.size());
  }
  EXPECT_GT(contact_count, 200);
}

// On any surface, the contacts of a ball above it hold the nearest point of all, and every one of
// them is a point of the surface at the distance it says.
TEST(MeshSphere, HoldsTheNearestPoint) {
  Random random(5);
  const MeshData data = meshes::graph(
      16, 0.5, 0.3, random, [](Real x, Real y) { return 0.5 * std::sin(2 * x) * std::cos(3 * y); });
  const Shape mesh = shape_of(data);
  PairContacts contacts;
  int several = 0;
  for (int k = 0; k < 2000; ++k) {
    const Real radius = random.uniform(0.1, 1);
    const Vec3 p(random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(0.7, 1.5));
    contacts_of_pair(mesh, Sphere{radius}, at(p), 0.1, contacts);
    // Nearest distance by sampling the triangles, which can only be too large.
    Real nearest = 1e9;
    for (const auto& [i, j, l] : data.triangles)
      for (int s = 0; s <= 8; ++s)
        for (int r = 0; r + s <= 8; ++r) {
          const Vec3 q =
              (s * data.vertices[i] + r * data.vertices[j] + (8 - s - r) * data.vertices[l]) / 8;
          nearest = std::min(nearest, (p - q).norm());
        }
    Real least = 1e9;
    for (const PairContact& contact : contacts.points) {
      least = std::min(least, contact.gap);
      const Vec3 on_ball = p - radius * contact.normal;
      EXPECT_LT((contact.position + contact.gap / 2 * contact.normal - on_ball).norm(), 1e-13);
    }
    if (nearest <= radius + 0.1) {
      ASSERT_FALSE(contacts.points.empty());
      EXPECT_LE(least, nearest - radius + 1e-13);
      EXPECT_GE(least, nearest - radius - 0.02);
    }
    several += contacts.points.size() > 1;
  }
  EXPECT_GT(several, 10);
}

// The tree finds exactly the triangles whose boxes meet the query's box.
TEST(MeshTree, FindsWhatASearchOverAllFinds) {
  Random random(6);
  const auto mesh = meshes::surface(meshes::graph(
      40, 1, 0.3, random, [](Real x, Real y) { return std::sin(x) + std::cos(2 * y); }));
  for (int k = 0; k < 1000; ++k) {
    const Vec3 p(random.uniform(-22, 22), random.uniform(-22, 22), random.uniform(-2, 2));
    const Vec3 half = Vec3(random.uniform(), random.uniform(), random.uniform()) *
                      poses::log_uniform(random, 0.01, 10);
    const Aabb box{p - half, p + half};
    std::vector<int> found, expected;
    mesh->visit_near(box, [&](int t) { found.push_back(t); });
    std::sort(found.begin(), found.end());
    for (int t = 0; t < static_cast<int>(mesh->triangles().size()); ++t) {
      Vec3 low = mesh->corner(t, 0), high = low;
      for (int c = 1; c < 3; ++c) {
        low = low.cwiseMin(mesh->corner(t, c));
        high = high.cwiseMax(mesh->corner(t, c));
      }
      if ((low.array() <= box.upper.array()).all() && (high.array() >= box.lower.array()).all())
        expected.push_back(t);
    }
    ASSERT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
