// What of robots' files is read, refused and added: starts, floors, bases, transmissions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>

#include <talus/model/machine.hpp>
#include <talus/stepping/assembly.hpp>

#include "robot_scenes.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

using model::Freedom;
constexpr Real kPi = std::numbers::pi;

const std::string kBody =
    R"(<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>)";

std::string link(const std::string& name, const std::string& more = "") {
  return "<link name=\"" + name + "\">" + kBody + more + "</link>";
}
std::string joint(const std::string& type, const std::string& more = "") {
  return "<joint name=\"j\" type=\"" + type +
         R"("><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>)" + more + "</joint>";
}
Scene load_urdf(const std::string& parts, const std::string& base = "") {
  return load_robot("<robot name=\"r\">" + base + parts + "</robot>", ".urdf");
}

Real start_of(const Scene& scene, const std::string& name, Freedom axis = Freedom::turn_z) {
  const auto& joints = scene.model.spatial_machine->joints;
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (joints[i].name == name)
      return stepping::joint_coordinate(scene.model, scene.initial, static_cast<Index>(i), axis);
  ADD_FAILURE() << name;
  return 0;
}

std::string mistake_in(const std::string& text, const std::string& ending) {
  try {
    load_robot(text, ending);
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 1u);
    return to_string(error.diagnostics().front());
  }
  return "";
}

/// A four-bar with cranks of 0.2 and 0.3 on pivots 0.4 apart and a coupler of 0.35, at a crank
/// angle: the file gives it at 90°.
struct FourBar {
  static constexpr Real kCrank = 0.2, kCoupler = 0.35, kRocker = 0.3, kBase = 0.4;
  /// Angles from x of crank, coupler and rocker.
  static Vec3 angles(Real crank) {
    const Vec2 B = kCrank * Vec2(std::cos(crank), std::sin(crank)), d = Vec2(kBase, 0) - B;
    const Real length = d.norm(), alpha = std::atan2(d.y(), d.x());
    const Real inner = std::acos((kCoupler * kCoupler + length * length - kRocker * kRocker) /
                                 (2 * kCoupler * length));
    const Real coupler = alpha + inner;
    const Vec2 C = B + kCoupler * Vec2(std::cos(coupler), std::sin(coupler)) - Vec2(kBase, 0);
    return {crank, coupler, std::atan2(C.y(), C.x())};
  }
  static Scene load(Real crank, int digits, Real error = 0) {
    const Vec3 given = angles(kPi / 2), wanted = angles(crank);
    const auto bar = [](Real length, Real angle, const char* inner) {
      return fmt::format(
          R"(<geom type="capsule" contype="0" conaffinity="0" size="0.01" fromto="0 0 0 {:.17g} {:.17g} 0"/>{})",
          length * std::cos(angle), length * std::sin(angle), inner);
    };
    const Vec2 B(0, kCrank), C = B + kCoupler * Vec2(std::cos(given[1]), std::sin(given[1]));
    const std::string world =
        "<body name='crank'><joint name='a'/>" + bar(kCrank, given[0], "") +
        fmt::format("<body name='coupler' pos='0 {} 0'><joint name='c'/>", kCrank) +
        bar(kCoupler, given[1], "") + "</body></body>" +
        fmt::format("<body name='rocker' pos='{} 0 0'><joint name='b'/>", kBase) +
        bar(kRocker, given[2], "") + "</body>";
    const Vec3 turned = wanted - given;
    const std::string key =
        fmt::format("<keyframe><key name='k' qpos='{:.{}f} {:.{}f} {:.{}f}'/></keyframe>",
                    turned[0], digits, turned[1] - turned[0] + error, digits, turned[2], digits);
    SceneFolder folder;
    folder.write(
        "r.xml",
        "<mujoco><compiler angle='radian'/><worldbody>" + world + "</worldbody><equality>" +
            fmt::format("<connect body1='coupler' body2='rocker' anchor='{:.17g} {:.17g} 0'/>",
                        C.x() - B.x(), C.y() - B.y()) +
            "</equality>" + key + "</mujoco>");
    Overrides overrides;
    overrides.keyframe = "k";
    return scene::load(folder.path() / "r.xml", overrides);
  }
};

