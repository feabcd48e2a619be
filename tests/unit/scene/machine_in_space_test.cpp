#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/base/random.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/stepping/assembly.hpp>

#include "spatial_scenes.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

using model::Freedom;
constexpr Real kPi = std::numbers::pi;
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

const model::SpatialJoint& joint(const Scene& scene, std::size_t i = 0) {
  return scene.model.spatial_machine->joints.at(i);
}

/// The frame of a joint as the body has it at the start.
Pose in_world(const Scene& scene, Index body, const Pose& in_body) {
  return body < 0 ? in_body : scene.initial.pose(body) * in_body;
}

// A joint is two frames, z along its axis: given in the world at the start and kept in the bodies.
// Both agree at the start, so that every angle is 0 there.
TEST(MachineInSpace, FramesAreTakenToTheBodies) {
  const Scene scene = load_spatial(R"(
joints:
  - {name: pin, between: [a, b], revolute: {at: [1, 2, 0], axis: [0, 3, 4]}, collides: true}
)");
  const model::SpatialJoint& pin = joint(scene);
  EXPECT_EQ(pin.name, "pin");
  EXPECT_TRUE(pin.collides);
  EXPECT_EQ(std::get<model::LowerPair>(pin.kind).held, model::revolute_joint().held);
  expect_near(pin.X_AJ.p, {1, 2, 0});
  expect_near(pin.X_BJ.p, {0, 0, -3});
  expect_near(pin.X_AJ.q * Vec3::UnitZ(), {0, 0.6, 0.8});
  expect_near(pin.X_BJ.q * Vec3::UnitZ(), {0.6, 0, 0.8});
  EXPECT_NEAR(stepping::joint_coordinate(scene.model, scene.initial, 0, Freedom::turn_z), 0, 1e-15);
}

// The world is a body A; it may be written, or left out.
TEST(MachineInSpace, TheWorldIsABody) {
  const Scene scene = load_spatial(R"(
joints:
  - {name: pin, between: b, ball: {at: [1, 2, 0]}}
  - {name: seat, between: [world, a], weld: {at: [0, 0, 5]}}
)");
  EXPECT_EQ(joint(scene).body_a, model::kWorld);
  EXPECT_EQ(joint(scene).body_b, 1);
  expect_near(joint(scene).X_AJ.p, {1, 2, 0});
  EXPECT_EQ(joint(scene, 1).body_a, model::kWorld);
  EXPECT_EQ(joint(scene, 1).body_b, 0);
}

// Every kind of joint is what its name says.
TEST(MachineInSpace, EveryKindIsRead) {
  const auto kind = [](const std::string& text) {
    return joint(load_spatial("joints: [{name: j, between: [a, b], " + text + "}]\n")).kind;
  };
  const auto held = [&](const std::string& text) {
    return std::get<model::LowerPair>(kind(text)).held;
  };
  EXPECT_EQ(held("weld: {at: [0, 0, 0]}"), model::weld_joint().held);
  EXPECT_EQ(held("prismatic: {at: [0, 0, 0], axis: [1, 2, 3]}"), model::prismatic_joint().held);
  EXPECT_EQ(held("cylindrical: {at: [0, 0, 0], axis: [1, 2, 3]}"), model::cylindrical_joint().held);
  EXPECT_EQ(held("universal: {at: [0, 0, 0], axis: [0, 0, 1], second_axis: [1, 1, 0]}"),
            model::universal_joint().held);
  EXPECT_EQ(held("ball: {at: [0, 0, 0]}"), model::ball_joint().held);
  EXPECT_EQ(held("planar: {at: [0, 0, 0], normal: [1, 0, 0], along: [0, 1, 0]}"),
            model::planar_joint().held);
  EXPECT_EQ(held("slot: {at: [0, 0, 0], axis: [1, 0, 0]}"), model::point_on_line_joint().held);
  EXPECT_EQ(
      std::get<model::Screw>(kind("screw: {at: [0, 0, 0], axis: [1, 0, 0], pitch: -2 mm}")).pitch,
      -0.002);
  EXPECT_DOUBLE_EQ(std::get<model::Distance>(kind("distance: {}")).length, std::sqrt(14));
  const auto rope = std::get<model::Rope>(kind("rope: {length: 5, restitution: 0.2}"));
  EXPECT_EQ(rope.length, 5);
  EXPECT_EQ(rope.restitution, 0.2);
}

