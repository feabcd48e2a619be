// What MJCF files say of tendons through sites, ratios of damping, equalities, flags and keyframes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/geometry/triangle_mesh.hpp>
#include <talus/model/machine.hpp>
#include <talus/stepping/assembly.hpp>

#include "robot_scenes.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

using model::Freedom;
constexpr Real kPi = std::numbers::pi;
constexpr Real kRounding = 1e-14;

/// An arm of two rods of mass m and length l in a row along x, joints about y at their ends.
constexpr Real kLength = 0.5, kMass = 3;
std::string arm(const std::string& first, const std::string& second) {
  const std::string inertial =
      R"(<inertial pos="0.25 0 0" mass="3" diaginertia="0.01 0.0625 0.0625"/>)";
  return R"(<body name="upper">)" + inertial + R"(<joint name="s" axis="0 1 0" )" + first +
         R"(/><body name="lower" pos="0.5 0 0">)" + inertial + R"(<joint name="e" axis="0 1 0" )" +
         second + "/></body></body>";
}
/// The mass matrix of the stretched arm: of rods m l²/3 about their ends.
constexpr Real kRod = kMass * kLength * kLength;
constexpr Real kOuter = kRod / 3, kInner = kRod / 3 + kRod * (1 + 1.0 / 3 + 1),
               kBetween = kRod / 3 + kRod / 2;

// A tendon through sites has the length of its straight parts: of those that can change their
// length a joint each, which a drum adds up, with the factor 1/divisor behind a pulley; of those
// within a body a constant.
TEST(Mjcf, RunsATendonThroughSites) {
  const Scene scene = load_world(R"(<site name="a" pos="0 0 2"/><site name="b" pos="1 0 2"/>
    <body name="w" pos="0 0 1"><freejoint/><geom size="0.1" mass="1"/><site name="w"/>
      <site name="v" pos="0 0.3 0"/></body>
    <body name="u" pos="1 0 1.5"><freejoint/><geom size="0.1" mass="2"/><site name="u"/></body>)",
                                 "", R"(<tendon><spatial name="t" range="1 3" stiffness="7">
      <site site="v"/><site site="w"/><site site="a"/><site site="b"/>
      <pulley divisor="2"/><site site="b"/><site site="u"/></spatial></tendon>
    <actuator><motor tendon="t" gear="4"/></actuator>)");
  const model::SpatialMachine& machine = *scene.model.spatial_machine;
  ASSERT_EQ(machine.joints.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<model::Line>(machine.joints[0].kind));
  EXPECT_TRUE(std::holds_alternative<model::Line>(machine.joints[1].kind));
  // From v to w 0.3, to a 1, to b 1; half of that from b to u.
  const Real length = 0.3 + 1 + 1 + 0.25;
  const model::AxisLaw& law = joint_of(scene, "tendon t").axes.at(0);
  EXPECT_NEAR(law.lower, 1 - length, kRounding);
  EXPECT_NEAR(law.upper, 3 - length, kRounding);
  EXPECT_EQ(law.stiffness, 7);
  EXPECT_EQ(law.rest, 0);
  ASSERT_TRUE(law.motor);
  EXPECT_EQ(law.motor->gear, 4);
  ASSERT_EQ(machine.couplings.size(), 1u);
  ASSERT_EQ(machine.couplings[0].terms.size(), 3u);
  EXPECT_EQ(machine.couplings[0].terms[1].coefficient, 1);
  EXPECT_EQ(machine.couplings[0].terms[2].coefficient, 0.5);
  EXPECT_NEAR(machine.couplings[0].offset, 1 + 0.5 * 0.5, kRounding);
}

// Around geoms a tendon is refused with its place, and what drives it.
TEST(Mjcf, RefusesATendonAroundAGeom) {
  const Scene scene = load_world(R"(<site name="a" pos="0 0 2"/><body name="w"><joint/>
    <geom name="g" size="0.1"/><site name="w"/></body>)",
                                 "", R"(<tendon><spatial name="t" stiffness="1"><site site="a"/>
      <geom geom="g"/><site site="w"/></spatial></tendon>
    <actuator><motor tendon="t"/></actuator>)");
  EXPECT_EQ(scene.model.spatial_machine->joints.size(), 1u);
  EXPECT_TRUE(has_note(scene, RobotNoteKind::refused, "tendon <spatial> around a geom"));
  EXPECT_TRUE(has_note(scene, RobotNoteKind::refused, "an actuator of a tendon"));
}

