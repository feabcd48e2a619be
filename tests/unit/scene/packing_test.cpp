#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include <talus/geometry/shape.hpp>

#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

Real bounding_radius(const Scene& scene, Index body) {
  return geometry::bounding_radius(scene.model.bodies[body].shape);
}

/// A cube of edge 20 ball radii, its lower corner away from the origin: walls that are planes, or a
/// periodic cell. A scene that loads has no overlap, nor with the walls: none is allowed.
std::string scene_of(const std::string& packing, bool is_periodic) {
  std::string text =
      "overlap_limit: 0\n"
      "bodies:\n"
      "  - {name: balls, density: 1000, packing: {shape: {sphere: 1 cm}, region: {min: [30 cm, "
      "-10 cm, 7 cm], max: [50 cm, 10 cm, 27 cm]}, " +
      packing + "}}\n";
  if (is_periodic)
    return "periodic: {x: [30 cm, 50 cm], y: [-10 cm, 10 cm], z: [7 cm, 27 cm]}\n" + text;
  const char* const names = "xyz";
  const Real low[] = {0.3, -0.1, 0.07};
  for (int k = 0; k < 3; ++k)
    for (const int side : {0, 1}) {
      Vec3 point = Vec3::Zero(), normal = Vec3::Zero();
      point[k] = low[k] + 0.2 * side;
      normal[k] = side == 0 ? 1 : -1;
      text += fmt::format(
          "  - {{name: wall_{}{}, fixed: true, shape: {{plane: {{normal: [{}, {}, {}]}}}}, "
          "position: [{}, {}, {}]}}\n",
          names[k], side, normal.x(), normal.y(), normal.z(), point.x(), point.y(), point.z());
    }
  return text;
}

struct Measured {
  Index count = 0;
  Real fraction = 0, nearest = 1;  ///< least distance between two bounding balls [m]
  Real largest_share = 0;          ///< that one ball has of the region
};

Measured measure(const Scene& scene) {
  Measured measured;
  while (measured.count < scene.model.body_count() &&
         scene.model.body_name(measured.count).starts_with("balls"))
    ++measured.count;
  for (Index i = 0; i < measured.count; ++i) {
    const Real r = bounding_radius(scene, i);
    const Real share = 4 * std::numbers::pi / 3 * r * r * r / (0.2 * 0.2 * 0.2);
    measured.fraction += share;
    measured.largest_share = std::max(measured.largest_share, share);
    for (Index j = 0; j < i; ++j) {
      const Vec3 apart = scene.initial.position[j] - scene.initial.position[i];
      measured.nearest = std::min(
          measured.nearest, scene.model.cell.nearest(apart).norm() - r - bounding_radius(scene, j));
    }
  }
  return measured;
}

// A packing has the fraction that was asked for, to half of its last body, and not the least
// overlap: with walls and in a periodic cell, with equal balls and with others.
TEST(Packing, ReachesTheFractionWithoutOverlap) {
  struct Case {
    Real fraction;
    bool is_periodic;
    const char* sizes;
  };
  for (const Case& c :
       {Case{0.55, false, ""}, Case{0.58, true, ""}, Case{0.60, true, ""},
        Case{0.55, false, ", size_spread: 30 %"}, Case{0.60, true, ", size_spread: 30 %"},
        Case{0.58, true, ", sizes: {table: {sizes: [0.5, 1.2], shares: [8, 1]}}"}}) {
    const std::string packing = fmt::format("fraction: {}{}", c.fraction, c.sizes);
    SCOPED_TRACE(packing + (c.is_periodic ? ", periodic" : ", walls"));
    const Scene scene = SceneFolder().load(scene_of(packing, c.is_periodic));
    const Measured measured = measure(scene);
    EXPECT_NEAR(measured.fraction, c.fraction, measured.largest_share / 2 + 1e-12);
    EXPECT_GE(measured.nearest, 0);
    EXPECT_LT(measured.nearest, 1e-4) << "not dense: nothing is tested";
  }
}

