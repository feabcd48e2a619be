#include <gtest/gtest.h>

#include <cmath>

#include <talus/dynamics/planar_bodies.hpp>
#include <talus/dynamics/planar_meeting.hpp>

#include "machines.hpp"

// Where bodies on straight ways meet first, against closed forms.

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kTolerance = 2e-3;

struct Meetings {
  test::PlanarModel planar;
  VecX q, end, v;
  std::vector<dynamics::PlanarMeeting> found;

  void find() {
    const dynamics::PlanarBodies machine(planar.model, planar.state);
    machine.load(planar.state, q, v);
    dynamics::find_meetings(machine, q, q + end, kTolerance, found);
  }
};

// A disc that flies past a thin plate, from 1 above it to 1 below: it meets it with the share of
// the way after which its radius is left.
TEST(PlanarMeeting, ADiscThroughAPlate) {
  Meetings way;
  way.planar.add(geometry::Box{{5, 0.001, 1}}, model::BodyKind::fixed);
  way.planar.state.position[way.planar.add(geometry::Sphere{0.1})] = {0.3, 1, 0};
  way.end = VecX::Zero(6);
  way.end[4] = -2;
  way.find();
  ASSERT_EQ(way.found.size(), 1u);
  EXPECT_NEAR(way.found[0].share, (1 - 0.101) / 2, 5 * kTolerance * 0.001);
  EXPECT_GT(way.found[0].depth, kTolerance * 0.001);
  way.planar.state.position[1] = {5.2, 1, 0};  // beside it
  way.find();
  EXPECT_TRUE(way.found.empty());
}

// A rod that turns by 2 rad about its middle meets a post on its circle at the angle at which its
// side touches it.
TEST(PlanarMeeting, ARodThatTurns) {
  constexpr Real kPost = 0.01, kThick = 0.01, kFar = 0.4, kAngle = 1.3;
  Meetings way;
  const Index post = way.planar.add(geometry::Sphere{kPost}, model::BodyKind::fixed);
  way.planar.state.position[post] = {kFar * std::cos(kAngle), kFar * std::sin(kAngle), 0};
  way.planar.add(geometry::Box{{0.5, kThick, 1}});
  way.end = VecX::Zero(6);
  way.end[5] = 2;
  way.find();
  ASSERT_EQ(way.found.size(), 1u);
  const Real touch = kAngle - std::asin((kPost + kThick) / kFar);
  EXPECT_NEAR(way.found[0].share, touch / 2, 1e-3);
  way.end[5] = 0.9 * touch;
  way.find();
  EXPECT_TRUE(way.found.empty());
}

// What was as deep before is not met on the way; what gets deeper is, at the end.
TEST(PlanarMeeting, OnlyWhatGetsDeeper) {
  Meetings way;
  way.planar.add(geometry::Box{{5, 0.1, 1}}, model::BodyKind::fixed);
  way.planar.state.position[way.planar.add(geometry::Sphere{0.1})] = {0, 0.19, 0};
  way.end = VecX::Zero(6);
  way.end[3] = 0.3;
  way.find();
  EXPECT_TRUE(way.found.empty());
  way.end[4] = -0.001;
  way.find();
  ASSERT_EQ(way.found.size(), 1u);
  EXPECT_EQ(way.found[0].share, 1);
  EXPECT_NEAR(way.found[0].depth, 0.011, 1e-12);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