// Frames of bodies may be given instead of the world's; points then may be apart where the joint
// lets them.
TEST(MachineInSpace, FramesOfBodiesAreTaken) {
  const Scene scene = load_spatial(R"(
joints:
  - {name: guide, between: [a, b], prismatic: {at_a: [1, 0, 3], axis_a: [0, 1, 0], at_b: [0, 0, 0], axis_b: [1, 0, 0]}}
  - {name: cross, between: [a, b], universal: {at_a: [1, 2, 3], axis_a: [0, 0, 2], at_b: [0, 0, 0], axis_b: [1, 0, 0]}}
)");
  EXPECT_NEAR(stepping::joint_coordinate(scene.model, scene.initial, 0, Freedom::z), 2, 1e-14);
  const model::SpatialJoint& guide = joint(scene);
  expect_near(guide.X_AJ.q * Vec3::UnitZ(), Vec3::UnitY());
  expect_near(guide.X_BJ.q * Vec3::UnitZ(), Vec3::UnitX());
  const model::SpatialJoint& cross = joint(scene, 1);
  expect_near(cross.X_AJ.q * Vec3::UnitZ(), Vec3::UnitZ());
  expect_near(cross.X_BJ.q * Vec3::UnitX(), Vec3::UnitX());
}

// What acts along a coordinate stands under its name; an angle and a displacement have their units.
TEST(MachineInSpace, LawsAlongCoordinatesAreRead) {
  const Scene scene = load_spatial(R"(
joints:
  - name: hinge
    between: a
    revolute: {at: [0, 0, 0], axis: [0, 0, 1], pin_radius: 5 mm}
    friction: 0.1
    turn:
      limits: [-30 deg, .inf]
      restitution: 0.3
      spring: {stiffness: 2 N m/rad, rest: 90 deg}
      damping: 3 N m s/rad
      armature: 0.5 kg m^2
      dry_friction: 4 N m
      motor: {position: {slope: 1 rad/s}, stiffness: 80, damping: 2, effort_limits: [-10 N m, 20 N m], gear: 50}
  - name: tube
    between: b
    cylindrical: {at: [1, 2, 3], axis: [0, 0, 1]}
    slide: {spring: 2 N/mm, motor: {velocity: 10 cm/s, max_effort: 5 kN}}
    turn: {motor: {effort: 2 N m}}
)");
  const model::AxisLaw& turn = joint(scene).axes.at(0);
  EXPECT_EQ(turn.axis, Freedom::turn_z);
  EXPECT_NEAR(turn.lower, -kPi / 6, 1e-15);
  EXPECT_EQ(turn.upper, kInfinity);
  EXPECT_EQ(turn.restitution, 0.3);
  EXPECT_EQ(turn.stiffness, 2);
  EXPECT_NEAR(turn.rest, kPi / 2, 1e-15);
  EXPECT_EQ(turn.damping, 3);
  EXPECT_EQ(turn.armature, 0.5);
  EXPECT_EQ(turn.friction, 4);
  EXPECT_EQ(turn.friction_coefficient, 0.1);
  EXPECT_EQ(turn.pin_radius, 0.005);
  ASSERT_TRUE(turn.motor);
  EXPECT_EQ(turn.motor->mode, model::Motor::Mode::position);
  EXPECT_EQ(model::evaluate(turn.motor->target, 2).value, 2);
  EXPECT_EQ(turn.motor->stiffness, 80);
  EXPECT_EQ(turn.motor->damping, 2);
  EXPECT_EQ(turn.motor->lower_effort, -10);
  EXPECT_EQ(turn.motor->upper_effort, 20);
  EXPECT_EQ(turn.motor->gear, 50);
  const auto& tube = joint(scene, 1).axes;
  ASSERT_EQ(tube.size(), 2U);
  EXPECT_EQ(tube[0].axis, Freedom::turn_z);
  EXPECT_EQ(tube[0].motor->mode, model::Motor::Mode::effort);
  EXPECT_EQ(tube[0].motor->upper_effort, kInfinity);
  EXPECT_EQ(tube[1].axis, Freedom::z);
  EXPECT_EQ(tube[1].stiffness, 2000);
  EXPECT_EQ(tube[1].motor->mode, model::Motor::Mode::velocity);
  EXPECT_EQ(tube[1].motor->lower_effort, -5000);
}