// A count gives as many bodies; a gap is kept between all of them, across periodic faces too, but
// not from the walls; along a direction that is not periodic the region holds the whole bodies.
TEST(Packing, KeepsCountRegionAndGap) {
  const std::string packing = "count: 700, gap: 1 mm, size_spread: 20 %";
  for (const bool is_periodic : {false, true}) {
    const Scene scene = SceneFolder().load(scene_of(packing, is_periodic));
    const Measured measured = measure(scene);
    ASSERT_EQ(measured.count, 700);
    EXPECT_GE(measured.nearest, 1e-3);
    EXPECT_LT(measured.nearest, 1.1e-3);
    const Vec3 low(0.3, -0.1, 0.07);
    Vec3 from_low = Vec3::Ones(), to_high = Vec3::Ones();
    for (Index i = 0; i < 700; ++i) {
      const Vec3 depth = (scene.initial.position[i] - low).array() - bounding_radius(scene, i);
      const Vec3 height = (0.2 - (scene.initial.position[i] - low).array()).matrix() -
                          Vec3::Constant(bounding_radius(scene, i));
      from_low = from_low.cwiseMin(depth);
      to_high = to_high.cwiseMin(height);
    }
    for (const Vec3& room : {from_low, to_high}) {
      if (is_periodic) {
        EXPECT_LT(room.maxCoeff(), -0.005) << "no ball sticks out of a face";
        EXPECT_GT(room.minCoeff(), -0.012001) << "a centre is outside of the cell";
      } else {
        EXPECT_GE(room.minCoeff(), 0);
        EXPECT_LT(room.maxCoeff(), 5e-4) << "no ball at a wall";
      }
    }
  }
}

// A region that fills the cell along x alone goes on across these faces and has walls elsewhere.
TEST(Packing, HasWallsWhereTheCellIsNotFilled) {
  const Scene scene = SceneFolder().load(R"(
overlap_limit: 0
periodic: {x: [0, 20 cm], y: [0, 40 cm]}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - {name: balls, mass: 1, packing: {shape: {sphere: 1 cm}, fraction: 0.55,
                                     region: {min: [0, 10 cm, 0], max: [20 cm, 30 cm, 20 cm]}}}
)");
  int sticking_out = 0;
  for (Index i = 1; i < scene.model.body_count(); ++i) {
    const Vec3& p = scene.initial.position[i];
    sticking_out += p.x() < 0.01 || p.x() > 0.19;
    EXPECT_GE(std::min({p.y() - 0.1, 0.3 - p.y(), p.z(), 0.2 - p.z()}), 0.01);
  }
  EXPECT_GT(sticking_out, 50);
}

// The same seed gives the same bits, another seed other places; orientations change no place.
TEST(Packing, DependsOnTheSeedAlone) {
  const auto load = [](const std::string& options) {
    return SceneFolder().load(scene_of("fraction: 0.5, size_spread: 10 %" + options, true));
  };
  const Scene scene = load("");
  EXPECT_EQ(scene.initial.hash(), load(", seed: 1").initial.hash());
  const Scene other = load(", seed: 2");
  EXPECT_NE(scene.initial.position[0], other.initial.position[0]);
  EXPECT_NE(bounding_radius(scene, 0), bounding_radius(other, 0));
  const Scene turned = load(", random_orientation: true");
  EXPECT_EQ(scene.initial.position, turned.initial.position);
  EXPECT_NE(scene.initial.orientation[0].coeffs(), turned.initial.orientation[0].coeffs());
}

// Shapes other than balls are packed by their bounding balls, however they are turned.
TEST(Packing, PacksBoundingBalls) {
  const std::string text = scene_of("fraction: 0.55, random_orientation: true", false);
  const std::string ball = "{sphere: 1 cm}";
  std::string boxes = text;
  boxes.replace(boxes.find(ball), ball.size(), "{box: [2 cm, 1 cm, 1 cm]}");
  const Measured measured = measure(SceneFolder().load(boxes));
  EXPECT_GE(measured.nearest, 0);
  EXPECT_NEAR(measured.fraction, 0.55, measured.largest_share / 2 + 1e-12);
}

