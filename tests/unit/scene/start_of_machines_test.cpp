#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/stepping/assembly.hpp>

#include "spatial_scenes.hpp"

// Where machines in space start: from where the bodies are given to where their joints hold.

namespace talus::scene::TALUS_TEST_FILE {
namespace {

using model::Freedom;
constexpr Real kPi = std::numbers::pi;

// A chain of three links of 1 m along x, hinged about y.
const char* const kArm = R"(
gravity: [0, 0, 0]
bodies:
  - {name: upper, shape: {box: [1, 0.1, 0.1]}, mass: 1 kg, position: [0.5, 0, 0]}
  - {name: lower, shape: {box: [1, 0.1, 0.1]}, mass: 1 kg, position: [1.5, 0, 0]}
  - {name: hand, shape: {box: [1, 0.1, 0.1]}, mass: 1 kg, position: [2.5, 0, 0]}
joints:
  - {name: shoulder, between: upper, revolute: {at: [0, 0, 0], axis: [0, 1, 0]}, turn: {limits: [-90 deg, 500 deg]}}
  - {name: elbow, between: [upper, lower], revolute: {at: [1, 0, 0], axis: [0, 1, 0]}}
  - {name: wrist, between: [lower, hand], ball: {at: [2, 0, 0]}}
)";

// Coordinates that are given move everything beyond the joint along, rigidly: the others stay.
TEST(StartOfMachines, JointPositionsMoveWhatIsBeyond) {
  const Scene scene = SceneFolder().load(
      std::string(kArm) + "joint_positions: {shoulder: -30 deg, wrist: {turn_x: 90 deg}}\n");
  const Real c = std::cos(kPi / 6), s = std::sin(kPi / 6);
  const model::State& at = scene.initial;
  expect_near(at.position[0], {0.5 * c, 0, 0.5 * s}, 1e-11);
  expect_near(at.position[1], {1.5 * c, 0, 1.5 * s}, 1e-11);
  expect_near(at.position[2], {2.5 * c, 0, 2.5 * s}, 1e-11);
  const auto coordinate = [&](Index i, Freedom axis) {
    return stepping::joint_coordinate(scene.model, at, i, axis);
  };
  EXPECT_NEAR(coordinate(0, Freedom::turn_z), -kPi / 6, 1e-11);
  EXPECT_NEAR(coordinate(1, Freedom::turn_z), 0, 1e-11);
  EXPECT_NEAR(coordinate(2, Freedom::turn_x), kPi / 2, 1e-11);
  EXPECT_NEAR(coordinate(2, Freedom::turn_y), 0, 1e-11);
}

// Limits hold where the positions that are given have taken the bodies: an angle from the world and
// the length of a line are beyond theirs where the bodies are given, and within them at the start.
TEST(StartOfMachines, LimitsHoldWhereTheMachineStarts) {
  const std::string rod =
      "  - {name: a, shape: {box: [0.1, 0.1, 0.4]}, mass: 3, position: [0, 0, -0.3]}\n";
  const std::string turned =
      "bodies:\n" + rod +
      "joints:\n"
      "  - {name: p, between: a, ball: {at: [0, 0, 0]}}\n"
      "  - {name: c, between: [world, a], rotation: {}, turn: {limits: [20 deg, 60 deg]}}\n";
  const std::string lifted =
      "bodies:\n" + rod +
      "joints:\n"
      "  - {name: p, between: a, prismatic: {at: [0, 0, 0], axis: [0, 0, 1]}}\n"
      "  - {name: c, between: a, line: {from: [0.3, 0, 0], to: [0, 0, -0.3]}, "
      "slide: {limits: [0.5, 0.6]}}\n";
  struct Case {
    std::string scene, within, beyond;
    Freedom axis;
    Real expected;
  };
  for (const Case& one :
       {Case{turned, "{turn_x: 30 deg}", "{turn_x: 10 deg}", Freedom::turn_z, kPi / 6},
        Case{lifted, "-14 cm", "10 cm", Freedom::x, std::hypot(0.3, 0.44)}}) {
    const Scene scene =
        SceneFolder().load(one.scene + "joint_positions: {p: " + one.within + "}\n");
    EXPECT_NEAR(stepping::joint_coordinate(scene.model, scene.initial, 1, one.axis), one.expected,
                1e-11);
    EXPECT_THROW((void)SceneFolder().load(one.scene + "joint_positions: {p: " + one.beyond + "}\n"),
                 InputError);
    EXPECT_THROW((void)SceneFolder().load(one.scene), InputError);
  }
}

// Small angles of many joints add up to several turns of the last body.
TEST(StartOfMachines, JointPositionsOfALongChainAddUp) {
  constexpr int kLinks = 60;
  constexpr Real kEach = 10 * kPi / 180;
  std::string bodies = "gravity: [0, 0, 0]\nbodies:\n", joints = "joints:\n",
              positions = "joint_positions:\n";
  Vec3 tip = Vec3::Zero();
  for (int i = 0; i < kLinks; ++i) {
    const std::string n = std::to_string(i), place = std::to_string(i) + ", 0, 0]";
    const std::string before = i == 0 ? "world" : "l" + std::to_string(i - 1);
    bodies += "  - {name: l" + n + ", shape: {box: [1, 0.1, 0.1]}, mass: 1, position: [" + n +
              ".5, 0, 0], collides: false}\n";
    joints += "  - {name: j" + n + ", between: [" + before + ", l" + n + "], revolute: {at: [" +
              place + ", axis: [0, 0, 1]}}\n";
    positions += "  j" + n + ": 10 deg\n";
    const Real angle = (i + 1) * kEach, length = i == kLinks - 1 ? 0.5 : 1;
    tip += length * Vec3(std::cos(angle), std::sin(angle), 0);
  }
  const Scene scene = SceneFolder().load(bodies + joints + positions);
  expect_near(scene.initial.position[kLinks - 1], tip, 1e-9);
}

// Trees of joints of every kind, drawn at random, start exactly where their coordinates are given;
// what is not given stays 0.
TEST(StartOfMachines, RandomTreesStartWhereTheyAreGiven) {
  struct Kind {
    const char* frame;
    std::vector<std::pair<const char*, Freedom>> coordinates;
  };
  const std::vector<Kind> kinds = {
      {"revolute: {axis: [1, 2, 3], ", {{"turn", Freedom::turn_z}}},
      {"prismatic: {axis: [3, -1, 1], ", {{"slide", Freedom::z}}},
      {"cylindrical: {axis: [-1, 1, 1], ", {{"turn", Freedom::turn_z}, {"slide", Freedom::z}}},
      {"universal: {axis: [0, 1, 0], second_axis: [1, 0, 2], ",
       {{"turn", Freedom::turn_z}, {"second_turn", Freedom::turn_x}}},
      {"ball: {",
       {{"turn_x", Freedom::turn_x}, {"turn_y", Freedom::turn_y}, {"turn_z", Freedom::turn_z}}},
      {"planar: {normal: [1, 1, 0], ",
       {{"turn", Freedom::turn_z}, {"slide_x", Freedom::x}, {"slide_y", Freedom::y}}},
      {"screw: {axis: [1, 0, 1], pitch: 0.3, ", {{"turn", Freedom::turn_z}}},
      {"weld: {", {}}};
  Random random(7);
  const auto draw = [&](Real size) { return random.uniform(-size, size); };
  const auto point = [&] { return fmt::format("[{}, {}, {}]", draw(1), draw(1), draw(1)); };
  for (int round = 0; round < 40; ++round) {
    std::string bodies = "gravity: [0, 0, 0]\nbodies:\n", joints = "joints:\n",
                positions = "joint_positions:\n";
    std::vector<std::vector<std::pair<Freedom, Real>>> expected;
    const int count = 1 + static_cast<int>(random.bits() % 6);
    for (int i = 0; i < count; ++i) {
      const Kind& kind = kinds[random.bits() % kinds.size()];
      const auto before = static_cast<int>(random.bits() % static_cast<unsigned>(i + 1));
      const std::string a = before == 0 ? "world" : fmt::format("b{}", before - 1);
      bodies += fmt::format(
          "  - {{name: b{}, shape: {{box: 0.1}}, mass: 1, position: {}, collides: false}}\n", i,
          point());
      joints += fmt::format("  - {{name: j{}, between: [{}, b{}], {}at: {}}}}}\n", i, a, i,
                            kind.frame, point());
      expected.emplace_back();
      positions += fmt::format("  j{}: {{", i);
      for (const auto& [name, freedom] : kind.coordinates) {
        const Real value = random.bits() % 2 == 0 ? 0 : draw(1.2);
        expected.back().emplace_back(freedom, value);
        if (value != 0) positions += fmt::format("{}: {}, ", name, value);
      }
      positions += "}\n";
    }
    const Scene scene = SceneFolder().load(bodies + joints + positions);
    for (std::size_t i = 0; i < expected.size(); ++i)
      for (const auto& [freedom, value] : expected[i])
        EXPECT_NEAR(
            stepping::joint_coordinate(scene.model, scene.initial, static_cast<Index>(i), freedom),
            value, 1e-10)
            << bodies << joints << positions;
  }
}

// Whole turns of a given angle are kept with the state.
TEST(StartOfMachines, JointPositionsHaveWholeTurns) {
  const Scene scene =
      SceneFolder().load(std::string(kArm) + "joint_positions: {shoulder: 450 deg}\n");
  expect_near(scene.initial.position[0], {0, 0, -0.5}, 1e-11);
  const auto* angles = scene.initial.internal.find(model::kJointAngles);
  ASSERT_NE(angles, nullptr);
  ASSERT_EQ(angles->size(), 2U);  // of the shoulder and of the elbow; a ball counts no turns
  EXPECT_NEAR(angles->at(0), 2.5 * kPi, 1e-11);
  EXPECT_NEAR(angles->at(1), 0, 1e-11);
}

// A way too long to follow is refused in a moment: a turn of 10⁹ rad would take 5·10⁹ steps.
TEST(StartOfMachines, EndlessTurnsAreRefused) {
  const std::string endless = std::string(kArm) + "joint_positions: {shoulder: 1e9 rad}\n";
  EXPECT_THROW(static_cast<void>(SceneFolder().load(endless)), InputError);
}

// A machine that nothing holds keeps its first body where it is given.
TEST(StartOfMachines, AFreeMachineKeepsItsFirstBody) {
  const Scene scene = load_spatial(R"(
joints:
  - {name: pin, between: [a, b], revolute: {at: [0, 0, 0], axis: [0, 0, 1]}}
joint_positions: {pin: 90 deg}
)");
  EXPECT_EQ(scene.initial.position[0], Vec3::Zero());
  expect_near(scene.initial.position[1], {-2, 1, 3}, 1e-11);
}

// A loop closes itself: a parallelogram follows its crank and stays in its branch.
TEST(StartOfMachines, LoopsAreClosed) {
  const std::string linkage = R"(
gravity: [0, 0, 0]
bodies:
  - {name: crank, shape: {box: [0.1, 0.1, 1]}, mass: 1 kg, position: [0, 0, 0.5], collides: false}
  - {name: coupler, shape: {box: [2, 0.1, 0.1]}, mass: 1 kg, position: [1, 0, 1], collides: false}
  - {name: rocker, shape: {box: [0.1, 0.1, 1]}, mass: 1 kg, position: [2, 0, 0.5], collides: false}
joints:
  - {name: A, between: crank, revolute: {at: [0, 0, 0], axis: [0, 1, 0]}}
  - {name: B, between: [crank, coupler], revolute: {at: [0, 0, 1], axis: [0, 1, 0]}}
  - {name: C, between: [coupler, rocker], revolute: {at: [2, 0, 1], axis: [0, 1, 0]}}
  - {name: D, between: rocker, revolute: {at: [2, 0, 0], axis: [0, 1, 0]}}
)";
  const Scene scene = SceneFolder().load(linkage + "joint_positions: {A: 60 deg}\n");
  const Real c = std::cos(kPi / 3), s = std::sin(kPi / 3);
  expect_near(scene.initial.position[0], {0.5 * s, 0, 0.5 * c}, 1e-10);
  expect_near(scene.initial.position[1], {1 + s, 0, c}, 1e-10);
  expect_near(scene.initial.position[2], {2 + 0.5 * s, 0, 0.5 * c}, 1e-10);
  const std::string mistakes =
      SceneFolder().mistakes(linkage + "joint_positions: {A: 60 deg, D: 50 deg}\n");
  EXPECT_TRUE(
      contains(mistakes,
               "scene.yaml:12:22: joint_positions › A: the position of joint \"A\" cannot be "
               "closed from where the bodies are given: it stays open by 0.175 rad"))
      << mistakes;  // 10°
}

