#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include <talus/geometry/triangle_mesh.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/stepping/assembly.hpp>

#include "robot_scenes.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

using model::Freedom;
constexpr Real kPi = std::numbers::pi;
constexpr Real kRounding = 1e-14;

const std::filesystem::path kRobots =
    std::filesystem::path(TALUS_SOURCE_DIR) / "tests/scenes/robots";

void expect_near(const Mat3& found, const Mat3& expected, Real tolerance) {
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance) << found;
}

// Steiner: two balls of mass m on a rod at ±d make 2 (2/5 m r²) about the rod and 2 m d² more
// across it; the body's origin is their common centre of mass.
TEST(Robots, SumsTheMassesOfGeoms) {
  const Scene scene = load_world(R"(<body name="b" pos="1 2 3"><freejoint/>
    <geom size="0.1" pos="0 0 1" mass="2"/><geom size="0.1" pos="0 0 -0.5" mass="2"/></body>)");
  const model::Body& body = scene.model.bodies[body_of(scene, "b")];
  const Real own = 2 * 0.4 * 2 * 0.01, across = own + 2 * 2 * 0.75 * 0.75;
  EXPECT_DOUBLE_EQ(body.mass, 4);
  expect_near(body.inertia, Vec3(across, across, own).asDiagonal(), kRounding);
  EXPECT_LE((scene.initial.position[0] - Vec3(1, 2, 3.25)).norm(), kRounding);
}

// An ellipsoid weighs 4/3 π a b c ρ and has the moments m/5 (b² + c²), whatever hull stands for it.
TEST(Robots, WeighsAnEllipsoidExactly) {
  const Scene scene = load_world(
      R"(<body name="b"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>)");
  const model::Body& body = scene.model.bodies[0];
  const Real mass = 1000 * 4 * kPi / 3 * 0.1 * 0.2 * 0.3;
  EXPECT_NEAR(body.mass / mass, 1, kRounding);
  expect_near(body.inertia / mass, Vec3(0.13 / 5, 0.1 / 5, 0.05 / 5).asDiagonal(), kRounding);
}

// An ellipsoid with equal semi-axes is a ball; of another a hull touches, which is said.
TEST(Robots, AnEllipsoidOfEqualAxesIsABall) {
  const auto load = [](const std::string& size) {
    return load_world("<body><freejoint/><geom type=\"ellipsoid\" size=\"" + size + "\"/></body>");
  };
  const Scene ball = load("0.1 0.1 0.1"), other = load("0.1 0.1 0.11");
  const auto* sphere = std::get_if<geometry::Sphere>(&ball.model.bodies[0].shape);
  ASSERT_NE(sphere, nullptr);
  EXPECT_EQ(sphere->radius, 0.1);
  EXPECT_TRUE(ball.robot_notes.empty());
  ASSERT_EQ(other.robot_notes.size(), 1U);
  EXPECT_EQ(other.robot_notes[0].text, "an ellipsoid: the hull of 200 points on it touches others");
}

// An inertia in a frame turned by R is R I Rᵀ in the axes of the link.
TEST(Robots, TurnsAnInertia) {
  const Scene scene = load_robot(R"(<robot name="r"><link name="a"><inertial>
    <origin rpy="0 0 0.5"/><mass value="1"/>
    <inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0" iyz="0"/></inertial></link></robot>)",
                                 ".urdf");
  const Real c = std::cos(0.5), s = std::sin(0.5), mixed = c * s * (1 - 2) + (c * c - s * s) * 0.1;
  Mat3 expected;
  expected << c * c + 2 * s * s - 0.2 * s * c, mixed, 0, mixed, s * s + 2 * c * c + 0.2 * s * c, 0,
      0, 0, 2.5;
  expect_near(scene.model.bodies[0].inertia, expected, kRounding);
}

// A link behind a fixed joint is one body with its parent: masses add, centres weighted by them.
TEST(Robots, MergesFixedLinks) {
  const Scene scene = scene::load(kRobots / "gripper.urdf");
  EXPECT_EQ(scene.model.find_body("left tip"), -1);
  const Index left = body_of(scene, "left");
  EXPECT_DOUBLE_EQ(scene.model.bodies[left].mass, 0.06);
  const Real height = (0.05 * 0.03 + 0.01 * 0.06) / 0.06;
  EXPECT_LE((scene.initial.position[left] - Vec3(-0.03, 0, 0.01 + height)).norm(), kRounding);
}

