#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/geometry/convex_hull.hpp>
#include <talus/geometry/separation.hpp>

#include "poses.hpp"
#include "shapes.hpp"

// Band G2 for cylinders, and M1 and M2 for their patches.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

using Long = long double;
constexpr Real kPi = std::numbers::pi;

/// The largest support gap that a search over directions finds: sampled, then walked uphill from
/// the best few. Never above the distance.
Real searched_gap(const Shape& a, const Shape& b, const Pose& X, Random& random, const Vec3& hint) {
  struct Start {
    Real gap;
    Vec3 n;
  };
  std::vector<Start> starts = {{support_gap(a, b, X, hint), hint}};
  for (int k = 0; k < 100; ++k) {
    const Vec3 n = poses::unit_vector(random);
    starts.push_back({support_gap(a, b, X, n), n});
  }
  std::sort(starts.begin(), starts.end(), [](auto& x, auto& y) { return x.gap > y.gap; });
  Real best = starts[0].gap;
  for (int k = 0; k < 3; ++k) {
    Start at = starts[k];
    int moves = 0;  // along a ridge of s it would go on in ever smaller ones
    for (Real step = 0.3; step > 1e-10 && moves < 400; ++moves) {
      bool is_better = false;
      const Vec3 u = at.n.unitOrthogonal(), w = at.n.cross(u);
      for (int d = 0; d < 8 && !is_better; ++d) {
        const Vec3 n =
            (at.n + step * (std::cos(d * kPi / 4) * u + std::sin(d * kPi / 4) * w)).normalized();
        const Real gap = support_gap(a, b, X, n);
        if (gap > at.gap) at = {gap, n}, is_better = true;
      }
      if (!is_better) step /= 2;
    }
    best = std::max(best, at.gap);
  }
  return best;
}

Shape random_shape(Random& random, const std::string& kind) {
  if (kind == "cylinder") {
    const Real size = poses::log_uniform(random, 1e-3, 1e3);
    return Cylinder{size * poses::log_uniform(random, 0.03, 1),
                    size * poses::log_uniform(random, 0.03, 1)};
  }
  if (kind == "box") return poses::box(random);
  if (kind == "capsule") return poses::capsule(random);
  return shapes::polytope(shapes::random_mesh(random, poses::log_uniform(random, 1e-3, 1e3), 30));
}

class CylinderAgainst : public testing::TestWithParam<std::string> {};

/// Over poses of a family: by how much the gap is above its proof, below a search, and not that of
/// the witnesses; of the size.
struct Errors {
  Real above_proof = 0, below_search = 0, witness = 0;
  int worst = -1;  ///< pose of the second
};

Errors errors_over_poses(const std::string& kind, int seed, int count,
                         std::optional<poses::Family> family = {}) {
  Random random(seed);
  Errors errors;
  for (int k = 0; k < count; ++k) {
    const Shape a = random_shape(random, "cylinder"), b = random_shape(random, kind);
    const auto any =
        static_cast<poses::Family>(random.bits() % static_cast<int>(poses::Family::count));
    const Pose X = poses::pose(random, a, b, family.value_or(any));
    const Real size = bounding_radius(a) + bounding_radius(b);
    const Separation s = separation(a, b, X);
    EXPECT_EQ(s.status, Separation::Status::certified) << "pose " << k;
    errors.above_proof = std::max(errors.above_proof, (s.gap - s.certified) / size);
    const Real missing = (searched_gap(a, b, X, random, s.normal) - s.gap) / size;
    if (missing > errors.below_search) errors.below_search = missing, errors.worst = k;
    errors.witness =
        std::max(errors.witness, std::abs(s.normal.dot(s.on_b - s.on_a) - s.gap) / size);
  }
  return errors;
}

