#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

#include <talus/base/random.hpp>
#include <talus/scene/detail/overlap.hpp>

#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

using Pairs = std::set<std::pair<Index, Index>>;

Pairs found(const model::Model& model, const model::State& state, Real limit) {
  Pairs pairs;
  detail::find_overlaps(model, state, limit, [&](const detail::Overlap& overlap) {
    EXPECT_TRUE(pairs.emplace(overlap.body_a, overlap.body_b).second) << "reported twice";
    return true;
  });
  return pairs;
}

// The search finds exactly the pairs that comparing every ball with every other finds, also when
// sizes differ a thousandfold.
TEST(FindOverlaps, AgreesWithAllPairs) {
  Random random(7);
  for (int round = 0; round < 20; ++round) {
    model::Model model;
    model::State state;
    constexpr Index kCount = 200;
    state.resize(kCount);
    for (Index i = 0; i < kCount; ++i) {
      model::Body body;
      body.kind = random.uniform() < 0.3 ? model::BodyKind::fixed : model::BodyKind::dynamic;
      body.shape = geometry::Sphere{std::pow(10, random.uniform(-3, 0))};
      model.bodies.push_back(body);
      for (int k = 0; k < 3; ++k) state.position[i][k] = random.uniform(-1, 1);
    }
    const Real limit = 0.1;
    Pairs expected;
    for (Index i = 0; i < kCount; ++i)
      for (Index j = 0; j < i; ++j) {
        if (model.bodies[i].kind == model::BodyKind::fixed &&
            model.bodies[j].kind == model::BodyKind::fixed)
          continue;
        const Real ri = std::get<geometry::Sphere>(model.bodies[i].shape).radius;
        const Real rj = std::get<geometry::Sphere>(model.bodies[j].shape).radius;
        const Real depth = ri + rj - (state.position[i] - state.position[j]).norm();
        if (depth > limit * 2 * std::min(ri, rj)) expected.emplace(j, i);
      }
    EXPECT_GT(expected.size(), 100U);
    EXPECT_EQ(found(model, state, limit), expected);
  }
}

// Touching is not overlapping; the limit is a share of the smaller body's least thickness.
TEST(FindOverlaps, HasALimit) {
  const SceneFolder folder;
  const auto mistakes = [&](const char* limit, const char* height) {
    return folder.mistakes(std::string("overlap_limit: ") + limit + R"(
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - {name: slab, mass: 1, shape: {box: [1, 1, 10 cm]}, position: [0, 0, )" +
                           height + "]}\n");
  };
  EXPECT_EQ(mistakes("0", "5 cm"), "");
  EXPECT_EQ(mistakes("10 %", "4.1 cm"), "");
  EXPECT_TRUE(contains(mistakes("10 %", "3.9 cm"),
                       "\"floor\" and \"slab\" overlap by 0.011 m, "
                       "allowed are 0.01 m"));
  EXPECT_EQ(mistakes("20 %", "3.9 cm"), "");
}

// All kinds of shapes are examined, wherever they stand in the file and however they are turned.
TEST(FindOverlaps, KnowsAllShapes) {
  const SceneFolder folder;
  const auto mistakes = [&](const char* a, const char* b) {
    return folder.mistakes(std::string("bodies:\n  - {name: a, mass: 1, ") + a +
                           "}\n  - {name: b, mass: 1, " + b + "}\n");
  };
  const char* box = "shape: {box: 1}";
  const char* turned_box =
      "shape: {box: 1}, position: [1.1, 0, 0], orientation: {axis: [0, 0, 1], angle: 45 deg}";
  const char* far_box =
      "shape: {box: 1}, position: [1.3, 0, 0], orientation: {axis: [0, 0, 1], "
      "angle: 45 deg}";
  const char* pill = "shape: {capsule: {radius: 0.1, length: 2}}, position: [0, 0, 1.3]";
  const char* ball = "shape: {sphere: 0.2}, position: [0, 0, 0.6]";
  const char* wall =
      "motion: kinematic, shape: {plane: {normal: [-1, 0, 0]}}, position: [0.4, 0, 0]";
  // the corner of the turned box reaches √½ from its centre: 0.5 + 0.707 − 1.1 = 0.107 deep
  EXPECT_TRUE(contains(mistakes(box, turned_box), "overlap by 0.107 m"));
  EXPECT_EQ(mistakes(box, far_box), "");
  EXPECT_TRUE(contains(mistakes(box, pill), "\"a\" and \"b\" overlap by"));
  EXPECT_TRUE(contains(mistakes(pill, box), "\"a\" and \"b\" overlap by"));
  EXPECT_TRUE(contains(mistakes(box, ball), "overlap by 0.1 m"));
  EXPECT_TRUE(contains(mistakes(ball, pill), "\"a\" and \"b\" overlap by"));
  EXPECT_TRUE(contains(mistakes(box, wall), "overlap by 0.1 m"));
  EXPECT_TRUE(contains(mistakes(wall, box), "overlap by 0.1 m"));
}

// Bodies that do not move by forces may overlap: walls do.
TEST(FindOverlaps, LetsWallsOverlap) {
  EXPECT_EQ(SceneFolder().mistakes(R"(
bodies:
  - {name: a, fixed: true, shape: {box: 1}}
  - {name: b, fixed: true, shape: {box: 1}}
  - {name: c, motion: kinematic, shape: {plane: {}}}
)"),
            "");
}

// Positions far beyond any grid are examined too.
TEST(FindOverlaps, TakesFarPositions) {
  EXPECT_TRUE(contains(SceneFolder().mistakes(R"(
bodies:
  - {name: a, mass: 1, shape: {sphere: 1}, position: [1e12, 0, 0]}
  - {name: b, mass: 1, shape: {sphere: 1}, position: [1e12, 0, 0]}
)"),
                       "\"a\" and \"b\" overlap by 2 m"));
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