// A coupled joint follows the one that is given.
TEST(StartOfMachines, CoupledJointsFollow) {
  const Scene scene = load_spatial(R"(
joints:
  - {name: a, between: a, revolute: {at: [0, 0, 0], axis: [0, 0, 1]}}
  - {name: b, between: b, prismatic: {at: [1, 2, 3], axis: [0, 0, 1]}}
couplings: [{name: rack, terms: [{joint: a, factor: -0.1}, {joint: b}]}]
joint_positions: {a: 180 deg}
)");
  EXPECT_NEAR(scene.initial.position[1].z(), 3 + 0.1 * kPi, 1e-10);
}

// Coordinates of a coupling that holds, and that nothing moves, stay as those of any joint: a hand
// whose fingers are coupled to each other is carried along rigidly, from the shoulder at 60° and
// the elbow at 30° on in the direction of 90°.
TEST(StartOfMachines, CouplingsThatHoldAreCarriedAlong) {
  const std::string hand = R"(
gravity: [0, 0, 0]
bodies:
  - {name: upper, shape: {box: [1, 0.1, 0.1]}, mass: 2, position: [0.5, 0, 0], collides: false}
  - {name: lower, shape: {box: [1, 0.1, 0.1]}, mass: 1, position: [1.5, 0, 0], collides: false}
  - {name: left, shape: {box: [0.4, 0.1, 0.1]}, mass: 0.2, position: [2.2, 0.1, 0], collides: false}
  - {name: right, shape: {box: [0.4, 0.1, 0.1]}, mass: 0.2, position: [2.2, -0.1, 0], collides: false}
joints:
  - {name: shoulder, between: upper, revolute: {at: [0, 0, 0], axis: [0, 0, 1]}}
  - {name: elbow, between: [upper, lower], revolute: {at: [1, 0, 0], axis: [0, 0, 1]}}
  - {name: left, between: [lower, left], revolute: {at: [2, 0.1, 0], axis: [0, 0, 1]}}
  - {name: right, between: [lower, right], revolute: {at: [2, -0.1, 0], axis: [0, 0, 1]}}
joint_positions: {shoulder: 60 deg, elbow: 30 deg}
)";
  const Vec3 wrist(std::cos(kPi / 3), std::sin(kPi / 3) + 1, 0);
  for (const char* factor : {"1", "-1"}) {
    const Scene scene = SceneFolder().load(
        hand + "couplings: [{name: grip, terms: [{joint: right}, {joint: left, factor: " + factor +
        "}]}]\n");
    expect_near(scene.initial.position[2], wrist + Vec3(-0.1, 0.2, 0), 1e-11);
    expect_near(scene.initial.position[3], wrist + Vec3(0.1, 0.2, 0), 1e-11);
  }
}