// The gap of a cylinder is proved by the support gap of its normal to 1e-8 of the size, no search
// over directions finds a larger one, and the witnesses are that far apart along the normal.
TEST_P(CylinderAgainst, HasTheLargestSupportGap) {
  // In the second sequence, pose 25, an edge 0.2 sizes away lies along the normal of a touching
  // face.
  for (const int seed : {42, 295}) {
    const Errors errors = errors_over_poses(GetParam(), seed, 500);
    EXPECT_LE(errors.above_proof, 1e-8);
    EXPECT_LE(errors.below_search, 1e-8) << "pose " << errors.worst;
    EXPECT_LE(errors.witness, 1e-12);
    RecordProperty("above_proof", testing::PrintToString(errors.above_proof));
    RecordProperty("below_search", testing::PrintToString(errors.below_search));
  }
}

// So it is where lines and faces of the two are parallel but for 1e-12 … 1e-4 rad: there the
// distance from an edge hardly changes along it, and the place of its minimum says little about the
// normal. (One such pose in 3000 missed 7e-8 of the size.)
TEST_P(CylinderAgainst, HasTheLargestSupportGapWhereAllIsNearlyParallel) {
  for (const poses::Family family :
       {poses::Family::tilted_slightly, poses::Family::face_parallel}) {
    const Errors errors = errors_over_poses(GetParam(), 42, 10000, family);
    EXPECT_LE(errors.above_proof, 1e-8);
    EXPECT_LE(errors.below_search, 1e-8) << "pose " << errors.worst;
    EXPECT_LE(errors.witness, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, CylinderAgainst,
                         testing::Values("box", "capsule", "polytope", "cylinder"),
                         [](const auto& kind) { return kind.param; });

// Against a ball and a plane the gap is the closed form to 1e-14 of the size, computed here in long
// double.
TEST(Cylinder, HasTheClosedFormsOfBallAndPlane) {
  Random random(2);
  for (int k = 0; k < 10000; ++k) {
    const Shape a = random_shape(random, "cylinder");
    const Cylinder& c = std::get<Cylinder>(a);
    const Real r = poses::log_uniform(random, 1e-3, 1e3);
    const Real size = bounding_radius(a) + r;
    const Vec3 p = size * random.uniform(0, 1.2) * poses::unit_vector(random);
    const Long across = std::hypot(static_cast<Long>(p.x()), static_cast<Long>(p.y())) - c.radius;
    const Long along = std::abs(static_cast<Long>(p.z())) - c.half_length;
    const Long core = across > 0 && along > 0 ? std::hypot(across, along) : std::max(across, along);
    const Separation s = separation(a, Sphere{r}, {p, poses::rotation(random)});
    ASSERT_NEAR(s.gap, static_cast<Real>(core - r), 1e-14 * size);

    const Quat q = poses::rotation(random);
    const Eigen::Matrix<Long, 3, 1> up =
        q.cast<Long>().normalized().conjugate() * Eigen::Matrix<Long, 3, 1>::UnitZ();
    const Long lowest = static_cast<Long>(p.z()) - c.radius * std::hypot(up.x(), up.y()) -
                        c.half_length * std::abs(up.z());
    ASSERT_NEAR(separation(Plane{}, a, {p, q}).gap, static_cast<Real>(lowest), 1e-14 * size);
  }
}

// A cylinder resting upright or lying has the points of its patch at gaps −1e-6, 0 and 1e-6, and
// perturbations of 1e-9 change neither number nor names.
TEST(CylinderPatch, HasTheRightPointsAndDoesNotFlicker) {
  const Shape cylinder = Cylinder{0.5, 1}, slab = Box{{5, 5, 1}}, small = Box{{0.2, 0.3, 1}};
  const Shape hexagon = shapes::polytope(shapes::prism_mesh(6, 2, 1));
  const Quat lying(Eigen::AngleAxis<Real>(kPi / 2, Vec3::UnitX()));
  const Quat yaw(Eigen::AngleAxis<Real>(0.3, Vec3::UnitZ()));
  struct Resting {
    const char* name;
    Shape a, b;
    Pose pose;
    int point_count;
  };
  const std::vector<Resting> pairs = {
      {"upright on plane", Plane{}, cylinder, {{0, 0, 1}, yaw}, 4},
      {"lying on plane", Plane{}, cylinder, {{0, 0, 0.5}, lying}, 2},
      {"upright on slab", slab, cylinder, {{0.3, 0.1, 2}, yaw}, 8},
      {"lying on slab", slab, cylinder, {{0.3, 0.1, 1.5}, yaw * lying}, 2},
      {"upright on hexagon", hexagon, cylinder, {{0.1, 0.1, 2}, yaw}, 8},
      {"box on top", cylinder, small, {{0.05, 0, 2}, yaw}, 4},
      {"coin on coin", cylinder, cylinder, {{0, 0, 2}, Quat::Identity()}, 8},
      {"capsule lying on top", cylinder, Capsule{0.1, 0.2}, {{0.05, 0, 1.1}, lying}, 2},
      {"capsule standing on top", cylinder, Capsule{0.1, 0.2}, {{0.05, 0, 1.3}, yaw}, 1},
  };
  Random random(3);
  for (const Resting& pair : pairs)
    for (const Real gap : {-1e-6, 0.0, 1e-6}) {
      Pose rest = pair.pose;
      rest.p.z() += gap;
      const Manifold m = manifold(pair.a, pair.b, rest, 1e-3);
      EXPECT_EQ(m.point_count, pair.point_count) << pair.name << " at gap " << gap;
      EXPECT_LT((m.normal - Vec3::UnitZ()).norm(), 1e-12) << pair.name << " at gap " << gap;
      for (int i = 0; i < m.point_count; ++i) EXPECT_NEAR(m.points[i].gap, gap, 1e-12) << pair.name;
      int flickers = 0;
      for (int k = 0; k < 200; ++k) {
        Pose X = rest;
        X.p += 1e-9 * poses::unit_vector(random);
        X.q = rotation_exp(1e-9 * poses::unit_vector(random)) * X.q;
        const Manifold n = manifold(pair.a, pair.b, X, 1e-3);
        bool is_same = n.point_count == m.point_count;
        for (int i = 0; is_same && i < m.point_count; ++i)
          is_same = n.points[i].feature == m.points[i].feature;
        flickers += !is_same;
      }
      EXPECT_EQ(flickers, 0) << pair.name << " at gap " << gap;
    }
}

// A cylinder lying along a line that is parallel to it but for a small angle touches all along:
// with both ends, where the bodies are apart by what two circles are, and with the point where the
// lines cross.
TEST(CylinderPatch, HoldsBothEndsOfALineThatIsNearlyParallel) {
  constexpr Real kRadius = 0.5, kGap = -1e-6;
  const Shape cylinder = Cylinder{kRadius, 1};
  const Quat lying(Eigen::AngleAxis<Real>(kPi / 2, Vec3::UnitY()));
  const Quat on_edge(Eigen::AngleAxis<Real>(kPi / 4, Vec3::UnitX()));
  struct Line {
    const char* name;
    Shape shape;
    Quat along_x;
    Real height, radius;
  };
  const std::vector<Line> lines = {
      {"edge of a box", Box{{2, 0.5, 0.5}}, on_edge, std::sqrt(0.5), 0},
      {"capsule", Capsule{0.25, 2}, lying, 0.25, 0.25},
      {"cylinder", Cylinder{0.25, 2}, lying, 0.25, 0.25},
  };
  for (const Line& line : lines)
    for (const Real angle : {0.0, 1e-8, 1e-5, 1e-3, 9e-3}) {
      const Quat yaw(Eigen::AngleAxis<Real>(angle, Vec3::UnitZ()));
      const Pose X = Pose{{0, 0, line.height}, line.along_x}.inverse() *
                     Pose{{0, 0, 2 * line.height + kRadius + kGap}, yaw * lying};
      const Manifold m = manifold(line.shape, cylinder, X, 1e-3);
      Real left = 0, right = 0, least = 1;
      for (int i = 0; i < m.point_count; ++i) {
        const Real x = (line.along_x * m.points[i].position).x();
        left = std::min(left, x), right = std::max(right, x);
        const Real aside = std::abs(x) * std::tan(angle), radii = kRadius + line.radius;
        EXPECT_NEAR(m.points[i].gap, kGap + radii - std::sqrt(radii * radii - aside * aside),
                    1e-4 * aside * aside + 1e-12)
            << line.name << " at " << angle;
        least = std::min(least, m.points[i].gap);
      }
      EXPECT_NEAR(left, -1, angle + 1e-12) << line.name << " at " << angle;
      EXPECT_NEAR(right, 1, angle + 1e-12) << line.name << " at " << angle;
      EXPECT_NEAR(least, kGap, 2e-6) << line.name << " at " << angle;
    }
}

// A cylinder that lies across an edge of a box touches it where the two cross, whichever of the
// twelve edges it is and however deep.
TEST(CylinderPatch, CrossesAnEdgeWhereTheyMeet) {
  Random random(6);
  const Shape cylinder = Cylinder{0.5, 1}, box = Box{{1, 1, 1}};
  for (int k = 0; k < 500; ++k) {
    const Real yaw = random.uniform(0.1, 3), gap = -poses::log_uniform(random, 1e-6, 0.1);
    Quat turned(Eigen::AngleAxis<Real>(random.uniform(0.5, 1.0), Vec3::UnitX()));
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)})
      turned *= Quat(Eigen::AngleAxis<Real>(kPi / 2 * static_cast<Real>(random.bits() % 4), axis));
    Vec3 top = Vec3::Zero();  // the middle of the highest edge
    for (const Real x : {-1.0, 0.0, 1.0})
      for (const Real y : {-1.0, 0.0, 1.0})
        for (const Real z : {-1.0, 0.0, 1.0}) {
          const Vec3 there = turned * Vec3(x, y, z);
          if (std::abs(there.x()) < 1e-9 && there.z() > top.z()) top = there;
        }
    const Quat lying = Quat(Eigen::AngleAxis<Real>(yaw, Vec3::UnitZ())) *
                       Quat(Eigen::AngleAxis<Real>(kPi / 2, Vec3::UnitY()));
    const Vec3 up(0, 0, 1);
    const Manifold m =
        manifold(box, cylinder, Pose{-top, turned}.inverse() * Pose{(0.5 + gap) * up, lying}, 1e-3);
    ASSERT_EQ(m.point_count, 1) << k;
    EXPECT_LT((turned * m.normal - up).norm(), 1e-9) << k;
    EXPECT_NEAR(m.points[0].gap, gap, 1e-12) << k;
    EXPECT_LT((turned * m.points[0].position - top - gap / 2 * up).norm(), 1e-9) << k;
  }
}