// The range of a ball is a cone: the angle by which it is turned, about whatever axis; against that
// its spring acts, too.
TEST(Mjcf, BoundsABallByACone) {
  const Scene scene = load_world(
      R"(<body><joint name="j" type="ball" range="0 40" stiffness="7"/><geom size="0.1"/></body>)");
  const model::SpatialJoint& cone = joint_of(scene, "j, rotation");
  EXPECT_TRUE(std::holds_alternative<model::Rotation>(cone.kind));
  EXPECT_NEAR(cone.axes.at(0).upper, 40 * kPi / 180, kRounding);
  EXPECT_FALSE(std::isfinite(cone.axes.at(0).lower));  // an angle that is never below 0
  EXPECT_EQ(cone.axes.at(0).stiffness, 7);
  EXPECT_TRUE(joint_of(scene, "j").axes.empty());
}

// dampratio ζ: the damping 2 ζ √(kp m), m the diagonal of the mass matrix over the gear's square;
// as the last number of biasprm it is the same, where it is positive.
TEST(Mjcf, TakesARatioOfDamping) {
  const Scene scene = load_world(arm(R"(armature="0.2")", ""), "", R"(<actuator>
    <position joint="s" kp="50" dampratio="0.5" gear="2"/>
    <general joint="e" gainprm="30" biastype="affine" biasprm="0 -30 1"/></actuator>)");
  const model::Motor& s = *joint_of(scene, "s").axes.at(0).motor;
  EXPECT_EQ(s.stiffness, 50);
  EXPECT_NEAR(s.damping, 2 * 0.5 * std::sqrt(50 * (kInner + 0.2) / 4), 1e-13 * s.damping);
  const model::Motor& e = *joint_of(scene, "e").axes.at(0).motor;
  EXPECT_NEAR(e.damping, 2 * std::sqrt(30 * kOuter), 1e-13 * e.damping);
}

// springdamper (T, ζ): with the inertia I that a joint has while the others are free, 1 over the
// diagonal of the inverse of the mass matrix, the stiffness I/(T ζ)² and the damping 2 I/T.
TEST(Mjcf, TakesATimeConstant) {
  const Scene scene = load_world(arm(R"(springdamper="0.2 0.5")", R"(springdamper="0.1 1")"));
  const Real determinant = kInner * kOuter - kBetween * kBetween;
  const Real inner = determinant / kOuter, outer = determinant / kInner;
  const model::AxisLaw& s = joint_of(scene, "s").axes.at(0);
  EXPECT_NEAR(s.stiffness, inner / 0.01, 1e-12 * s.stiffness);
  EXPECT_NEAR(s.damping, 2 * inner / 0.2, 1e-12 * s.damping);
  const model::AxisLaw& e = joint_of(scene, "e").axes.at(0);
  EXPECT_NEAR(e.stiffness, outer / 0.01, 1e-12 * e.stiffness);
  EXPECT_NEAR(e.damping, 2 * outer / 0.1, 1e-12 * e.damping);
}

// Two actuators of a joint are one motor, whatever their order: one of a velocity adds its damping
// to the control of a position. inheritrange: controls within the joint's own range.
TEST(Mjcf, JoinsActuatorsOfAJoint) {
  const std::string velocity = R"(<velocity joint="j" kv="3"/>)";
  const std::string position = R"(<position joint="j" kp="20" inheritrange="0.5"/>)";
  for (const std::string& actuators : {velocity + position, position + velocity}) {
    const Scene scene = load_world(
        R"(<body><joint name="j" type="slide" range="1 5" ref="2"/><geom size="0.1"/></body>)", "",
        "<actuator>" + actuators + "</actuator>");
    const model::AxisLaw& law = joint_of(scene, "j").axes.at(0);
    ASSERT_TRUE(law.motor);
    EXPECT_EQ(law.motor->damping, 3);
    EXPECT_EQ(law.motor->stiffness, 20);
    // The control 0 is brought to [2, 4]; from the reference on that is 0.
    EXPECT_EQ(model::evaluate(law.motor->target, 0).value, 2 - 2);
  }
}