// A keyframe gives all coordinates of a loop: it starts there, however far that is. Six digits
// leave it open by their rounding, which is taken back and said; what does not fit is a mistake.
TEST(RobotRules, LoopsStartAtAllOfTheirCoordinates) {
  for (const Real crank : {2.0, 0.4, -1.5, 3.0}) {
    const Vec3 turned = FourBar::angles(crank) - FourBar::angles(kPi / 2);
    for (const int digits : {17, 6}) {
      const Scene scene = FourBar::load(crank, digits);
      const Real rounding = digits == 6 ? 5e-6 : 1e-11;
      EXPECT_NEAR(start_of(scene, "a"), turned[0], rounding) << crank;
      const Real way = turned[1] - turned[0] - start_of(scene, "c");
      EXPECT_NEAR(std::remainder(way, 2 * kPi), 0, rounding) << crank;
      EXPECT_NEAR(start_of(scene, "b"), turned[2], rounding) << crank;
      EXPECT_EQ(has_note(scene, RobotNoteKind::added, "positions of joints changed"), digits == 6);
    }
    EXPECT_THROW(static_cast<void>(FourBar::load(crank, 17, 1e-2)), InputError) << crank;
  }
}

// A keyframe gives both sides of a coupling b = 0.3 + 0.5 a.
TEST(RobotRules, CouplingsStartAtAllOfTheirCoordinates) {
  const auto at = [](const std::string& qpos) {
    SceneFolder folder;
    folder.write("r.xml", R"(<mujoco><compiler angle="radian"/><worldbody>
      <body><joint name="a"/><geom size="0.1"/></body>
      <body pos="1 0 0"><joint name="b"/><geom size="0.1"/></body></worldbody><equality>
      <joint joint1="b" joint2="a" polycoef="0.3 0.5 0 0 0"/></equality>
      <keyframe><key name="k" qpos=")" +
                              qpos + R"("/></keyframe></mujoco>)");
    Overrides overrides;
    overrides.keyframe = "k";
    return scene::load(folder.path() / "r.xml", overrides);
  };
  const Scene scene = at("0.8 0.7");
  EXPECT_NEAR(start_of(scene, "a"), 0.8, 1e-12);
  EXPECT_NEAR(start_of(scene, "b"), 0.7, 1e-12);
  const Scene turned = at("-8 -3.7");  // with whole turns
  EXPECT_NEAR(start_of(turned, "a"), 2 * kPi - 8, 1e-12);
  EXPECT_NEAR(start_of(turned, "b"), 2 * kPi - 3.7, 1e-12);
  EXPECT_EQ(turned.initial.internal.find(model::kJointAngles)->size(), 2u);
  EXPECT_NEAR(turned.initial.internal.find(model::kJointAngles)->front(), -8, 1e-12);
  EXPECT_THROW(static_cast<void>(at("0.8 0.6")), InputError);
}

// The same in a scene, for a screw and a hinge from where they are given.
TEST(RobotRules, PositionsOfAScenesCouplingAreAllGiven) {
  SceneFolder folder;
  const Scene scene = folder.load(R"(
bodies:
  - {name: a, shape: {sphere: 0.1}, mass: 1}
  - {name: b, shape: {sphere: 0.1}, mass: 1, position: [1, 0, 0]}
joints:
  - {name: a, between: a, screw: {at: [0, 0, 0], axis: [0, 0, 1], pitch: 0.1}}
  - {name: b, between: b, revolute: {at: [1, 0, 0], axis: [0, 1, 0]}}
couplings:
  - {name: c, offset: 0.2, terms: [{joint: a, coordinate: turn}, {joint: b, factor: -2}]}
joint_positions: {a: {turn: 1.2}, b: 0.5}
)");
  EXPECT_NEAR(start_of(scene, "a"), 1.2, 1e-12);
  EXPECT_NEAR(start_of(scene, "b"), 0.5, 1e-12);
  EXPECT_NEAR(scene.initial.position[0].z(), 0.1 * 1.2 / (2 * kPi), 1e-12);
}