// Hinges a … d, each of a link of its own of the same inertia, with couplings Σ c q = offset.
Real start_of(const std::string& couplings, const std::string& positions, Index joint) {
  std::string bodies = "gravity: [0, 0, 0]\nbodies:\n", joints = "joints:\n";
  for (const char* name : {"a", "b", "c", "d"}) {
    const std::string at = std::string(", 0, ") + std::to_string(name[0] - 'a') + "]";
    bodies += "  - {name: " + std::string(name) + ", shape: {box: 0.1}, mass: 1, position: [0.5" +
              at + ", collides: false}\n";
    joints += "  - {name: " + std::string(name) + ", between: " + name + ", revolute: {at: [0" +
              at + ", axis: [0, 0, 1]}}\n";
  }
  const Scene scene = SceneFolder().load(bodies + joints + "couplings:\n" + couplings + positions);
  return stepping::joint_coordinate(scene.model, scene.initial, joint, Freedom::turn_z);
}

// Of a coupling that is open, or that something moves, its first coordinate follows; where that is
// given, the others do, equal ones by equal shares; where it follows another coupling, what other
// couplings leave.
TEST(StartOfMachines, TheFirstCoordinateOfACouplingFollows) {
  struct Case {
    const char *couplings, *positions;
    Real expected[4];
  };
  const char* const sum =
      "  - {name: s, terms: [{joint: a}, {joint: b, factor: -1}, {joint: c, factor: -1}]}\n";
  const char* const open =
      "  - {name: o, terms: [{joint: b}, {joint: a, factor: 2}], offset: 0.3}\n";
  const char* const two =
      "  - {name: s, terms: [{joint: a}, {joint: b, factor: -1}, {joint: c, factor: -2}]}\n"
      "  - {name: t, terms: [{joint: a}, {joint: c, factor: -1}]}\n";
  const char* const chain =
      "  - {name: s, terms: [{joint: a}, {joint: b, factor: -1}]}\n"
      "  - {name: t, terms: [{joint: b}, {joint: c, factor: -2}]}\n";
  for (const Case& one :
       {Case{sum, "joint_positions: {b: 0.2}\n", {0.2, 0.2, 0, 0}},
        Case{sum, "joint_positions: {a: 0.2}\n", {0.2, 0.1, 0.1, 0}},
        Case{open, "joint_positions: {d: 0.2}\n", {0, 0.3, 0, 0.2}}, Case{open, "", {0, 0.3, 0, 0}},
        Case{two, "joint_positions: {c: 0.2}\n", {0.2, -0.2, 0.2, 0}},
        Case{chain, "joint_positions: {c: 0.2}\n", {0.4, 0.4, 0.2, 0}},
        Case{chain, "joint_positions: {a: 0.2}\n", {0.2, 0.2, 0.1, 0}}})
    for (Index i = 0; i < 4; ++i)
      EXPECT_NEAR(start_of(one.couplings, one.positions, i), one.expected[i], 1e-11)
          << one.couplings << one.positions << i;
}