// The filter of a command, a damper, and the control of a position by velocities at rest are read;
// groups can be disabled.
TEST(Mjcf, ReadsOtherActuators) {
  const Scene scene = load_world(R"(<body><joint name="a"/><geom size="0.1"/></body>
    <body pos="1 0 0"><joint name="b"/><geom size="0.1"/></body>
    <body pos="2 0 0"><joint name="c"/><geom size="0.1"/></body>)",
                                 R"(<option actuatorgroupdisable="3"/>)", R"(<actuator>
      <general joint="a" dyntype="filter" dynprm="0.1" gainprm="9" biastype="affine" biasprm="0 -9 0"/>
      <intvelocity joint="b" kp="4" actrange="-1 1"/><damper joint="b" kv="2" ctrlrange="0 1"/>
      <motor joint="c" group="3"/></actuator>)");
  EXPECT_EQ(joint_of(scene, "a").axes.at(0).motor->stiffness, 9);
  EXPECT_EQ(joint_of(scene, "b").axes.at(0).motor->stiffness, 4);
  EXPECT_TRUE(joint_of(scene, "c").axes.empty());
  EXPECT_TRUE(has_note(scene, RobotNoteKind::refused, "dyntype filter"));
  EXPECT_TRUE(has_note(scene, RobotNoteKind::read, "group 3: disabled"));
}

// A weld holds the pose that it says: a free body starts there. What is not free must be given so.
TEST(Mjcf, WeldsAtAPose) {
  const std::string bodies = R"(<body name="a" pos="1 0 0" quat="0 0 0 1"><geom size="0.1"/></body>
    <body name="b" pos="0 0 5"><%/><geom size="0.1"/></body>)";
  const auto with = [&](const std::string& joint) {
    std::string text = bodies;
    text.replace(text.find('%'), 1, joint);
    return load_world(text, "", R"(<equality>
      <weld body1="a" body2="b" relpose="0.5 0 2 0 1 0 0"/></equality>)");
  };
  const Scene scene = with("freejoint");
  const Index b = body_of(scene, "b");
  EXPECT_LE((scene.initial.position[b] - Vec3(0.5, 0, 2)).norm(), 1e-12);
  EXPECT_LE((scene.initial.orientation[b] * Vec3::UnitZ() + Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_TRUE(has_note(scene, RobotNoteKind::added, "an equality holds \"b\": it starts there"));
  EXPECT_THROW(static_cast<void>(with("joint")), InputError);
}

// Sites that a connection shares are brought together by a free body, which does not turn.
TEST(Mjcf, ConnectsSites) {
  const Scene scene = load_world(R"(<site name="p" pos="1 2 3"/>
    <body name="b"><freejoint/><geom size="0.1"/><site name="q" pos="0 0 1"/></body>)",
                                 "", R"(<equality><connect site1="p" site2="q"/></equality>)");
  EXPECT_LE((scene.initial.position[body_of(scene, "b")] - Vec3(1, 2, 2)).norm(), 1e-12);
}

// Excluding the world is excluding all that is fixed in it, whatever it is called.
TEST(Mjcf, ExcludesTheWorld) {
  const Scene scene = load_world(R"(<geom name="ground" type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/></body>
    <body name="b" pos="1 0 1"><freejoint/><geom size="0.1"/></body>)",
                                 "", R"(<contact><exclude body1="world" body2="a"/></contact>)");
  const Index ground = body_of(scene, "ground");
  EXPECT_FALSE(model::can_touch(scene.model, ground, body_of(scene, "a")));
  EXPECT_TRUE(model::can_touch(scene.model, ground, body_of(scene, "b")));
}

// Several <default> of the same class add up, attribute by attribute; the last one wins.
TEST(Mjcf, AddsDefaultsUp) {
  const Scene scene = load_world(R"(<body name="b"><joint name="j"/><geom size="0.1"/></body>)",
                                 R"(<default><joint damping="2" armature="1"/></default>
    <default><joint damping="3"/></default>)");
  const model::AxisLaw& law = joint_of(scene, "j").axes.at(0);
  EXPECT_EQ(law.damping, 3);
  EXPECT_EQ(law.armature, 1);
}