// mimic: q = m q_other + b, as an exact coupling q − m q_other = b.
TEST(Robots, CouplesAJointThatFollows) {
  const Scene scene = scene::load(kRobots / "gripper.urdf");
  const model::Coupling& coupling = scene.model.spatial_machine->couplings.at(0);
  ASSERT_EQ(coupling.terms.size(), 2u);
  EXPECT_EQ(coupling.terms[0].coefficient, 1);
  EXPECT_EQ(coupling.terms[1].coefficient, -1);
  EXPECT_EQ(coupling.offset, 0);
}

// A second joint with the same child closes a loop; in a parallelogram of pins three of its five
// constraints say nothing new, and the coupler stays level.
TEST(Robots, ClosesALoopByASecondJoint) {
  const Scene scene = scene::load(kRobots / "four_bar.urdf");
  ASSERT_EQ(scene.model.spatial_machine->joints.size(), 4u);
  const model::SpatialJoint& closing = joint_of(scene, "d");
  const Pose A = scene.initial.pose(closing.body_a) * closing.X_AJ;
  const Pose B = scene.initial.pose(closing.body_b) * closing.X_BJ;
  EXPECT_LE((A.p - Vec3(0.4, 0, 1.2)).norm() + (B.p - A.p).norm(), kRounding);
}

// Two hinges whose axes meet at a right angle are one cross: no body between them.
TEST(Robots, MakesACrossOfTwoHinges) {
  const Scene scene = load_world(R"(<body name="b"><geom size="0.1" pos="0 0 1"/>
    <joint name="u" axis="1 0 0" range="-30 40"/><joint name="v" axis="0 1 0" ref="10" range="-20 50"/>
    </body>)");
  EXPECT_EQ(scene.model.body_count(), 1);
  const model::SpatialJoint& joint = joint_of(scene, "u + v");
  EXPECT_EQ(std::get<model::LowerPair>(joint.kind).held, model::universal_joint().held);
  ASSERT_EQ(joint.axes.size(), 2u);
  EXPECT_NEAR(joint.axes[0].upper, 40 * kPi / 180, kRounding);
  EXPECT_NEAR(joint.axes[1].lower, -30 * kPi / 180, kRounding);  // from the reference on
}

// Hinges that do not meet need a body between them: it has a millionth of the mass behind it.
TEST(Robots, AddsABodyBetweenHingesThatDoNotMeet) {
  const Scene scene = load_world(R"(<body name="b"><geom size="0.1" mass="5"/>
    <joint name="u" axis="1 0 0"/><joint name="v" axis="0 1 0" pos="0 0 0.2"/></body>)");
  ASSERT_EQ(scene.model.body_count(), 2);
  EXPECT_NEAR(scene.model.bodies[body_of(scene, "u (added)")].mass, 5e-6, 1e-18);
  EXPECT_TRUE(std::any_of(scene.robot_notes.begin(), scene.robot_notes.end(),
                          [](const auto& note) { return note.kind == RobotNoteKind::added; }));
}

// Two slides and a hinge across both are a plane on a plane.
TEST(Robots, MakesAPlaneOfTwoSlidesAndAHinge) {
  const Scene scene = load_world(R"(<body name="b"><geom size="0.1"/>
    <joint name="z" type="slide" axis="0 0 1"/><joint name="x" type="slide" axis="1 0 0" range="-1 2"/>
    <joint name="y" axis="0 1 0"/></body>)");
  EXPECT_EQ(scene.model.body_count(), 1);
  const model::SpatialJoint& joint = joint_of(scene, "z + x + y");
  EXPECT_EQ(std::get<model::LowerPair>(joint.kind).held, model::planar_joint().held);
  const Vec3 along_y = joint.X_AJ.q * Vec3::UnitY();
  ASSERT_EQ(joint.axes.size(), 1u);
  EXPECT_EQ(joint.axes[0].axis, Freedom::y);
  EXPECT_LE((along_y - Vec3::UnitX()).norm(), kRounding);  // x is the second slide
}