// Of a loop of hinges, here a parallelogram beyond where it is flat, the angles keep whole turns.
TEST(RobotRules, LoopsOfHingesCountTheirTurns) {
  SceneFolder folder;
  const Scene scene = folder.load(R"(
bodies:
  - {name: crank, shape: {sphere: 0.1}, mass: 1, position: [0, 0.5, 0], collides: false}
  - {name: rocker, shape: {sphere: 0.1}, mass: 1, position: [1, 0.5, 0], collides: false}
  - {name: coupler, shape: {sphere: 0.1}, mass: 1, position: [0.5, 1, 0], collides: false}
joints:
  - {name: a, between: crank, revolute: {at: [0, 0, 0], axis: [0, 0, 1]}}
  - {name: b, between: rocker, revolute: {at: [1, 0, 0], axis: [0, 0, 1]}}
  - {name: c, between: [crank, coupler], revolute: {at: [0, 1, 0], axis: [0, 0, 1]}}
  - {name: d, between: [rocker, coupler], revolute: {at: [1, 1, 0], axis: [0, 0, 1]}}
joint_positions: {a: 4 rad, b: 4.00001 rad, c: -4 rad}
)");
  EXPECT_TRUE(has_note(scene, RobotNoteKind::added, "positions of joints changed"));
  const std::vector<Real>* angles = scene.initial.internal.find(model::kJointAngles);
  ASSERT_TRUE(angles != nullptr && angles->size() == 4);
  for (const std::size_t i : {0, 1, 2, 3}) EXPECT_NEAR((*angles)[i], i < 2 ? 4 : -4, 2e-5) << i;
}

// The floor is under the lowest point at the start: of a slide that starts at its limit −1 and of a
// joint that follows it. What closes a loop is moved up with the rest.
TEST(RobotRules, StandOnAFloorWhereTheyStart) {
  const std::string ball = R"(<collision><geometry><sphere radius="0.1"/></geometry></collision>)";
  const std::string slide =
      joint("prismatic", R"(<limit lower="-2" upper="-1" effort="9" velocity="1"/>)");
  const std::string follower =
      link("c", ball) +
      R"(<joint name="k" type="prismatic"><parent link="b"/><child link="c"/>
      <axis xyz="0 0 1"/><limit lower="-9" upper="9"/><mimic joint="j" multiplier="2"/></joint>)";
  const Scene one = load_urdf(link("a", ball) + link("b", ball) + slide);
  EXPECT_NEAR(one.initial.position[body_of(one, "b")].z(), 0.1, 1e-12);
  EXPECT_NEAR(one.initial.position[body_of(one, "a")].z(), 1.1, 1e-12);
  const Scene two = load_urdf(link("a", ball) + link("b", ball) + slide + follower);
  EXPECT_NEAR(two.initial.position[body_of(two, "c")].z(), 0.1, 1e-12);
  EXPECT_NEAR(two.initial.position[body_of(two, "a")].z(), 3.1, 1e-12);
  const Scene egg = load_urdf(link(
      "a",
      R"(<collision><geometry><drake:ellipsoid a="0.1" b="0.2" c="0.3"/></geometry></collision>)"));
  EXPECT_NEAR(egg.initial.position[body_of(egg, "a")].z(), 0.3, 0.01 * 0.3);  // a hull
  const Scene loop = load_urdf(
      link("a", ball) + link("b", ball) + joint("continuous", R"(<origin xyz="1 0 0"/>)") +
      R"(<joint name="k" type="spherical"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/></joint>)");
  const model::SpatialJoint& closing = joint_of(loop, "k");
  EXPECT_NEAR(closing.X_AJ.p.z(), 0, 1e-12);
}

