#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/geometry/manifold.hpp>
#include <talus/geometry/separation.hpp>

#include "poses.hpp"
#include "reference.hpp"
#include "shapes.hpp"

// Band G5: face and edge contacts slid along their exact normal through gap zero.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

using reference::LMat;
using reference::Long;
using reference::LVec;

const std::vector<Real> kGaps = {1e-3,   1e-5,   1e-7,   1e-9,  1e-11, 1e-13, 1e-15, 0,
                                 -1e-15, -1e-13, -1e-11, -1e-9, -1e-7, -1e-5, -1e-3};

Shape random_body(Random& random) {
  if (random.uniform() < 0.4)
    return Box{Vec3(random.uniform(0.5, 1), random.uniform(0.5, 1), random.uniform(0.5, 1))};
  if (random.uniform() < 0.5)
    return shapes::polytope(
        shapes::prism_mesh(3 + static_cast<int>(random.uniform(0, 4)), 1, random.uniform(0.5, 1)));
  return shapes::polytope(shapes::octahedron_mesh());
}

struct Contact {
  Shape a, b;
  Quat q;
  LVec normal;     // exact, in A's frame
  LVec p_at_zero;  // position of B at gap 0
};

LVec point_in_face(const reference::Body& body, const std::vector<int>& face, Random& random) {
  LVec centre = LVec::Zero();
  for (const int i : face) centre += body.points[i] / static_cast<Long>(face.size());
  const LVec& corner =
      body.points[face[static_cast<std::size_t>(random.uniform(0, 1) * face.size())]];
  return centre + random.uniform(0, 0.5) * (corner - centre);
}

LMat matrix(const Quat& q) { return q.cast<Long>().normalized().toRotationMatrix(); }

/// A corner of B on a face of A.
Contact face_contact(Random& random) {
  Contact c{random_body(random), random_body(random), poses::rotation(random), {}, {}};
  const reference::Body a = reference::make(c.a), b = reference::make(c.b);
  const auto& face = a.faces[static_cast<std::size_t>(random.uniform() * a.faces.size())];
  c.normal = reference::face_normal(a, face);
  const LMat R = matrix(c.q);
  const auto lowest = std::min_element(
      b.points.begin(), b.points.end(),
      [&](const LVec& x, const LVec& y) { return c.normal.dot(R * x) < c.normal.dot(R * y); });
  c.p_at_zero = point_in_face(a, face, random) - R * *lowest;
  return c;
}

/// The direction in the middle part of the arc between the normals of the two faces at an edge.
LVec edge_normal(const reference::Body& body, std::pair<int, int> edge, Random& random) {
  LVec n = LVec::Zero();
  Long weight = random.uniform(0.35, 0.65);
  for (const auto& face : body.faces) {
    if (std::find(face.begin(), face.end(), edge.first) == face.end()) continue;
    if (std::find(face.begin(), face.end(), edge.second) == face.end()) continue;
    n += weight * reference::face_normal(body, face);
    weight = 1 - weight;
  }
  return n.normalized();
}

/// An edge of B across an edge of A.
Contact edge_contact(Random& random) {
  Contact c{random_body(random), random_body(random), Quat::Identity(), {}, {}};
  const reference::Body a = reference::make(c.a), b = reference::make(c.b);
  const auto ea = a.edges[static_cast<std::size_t>(random.uniform() * a.edges.size())];
  const auto eb = b.edges[static_cast<std::size_t>(random.uniform() * b.edges.size())];
  const LVec na = edge_normal(a, ea, random), nb = edge_normal(b, eb, random);
  const LVec da = (a.points[ea.second] - a.points[ea.first]).normalized();
  const LVec db = (b.points[eb.second] - b.points[eb.first]).normalized();
  // Turn n_B to −n_A, then about it until the edges cross at 0.4 to π − 0.4 rad.
  LMat from, to;
  from << nb, db, nb.cross(db);
  const Long angle = random.uniform(0.4, 2.74);
  const LVec target = std::cos(angle) * da + std::sin(angle) * na.cross(da);
  to << -na, target, (-na).cross(target);
  c.q = Eigen::Quaternion<Long>(LMat(to * from.transpose())).normalized().cast<Real>();
  const LMat R = matrix(c.q);
  c.normal = da.cross(R * db).normalized();
  if (c.normal.dot(na) < 0) c.normal = -c.normal;
  const Long s = random.uniform(0.3, 0.7), t = random.uniform(0.3, 0.7);
  c.p_at_zero = (1 - s) * a.points[ea.first] + s * a.points[ea.second] -
                R * ((1 - t) * b.points[eb.first] + t * b.points[eb.second]);
  return c;
}