// MuJoCo's filter: bodies touch where (type a & affinity b) | (type b & affinity a); parents and
// children do not, unless the parent does not move; pairs can be excluded.
TEST(Robots, KeepsBodiesApartAsTheFileSays) {
  const Scene scene = load_world(R"(
    <geom name="floor" type="plane" size="1 1 1" conaffinity="1" contype="0"/>
    <body name="a" pos="0 0 1"><freejoint/><geom size="0.1" conaffinity="0"/>
      <body name="b" pos="0 0 1"><joint/><geom size="0.1"/>
        <body name="c" pos="0 0 1"><joint/><geom size="0.1"/></body></body></body>
    <body name="d" pos="3 0 1"><freejoint/><geom size="0.1" conaffinity="0"/></body>)",
                                 "", R"(<contact><exclude body1="c" body2="d"/></contact>)");
  const auto touch = [&](const char* a, const char* b) {
    return model::can_touch(scene.model, body_of(scene, a), body_of(scene, b));
  };
  EXPECT_TRUE(touch("floor", "a") && touch("floor", "c") && touch("a", "c") && touch("b", "d"));
  EXPECT_FALSE(touch("a", "b") || touch("b", "c"));  // parents
  EXPECT_FALSE(touch("a", "d"));                     // neither has an affinity
  EXPECT_FALSE(touch("c", "d"));                     // excluded
}

// Friction of two surfaces is the larger one, or that of the higher priority; condim 1 has none.
TEST(Robots, CombinesSurfaces) {
  const Scene scene = load_world(R"(<geom name="floor" type="plane" size="1 1 1" friction="0.3"/>
    <body name="a" pos="0 0 1"><freejoint/><geom size="0.1" friction="0.7"/></body>
    <body name="b" pos="1 0 1"><freejoint/><geom size="0.1" friction="0.2" priority="1"/></body>
    <body name="c" pos="2 0 1"><freejoint/><geom size="0.1" condim="1" priority="2"/></body>
    <body name="d" pos="3 0 1"><freejoint/><geom size="0.1" condim="1" friction="0.9"/></body>)");
  const auto friction = [&](const char* one) {
    return scene.model
        .law(scene.model.bodies[body_of(scene, one)].material,
             scene.model.bodies[body_of(scene, "floor")].material)
        .friction.coefficient;
  };
  EXPECT_EQ(friction("a"), 0.7);
  EXPECT_EQ(friction("b"), 0.2);
  EXPECT_EQ(friction("c"), 0);
  EXPECT_EQ(friction("d"), 0.9);  // condim, too, is the larger one
}

// Torsion and rolling of one pair are not those of others, which say nothing of them: neither
// within a file nor from the scene that a robot stands in.
TEST(Robots, KeepFrictionOfPairsApart) {
  const std::string text = R"(<mujoco><worldbody>
    <body name="a"><freejoint/><geom size="0.1" condim="6" friction="1 0.02 0.003"/></body>
    <body name="b" pos="1 0 0"><freejoint/><geom size="0.1" friction="0.5" priority="1"/></body>
    </worldbody></mujoco>)";
  SceneFolder folder;
  folder.write("r.xml", text);
  const Scene alone = scene::load(folder.path() / "r.xml");
  const Scene placed = folder.load(R"(
contacts: {default: {friction: 0.1, restitution: 0.7, torsional_friction: 0.3}}
robots: [{file: r.xml, name: r}]
)");
  for (const Scene* scene : {&alone, &placed}) {
    const std::string prefix = scene == &placed ? "r:" : "";
    const auto law = [&](const char* a, const char* b) {
      return scene->model.law(scene->model.bodies[body_of(*scene, prefix + a)].material,
                              scene->model.bodies[body_of(*scene, prefix + b)].material);
    };
    EXPECT_EQ(law("a", "a").friction.torsion, 0.02);
    EXPECT_EQ(law("a", "a").friction.rolling, 0.003);
    EXPECT_EQ(law("a", "b").friction.coefficient, 0.5);
    EXPECT_EQ(law("a", "b").friction.torsion, 0);
    EXPECT_EQ(law("b", "b").friction.rolling, 0);
    EXPECT_EQ(law("b", "b").impact.restitution, 0);
  }
}

// Classes: an element's own value, then that of its class, then of the class around it.
TEST(Robots, LooksUpClassesFromTheInsideOut) {
  const Scene scene = load_world(
      R"(<body name="b" childclass="inner"><geom size="0.1"/><joint name="j" damping="3"/></body>)",
      R"(<default><geom density="10"/><joint damping="1" armature="0.5" frictionloss="0.1"/>
         <default class="inner"><joint damping="2" armature="0.7"/></default></default>)");
  const model::AxisLaw& law = joint_of(scene, "j").axes.at(0);
  EXPECT_EQ(law.damping, 3);
  EXPECT_EQ(law.armature, 0.7);
  EXPECT_EQ(law.friction, 0.1);
  EXPECT_NEAR(scene.model.bodies[0].mass, 10 * 4 * kPi / 3 * 1e-3, 1e-16);
}