// Positions of all that a coupling couples agree at the end of the way and not on it; a drum that
// another coupling winds up by them, and that has no position, follows.
TEST(StartOfMachines, ADrumFollowsPositionsThatAgreeAtTheEnd) {
  const Scene scene = SceneFolder().load(R"(
gravity: [0, 0, 0]
bodies:
  - {name: a, shape: {sphere: 0.1}, mass: 1}
  - {name: b, shape: {sphere: 0.1}, mass: 1, position: [0, 1, 0]}
  - {name: drum, shape: {sphere: 0.1}, mass: 1, position: [0, 2, 0]}
joints:
  - {name: a, between: a, revolute: {at: [0, 0, 0], axis: [0, 1, 0]}}
  - {name: b, between: b, revolute: {at: [0, 1, 0], axis: [0, 1, 0]}}
  - {name: drum, between: drum, revolute: {at: [0, 2, 0], axis: [0, 1, 0]}}
couplings:
  - {name: wound up, terms: [{joint: a}, {joint: b}, {joint: drum, factor: -1}], offset: 0}
  - {name: coupled, terms: [{joint: a}, {joint: b, factor: -0.5}], offset: 0.1}
joint_positions: {a: 0.25, b: 0.3}
)");
  const Real expected[] = {0.25, 0.3, 0.55};
  for (Index i = 0; i < 3; ++i)
    EXPECT_NEAR(stepping::joint_coordinate(scene.model, scene.initial, i, Freedom::turn_z),
                expected[i], 1e-11);
}

