#include <talus/geometry/separation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <talus/geometry/manifold.hpp>

#include "poses.hpp"
#include "reference.hpp"
#include "shapes.hpp"

// Bands G1, G3, G4, G7 and G8 of the narrow phase, against the long-double reference: 10⁴ poses per
// pair of shapes, half of them degenerate.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

using reference::Long;

constexpr int kPoses = 10000;

Shape random_shape(Random& random, const std::string& kind) {
  if (kind == "sphere") return poses::sphere(random);
  if (kind == "plane") return Plane{};
  if (kind == "box") return poses::box(random);
  if (kind == "capsule") return poses::capsule(random);
  const Real size = poses::log_uniform(random, 1e-3, 1e3);
  const auto polytope = shapes::polytope(shapes::random_mesh(random, size, 100));
  if (kind == "polytope") return polytope;
  const Vec3 aside = 2 * size * poses::unit_vector(random);
  return std::make_shared<const Polytope>(polytope->moved(1, aside));
}

/// Largest values over all poses, in units of the size R = R_A + R_B.
struct Worst {
  Long gap = 0, certificate_low = 0, certificate_overlap = 0, certificate_apart = 0, witness = 0,
       witness_gap = 0, witness_off = 0, warm_gap = 0;
  int wrong_signs = 0, stalled = 0, iterations = 0;
};

/// Signed distance of a point to the surface of a body.
Long surface_distance(const reference::Body& body, const Vec3& point) {
  reference::Body ball;
  ball.points = {point.cast<Long>()};
  return reference::gap(body, ball);
}

Worst worst_over_poses(const std::string& kind_a, const std::string& kind_b, int count) {
  Random random(20240501);
  Worst worst;
  for (int k = 0; k < count; ++k) {
    const Shape a = random_shape(random, kind_a), b = random_shape(random, kind_b);
    const auto family =
        static_cast<poses::Family>(random.bits() % static_cast<int>(poses::Family::count));
    const Pose X = poses::pose(random, a, b, family);
    const Long size = bounding_radius(a) + bounding_radius(b);
    const reference::Body body_a = reference::make(a), body_b = moved(reference::make(b), X);
    const Long expected = reference::gap(body_a, body_b);
    SCOPED_TRACE("pose " + std::to_string(k));

    SeparationCache cache;
    const Separation s = separation(a, b, X, &cache);
    const auto update = [](Long& value, Long candidate) { value = std::max(value, candidate); };
    update(worst.gap, std::abs(s.gap - expected) / size);
    worst.wrong_signs += std::abs(expected) > 1e-14L * size && (s.gap > 0) != (expected > 0);
    worst.stalled += s.status != Separation::Status::certified;
    worst.iterations = std::max(worst.iterations, s.iteration_count);

    const reference::LVec n = s.normal.cast<Long>().normalized();
    EXPECT_NEAR(s.normal.norm(), 1, poses::kUnitNorm);
    const Long slack = (s.gap - reference::support_gap(body_a, body_b, n)) / size;
    update(worst.certificate_low, -slack);
    update(expected < 0 ? worst.certificate_overlap : worst.certificate_apart, slack);

    update(worst.witness, std::abs(surface_distance(body_a, s.on_a)) / size);
    update(worst.witness, std::abs(surface_distance(body_b, s.on_b)) / size);
    update(worst.witness_gap, std::abs(n.dot((s.on_b - s.on_a).cast<Long>()) - s.gap) / size);
    if (expected < 0)
      update(worst.witness_off, ((s.on_b - s.on_a).cast<Long>() - Long(s.gap) * n).norm() / size);

    cache.axis = (cache.axis + 0.1 * poses::unit_vector(random)).normalized();
    update(worst.warm_gap, std::abs(separation(a, b, X, &cache).gap - s.gap) / size);
  }
  return worst;
}

class SeparationOf : public testing::TestWithParam<std::pair<std::string, std::string>> {};