// Actuators: force = gain · control + bias is PD control where the bias has the length, clamped
// before the gear.
TEST(Robots, TurnsActuatorsIntoMotors) {
  const Scene scene = scene::load(kRobots / "biped.xml");
  const auto motor = [&](const char* joint, Freedom axis) {
    for (const model::AxisLaw& law : joint_of(scene, joint).axes)
      if (law.axis == axis && law.motor) return *law.motor;
    ADD_FAILURE() << joint;
    return model::Motor{};
  };
  const model::Motor a = motor("left hip + left swing", Freedom::turn_z);
  EXPECT_EQ(a.mode, model::Motor::Mode::position);
  EXPECT_EQ(a.stiffness, 80);
  EXPECT_EQ(a.damping, 4);
  EXPECT_EQ(a.upper_effort, 40);
  const model::Motor b = motor("right hip + right swing", Freedom::turn_z);
  EXPECT_EQ(b.stiffness, 80);
  const model::Motor c = motor("left ankle", Freedom::turn_z);
  EXPECT_EQ(c.mode, model::Motor::Mode::effort);
  EXPECT_EQ(c.gear, 20);
  EXPECT_EQ(c.upper_effort, 1);
}

// A keyframe puts the free base where it says, and joints at its coordinates.
TEST(Robots, StartsAtAKeyframe) {
  Overrides overrides;
  overrides.keyframe = "crouch";
  const Scene scene = scene::load(kRobots / "biped.xml", overrides);
  const Scene plain = scene::load(kRobots / "biped.xml");
  const Index trunk = body_of(scene, "trunk");
  const Real fallen = plain.initial.position[trunk].z() - scene.initial.position[trunk].z();
  EXPECT_NEAR(fallen, 0.03, kRounding);
  const auto& joints = scene.model.spatial_machine->joints;
  for (std::size_t i = 0; i < joints.size(); ++i)
    if (joints[i].name == "left ankle") {
      const Real angle = stepping::joint_coordinate(scene.model, scene.initial,
                                                    static_cast<Index>(i), Freedom::turn_z);
      EXPECT_NEAR(angle, -0.3, 1e-12);
    }
}

// Copies: the frame of the next one is offset and turn after offset and turn.
TEST(Robots, ReplicatesAlongASpiral) {
  const Scene scene = load_world(R"(<replicate count="3" offset="1 0 0" euler="0 0 90">
    <body name="b" pos="0 0 2"><freejoint/><geom size="0.1"/></body></replicate>)");
  ASSERT_EQ(scene.model.body_count(), 3);
  EXPECT_LE((scene.initial.position[body_of(scene, "b1")] - Vec3(1, 0, 2)).norm(), kRounding);
  EXPECT_LE((scene.initial.position[body_of(scene, "b2")] - Vec3(1, 1, 2)).norm(), kRounding);
}

// A tendon along joints has the length Σ coef · q: a drum on an axis of the world is held to it,
// with a millionth of the inertia that it moves, and what acts along the tendon acts on the drum.
TEST(Robots, WindsATendonUp) {
  const Scene scene = load_world(R"(
    <body name="a"><geom size="0.1" mass="1"/><joint name="p" axis="0 0 1" ref="20"/></body>
    <body name="b" pos="1 0 0"><geom size="0.1" mass="1"/><joint name="q" axis="0 0 1"/></body>)",
                                 "<compiler angle='radian'/>", R"(<tendon>
      <fixed name="t" range="-1 30" stiffness="7" springlength="3" frictionloss="0.5">
        <joint joint="p" coef="2"/><joint joint="q" coef="-4"/></fixed>
      <fixed name="idle"><joint joint="p" coef="1"/></fixed></tendon>
    <actuator><position tendon="t" kp="5" kv="1" forcerange="-9 9"/></actuator>)");
  const model::SpatialMachine& machine = *scene.model.spatial_machine;
  ASSERT_EQ(machine.joints.size(), 3u);
  const model::AxisLaw& law = joint_of(scene, "tendon t").axes.at(0);
  EXPECT_EQ(law.lower, -1 - 40);  // from the reference on, where the length is 2 · 20
  EXPECT_EQ(law.upper, 30 - 40);
  EXPECT_EQ(law.stiffness, 7);
  EXPECT_EQ(law.rest, 3 - 40);
  EXPECT_EQ(law.friction, 0.5);
  ASSERT_TRUE(law.motor);
  EXPECT_EQ(law.motor->stiffness, 5);
  EXPECT_EQ(law.motor->upper_effort, 9);
  ASSERT_EQ(machine.couplings.size(), 1u);
  ASSERT_EQ(machine.couplings[0].terms.size(), 3u);
  EXPECT_EQ(machine.couplings[0].terms[0].coefficient, -1);
  EXPECT_EQ(machine.couplings[0].terms[1].coefficient, 2);
  EXPECT_EQ(machine.couplings[0].terms[2].coefficient, -4);
  const Real least = 1e-6 * 0.4 * 0.01 / 16;
  EXPECT_NEAR(scene.model.bodies[body_of(scene, "tendon t (added)")].inertia(2, 2) / least, 1,
              kRounding);
}