// Coordinates of joints with several have names of their own.
TEST(MachineInSpace, CoordinatesHaveNames) {
  const Scene scene = load_spatial(R"(
joints:
  - {name: cross, between: a, universal: {at: [0, 0, 0], axis: [0, 0, 1], second_axis: [1, 0, 0]}, second_turn: {damping: 1}}
  - {name: ball, between: b, ball: {at: [1, 2, 3]}, turn_x: {damping: 1}, turn_y: {damping: 2}, turn_z: {damping: 3}}
  - {name: plate, between: [a, b], planar: {at: [1, 2, 3], normal: [0, 0, 1]}, slide_x: {damping: 1}, slide_y: {damping: 2}}
)");
  EXPECT_EQ(joint(scene).axes.at(0).axis, Freedom::turn_x);
  EXPECT_EQ(joint(scene, 1).axes.at(1).axis, Freedom::turn_y);
  EXPECT_EQ(joint(scene, 2).axes.at(0).axis, Freedom::x);
  EXPECT_EQ(joint(scene, 2).axes.at(1).axis, Freedom::y);
}

// A coupling keeps the sum that it has as the bodies are given, or the one that it is given.
TEST(MachineInSpace, CouplingsAreRead) {
  const Scene scene = load_spatial(R"(
joints:
  - {name: axle, between: a, revolute: {at: [0, 0, 0], axis: [0, 0, 1]}}
  - {name: guide, between: [world, b], prismatic: {at_a: [1, 2, 1], at_b: [0, 0, 0], axis: [0, 0, 1]}}
couplings:
  - {name: rack, terms: [{joint: axle, factor: -0.05}, {joint: guide, coordinate: slide}]}
)");
  const model::Coupling& rack = scene.model.spatial_machine->couplings.at(0);
  EXPECT_NEAR(rack.offset, 2, 1e-15);
  ASSERT_EQ(rack.terms.size(), 2U);
  EXPECT_EQ(rack.terms[0].coefficient, -0.05);
  EXPECT_EQ(rack.terms[1].joint, 1);
  EXPECT_EQ(rack.terms[1].axis, Freedom::z);
}