// Of the vertices in a plane with the axis, which have one normal to the mantle, the lowest one is
// touched: an octahedron rolls off an edge that is parallel to the axis onto either end of it, and
// its witness is its own point, in the cylinder.
TEST(CylinderPatch, TouchesTheLowestOfVerticesInAPlaneWithTheAxis) {
  shapes::Mesh mesh = shapes::octahedron_mesh();
  for (Vec3& x : mesh.vertices) x *= 0.06;
  const Shape octahedron = shapes::polytope(mesh);
  const Cylinder cylinder{0.04, 0.05};
  for (const Real tilt : {-0.3, -0.1, -0.012, -1e-4, 1e-4, 0.012, 0.1, 0.3}) {
    Pose X{Vec3(-1, 0, 0.005), Quat(Eigen::AngleAxis<Real>(kPi / 4 + tilt, Vec3::UnitY()))};
    X.p.x() += separation(cylinder, octahedron, X).gap + 5e-4;
    const Separation found = separation(cylinder, octahedron, X);
    EXPECT_NEAR(found.gap, -5e-4, 1e-12) << "tilt " << tilt;
    const Vec3 on_b = X.inverse() * found.on_b;
    EXPECT_NEAR(on_b.cwiseAbs().sum(), 0.06, 1e-9) << "tilt " << tilt;
    EXPECT_LT(std::abs(found.on_a.z()), cylinder.half_length) << "tilt " << tilt;
    EXPECT_NEAR(found.on_a.head<2>().norm(), cylinder.radius, 1e-9) << "tilt " << tilt;
  }
}