// A drive of a position puts its joint where the law starts; velocities satisfy the constraints:
// J v + Φ_t = 0.
TEST(StartOfMachines, VelocitiesSatisfyTheConstraints) {
  const Scene scene = SceneFolder().load(std::string(kArm) + R"(
drives:
  - {name: lift, joint: shoulder, angle: {start: -90 deg, slope: 2 rad/s}}
  - {name: bend, joint: elbow, angular_speed: {start: 3 rad/s, slope: 0}}
)");
  const model::State& at = scene.initial;
  expect_near(at.position[1], {0, 0, 1.5}, 1e-11);
  expect_near(at.angular_velocity[0], {0, 2, 0}, 1e-10);
  expect_near(at.velocity[0], {1, 0, 0}, 1e-10);
  expect_near(at.angular_velocity[1], {0, 5, 0}, 1e-10);
  expect_near(at.velocity[1], {2 + 2.5, 0, 0}, 1e-10);
  EXPECT_NEAR(scene.model.spatial_machine->drives[1].start, 0, 1e-11);
}

// A start that satisfies everything already is taken to the bit.
TEST(StartOfMachines, AGoodStartIsLeftAlone) {
  const Scene scene = load_spatial(R"(
joints: [{name: pin, between: [a, b], ball: {at: [0, 0, 0]}}]
)");
  EXPECT_EQ(scene.initial.position[0], Vec3::Zero());
  EXPECT_EQ(scene.initial.position[1], Vec3(1, 2, 3));
  EXPECT_EQ(scene.initial.velocity[1], Vec3::Zero());
  EXPECT_TRUE(scene.initial.internal.is_empty());
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