// Forces act between two bodies: directions are fixed in A, or follow B.
TEST(MachineInSpace, ForceElementsAreRead) {
  const Scene scene = load_spatial(R"(
forces:
  - {name: coil, between: [a, b], spring: {stiffness: 2 N/mm, damping: 3, to: [1, 2, 0]}}
  - {name: twist, between: [a, b], torsion_spring: {axis: [0, 0, 1], stiffness: 3, rest_angle: 10 deg}}
  - {name: mount, between: b, bushing: {at: [1, 2, 3], stiffness: [1, 2, 3], angular_stiffness: 4, damping: 5}}
  - {name: push, between: b, point_force: {force: 7 N, direction: [0, 2, 0], at: [1, 2, 4], follows: true}}
  - {name: spin, between: [world, b], moment: {torque: 2 Nm, direction: [0, 0, -3]}}
  - {name: winch, between: [a, b], pull: {force: {slope: 2 N/s}}}
)");
  const auto& forces = scene.model.spatial_machine->forces;
  const auto coil = std::get<model::LineElement>(forces[0].kind);
  EXPECT_DOUBLE_EQ(coil.rest_length, std::sqrt(5));
  expect_near(coil.p_B, {0, 0, -3});
  const auto twist = std::get<model::TorsionElement>(forces[1].kind);
  EXPECT_NEAR(twist.rest_angle, kPi / 18, 1e-15);
  expect_near(in_world(scene, 1, twist.X_BJ).q * Vec3::UnitX(),
              in_world(scene, 0, twist.X_AJ).q * Vec3::UnitX());
  const auto mount = std::get<model::Bushing>(forces[2].kind);
  EXPECT_EQ(mount.stiffness.diagonal(), (Vec6() << 1, 2, 3, 4, 4, 4).finished());
  EXPECT_EQ(mount.damping.diagonal(), (Vec6() << 5, 5, 5, 0, 0, 0).finished());
  const auto push = std::get<model::AppliedForce>(forces[3].kind);
  EXPECT_EQ(push.frame, model::LoadFrame::following);
  expect_near(push.direction, Vec3::UnitX());  // the world's y in b
  expect_near(push.p_B, Vec3::UnitZ());
  const auto spin = std::get<model::AppliedTorque>(forces[4].kind);
  EXPECT_EQ(spin.frame, model::LoadFrame::of_a);
  expect_near(spin.direction, -Vec3::UnitZ());
  EXPECT_EQ(model::evaluate(std::get<model::LineElement>(forces[5].kind).force, 3).value, 6);
}

// A bushing may couple its directions: a symmetric 6×6 matrix.
TEST(MachineInSpace, BushingsMayBeFull) {
  const Scene scene = load_spatial(R"(
forces:
  - name: mount
    between: b
    bushing:
      at: [1, 2, 3]
      stiffness_matrix: [[2, 0, 0, 0, 1, 0], [0, 2, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0], [0, 0, 0, 3, 0, 0], [1, 0, 0, 0, 3, 0], [0, 0, 0, 0, 0, 3]]
)");
  const auto mount = std::get<model::Bushing>(scene.model.spatial_machine->forces[0].kind);
  EXPECT_EQ(mount.stiffness(0, 4), 1);
  EXPECT_EQ(mount.stiffness(5, 5), 3);
}

// A body whose shape is for the eye only touches nothing, in space too.
TEST(MachineInSpace, BodiesMayBeForTheEyeOnly) {
  const Scene scene = SceneFolder().load(
      "bodies:\n  - {name: a, shape: {sphere: 10 cm}, mass: 1 kg, collides: false}\n"
      "  - {name: b, shape: {sphere: 10 cm}, mass: 1 kg}\n");
  EXPECT_FALSE(model::can_touch(scene.model, 0, 1));
}