// A flag takes out what it disables.
TEST(Mjcf, SwitchesOff) {
  const Scene scene = load_world(
      R"(<body name="b"><joint name="j" type="slide" range="-1 1" damping="2" stiffness="3"
        frictionloss="4"/><geom size="0.1"/></body>)",
      R"(<option><flag limit="disable" damper="disable" frictionloss="disable"
        actuation="disable"/></option>)",
      R"(<actuator><motor joint="j"/></actuator>)");
  const model::AxisLaw& law = joint_of(scene, "j").axes.at(0);
  EXPECT_FALSE(std::isfinite(law.lower) || std::isfinite(law.upper) || law.motor);
  EXPECT_EQ(law.damping, 0);
  EXPECT_EQ(law.friction, 0);
  EXPECT_EQ(law.stiffness, 3);
}

// A range of two equal numbers is none, unless the file insists on it.
TEST(Mjcf, TakesNoRangeOfEqualNumbers) {
  const auto with = [](const std::string& more) {
    return load_world(R"(<body><joint name="j" type="slide" damping="1" range="0 0" )" + more +
                      R"(/><geom size="0.1"/></body>)");
  };
  EXPECT_FALSE(std::isfinite(joint_of(with(""), "j").axes.at(0).upper));
  EXPECT_THROW(static_cast<void>(with(R"(limited="true")")), InputError);
}

// A keyframe of a model that is attached has the attachment's prefix; joints start where it says,
// and motors get its controls. Velocities of keyframes are refused.
TEST(Mjcf, StartsAtAKeyframeOfAnAttachedModel) {
  SceneFolder folder;
  folder.write("part.xml", R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="a"><joint name="j"/><geom size="0.1" pos="0.2 0 0"/></body></worldbody>
    <actuator><position joint="j" kp="9"/></actuator>
    <keyframe><key name="up" qpos="0.3" ctrl="0.4" qvel="1"/></keyframe></mujoco>)");
  folder.write("main.xml", R"(<mujoco><asset><model name="m" file="part.xml"/></asset>
    <worldbody><attach model="m" body="a" prefix="l-"/>
      <frame pos="1 0 0"><attach model="m" body="a" prefix="r-"/></frame></worldbody></mujoco>)");
  const Scene scene = folder.load("robots: [{file: main.xml, name: n, keyframe: l-up}]\n");
  const auto start = [&](Index joint) {
    return stepping::joint_coordinate(scene.model, scene.initial, joint, Freedom::turn_z);
  };
  EXPECT_NEAR(start(0), 0.3, 1e-12);
  EXPECT_NEAR(start(1), 0, 1e-12);
  EXPECT_EQ(model::evaluate(joint_of(scene, "n:l-j").axes.at(0).motor->target, 0).value, 0.4);
  EXPECT_TRUE(has_note(scene, RobotNoteKind::refused, "keyframe qvel"));
  EXPECT_THROW(
      static_cast<void>(folder.load("robots: [{file: main.xml, name: n, keyframe: l-down}]\n")),
      InputError);
}

// What touches a body that is fixed is not measured: the sensor is left out, not the file.
TEST(Mjcf, LeavesOutTheTouchOfWhatIsFixed) {
  const Scene scene =
      load_world(R"(<body name="table"><geom type="box" size="1 1 0.1"/><site name="top"/></body>)",
                 "", R"(<sensor><touch site="top"/></sensor>)");
  EXPECT_TRUE(scene.model.sensors.empty());
  EXPECT_TRUE(has_note(scene, RobotNoteKind::ignored, "touch of what is fixed"));
}

// What is for pictures only is said to be so, and is no mistake where nothing may be ignored.
TEST(Mjcf, TellsWhatHasNoEffect) {
  const Scene scene =
      load_world(R"(<light/><camera name="c"/><body><freejoint/><geom size="0.1"/></body>)",
                 "<visual/><size njmax='9'/><asset><texture name='t'/></asset>");
  for (const char* tag : {"<light>", "<camera>", "<visual>", "<size>", "<texture>"})
    EXPECT_TRUE(has_note(scene, RobotNoteKind::read, tag)) << tag;
}