void check_slide(const Contact& c) {
  const Real size = bounding_radius(c.a) + bounding_radius(c.b);
  for (const Real gap : kGaps) {
    const Pose X{(c.p_at_zero + gap * c.normal).cast<Real>(), c.q};
    const Separation s = separation(c.a, c.b, X);
    EXPECT_NEAR(s.gap, gap, 1e-14 * size);
    EXPECT_LT((s.normal.cast<Long>() - c.normal).norm(), 1e-12L) << "at gap " << gap;
    const Manifold m = manifold(c.a, c.b, X, 1e-2);
    ASSERT_GE(m.point_count, 1);
    EXPECT_LT((m.normal.cast<Long>() - c.normal).norm(), 1e-12L) << "at gap " << gap;
    Real deepest = m.points[0].gap;
    for (int i = 1; i < m.point_count; ++i) deepest = std::min(deepest, m.points[i].gap);
    EXPECT_NEAR(deepest, gap, 1e-14 * size);
  }
}

// The normal of a corner-on-face contact does not move and its gap stays exact while the gap goes
// from 1e-3 through zero to −1e-3.
TEST(Slide, FaceContactsKeepTheirNormalThroughZero) {
  Random random(11);
  for (int k = 0; k < 500; ++k) check_slide(face_contact(random));
}

// The same for two crossing edges.
TEST(Slide, EdgeContactsKeepTheirNormalThroughZero) {
  Random random(12);
  for (int k = 0; k < 500; ++k) check_slide(edge_contact(random));
}

// Two edges that are parallel, or nearly so, meet with the middle of the normals that they have in
// common, whatever the last digits of the way by which they met: the gap goes from 1e-7 through
// zero to −1e-7 and the edges are up to 1e-7 beside each other. (The normal was that of one face or
// of the other, and of the offset where they were apart.)
TEST(Slide, ParallelEdgesKeepTheMiddleNormalThroughZero) {
  Random random(13);
  const Shape card = Box{{0.02, 0.5, 1}};
  for (int k = 0; k < 200; ++k) {
    // Both lean by the angle towards each other and touch with the inner edges of their tops.
    const Real angle = random.uniform(0.1, 0.6), yaw = k % 2 == 0 ? 0 : random.uniform(-1e-7, 1e-7);
    const Quat left(Eigen::AngleAxis<Real>(angle, Vec3::UnitY()));
    const Quat right = Quat(Eigen::AngleAxis<Real>(yaw, Vec3::UnitZ())) *
                       Quat(Eigen::AngleAxis<Real>(-angle, Vec3::UnitY()));
    const Vec3 top_left = left * Vec3(0.02, 0, 1), top_right = right * Vec3(-0.02, 0, 1);
    for (const Real gap : {1e-7, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-7})
      for (const Real beside : {-1e-7, 0.0, 1e-7}) {
        const Pose X_WA{-top_left, left}, X_WB{Vec3(gap, 0.1, beside) - top_right, right};
        const Manifold m = manifold(card, card, X_WA.inverse() * X_WB, 1e-2);
        ASSERT_EQ(m.point_count, 2);
        EXPECT_LT((left * m.normal - Vec3::UnitX()).norm(), 1e-6)
            << "gap " << gap << ", beside " << beside << ", angle " << angle << ", yaw " << yaw;
        for (int i = 0; i < 2; ++i) EXPECT_NEAR(m.points[i].gap, gap, 1e-7);
      }
  }
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