// Every mistake is told with its place, what was found and what is allowed.
TEST(MachineInSpace, MistakesHaveTheirPlaces) {
  const std::string bodies = R"(bodies:
  - {name: a, shape: {sphere: 10 cm}, mass: 2 kg}
  - {name: b, shape: {box: 20 cm}, mass: 3 kg, position: [1, 2, 3]}
)";
  const std::string hinge =
      "joints: [{name: j, between: a, revolute: {at: [0, 0, 0], axis: [0, 0, 1]}}]\n";
  const std::string rail =
      "joints: [{name: j, between: a, cylindrical: {at: [0, 0, 0], axis: [0, 0, 1]}}]\n";
  const auto expect = [&](const std::string& text, const std::string& message) {
    const std::string mistakes = SceneFolder().mistakes(bodies + text);
    EXPECT_TRUE(contains(mistakes, message)) << text;
  };
  const auto expect_joint = [&](const std::string& kind, const std::string& message) {
    expect("joints:\n  - {name: j, between: [a, b], " + kind + "}\n", message);
  };
  expect("joints:\n  - {name: j, between: [a, world], ball: {at: [0, 0, 0]}}\n",
         "scene.yaml:5:24: joints[0] \"j\" › between: there is no body \"world\"");
  expect("joints:\n  - {name: j, between: [a, world], ball: {at: [0, 0, 0]}}\n",
         "hint: the world stands first: [world, BODY]");
  expect_joint("revolute: {at: [0, 0, 0]}",
               "joints[0] \"j\" › revolute: one of the keys axis or axis_a is missing");
  expect_joint("revolute: {at: [0, 0, 0], axis: [0, 0, 0]}",
               "› axis: expected a direction, got a zero vector");
  expect_joint("revolute: {at_a: [0, 0, 0], at_b: [0, 0, 0], axis: [0, 0, 1]}",
               "› at_b: at the start the two points are 3.74166 m apart");
  expect_joint("revolute: {at: [0, 0, 0], axis_a: [0, 0, 1], axis_b: [0, 1, 0]}",
               "› axis_b: at the start the two axes are 1.5708 rad apart");
  expect_joint("prismatic: {at_a: [0, 0, 0], at_b: [0, 0, 0], axis: [0, 0, 1]}",
               "› at_b: at the start the point of B is 2.23607 m off the line");
  expect_joint("planar: {at_a: [0, 0, 0], at_b: [0, 0, 0], normal: [0, 0, 1]}",
               "› at_b: at the start the point of B is 3 m off the plane");
  expect_joint("planar: {at: [0, 0, 0], normal: [0, 0, 1], along: [0, 0, 2]}",
               "› along: the direction is along the normal of the plane");
  expect_joint("universal: {at: [0, 0, 0], axis: [0, 0, 1], second_axis: [0, 1, 1]}",
               "› second_axis: at the start the two axes are 0.785398 rad off a right angle");
  expect_joint("screw: {at: [0, 0, 0], axis: [0, 0, 1], pitch: 0}",
               "› pitch: expected a pitch other than 0, got 0");
  expect_joint("distance: {length: 2}",
               "› length: at the start the points are 3.74166 m apart, the rod is 2 m long");
  expect_joint("rope: {length: 2}",
               "› length: at the start the points are 3.74166 m apart, the rope is 2 m long");
  expect_joint("gear: 2", "gear is of planar scenes");
  expect_joint("weld: {at: [0, 0, 0]}, turn: {}", "› turn: joint \"j\" has no coordinate turn");
  expect_joint("weld: {at: [0, 0, 0]}, turn: {}", "hint: a weld joint has no coordinates");
  const auto expect_law = [&](const std::string& law, const std::string& message) {
    expect_joint("revolute: {at: [0, 0, 0], axis: [0, 0, 1]}, turn: {" + law + "}", message);
  };
  expect_law("limits: [1, 0]", "› limits: expected the smaller limit first, got 1 and 0");
  expect_law("limits: [1 m, 2 m]", "\"1 m\" is a length; a bare number is in rad");
  expect_law("limits: [10 deg, 20 deg]",
             "the bodies start with a coordinate of 0 rad, beyond its limits 0.174533 and "
             "0.349066");
  expect_law("restitution: 0.5", "restitution can only stand together with limits");
  expect_law("motor: {position: 1}", "a motor with a position needs the stiffness of its control");
  expect_law("motor: {velocity: 1, effort_limits: [1, 2]}",
             "expected a least effort of at most 0 and a largest of at least 0, got 1 and 2");
  expect_law("motor: {velocity: 1, gear: 0}", "› gear: expected a ratio other than 0, got 0");
  expect_joint("revolute: {at: [0, 0, 0], axis: [0, 0, 1]}, friction: 0.1",
               "friction in a pin without a radius does nothing");
  expect(
      "joints:\n  - {name: j, between: b, ball_clearance: {at: [0, 0, 0], clearance: 1 mm, radius: "
      "1 "
      "cm}}\n",
      "a joint with play to the world needs a body that is fixed");

  expect(hinge + "drives:\n  - {name: d, joint: k, angle: 0}\n",
         "scene.yaml:6:22: drives[0] \"d\" › joint: there is no joint \"k\"");
  expect(hinge + "drives: [{name: d, joint: j, speed: 1}]\n",
         "joint \"j\" has no coordinate that is a displacement");
  expect(hinge + "drives: [{name: d, joint: j, coordinate: slide, speed: 1}]\n",
         "› coordinate: joint \"j\" has no coordinate slide");
  expect(rail + "drives: [{name: d, joint: j, coordinate: turn, speed: 1}]\n",
         "the coordinate turn of joint \"j\" is not a displacement");
  expect(hinge + "drives: [{name: d, joint: j, angle: 0}, {name: e, joint: j, angular_speed: 1}]\n",
         "drives[1] \"e\": another drive moves this coordinate already");
  expect(hinge + "drives: [{name: d, joint: j, angle: 1}]\njoint_positions: {j: 2}\n",
         "the law starts with 1 rad, joint_positions with 2");
  expect(rail + "couplings: [{name: c, terms: [{joint: j}]}]\n",
         "joint \"j\" has several coordinates: turn, slide");
  expect(hinge + "couplings: [{name: c, terms: [{joint: j}, {joint: j}]}]\n",
         "couplings[0] \"c\" › terms[1]: this coordinate is in the coupling already");
  expect(hinge + "couplings: [{name: c, terms: [{joint: j, factor: 0}]}]\n",
         "› factor: expected a factor other than 0, got 0");
  expect(hinge + "joint_positions: {k: 1}\n", "joint_positions › k: there is no joint \"k\"");
  expect(hinge + "joint_positions: {j: 1 m}\n",
         "joint_positions › j: expected an angle [rad], got \"1 m\"");
  expect(hinge + "joint_positions: {j: {slide: 1 m}}\n",
         "› slide: joint \"j\" has no coordinate slide");
  expect(hinge + "joint_positions: {j: {only: 1, turn: 2}}\n",
         "the start of this coordinate is given already");
  expect(
      "joints: [{name: j, between: a, revolute: {at: [0, 0, 0], axis: [0, 0, 1]}, turn: {limits: "
      "[-1, 1]}}]\n"
      "joint_positions: {j: 2}\n",
      "2 rad is beyond the limits of the joint, -1 and 1");
  expect("forces: [{name: f, between: a, torque: 2}]\n", "torque is of planar scenes");
  expect("forces: [{name: f, between: a, pull: {force: 1}}]\n",
         "at the start the two points are one: a force between them has no direction");
  expect("forces: [{name: f, between: a, bushing: {at: [0, 0, 0]}}]\n",
         "the bushing has neither a stiffness nor a damping");
  const auto matrix = [](const char* first, const char* second) {
    return std::string(
               "forces: [{name: f, between: a, bushing: {at: [0, 0, 0], stiffness_matrix: [") +
           first + ", " + second +
           ", [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}}]\n";
  };
  expect(matrix("[1, 2, 0, 0, 0, 0]", "[0, 1, 0, 0, 0, 0]"), "expected a symmetric matrix");
  expect(matrix("[1, 2, 0, 0, 0, 0]", "[2, 1, 0, 0, 0, 0]"),
         "expected no negative eigenvalue, got -1");
}

// Drives that no motion satisfies together are told by name.
TEST(MachineInSpace, ContradictingDrivesAreNamed) {
  const std::string mistakes = SceneFolder().mistakes(R"(bodies:
  - {name: a, shape: {sphere: 10 cm}, mass: 2 kg}
joints:
  - {name: one, between: a, revolute: {at: [0, 0, 0], axis: [0, 0, 1]}}
  - {name: two, between: a, revolute: {at: [0, 0, 1], axis: [0, 0, 1]}}
drives:
  - {name: slow, joint: one, angular_speed: 1}
  - {name: fast, joint: two, angular_speed: 2}
)");
  EXPECT_TRUE(contains(mistakes, "contradicts the others at the start: no velocities satisfy them"))
      << mistakes;
  EXPECT_TRUE(contains(mistakes, "scene.yaml:8:5: drives[1] \"fast\"") ||
              contains(mistakes, "scene.yaml:7:5: drives[0] \"slow\""))
      << mistakes;
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