// The gap is the signed distance to round-off with the right sign at any gap, its certificate
// proves it, the witnesses lie on the surfaces, and a warm start changes nothing.
TEST_P(SeparationOf, IsExactAndCertified) {
  const auto& [kind_a, kind_b] = GetParam();
  const Worst worst = worst_over_poses(kind_a, kind_b, kPoses);
  EXPECT_LE(worst.gap, 1e-13L);
  EXPECT_EQ(worst.wrong_signs, 0);
  EXPECT_EQ(worst.stalled, 0);
  EXPECT_LE(worst.certificate_low, 1e-14L);
  EXPECT_LE(worst.certificate_overlap, 1e-14L);
  EXPECT_LE(worst.certificate_apart, 1e-8L);
  EXPECT_LE(worst.witness, 1e-12L);
  EXPECT_LE(worst.witness_gap, 1e-12L);
  // Cores of round shapes are apart where the shapes overlap: their closest points are found to the
  // root of round-off across the normal.
  const auto is_round = [](const std::string& kind) {
    return kind == "sphere" || kind == "capsule";
  };
  EXPECT_LE(worst.witness_off, is_round(kind_a) || is_round(kind_b) ? 1e-7L : 1e-12L);
  EXPECT_LE(worst.warm_gap, 1e-14L);
  EXPECT_LE(worst.iterations, 64);
  const auto record = [](const char* name, Long value) {
    RecordProperty(name, testing::PrintToString(static_cast<double>(value)));
  };
  record("gap", worst.gap);
  record("certificate_overlap", worst.certificate_overlap);
  record("certificate_apart", worst.certificate_apart);
  record("witness", worst.witness);
  record("warm_gap", worst.warm_gap);
  record("iterations", worst.iterations);
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, SeparationOf,
    testing::Values(std::pair("sphere", "sphere"), std::pair("sphere", "box"),
                    std::pair("sphere", "capsule"), std::pair("sphere", "polytope"),
                    std::pair("box", "box"), std::pair("box", "capsule"),
                    std::pair("box", "polytope"), std::pair("capsule", "capsule"),
                    std::pair("capsule", "polytope"), std::pair("polytope", "polytope"),
                    std::pair("box", "polytope_beside_its_origin"),
                    std::pair("polytope_beside_its_origin", "polytope_beside_its_origin")),
    [](const auto& pair) { return pair.param.first + "_" + pair.param.second; });

// Against a plane the gap is the lowest height of the other shape, its normal e_z, and the
// witnesses are the lowest point and its foot; swapped, the same seen from the other side.
TEST(SeparationFromPlane, IsTheLowestHeight) {
  Random random(77);
  for (const std::string kind : {"sphere", "box", "capsule", "polytope"})
    for (int k = 0; k < kPoses; ++k) {
      const Shape b = random_shape(random, kind);
      const Real size = bounding_radius(b);
      const auto family =
          static_cast<poses::Family>(random.bits() % static_cast<int>(poses::Family::count));
      Pose X{size * poses::unit_vector(random), poses::orientation(random, family)};
      X.p.z() =
          poses::extent(b, -(X.q.conjugate() * Vec3::UnitZ())) + poses::relative_gap(random) * size;
      const reference::Body body = moved(reference::make(b), X);
      Long expected = body.points[0].z();
      for (const auto& x : body.points) expected = std::min(expected, x.z());
      expected -= body.radius;

      const Separation s = separation(Plane{}, b, X);
      ASSERT_NEAR(s.gap, static_cast<Real>(expected), 1e-14 * size);
      ASSERT_EQ(s.normal, Vec3::UnitZ());
      ASSERT_EQ(s.on_a.z(), 0);
      ASSERT_LE(std::abs(surface_distance(body, s.on_b)), 1e-14L * size);
      ASSERT_EQ(s.status, Separation::Status::certified);
      const Separation swapped = separation(b, Plane{}, X.inverse());
      ASSERT_NEAR(swapped.gap, s.gap, 1e-14 * size);
      ASSERT_LT((swapped.normal + X.q.conjugate() * s.normal).norm(), 1e-15);

      const Manifold m = manifold(Plane{}, b, X, 0.1 * size);
      ASSERT_EQ(m.point_count > 0, s.gap <= 0.1 * size);
      if (m.point_count == 0) continue;
      Real lowest = m.points[0].gap;
      for (int i = 1; i < m.point_count; ++i) lowest = std::min(lowest, m.points[i].gap);
      ASSERT_NEAR(lowest, s.gap, 1e-14 * size);
    }
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