// A tendon along more joints than a coupling has terms for is wound up in parts.
TEST(Robots, WindsALongTendonUpInParts) {
  std::string world, tendon;
  for (int i = 0; i < 6; ++i) {
    world += "<body pos='" + std::to_string(i) + " 0 0'><geom size='0.1'/><joint name='j" +
             std::to_string(i) + "'/></body>";
    tendon += "<joint joint='j" + std::to_string(i) + "' coef='1'/>";
  }
  const Scene scene =
      load_world(world, "", "<tendon><fixed name='t' damping='1'>" + tendon + "</fixed></tendon>");
  const model::SpatialMachine& machine = *scene.model.spatial_machine;
  EXPECT_EQ(machine.joints.size(), 9u);  // two parts and the whole
  std::vector<int> summed(6, 0);
  for (const model::Coupling& coupling : machine.couplings)
    for (const model::CouplingTerm& term : coupling.terms)
      if (term.joint < 6) ++summed[static_cast<std::size_t>(term.joint)];
  EXPECT_EQ(summed, std::vector<int>(6, 1));
}

// An equality of tendons is one of sums: L₁ − L₁⁰ = c (L₂ − L₂⁰).
TEST(Robots, CouplesTendons) {
  const Scene scene = load_world(R"(
    <body><geom size="0.1"/><joint name="p" type="slide"/></body>
    <body pos="1 0 0"><geom size="0.1"/><joint name="q" type="slide"/></body>)",
                                 "", R"(<tendon><fixed name="s"><joint joint="p" coef="1"/></fixed>
      <fixed name="t"><joint joint="q" coef="1"/></fixed></tendon>
    <equality><tendon tendon1="s" tendon2="t" polycoef="0.1 3"/></equality>)");
  const model::SpatialMachine& machine = *scene.model.spatial_machine;
  ASSERT_EQ(machine.couplings.size(), 3u);
  const model::Coupling& last = machine.couplings.back();
  ASSERT_EQ(last.terms.size(), 2u);
  EXPECT_EQ(machine.joints[static_cast<std::size_t>(last.terms[0].joint)].name, "tendon s");
  EXPECT_EQ(last.terms[1].coefficient, -3);
  EXPECT_EQ(last.offset, 0.1);
}

// Between two sites stiffness and damping are a spring, whose length without force is that at the
// start unless it is given.
TEST(Robots, MakesASpringOfATendonBetweenSites) {
  const Scene scene = load_world(R"(<site name="a" pos="0 0 2"/>
    <body name="b" pos="0 0 1.5"><freejoint/><geom size="0.1"/><site name="s" pos="0 0 0.1"/></body>)",
                                 "", R"(<tendon><spatial stiffness="50" damping="3">
      <site site="a"/><site site="s"/></spatial></tendon>)");
  ASSERT_EQ(scene.model.spatial_machine->forces.size(), 1u);
  const auto& spring = std::get<model::LineElement>(scene.model.spatial_machine->forces[0].kind);
  EXPECT_EQ(spring.stiffness, 50);
  EXPECT_EQ(spring.damping, 3);
  EXPECT_NEAR(spring.rest_length, 0.4, kRounding);
}