// Twenty thousand balls are packed at 0.58, without overlap: the check that every scene passes sees
// all of them.
TEST(Packing, ManyBalls) {
  const Scene scene = SceneFolder().load(R"(
overlap_limit: 0
periodic: {x: [0, 1], y: [0, 1], z: [0, 1]}
bodies:
  - {name: balls, mass: 1, packing: {shape: {sphere: 19.06 mm}, fraction: 0.58,
                                     region: {min: [0, 0, 0], max: [1, 1, 1]}}}
)");
  EXPECT_NEAR(static_cast<Real>(scene.model.body_count()), 20000, 50);
}

// A few balls in a huge region are as easy as many in a small one: the search for neighbours does
// not grow with the region.
TEST(Packing, FewBallsInAHugeRegion) {
  const Scene scene = SceneFolder().load(R"(
bodies:
  - {name: balls, mass: 1, packing: {shape: {sphere: 1 mm}, count: 5, gap: 1 mm,
                                     region: {min: [-1e4, 0, 0], max: [1e4, 1e3, 1e5]}}}
)");
  EXPECT_EQ(scene.model.body_count(), 5);
}

// What cannot be packed is said at the count or fraction: less than half a body, balls that no
// region holds, more than equal balls can fill, gaps included.
TEST(Packing, SaysWhatIsImpossible) {
  const auto mistakes = [](const std::string& packing, bool is_periodic = false) {
    return SceneFolder().mistakes(scene_of(packing, is_periodic));
  };
  EXPECT_TRUE(contains(mistakes("fraction: 1e-5"), "packing › fraction: less than half a body"));
  EXPECT_TRUE(contains(mistakes("fraction: 0.76"), "equal balls fill 0.7405 at most"));
  EXPECT_TRUE(contains(mistakes("count: 9e6"), "9000000 bodies would fill 4712 of the region"));
  EXPECT_TRUE(contains(mistakes("count: 9e6, size_spread: 1 %"), "balls fill 1 at most"));
  // with half a gap around them balls of 1 cm are of 1.1 cm: 1.331 · 0.6 > 0.7405
  EXPECT_TRUE(contains(mistakes("fraction: 0.6, gap: 2 mm", true),
                       "and the gaps between them would fill 0.798 of the region"));
  EXPECT_TRUE(
      contains(mistakes("fraction: 0.1, sizes: {uniform: {min: 1, max: 10.1}}"),
               "the largest body's bounding ball needs 0.202 m along x, the region has 0.2"));
  EXPECT_TRUE(contains(mistakes("fraction: 0.1, gap: 19 cm", true), "needs 0.21 m along x"));
  EXPECT_TRUE(contains(mistakes("fraction: 0.5, count: 3"), "contradict each other"));
  EXPECT_TRUE(contains(mistakes("gap: 0"), "one of the keys count or fraction is missing"));
}

// What is too dense is given up, and what was reached instead is told: that much is reached when it
// is asked for.
TEST(Packing, SaysWhatWasReached) {
  for (const bool is_periodic : {false, true}) {
    const std::string mistake =
        SceneFolder().mistakes(scene_of("fraction: 0.67, seed: 3", is_periodic));
    const std::string before = "bodies would fill 0.6702 of the region, ";
    const std::size_t at = mistake.find(before);
    ASSERT_NE(at, std::string::npos) << mistake;
    const Real reached = std::stod(mistake.substr(at + before.size()));
    EXPECT_GT(reached, is_periodic ? 0.6 : 0.55);
    EXPECT_LT(reached, 0.64) << "denser than random close packing";
    EXPECT_EQ(SceneFolder().mistakes(
                  scene_of(fmt::format("fraction: {}, seed: 3", reached - 0.01), is_periodic)),
              "");
  }
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