// A tilted cylinder touches with its lowest point, wherever that is on the rim.
TEST(CylinderPatch, HoldsTheLowestPointOfTheRim) {
  Random random(4);
  const Shape cylinder = Cylinder{0.5, 1};
  for (int k = 0; k < 500; ++k) {
    const Real tilt = poses::log_uniform(random, 1e-4, 1.5), turn = random.uniform(0, 7);
    const Quat q = Quat(Eigen::AngleAxis<Real>(tilt, Vec3(std::cos(turn), std::sin(turn), 0))) *
                   Quat(Eigen::AngleAxis<Real>(random.uniform(0, 7), Vec3::UnitZ()));
    const Real height = 0.5 * std::sin(tilt) + std::cos(tilt);
    for (const bool on_box : {false, true}) {
      const Shape floor = on_box ? Shape(Box{{5, 5, 1}}) : Shape(Plane{});
      const Manifold m =
          manifold(floor, cylinder, {{0.1, 0.2, height + (on_box ? 1 : 0)}, q}, 1e-3);
      ASSERT_GE(m.point_count, 1);
      Real lowest = 1;
      for (int i = 0; i < m.point_count; ++i) lowest = std::min(lowest, m.points[i].gap);
      EXPECT_NEAR(lowest, 0, 3e-6) << "tilt " << tilt;
      EXPECT_LT((m.normal - Vec3::UnitZ()).norm(), 1e-12);
    }
  }
}