// gravcomp: a force against gravity in the centre of mass, that share of the weight.
TEST(Robots, CarriesAShareOfTheWeight) {
  const Scene scene = load_world(
      R"(<body name="b" gravcomp="0.25"><freejoint/><geom size="0.1" pos="0.3 0 0" mass="2"/></body>)",
      R"(<option gravity="0 -5 0"/>)");
  ASSERT_EQ(scene.model.spatial_machine->forces.size(), 1u);
  const auto& lift = std::get<model::AppliedForce>(scene.model.spatial_machine->forces[0].kind);
  EXPECT_LE(lift.p_B.norm(), kRounding);
  EXPECT_LE((lift.direction - Vec3::UnitY()).norm(), kRounding);
  EXPECT_NEAR(model::evaluate(lift.force, 0).value, 0.25 * 2 * 5, kRounding);
}

// An actuator of a site is a force in the site and a torque, along directions of the body: the
// command times gear, a command that the control's range and the keyframe give.
TEST(Robots, PushesAtASite) {
  Overrides overrides;
  overrides.keyframe = "hover";
  SceneFolder folder;
  folder.write("rotor.xml", R"(<mujoco><worldbody>
    <body name="b" pos="0 0 1"><freejoint/><geom size="0.1" mass="2"/>
    <site name="s" pos="0.1 0 0" euler="0 90 0"/></body></worldbody>
    <actuator><motor name="rotor" site="s" gear="0 0 2 0 0 -0.1" ctrlrange="0 3"/></actuator>
    <keyframe><key name="hover" qpos="0 0 1 1 0 0 0" ctrl="4"/></keyframe></mujoco>)");
  const Scene scene = scene::load(folder.path() / "rotor.xml", overrides);
  const auto& forces = scene.model.spatial_machine->forces;
  ASSERT_EQ(forces.size(), 2u);
  const auto& push = std::get<model::AppliedForce>(forces[0].kind);
  EXPECT_LE((push.p_B - Vec3(0.1, 0, 0)).norm(), kRounding);
  EXPECT_LE((push.direction - Vec3::UnitX()).norm(), kRounding);  // z of the site
  EXPECT_EQ(push.frame, model::LoadFrame::following);
  EXPECT_NEAR(model::evaluate(push.force, 0).value, 2 * 3, kRounding);
  const auto& twist = std::get<model::AppliedTorque>(forces[1].kind);
  EXPECT_LE((twist.direction + Vec3::UnitX()).norm(), kRounding);
  EXPECT_NEAR(model::evaluate(twist.moment, 0).value, 0.1 * 3, kRounding);
}

// Heights are scaled to [0, 1], then to the height that the file gives; rows run along x, the first
// one is the farthest along y, as on a map, and a cell is cut from its lowest to its highest
// corner.
TEST(Robots, LaysGroundOfHeights) {
  const Scene scene = load_world(R"(<geom type="hfield" hfield="h" pos="0 0 1"/>)",
                                 R"(<asset><hfield name="h" nrow="2" ncol="3" size="2 1 0.5 0.1"
      elevation="1 1 5  3 1 1"/></asset>)");
  const auto& ground =
      *std::get<std::shared_ptr<const geometry::TriangleMesh>>(scene.model.bodies[0].shape);
  ASSERT_EQ(ground.vertices().size(), 6u);
  ASSERT_EQ(ground.triangles().size(), 4u);
  const auto height = [&](Real x, Real y) {
    for (const Vec3& v : ground.vertices())
      if (v.x() == x && v.y() == y) return v.z();
    ADD_FAILURE() << x << ' ' << y;
    return Real(-1);
  };
  EXPECT_EQ(height(-2, 1), 0);
  EXPECT_EQ(height(2, 1), 0.5);
  EXPECT_EQ(height(-2, -1), 0.25);
  for (int t = 0; t < 4; ++t) EXPECT_GT(ground.normal(t).z(), 0);
}