// A rotor behind a gear is an armature I gear². A transmission of no joint of the file is a mistake
// with its place, and what is not known in one is said.
TEST(RobotRules, TransmissionsTurnRotors) {
  const auto robot = [](const std::string& name) {
    return link("world") + link("a") + link("b") +
           R"(<joint name="w" type="fixed"><parent link="world"/><child link="a"/></joint>)" +
           joint("revolute", R"(<limit lower="-1" upper="1" effort="5" velocity="1"/>)") +
           "\n<transmission name=\"t\"><joint name=\"" + name +
           R"("/><actuator name="m"><drake:rotor_inertia value="1e-4"/><drake:gear_ratio value="50"/>
      <flex value="3"/></actuator></transmission>)";
  };
  const Scene scene = load_urdf(robot("j"));
  const model::AxisLaw& law = joint_of(scene, "j").axes.at(0);
  EXPECT_NEAR(law.armature, 0.25, 1e-15);
  ASSERT_TRUE(law.motor);
  EXPECT_EQ(law.motor->upper_effort, 5);
  EXPECT_TRUE(has_note(scene, RobotNoteKind::refused, "element <flex>: not known"));
  const std::string mistake = mistake_in("<robot name=\"r\">" + robot("jj") + "</robot>", ".urdf");
  EXPECT_TRUE(contains(mistake, "robot.urdf:2:")) << mistake;
  EXPECT_TRUE(contains(mistake, "there is no joint \"jj\"")) << mistake;
}

// What is not known may change the motion, and is refused; settings of solvers and of other
// programs are ignored.
TEST(RobotRules, RefuseWhatIsNotKnown) {
  const Scene urdf =
      load_urdf(link("a") + link("b") +
                joint("continuous",
                      R"(<dynamics damping="1" spring_stiffness="3"/><calibration rising="1"/>)") +
                "<drake:ball_constraint/><gazebo/>");
  EXPECT_TRUE(has_note(urdf, RobotNoteKind::refused, "dynamics spring_stiffness: not known"));
  EXPECT_TRUE(has_note(urdf, RobotNoteKind::refused, "element <drake:ball_constraint>: not known"));
  EXPECT_TRUE(has_note(urdf, RobotNoteKind::ignored, "element <gazebo>"));
  EXPECT_TRUE(has_note(urdf, RobotNoteKind::ignored, "element <calibration>"));
  const Scene mjcf =
      load_world(R"(<body><joint name="j" actuatorgravcomp="true"/><geom size="0.1"/></body>)",
                 R"(<option wind="1 0 0" integrator="RK4"/>)",
                 R"(<actuator><position joint="j" armature="2"/></actuator>)");
  for (const char* what : {"option wind", "joint actuatorgravcomp", "position armature"})
    EXPECT_TRUE(has_note(mjcf, RobotNoteKind::refused, what)) << what;
  EXPECT_TRUE(has_note(mjcf, RobotNoteKind::ignored, "option integrator"));
}

/// A robot in a scene, with a base.
Scene with_base(const std::string& world, const std::string& base) {
  SceneFolder folder;
  folder.write("r.xml", "<mujoco><worldbody>" + world + "</worldbody></mujoco>");
  return folder.load("robots: [{file: r.xml, name: r, base: " + base + "}]\n");
}

// base: fixed and floating are of what carries joints; loose objects stay free, furniture fixed. A
// base on a hinge cannot float.
TEST(RobotRules, HoldTheirBaseAlone) {
  const std::string cube = R"(<body name="cube" pos="2 0 0"><freejoint/><geom size="0.1"/></body>)";
  const std::string table = R"(<body name="table" pos="4 0 0"><geom size="0.1"/></body>)";
  const std::string arm =
      R"(<geom size="0.1"/><body pos="0 0 1"><joint name="j"/><geom size="0.1"/></body></body>)";
  const auto is_dynamic = [](const Scene& scene, const char* name) {
    return scene.model.bodies[static_cast<std::size_t>(body_of(scene, name))].kind ==
           model::BodyKind::dynamic;
  };
  const Scene fixed = with_base(cube + table + R"(<body name="trunk"><freejoint/>)" + arm, "fixed");
  EXPECT_FALSE(is_dynamic(fixed, "r:trunk"));
  EXPECT_TRUE(is_dynamic(fixed, "r:cube"));
  const Scene floating = with_base(cube + table + R"(<body name="trunk">)" + arm, "floating");
  EXPECT_TRUE(is_dynamic(floating, "r:trunk"));
  EXPECT_FALSE(is_dynamic(floating, "r:table"));
  try {
    with_base(R"(<body name="trunk"><joint name="h"/>)" + arm, "floating");
    ADD_FAILURE() << "a hinge floats";
  } catch (const InputError& error) {
    EXPECT_TRUE(contains(error.what(), "\"r:trunk\"") || contains(error.what(), "\"trunk\""));
    EXPECT_TRUE(contains(error.what(), "joint \"h\"")) << error.what();
  }
}