// Inside a pipe a ball, a capsule, a box and a cylinder touch the wall with their farthest points,
// by gaps in closed form; a closed pipe has ends, an open one has none and no outside.
TEST(Pipe, HoldsBodiesInside) {
  const Shape closed = Pipe{2, 3, true}, open = Pipe{2, 3, false};
  PairContacts contacts;
  const auto count = [&](const Shape& pipe, const Shape& b, const Pose& X) {
    contacts_of_pair(pipe, b, X, 1e-3, contacts);
    for (const PairContact& contact : contacts.points) EXPECT_NEAR(contact.gap, 1e-6, 1e-14);
    return contacts.points.size();
  };
  const auto at = [](const Vec3& p) { return Pose{p, Quat::Identity()}; };
  ASSERT_EQ(count(closed, Sphere{0.5}, at({0, 1.5 - 1e-6, 1})), 1U);
  EXPECT_LT((contacts.points[0].normal + Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((contacts.points[0].position - Vec3(0, 2 - 0.5e-6, 1)).norm(), 1e-15);
  EXPECT_EQ(count(closed, Sphere{0.5}, at({0, 0, 2.5 - 1e-6})), 1U);
  EXPECT_EQ(count(closed, Sphere{0.5}, at({0, 0, -2.5 + 1e-6})), 1U);
  EXPECT_EQ(count(closed, Capsule{0.5, 1}, at({1.5 - 1e-6, 0, 0})), 2U);
  EXPECT_EQ(count(closed, Box{{0.5, 0.5, 0.5}},
                  at({std::sqrt((2 - 1e-6) * (2 - 1e-6) - 0.25) - 0.5, 0, 0})),
            4U);
  EXPECT_EQ(count(closed, Cylinder{0.5, 1}, at({1.5 - 1e-6, 0, 0})), 2U);
  EXPECT_EQ(count(open, Sphere{0.5}, at({0, 0, 2.5 - 1e-6})), 0U);
  EXPECT_EQ(count(open, Sphere{0.5}, at({0, 1.5 - 1e-6, 1})), 1U);
  EXPECT_EQ(count(open, Sphere{0.5}, at({0, 1.5 - 1e-6, 3.1})), 0U);
  EXPECT_EQ(count(open, Sphere{0.5}, at({0, 2.4, 1})), 0U);
  // A hull is inside or not, wherever its frame has its origin.
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i)
    corners.emplace_back(10 + (i & 1 ? 0.5 : -0.5), i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
  const Shape hull = std::make_shared<const Polytope>(convex_hull(corners));
  const Real inside = std::sqrt((2 - 1e-6) * (2 - 1e-6) - 0.25) - 0.5;
  EXPECT_EQ(count(open, hull, at({inside - 10, 0, 0})), 4U);
  EXPECT_EQ(count(open, hull, at({0, 0, 0})), 0U);
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