/// Why a model cannot be read; "" if it can.
std::string mistake_in(const std::string& world, const std::string& before = "",
                       const std::string& after = "") {
  try {
    load_world(world, before, after);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

// What is excluded is the shapes of the bodies that are named: what is welded to them touches all
// the same. Where that is one body with them, the exclusion is refused.
TEST(Mjcf, ExcludesOnlyWhatIsNamed) {
  const auto with = [](const std::string& more) {
    return load_world(R"(<geom name="ground" type="plane" size="1 1 1"/>
      <body name="base" pos="0 0 1"><freejoint/><geom size="0.1"/>
        <body name="shell" pos="0 0 0.1"><geom size="0.1"/></body></body>)",
                      "",
                      R"(<contact><exclude body1="world" body2="shell"/>)" + more + "</contact>");
  };
  const Scene one = with("");
  EXPECT_TRUE(model::can_touch(one.model, body_of(one, "ground"), body_of(one, "base")));
  EXPECT_TRUE(has_note(one, RobotNoteKind::refused, "exclude"));
  const Scene both = with(R"(<exclude body1="base" body2="world"/>)");
  EXPECT_FALSE(model::can_touch(both.model, body_of(both, "ground"), body_of(both, "base")));
  EXPECT_FALSE(has_note(both, RobotNoteKind::refused, "exclude"));
}

// A geom that only pairs make touch is known by the name that it has in copies and where its model
// is attached.
TEST(Mjcf, PairsCopiesAndAttachedGeoms) {
  const std::string ball = R"(<body name="b" pos="0 0 0.2"><freejoint/>
    <geom name="g" size="0.1" contype="0" conaffinity="0"/></body>)";
  const std::string ground = R"(<geom name="f" type="plane" size="1 1 1"/>)";
  SceneFolder folder;
  folder.write("part.xml", "<mujoco><worldbody>" + ball + "</worldbody></mujoco>");
  folder.write("r.xml",
               R"(<mujoco><asset><model name="m" file="part.xml"/></asset><worldbody>)" + ground +
                   R"(<replicate count="2" offset="1 0 0">)" + ball +
                   R"(</replicate><frame pos="5 0 0"><attach model="m" prefix="p-"/></frame>
    </worldbody><contact><pair geom1="f" geom2="g1"/><pair geom1="f" geom2="p-g"/></contact></mujoco>)");
  const Scene scene = scene::load(folder.path() / "r.xml");
  const auto touches = [&](const char* body) {
    return model::can_touch(scene.model, body_of(scene, "f"), body_of(scene, body));
  };
  EXPECT_FALSE(touches("b0"));
  EXPECT_TRUE(touches("b1"));
  EXPECT_TRUE(touches("p-b"));
}

// The orientation that an element says itself is its own, whatever form its class has one in.
TEST(Mjcf, TakesItsOwnOrientation) {
  const auto inertia = [](const std::string& orientation) {
    const Scene scene =
        load_world(R"(<body name="b"><joint/><geom type="box" size="0.1 0.2 0.3" )" + orientation +
                       "/></body>",
                   R"(<default><geom quat="1 1 0 0"/></default>)");
    return Mat3(scene.model.bodies[0].inertia);
  };
  const Vec3 plain(0.4 * 0.4 + 0.6 * 0.6, 0.2 * 0.2 + 0.6 * 0.6, 0.2 * 0.2 + 0.4 * 0.4);
  const Real third = 1000 * 0.2 * 0.4 * 0.6 / 12;
  for (const char* form :
       {R"(euler="0 0 90")", R"(axisangle="0 0 1 90")", R"(xyaxes="0 1 0 -1 0 0")"})
    EXPECT_LE((inertia(form).diagonal() - third * Vec3(plain.y(), plain.x(), plain.z())).norm(),
              1e-12)
        << form;
  EXPECT_LE((inertia(R"(zaxis="0 0 1")").diagonal() - third * plain).norm(), 1e-12);
  EXPECT_LE((inertia("").diagonal() - third * Vec3(plain.x(), plain.z(), plain.y())).norm(), 1e-12);
}

// A site between two points lies in their middle, its z towards the first, as a geom does.
TEST(Mjcf, TurnsASiteAlongItsEnds) {
  const Scene scene = load_world(
      R"(<body name="b"><freejoint/><geom size="0.1"/>
        <site name="s" type="capsule" size="0.01" fromto="0.1 0 0 0.5 0 0"/></body>)",
      "", R"(<sensor><touch site="s"/></sensor>)");
  ASSERT_EQ(scene.model.sensors.size(), 1u);
  const auto& touch = std::get<model::ContactSensor>(scene.model.sensors[0].kind);
  EXPECT_LE((touch.frame.X_BF.p - Vec3(0.3, 0, 0)).norm(), kRounding);
  EXPECT_LE((touch.frame.X_BF.q * Vec3::UnitZ() + Vec3::UnitX()).norm(), kRounding);
  EXPECT_LE((touch.half_size - Vec3(0.01, 0.01, 0.21)).norm(), kRounding);
}