// A pair touches whatever keeps others apart, under a law of its own.
TEST(Robots, PairsTouchUnderTheirOwnLaw) {
  const Scene scene = load_world(R"(
    <geom name="floor" type="plane" size="1 1 1" contype="0" conaffinity="0"/>
    <body name="a" pos="0 0 1"><freejoint/><geom name="g" size="0.1" contype="0" conaffinity="0"/>
      <body name="c" pos="0 0 1"><joint/><geom name="k" size="0.1"/></body></body>
    <body name="b" pos="1 0 1"><freejoint/><geom size="0.1"/></body>)",
                                 "", R"(<contact>
      <pair geom1="floor" geom2="g" friction="0.3 0.3 0.01 0.002 0.002" condim="6"/>
      <pair geom1="g" geom2="k" condim="1"/></contact>)");
  const auto touch = [&](const char* a, const char* b) {
    return model::can_touch(scene.model, body_of(scene, a), body_of(scene, b));
  };
  EXPECT_TRUE(touch("floor", "a") && touch("a", "c") && touch("b", "c"));
  EXPECT_FALSE(touch("floor", "b") || touch("a", "b"));
  const auto law = [&](const char* a, const char* b) {
    return scene.model.law(scene.model.bodies[body_of(scene, a)].material,
                           scene.model.bodies[body_of(scene, b)].material);
  };
  EXPECT_EQ(law("floor", "a").friction.coefficient, 0.3);
  EXPECT_EQ(law("floor", "a").friction.torsion, 0.01);
  EXPECT_EQ(law("a", "c").friction.coefficient, 0);
  EXPECT_EQ(law("b", "c").friction.coefficient, 1);
}

// What would change the motion and is not read is refused, part by part; softness is ignored.
TEST(Robots, TellsWhatChangesTheMotionFromWhatDoesNot) {
  const Scene scene =
      load_world(R"(<body name="b"><geom size="0.1" solref="0.01 1"/><joint name="j"/></body>)", "",
                 R"(<actuator><muscle joint="j"/></actuator>)");
  EXPECT_TRUE(has_note(scene, RobotNoteKind::refused, "actuator <muscle>"));
  EXPECT_TRUE(has_note(scene, RobotNoteKind::ignored, "solref"));
  EXPECT_FALSE(has_note(scene, RobotNoteKind::ignored, "muscle") ||
               has_note(scene, RobotNoteKind::refused, "solref"));
}