// A spring of a tendon that rests between two lengths is left out whole, and said.
TEST(RobotRules, RefuseASpringThatRestsBetweenLengths) {
  const auto tendon = [](const std::string& lengths) {
    return load_world(R"(<body><joint name="j" type="slide"/><geom size="0.1"/></body>)", "",
                      R"(<tendon><fixed stiffness="50" damping="2" springlength=")" + lengths +
                          R"("><joint joint="j" coef="1"/></fixed></tendon>)");
  };
  const auto stiffness = [](const Scene& scene) {
    for (const model::AxisLaw& law : joint_of(scene, "tendon 1").axes)
      if (law.damping == 2) return law.stiffness;
    return Real(-1);
  };
  EXPECT_EQ(stiffness(tendon("0.3 0.3")), 50);
  const Scene between = tendon("0.3 0.5");
  EXPECT_EQ(stiffness(between), 0);
  EXPECT_TRUE(has_note(between, RobotNoteKind::refused, "between two springlengths"));
}

// Actuators without bounds of their own add up, in any order, within those of the joint, whose sign
// a gear turns.
TEST(RobotRules, ActuatorsOfAJointAddUp) {
  const std::string position = R"(<position joint="j" kp="20" gear="-2"/>)";
  const std::string velocity = R"(<velocity joint="j" kv="3"/>)";
  for (const std::string& actuators : {position + velocity, velocity + position}) {
    const Scene scene = load_world(
        R"(<body><joint name="j" type="slide" actuatorfrcrange="-4 10"/><geom size="0.1"/></body>)",
        "", "<actuator>" + actuators + "</actuator>");
    const model::Motor& motor = *joint_of(scene, "j").axes.at(0).motor;
    const Real g = motor.gear;
    EXPECT_NEAR(motor.stiffness * g * g, 20 * 4, 1e-12);
    EXPECT_NEAR(motor.damping * g * g, 3, 1e-12);
    EXPECT_LT(motor.lower_effort, motor.upper_effort);
    EXPECT_NEAR(std::min(motor.lower_effort * g, motor.upper_effort * g), -4, 1e-12);
    EXPECT_NEAR(std::max(motor.lower_effort * g, motor.upper_effort * g), 10, 1e-12);
  }
  const Scene bounded = load_world(
      R"(<body><joint name="j"/><geom size="0.1"/></body>)", "",
      R"(<actuator><position joint="j" kp="20"/><velocity joint="j" kv="3" forcerange="-1 1"/></actuator>)");
  EXPECT_TRUE(has_note(bounded, RobotNoteKind::refused, "a second actuator of a joint"));
}

// A controller of a velocity keeps the damping of the file's velocity actuator; one of an effort
// has none. The gravity of a file that the scene does not have is said.
TEST(RobotRules, ScenesCommandVelocities) {
  const auto damping = [](const std::string& motor) {
    SceneFolder folder;
    folder.write("r.xml", R"(<mujoco><option gravity="0 0 -4"/><worldbody>
      <body><joint name="j"/><geom size="0.1"/></body></worldbody>
      <actuator><velocity joint="j" kv="3"/></actuator></mujoco>)");
    const Scene scene = folder.load("robots: [{file: r.xml, name: r, controllers: {j: {turn: {" +
                                    motor + "}}}}]\n");
    EXPECT_TRUE(has_note(scene, RobotNoteKind::read, "the gravity (0, 0, -4) of the file"));
    return joint_of(scene, "r:j").axes.at(0).motor->damping;
  };
  EXPECT_EQ(damping("velocity: 2"), 3);
  EXPECT_EQ(damping("velocity: 2, damping: 0"), 0);
  EXPECT_EQ(damping("effort: 2"), 0);
}