// Without a springlength the spring of a tendon rests where its joints are at springref, whatever
// their references: along joints at Σ coef · springref, through sites at the way between them.
TEST(Mjcf, RestsTendonsAtTheSpringsOfTheirJoints) {
  const std::string slides = R"(<site name="o" pos="0 0 3"/>
    <body name="a" pos="0 0 0"><joint name="a" type="slide" axis="0 0 1" ref="0.1" springref="0.3"/>
      <geom size="0.1"/><site name="a"/>
      <body name="b" pos="0 0 1"><joint name="b" type="slide" axis="0 0 1" springref="-0.5"/>
        <geom size="0.1"/><site name="b"/></body></body>)";
  const Scene fixed = load_world(slides, "", R"(<tendon><fixed name="t" stiffness="4">
    <joint joint="a" coef="2"/><joint joint="b" coef="3"/></fixed></tendon>)");
  // The drum counts from the references, 2 · 0.1.
  EXPECT_NEAR(joint_of(fixed, "tendon t").axes.at(0).rest, 2 * 0.3 + 3 * -0.5 - 0.2, kRounding);
  const Scene spatial =
      load_world(slides, "", R"(<tendon><spatial name="t" stiffness="4" armature="1">
    <site site="o"/><site site="b"/></spatial></tendon>)");
  // b is given 2 below o, and at the springs by 0.3 − 0.1 − 0.5 higher.
  EXPECT_NEAR(joint_of(spatial, "tendon t").axes.at(0).rest, 0.5 - 0.2, kRounding);
}

// A gain that is negative drives what it is to hold: it is a mistake, with its place.
TEST(Mjcf, RefusesNegativeGains) {
  for (const char* actuator :
       {R"(<position joint="j" kp="-3"/>)", R"(<position joint="j" kv="-3"/>)",
        R"(<position joint="j" dampratio="-3"/>)", R"(<velocity joint="j" kv="-3"/>)",
        R"(<damper joint="j" kv="-3"/>)"}) {
    const std::string mistake =
        mistake_in(R"(<body><joint name="j"/><geom size="0.1"/></body>)", "",
                   std::string("<actuator>") + actuator + "</actuator>");
    EXPECT_TRUE(contains(mistake, "expected a number of at least 0, got -3"))
        << actuator << mistake;
  }
}

// A weld whose torques count nothing holds a point, and lets its body turn.
TEST(Mjcf, LetsAWeldWithoutTorqueTurn) {
  const auto with = [](const std::string& more) {
    return load_world(
        R"(<body name="b" pos="0.2 0 0"><freejoint/><geom size="0.1"/></body>)", "",
        R"(<equality><weld name="w" body1="b" anchor="0.3 0 0")" + more + "/></equality>");
  };
  const auto held = [&](const std::string& more) {
    return std::get<model::LowerPair>(joint_of(with(more), "w").kind).held;
  };
  EXPECT_EQ(held(R"( torquescale="0")"), model::ball_joint().held);
  EXPECT_EQ(held(""), model::weld_joint().held);
  EXPECT_EQ(held(R"( torquescale="2")"), model::weld_joint().held);
}

// Geoms of two bodies in several pairs are one pair of bodies: it has the largest friction that
// they say, in any order, and that is said; so is what else of the bodies touches by it.
TEST(Mjcf, SaysWhatPairsOfTheSameBodiesShare) {
  const auto with = [](const std::string& pairs) {
    return load_world(R"(<geom name="f" type="plane" size="1 1 1"/>
      <body name="b" pos="0 0 1"><freejoint/><geom name="l" size="0.1" pos="-1 0 0"/>
        <geom name="r" size="0.1" pos="1 0 0"/></body>)",
                      "", "<contact>" + pairs + "</contact>");
  };
  const std::string low = R"(<pair geom1="f" geom2="l" friction="0.1"/>)";
  const std::string high = R"(<pair geom1="r" geom2="f" friction="2"/>)";
  for (const std::string& pairs : {low + high, high + low}) {
    const Scene scene = with(pairs);
    const std::vector<model::Body>& bodies = scene.model.bodies;
    EXPECT_EQ(scene.model.law(bodies[0].material, bodies[1].material).friction.coefficient, 2);
    EXPECT_TRUE(has_note(scene, RobotNoteKind::merged, "pairs of the same two bodies"));
  }
  EXPECT_TRUE(has_note(with(low), RobotNoteKind::merged, "shapes without a pair"));
  const Scene alike = with(low + R"(<pair geom1="f" geom2="r" friction="0.1"/>)");
  EXPECT_FALSE(has_note(alike, RobotNoteKind::merged, "pair"));
}