// A part of another model, read with the angles and files of its own, in a frame of this one; its
// names have a prefix, and what connects its bodies comes with it.
TEST(Robots, AttachesAPartOfAnotherModel) {
  SceneFolder folder;
  std::filesystem::create_directories(folder.path() / "parts");
  folder.write("parts/arm.xml", R"(<mujoco><compiler angle="radian" meshdir="bits"/>
    <asset><mesh name="block" file="block.obj"/></asset>
    <worldbody><geom type="plane" size="1 1 1"/>
      <body name="stand" pos="7 0 0"><body name="upper" pos="0 0 1" euler="0 0 1">
        <joint name="s" axis="0 1 0" range="-0.5 0.7"/><geom type="mesh" mesh="block" density="1"/>
        <body name="lower" pos="0 0 2"><joint name="e" axis="0 1 0"/><geom size="0.1" mass="2"/>
        <site name="tip" pos="0 0 0.3"/></body>
      </body></body></worldbody>
    <equality><joint joint1="s" joint2="e"/></equality>
    <actuator><motor joint="s" gear="3"/></actuator>
    <sensor><gyro name="g" site="tip"/></sensor></mujoco>)");
  std::filesystem::create_directories(folder.path() / "parts/bits");
  folder.write("parts/bits/block.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  folder.write("main.xml", R"(<mujoco><asset><model name="arm" file="parts/arm.xml"/></asset>
    <worldbody><body name="base" pos="0 0 5"><freejoint/><geom size="0.2" mass="9"/>
      <frame pos="1 0 0" euler="0 0 90"><attach model="arm" body="upper" prefix="l_"/></frame>
      <frame pos="-4 0 0"><attach model="arm" body="upper" prefix="r_"/></frame></body></worldbody>
    <sensor><framepos name="where" objtype="site" objname="l_tip"/></sensor></mujoco>)");
  const Scene scene = scene::load(folder.path() / "main.xml");
  EXPECT_EQ(scene.model.body_count(), 5);
  EXPECT_EQ(scene.model.find_body("stand"), -1);
  const Index lower = body_of(scene, "l_lower");
  // The part keeps where it stands in its parent: a metre above the frame, turned by 1 rad more.
  EXPECT_LE((scene.initial.position[lower] - Vec3(1, 0, 5 + 1 + 2)).norm(), 1e-12);
  const Vec3 along = scene.initial.orientation[lower] * Vec3::UnitX();
  EXPECT_LE((along - Vec3(std::cos(kPi / 2 + 1), std::sin(kPi / 2 + 1), 0)).norm(), 1e-12);
  EXPECT_NEAR(scene.model.bodies[body_of(scene, "r_upper")].mass, 1.0 / 6, kRounding);
  const model::AxisLaw& law = joint_of(scene, "l_s").axes.at(0);
  EXPECT_EQ(law.upper, 0.7);
  ASSERT_TRUE(law.motor);
  EXPECT_EQ(law.motor->gear, 3);
  EXPECT_EQ(scene.model.spatial_machine->couplings.size(), 2u);
  EXPECT_EQ(scene.model.sensors.size(), 3u);
}

// Robots in a scene: several of one file, each with its name, place and start.
TEST(Robots, StandInAScene) {
  SceneFolder folder;
  std::filesystem::copy(kRobots / "pendulum.urdf", folder.path() / "pendulum.urdf");
  const Scene scene = folder.load(R"(
bodies:
  - {name: floor, motion: fixed, shape: {plane: {}}}
robots:
  - {file: pendulum.urdf, name: a, joint_positions: {pin: 90 deg}}
  - {file: pendulum.urdf, name: b, position: [0, 2, 1]}
)");
  const Index a = body_of(scene, "a:rod"), b = body_of(scene, "b:rod");
  const Vec3 below(std::sin(-0.3 - kPi / 2), 0, -std::cos(0.3 + kPi / 2));
  EXPECT_LE((scene.initial.position[a] - (Vec3(0, 0, 2) + 0.5 * below)).norm(), 1e-12);
  EXPECT_NEAR(scene.initial.position[b].y(), 2, kRounding);
  EXPECT_NEAR(scene.initial.position[b].z(), 3 - 0.5 * std::cos(0.3), kRounding);
}

// Controllers of a robot in a scene are motors of the joints of its file, also of those that have
// become one; of the file's own motor, what they do not say stays.
TEST(Robots, AreControlledByTheNamesOfTheirFile) {
  SceneFolder folder;
  folder.write("r.xml", R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="b"><geom size="0.1" pos="0 0 1"/><joint name="u" axis="1 0 0"/>
    <joint name="v" axis="0 1 0"/>
      <body name="c" pos="0 0 1"><geom size="0.1"/><joint name="w" type="slide"/></body>
    </body></worldbody>
    <actuator><position joint="w" kp="70" kv="3" forcerange="-9 9"/></actuator></mujoco>)");
  folder.write("w.csv", "time,way [cm]\n0,0\n1,20\n");
  const Scene scene = folder.load(R"(
robots:
  - file: r.xml
    name: r
    joint_positions: {v: 30 deg, w: {slide: 1 cm}}
    controllers:
      v: {turn: {velocity: 90 deg/s, max_effort: 2}}
      w: {slide: {position: {table: w.csv, column: way}}}
)");
  const model::SpatialJoint& joint = joint_of(scene, "r:u + v");
  ASSERT_EQ(joint.axes.size(), 1u);
  EXPECT_EQ(joint.axes[0].axis, Freedom::turn_x);
  ASSERT_TRUE(joint.axes[0].motor);
  EXPECT_EQ(joint.axes[0].motor->mode, model::Motor::Mode::velocity);
  EXPECT_EQ(joint.axes[0].motor->upper_effort, 2);
  const model::Motor& way = *joint_of(scene, "r:w").axes.at(0).motor;
  EXPECT_NEAR(model::evaluate(way.target, 0.5).value, 0.1, kRounding);
  EXPECT_EQ(way.stiffness, 70);
  EXPECT_EQ(way.damping, 3);
  EXPECT_EQ(way.upper_effort, 9);
  const auto& joints = scene.model.spatial_machine->joints;
  const auto start = [&](std::size_t i, Freedom axis) {
    return stepping::joint_coordinate(scene.model, scene.initial, static_cast<Index>(i), axis);
  };
  ASSERT_EQ(joints.size(), 2u);
  EXPECT_NEAR(start(0, Freedom::turn_x), kPi / 6, 1e-12);
  EXPECT_NEAR(start(1, Freedom::z), 0.01, 1e-12);
}

// The effort limit of a URDF joint bounds what a controller does where it gives no limit.
TEST(Robots, AreBoundByTheEffortOfTheirFile) {
  SceneFolder folder;
  std::filesystem::copy(kRobots / "reach.urdf", folder.path() / "reach.urdf");
  const Scene scene = folder.load(R"(
robots:
  - {file: reach.urdf, name: r, controllers: {roll: {turn: {position: 0.2, stiffness: 9}}}}
)");
  EXPECT_EQ(joint_of(scene, "r:roll").axes.at(0).motor->upper_effort, 5);
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