// Of a ball neither dry friction nor, where its parent moves, an armature is read: both are said.
TEST(RobotRules, RefuseWhatBallsCannotHave) {
  const Scene scene = load_world(R"(<body><freejoint/><geom size="0.1"/><body pos="0 0 1">
    <joint type="ball" armature="1" frictionloss="2"/><geom size="0.1"/></body></body>)");
  EXPECT_TRUE(has_note(scene, RobotNoteKind::refused, "armature of a ball joint"));
  EXPECT_TRUE(has_note(scene, RobotNoteKind::refused, "dry friction of a ball joint"));
}

// What has no mass is one mistake.
TEST(RobotRules, SayOnceWhatHasNoMass) {
  const std::string mistake = mistake_in(
      "<mujoco><worldbody><body name='b'><freejoint/><site/></body></worldbody></mujoco>", ".xml");
  EXPECT_TRUE(contains(mistake, "moves, and has no mass")) << mistake;
}

std::string ball(Real radius) {
  return fmt::format(R"(<collision><geometry><sphere radius="{}"/></geometry></collision>)",
                     radius);
}

// A joint whose limits are equal stands where they are, and so does what follows it.
TEST(RobotRules, HoldAJointAtItsOnlyPosition) {
  const auto at = [](const std::string& type, Real value) {
    return load_urdf(
        link("world") + link("a") + link("b") + link("c") +
        R"(<joint name="w" type="continuous"><parent link="world"/><child link="a"/></joint>)" +
        fmt::format(R"(<joint name="j" type="{0}"><parent link="a"/><child link="b"/>
      <origin xyz="1 0 0"/><axis xyz="0 1 0"/><limit lower="{1}" upper="{1}"/></joint>)",
                    type, value) +
        R"(<joint name="k" type="continuous"><parent link="b"/><child link="c"/>
      <origin xyz="1 0 0"/><axis xyz="0 0 1"/><mimic joint="j" multiplier="2" offset="0.3"/></joint>)");
  };
  const Scene turned = at("revolute", 0.5);
  const Vec3 c = turned.initial.position[body_of(turned, "c")];
  EXPECT_LE((c - Vec3(1 + std::cos(0.5), 0, -std::sin(0.5))).norm(), 1e-12);
  EXPECT_NEAR(start_of(turned, "k"), 1.3, 1e-12);
  const Scene moved = at("prismatic", -0.5);
  EXPECT_LE((moved.initial.position[body_of(moved, "c")] - Vec3(2, -0.5, 0)).norm(), 1e-12);
  EXPECT_NEAR(start_of(moved, "k"), -0.7, 1e-12);
}

// What collides of a link without mass between joints is carried by the body that is added there.
TEST(RobotRules, CarryShapesOfALinkWithoutMass) {
  const Scene scene =
      load_urdf(link("a", ball(0.1)) + "<link name=\"b\">" + ball(0.3) + "</link>" + link("c") +
                joint("continuous", R"(<origin xyz="0 0 -0.1"/>)") +
                R"(<joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint>)");
  const Index wheel = body_of(scene, "b (added)");
  EXPECT_NEAR(scene.initial.position[wheel].z(), 0.3, 1e-12);
  EXPECT_NEAR(scene.model.bodies[wheel].mass, 1e-6, 1e-18);
  EXPECT_TRUE(model::can_touch(scene.model, body_of(scene, "floor"), wheel));
}