const std::string kHinge = R"(<body name="a"><joint name="j"/><geom size="0.1"/></body>)";

// With autolimits false a range that nothing switches on is a mistake, as in MuJoCo.
TEST(Mjcf, SwitchesRangesOnOrOff) {
  const auto with = [](const std::string& limited) {
    return mistake_in(R"(<body><joint range="10 90" )" + limited + R"(/><geom size="0.1"/></body>)",
                      R"(<compiler autolimits="false"/>)");
  };
  EXPECT_TRUE(contains(with(""), "range: autolimits is false, and there is no limited"));
  EXPECT_EQ(with(R"(limited="true")"), "");
  EXPECT_EQ(with(R"(limited="false")"), "");
}

// What is given twice, or is missing, is a mistake where MuJoCo has one.
TEST(Mjcf, RefusesWhatContradictsItself) {
  const std::string inertial = R"(<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>)";
  EXPECT_TRUE(contains(mistake_in("<body><joint/>" + inertial + inertial + "</body>"),
                       "a body has one <inertial>"));
  EXPECT_TRUE(contains(mistake_in(R"(<body><joint/><inertial pos="0 0 0" quat="1 1 0 0" mass="1"
        fullinertia="1 2 2.5 0.1 0.2 0.3"/></body>)"),
                       "fullinertia"));
  EXPECT_TRUE(contains(
      mistake_in(kHinge, "", R"(<actuator><position joint="j" kv="1" dampratio="1"/></actuator>)"),
      "dampratio"));
  EXPECT_TRUE(
      contains(mistake_in(kHinge, "", R"(<equality><connect body1="a"/></equality>)"), "anchor"));
}

// A keyframe has a control for each actuator.
TEST(Mjcf, CountsTheControlsOfAKeyframe) {
  const auto with = [](const std::string& controls) {
    SceneFolder folder;
    folder.write("r.xml", "<mujoco><worldbody>" + kHinge + R"(</worldbody>
      <actuator><motor joint="j"/></actuator><actuator><motor joint="j"/></actuator>
      <keyframe><key name="k" ctrl=")" +
                              controls + R"("/></keyframe></mujoco>)");
    Overrides overrides;
    overrides.keyframe = "k";
    return folder.mistakes_of(folder.path() / "r.xml", overrides);
  };
  EXPECT_EQ(with("1 2"), "");
  EXPECT_TRUE(contains(with("1"), "r.xml:3:")) << with("1");
  EXPECT_TRUE(contains(with("1 2 3"), "r.xml:3:")) << with("1 2 3");
}

// A sensor of what is not there is a mistake. What stands in a <replicate> is there under the names
// of its copies, and the hint says one.
TEST(Mjcf, KnowsWhatIsNotThere) {
  const std::string joint = mistake_in(kHinge, "", R"(<sensor><jointvel joint="nope"/></sensor>)");
  EXPECT_TRUE(contains(joint, "there is no joint \"nope\"")) << joint;
  const std::string actuator =
      mistake_in(kHinge, "", R"(<actuator><motor name="m" joint="j"/></actuator>
    <sensor><actuatorfrc actuator="m"/><actuatorpos actuator="n"/></sensor>)");
  EXPECT_TRUE(contains(actuator, "there is no actuator \"n\"")) << actuator;
  const std::string copies =
      R"(<replicate count="11" offset="1 0 0"><body name="b"><joint name="j"/>
    <geom name="g" size="0.1"/><site name="s"/></body></replicate>)";
  const std::pair<const char*, const char*> references[] = {
      {R"(<actuator><motor joint="j"/></actuator>)", "\"j00\""},
      {R"(<sensor><gyro site="s"/></sensor>)", "\"s00\""},
      {R"(<contact><exclude body1="b" body2="world"/></contact>)", "\"b00\""},
      {R"(<contact><pair geom1="g" geom2="g01"/></contact>)", "\"g00\""},
      {R"(<tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>)", "\"j00\""},
      {R"(<equality><joint joint1="j"/></equality>)", "\"j00\""}};
  for (const auto& [reference, name] : references) {
    const std::string mistake = mistake_in(copies, "", reference);
    EXPECT_TRUE(contains(mistake, "<replicate>") && contains(mistake, name)) << mistake;
  }
}