/// A cube of edge 2 about a point, its corners once per triangle, as STL has them.
/// @param turned a triangle the other way round. @param split a corner amid an edge of one triangle
std::string cube(const Vec3& centre, const std::set<int>& left_out, int turned, bool split) {
  const int corners[12][3] = {{1, 2, 4}, {1, 4, 3}, {5, 7, 8}, {5, 8, 6}, {1, 5, 6}, {1, 6, 2},
                              {3, 4, 8}, {3, 8, 7}, {1, 3, 7}, {1, 7, 5}, {2, 6, 8}, {2, 8, 4}};
  const auto at = [&](int corner) {
    const int n = corner - 1;
    return Vec3(centre + Vec3((n & 4) != 0 ? 1 : -1, (n & 2) != 0 ? 1 : -1, (n & 1) != 0 ? 1 : -1));
  };
  std::string text;
  const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    for (const Vec3& x : {a, b, c}) text += fmt::format("v {} {} {}\n", x.x(), x.y(), x.z());
    text += "f -3 -2 -1\n";
  };
  for (int i = 0; i < 12; ++i) {
    if (left_out.contains(i)) continue;
    Vec3 a = at(corners[i][0]), b = at(corners[i][1]), c = at(corners[i][2]);
    if (i == turned) std::swap(a, c);
    if (i == 0 && split) {
      add(a, (a + b) / 2, c);
      a = (a + b) / 2;
    }
    add(a, b, c);
  }
  return text;
}

// What a mesh weighs is what it encloses: of one that is open, or whose triangles turn both ways
// round, that depends on the origin, and is a mistake. Edges need not meet one to one.
TEST(RobotRules, WeighClosedMeshesAlone) {
  const auto weigh = [](const std::set<int>& left_out, int turned, const std::string& mass,
                        bool split = false) {
    SceneFolder folder;
    folder.write("c.obj", cube({10, 0, 0}, left_out, turned, split));
    folder.write("r.xml", R"(<mujoco><asset><mesh name="m" file="c.obj"/></asset><worldbody><body>
      <joint/><geom type="mesh" mesh="m" )" +
                              mass + "/></body></worldbody></mujoco>");
    return folder.mistakes_of(folder.path() / "r.xml");
  };
  const auto is_said = [](const std::string& mistake) {
    return contains(mistake, "r.xml:2:") && contains(mistake, "not closed") &&
           contains(mistake, "<inertial>");
  };
  for (const char* mass : {"density='1'", "mass='8'"}) {
    EXPECT_EQ(weigh({}, -1, mass), "");
    EXPECT_EQ(weigh({}, -1, mass, true), "");
    for (const int i : {2, 5, 11}) {
      EXPECT_TRUE(is_said(weigh({i}, -1, mass))) << i;
      EXPECT_TRUE(is_said(weigh({}, i, mass))) << i;
    }
    EXPECT_TRUE(is_said(weigh({0, 1, 2, 3}, -1, mass))) << "a tube";
  }
}

/// Three pendulums side by side: a follows b with 2 q + 0.1, b follows c with 0.3 − q.
std::string followers(const std::string& order) {
  std::string text = link("world") + link("a") + link("b") + link("c");
  for (const char one : order) {
    text += fmt::format(R"(<joint name="j{0}" type="continuous"><parent link="world"/>
      <child link="{0}"/><origin xyz="0 {1} 0"/><axis xyz="0 0 1"/>)",
                        one, one - 'a');
    if (one == 'a') text += R"(<mimic joint="jb" multiplier="2" offset="0.1"/>)";
    if (one == 'b') text += R"(<mimic joint="jc" multiplier="-1" offset="0.3"/>)";
    text += "</joint>";
  }
  return "<robot name=\"r\">" + text + "</robot>";
}

// Joints that follow one another start along the chain, in whatever order the file has them.
TEST(RobotRules, FollowersOfFollowersStartWithThem) {
  for (const char* order : {"abc", "acb", "bac", "bca", "cab", "cba"}) {
    const Scene scene = load_robot(followers(order), ".urdf");
    EXPECT_NEAR(start_of(scene, "jc"), 0, 1e-12) << order;
    EXPECT_NEAR(start_of(scene, "jb"), 0.3, 1e-12) << order;
    EXPECT_NEAR(start_of(scene, "ja"), 0.7, 1e-12) << order;
  }
}

// A scene says where a leader starts: its followers, of which the file has another start, go along.
TEST(RobotRules, ScenesStartLeadersWithTheirFollowers) {
  SceneFolder folder;
  folder.write("r.urdf", followers("abc"));
  const Scene scene =
      folder.load("robots: [{file: r.urdf, name: r, joint_positions: {jc: 0.8}}]\n");
  EXPECT_NEAR(start_of(scene, "r:jc"), 0.8, 1e-12);
  EXPECT_NEAR(start_of(scene, "r:jb"), -0.5, 1e-12);
  EXPECT_NEAR(start_of(scene, "r:ja"), -0.9, 1e-12);
  EXPECT_NE(
      folder.mistakes("robots: [{file: r.urdf, name: r, joint_positions: {jc: 0.8, jb: 0}}]\n"),
      "");
}

// URDF asks for limits of hinges and slides: without them they are free, and that is said.
TEST(RobotRules, SayWhatHasNoLimits) {
  const auto with = [](const std::string& type, const std::string& limit) {
    return has_note(load_urdf(link("a") + link("b") + joint(type, limit)), RobotNoteKind::added,
                    "without lower and upper limits");
  };
  for (const char* type : {"revolute", "prismatic"}) {
    EXPECT_TRUE(with(type, ""));
    EXPECT_TRUE(with(type, R"(<limit effort="3" velocity="1"/>)"));
    EXPECT_FALSE(with(type, R"(<limit lower="-1" upper="1"/>)"));
  }
  EXPECT_FALSE(with("continuous", ""));
}

// A link has one inertia, a mimic follows a joint with one coordinate.
TEST(RobotRules, RefuseTwoInertiasAndFollowersOfPlanes) {
  const std::string twice = mistake_in("<robot>" + link("a", kBody) + "</robot>", ".urdf");
  EXPECT_TRUE(contains(twice, "a link has one <inertial>")) << twice;
  const std::string plane =
      mistake_in("<robot>" + link("a") + link("b") + link("c") + joint("planar") +
                     R"(<joint name="k" type="continuous"><parent link="a"/><child link="c"/>
        <mimic joint="j"/></joint></robot>)",
                 ".urdf");
  EXPECT_TRUE(contains(plane, "joint \"j\" is of the type planar")) << plane;
  EXPECT_TRUE(contains(plane, "one coordinate")) << plane;
}

// What no body can have is one mistake, not several that follow from it.
TEST(RobotRules, SayOnceWhatCannotMove) {
  const std::string end = mistake_in(
      "<robot>" + link("a") + "<link name=\"b\"/>" + joint("continuous") + "</robot>", ".urdf");
  EXPECT_TRUE(contains(end, "\"b\" moves, and has no mass")) << end;
  const std::string behind =
      mistake_in("<robot>" + link("a") + "<link name=\"b\"/>" + joint("continuous") +
                     R"(<link name="c"><inertial><mass value="1"/></inertial></link><joint name="k"
        type="continuous"><parent link="b"/><child link="c"/></joint></robot>)",
                 ".urdf");
  EXPECT_TRUE(contains(behind, "\"c\" moves, and has no inertia")) << behind;
  const std::string negative = mistake_in(
      R"(<robot><link name="a"><inertial><mass value="1"/>
        <inertia ixx="-0.5" iyy="0.01" izz="0.01"/></inertial></link></robot>)",
      ".urdf");
  EXPECT_FALSE(contains(negative, "no inertia")) << negative;
  EXPECT_TRUE(contains(negative, "-0.5")) << negative;
}

// Files that are not read say what to do with them.
TEST(RobotRules, KnowFilesThatAreNotRead) {
  SceneFolder folder;
  const auto mistakes = [&](const std::string& name, const std::string& text) {
    folder.write(name, text);
    const std::string alone = folder.mistakes_of(folder.path() / name);
    EXPECT_EQ(contains(folder.mistakes("robots: [{file: " + name + ", name: r}]\n"), "is not read"),
              contains(alone, "is not read"));
    return alone;
  };
  EXPECT_TRUE(contains(mistakes("r.sdf", "<sdf version='1.6'/>"), "SDF is not read"));
  const std::string macro = "<robot xmlns:xacro='x'><xacro:property name='m' value='3'/></robot>";
  for (const char* name : {"r.xacro", "r.urdf.xacro", "r.urdf"}) {
    const std::string mistake = mistakes(name, macro);
    EXPECT_TRUE(contains(mistake, "xacro is not read")) << mistake;
    EXPECT_TRUE(contains(mistake, "expand it first")) << mistake;
  }
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