// A default that nothing uses is no attribute that is not known.
TEST(Mjcf, TellsDefaultsThatNothingUses) {
  const Scene scene = load_world(R"(<body><joint/><inertial pos="0 0 0" mass="1"
    diaginertia="1 1 1"/></body>)",
                                 R"(<default><geom contype="0"/><joint dampign="3"/>
    <default class="q"><joint damping="3"/></default></default>)");
  EXPECT_TRUE(has_note(scene, RobotNoteKind::ignored, "default <geom>: nothing uses it"));
  EXPECT_TRUE(has_note(scene, RobotNoteKind::ignored, "default <joint>: nothing uses it"));
  EXPECT_FALSE(has_note(scene, RobotNoteKind::refused, "contype"));
  EXPECT_FALSE(has_note(scene, RobotNoteKind::refused, "joint damping"));
  EXPECT_TRUE(has_note(scene, RobotNoteKind::refused, "joint dampign: not known"));
}

// Actuators of all kinds have one default: what one kind says of gear and ranges holds for others.
// Gains of another kind are refused.
TEST(Mjcf, SharesDefaultsOfActuators) {
  const Scene one = load_world(kHinge, R"(<default><motor gear="50" forcerange="-5 6"/></default>)",
                               R"(<actuator><general joint="j" gainprm="10" biastype="affine"
                                 biasprm="0 -10 -1"/></actuator>)");
  const model::Motor& motor = *joint_of(one, "j").axes.at(0).motor;
  EXPECT_EQ(motor.gear, 50);
  EXPECT_EQ(motor.upper_effort, 6);
  EXPECT_FALSE(has_note(one, RobotNoteKind::refused, ""));
  const auto with = [](const std::string& actuator) {
    return load_world(kHinge, R"(<default><position kp="100"/></default>)",
                      "<actuator>" + actuator + "</actuator>");
  };
  EXPECT_TRUE(has_note(with(R"(<general joint="j"/>)"), RobotNoteKind::refused,
                       "gains by default of another kind of actuator"));
  for (const char* own : {R"(<position joint="j"/>)", R"(<motor joint="j"/>)"})
    EXPECT_FALSE(has_note(with(own), RobotNoteKind::refused, "gains by default")) << own;
}

// A start that an equality or the range of a tendon moves is said.
TEST(Mjcf, SaysWhereEqualitiesAndTendonsMoveTheStart) {
  const std::string two = R"(<body><joint name="a"/><geom size="0.1"/></body>
    <body pos="1 0 0"><joint name="b"/><geom size="0.1"/></body>)";
  const auto with = [&](const std::string& offset) {
    return load_world(two, "",
                      R"(<equality><joint name="e" joint1="a" joint2="b" polycoef=")" + offset +
                          R"( 0.5 0 0 0"/></equality>)");
  };
  EXPECT_TRUE(has_note(with("0.4"), RobotNoteKind::added, "\"e\""));
  EXPECT_FALSE(has_note(with("0"), RobotNoteKind::added, "\"e\""));
  const Scene tendon = load_world(two, "", R"(<tendon><fixed name="t" range="0.5 1.5">
    <joint joint="a" coef="2"/><joint joint="b" coef="3"/></fixed></tendon>)");
  EXPECT_TRUE(has_note(tendon, RobotNoteKind::added, "\"tendon t\" starts at its limit 0.5"));
}

// One mistake is one message: a plane that moves.
TEST(Mjcf, SaysOnceThatAPlaneMoves) {
  SceneFolder folder;
  const std::string mistake =
      mistake_in(R"(<body><joint/><geom size="0.1"/><geom type="plane" size="1 1 1"/></body>)");
  EXPECT_TRUE(contains(mistake, "a plane has no end")) << mistake;
  EXPECT_FALSE(contains(mistake, "unknown key")) << mistake;
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
