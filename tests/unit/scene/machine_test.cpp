#include <gtest/gtest.h>

#include <numbers>

#include <talus/model/machine.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_registry.hpp>

#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

/// A scene with two free bodies, the second one turned by 90° and at (1, 2), before a fixed ground
/// at (0.5, 0).
Scene load_planar(const std::string& rest, const std::string& top = "") {
  const SceneFolder folder;
  return load(folder.write("scene.yaml", "dimension: 2\n" + top + R"(
scheme: event_driven
bodies:
  - {name: ground, motion: fixed, shape: {half_plane: {normal: [1, 1]}}, position: [0.5, 0, 0], collides: false}
  - {name: a, shape: {disc: 10 cm}, mass: 2 kg}
  - name: b
    shape: {box: [0.4, 0.2, 1]}
    mass: 3 kg
    inertia: 0.5 kg m^2
    mass_centre: [3 cm, -1 cm]
    position: [1, 2, 0]
    orientation: {axis: [0, 0, 1], angle: 90 deg}
    collides: false
)" + rest));
}

template <class T>
T joint(const Scene& scene, std::size_t i = 0) {
  return std::get<T>(scene.model.machine->joints.at(i).kind);
}

void expect_near(const Vec2& a, const Vec2& b) {
  EXPECT_LT((a - b).norm(), 1e-14) << a << "\n" << b;
}

// In the plane an angle alone says how a body is turned, about z; also as turn.
TEST(Machine, AnAngleTurnsABodyOfThePlane) {
  for (const std::string turn : {"30 deg", "{turn: 30 deg}", "{axis: [0, 0, 1], angle: 30 deg}"}) {
    const SceneFolder folder;
    const Scene scene = load(folder.write(
        "scene.yaml", "dimension: 2\nbodies: [{name: a, shape: {disc: 1}, mass: 1, orientation: " +
                          turn + "}]\n"));
    const Quat expected(Eigen::AngleAxis<Real>(std::numbers::pi / 6, Vec3::UnitZ()));
    EXPECT_LT((scene.initial.orientation[0].coeffs() - expected.coeffs()).norm(), 1e-15) << turn;
  }
}

// Points and axes are given in the world at the start and kept in the frames of the bodies; a frame
// of a half-plane that does not move is along the world's axes.
TEST(Machine, PointsAreTakenToTheBodies) {
  const Scene scene = load_planar(R"(
joints:
  - {name: pin, between: [a, b], revolute: {at: [1.5, 2], pin_radius: 5 mm}, friction: {friction: 0.1, preload: 2 kN}}
  - {name: guide, between: [ground, b], prismatic: {at: [1, 3], axis: [0, 2], length: 10 cm}}
  - {name: seam, between: [a, b], weld: {at_a: [1, 2], at_b: [0, 0]}, collides: true}
)");
  const auto pin = joint<model::RevoluteJoint>(scene);
  expect_near(pin.p_A, {1.5, 2});
  expect_near(pin.p_B, {0, -0.5});
  EXPECT_EQ(pin.pin_radius, 0.005);
  EXPECT_EQ(scene.model.machine->joints[0].friction->law.coefficient, 0.1);
  EXPECT_EQ(scene.model.machine->joints[0].friction->preload, 2000);
  const auto guide = joint<model::PrismaticJoint>(scene, 1);
  expect_near(guide.p_A, {0.5, 3});
  expect_near(guide.axis_A, {0, 1});
  expect_near(guide.p_B, {1, 0});
  EXPECT_NEAR(guide.angle, std::numbers::pi / 2, 1e-15);
  EXPECT_TRUE(scene.model.machine->joints[2].collides);
  EXPECT_FALSE(scene.model.machine->joints[1].collides);
  EXPECT_EQ(scene.model.machine->visual_only, (std::vector<Index>{0, 2}));
}

// The shape of a body is moved against its centre of mass, which position means; one number of
// inertia is that about z.
TEST(Machine, MassCentreIsOffTheShape) {
  const Scene scene = load_planar("");
  const model::Body& body = scene.model.bodies[2];
  EXPECT_EQ(body.X_BS.p, Vec3(-0.03, 0.01, 0));
  EXPECT_EQ(scene.initial.position[2], Vec3(1, 2, 0));
  EXPECT_EQ(body.inertia(2, 2), 0.5);
}

// Rods, ropes and springs have the length that they have at the start, unless they are given one.
TEST(Machine, LengthsAreThoseOfTheStart) {
  const Scene scene = load_planar(R"(
joints:
  - {name: rod, between: [a, b], distance: {to: [1, 0]}}
  - {name: rope, between: [a, b], rope: {at_b: [0, 1], length: 3, restitution: 0.2}}
  - {name: wheels, between: [a, b], gear: 2}
  - {name: slot, between: [a, b], slot: {at: [1, 2], axis: [3, 4]}}
  - {name: play, between: [a, b], revolute_clearance: {at_a: [1, 1.5], at_b: [0, 0], clearance: 1 mm,
      pin_radius: 1 cm, slot: {axis: [0, -1], length: 1}, surface: {friction: 0.2, normal: {hertz: {stiffness: 1e6}}}}}
  - {name: block, between: [a, b], translational_clearance: {at: [1, 2], axis: [0, 1], length: 5 cm,
      width: 2 cm, clearance: 1 mm, surface: {restitution: 0.5}}}
forces:
  - {name: spring, between: [a, b], spring: {stiffness: 2 N/mm, damping: 3 N s/m, from: [0, 1]}}
  - {name: coil, between: [a, b], torsion_spring: {stiffness: 3 N m/rad, damping: 1 N m s/rad}}
  - {name: push, between: [ground, b], point_force: {force: {slope: 2 kN/s}, direction: [0, -3], at: [1, 3]}}
  - {name: motor, between: [ground, b], torque: 2 Nm}
)");
  EXPECT_DOUBLE_EQ(joint<model::DistanceJoint>(scene).length, 1);
  const auto rope = joint<model::RopeJoint>(scene, 1);
  EXPECT_EQ(rope.length, 3);
  EXPECT_EQ(rope.restitution, 0.2);
  const auto gear = joint<model::GearJoint>(scene, 2);
  EXPECT_EQ(gear.ratio, 2);
  EXPECT_NEAR(gear.offset, std::numbers::pi / 2, 1e-15);
  expect_near(joint<model::SlotJoint>(scene, 3).axis_A, {0.6, 0.8});
  const auto play = joint<model::RevoluteClearance>(scene, 4);
  expect_near(play.slot_A, {0, -0.5});
  EXPECT_EQ(std::get<model::HertzNormal>(play.law.normal).stiffness, 1e6);
  EXPECT_EQ(play.law.friction.coefficient, 0.2);
  const auto block = joint<model::TranslationalClearance>(scene, 5);
  expect_near(block.axis_A, {0, 1});
  expect_near(block.axis_B, {1, 0});
  EXPECT_EQ(block.law.impact.restitution, 0.5);
  const auto& forces = scene.model.machine->forces;
  const auto spring = std::get<model::LineForce>(forces[0].kind);
  EXPECT_DOUBLE_EQ(spring.rest_length, std::sqrt(2));
  EXPECT_EQ(spring.stiffness, 2000);
  EXPECT_NEAR(std::get<model::Torque>(forces[1].kind).rest_angle, std::numbers::pi / 2, 1e-15);
  const auto push = std::get<model::PointForce>(forces[2].kind);
  expect_near(push.p_B, {1, 0});
  expect_near(push.direction_A, {0, -1});
  EXPECT_EQ(model::evaluate(push.force, 2).value, 4000);
  EXPECT_EQ(model::evaluate(std::get<model::Torque>(forces[3].kind).moment, 1).value, 2);
}

// A drive knows where it starts; its law is of the quantity or of its rate.
TEST(Machine, DrivesStartWhereTheBodiesAre) {
  const Scene scene = load_planar(R"(
drives:
  - {name: motor, between: [ground, b], angular_speed: 60 rpm}
  - {name: crank, between: [a, b], angle: {mean: 90 deg, amplitude: 10 deg, frequency: 2 Hz}}
  - {name: piston, between: [ground, a], speed: {times: [0, 1], values: [0, 2], smooth: true}, axis: [0, 1], to: [0, 0.3]}
)");
  const auto& drives = scene.model.machine->drives;
  EXPECT_TRUE(drives[0].is_speed);
  EXPECT_NEAR(drives[0].start, std::numbers::pi / 2, 1e-15);
  EXPECT_NEAR(model::evaluate(drives[0].law, 0).value, 2 * std::numbers::pi, 1e-14);
  EXPECT_FALSE(drives[1].is_speed);
  EXPECT_NEAR(model::evaluate(drives[1].law, 0).value, std::numbers::pi / 2, 1e-14);
  EXPECT_TRUE(drives[2].quantity == model::Drive::Quantity::displacement);
  EXPECT_NEAR(drives[2].start, 0.3, 1e-15);
}

// A pair has of the default what it does not say itself; static friction goes with its friction.
TEST(Machine, PairsTakeWhatTheyDoNotSayFromTheDefault) {
  const Scene scene = load_planar("", R"(
materials: {x: {density: 1}, y: {density: 1}}
contacts:
  default: {friction: 0.3, static_friction: 0.4, restitution: 0.5, impact: poisson}
  pairs:
    - {between: [x, y], tangential_restitution: 0.2}
    - {between: [x, x], friction: 0.6}
    - {between: [y, y], normal: {flores: {stiffness: 2e6, restitution: 0.7}}, friction_law: {tanh: 1 mm/s, viscous: 2 N s/m}}
)");
  const auto& laws = scene.model.laws;
  ASSERT_EQ(laws.size(), 9U);  // x, y and "default"
  const model::InterfaceLaw& xy = laws[1];
  EXPECT_EQ(std::get<model::CoulombFriction>(xy.friction.kind).static_friction, 0.4);
  EXPECT_EQ(xy.impact.restitution, 0.5);
  EXPECT_EQ(xy.impact.tangential_restitution, 0.2);
  EXPECT_TRUE(xy.impact.is_poisson);
  EXPECT_EQ(std::get<model::CoulombFriction>(laws[0].friction.kind).static_friction, 0.6);
  const model::InterfaceLaw& yy = laws[4];
  const auto flores = std::get<model::DampedNormal>(yy.normal);
  EXPECT_TRUE(flores.kind == model::DampedNormal::Kind::flores);
  EXPECT_EQ(flores.restitution, 0.7);
  EXPECT_EQ(yy.friction.coefficient, 0.3);
  EXPECT_EQ(yy.friction.viscous, 2);
  EXPECT_EQ(std::get<model::TanhFriction>(yy.friction.kind).velocity, 1e-3);
  EXPECT_EQ(yy.impact.restitution, 0);  // a compliant surface has no impacts
}

// `law: frictionless` is said of all contacts: neither μ₀, viscous nor rolling friction is left, in
// joints with play neither. Friction of joints without play is no contact's.
TEST(Machine, FrictionlessLeavesNoFriction) {
  const Scene scene = load_planar(R"(
contacts:
  law: frictionless
  default: {friction: 0.3, static_friction: 0.4, friction_law: {viscous: 2 N s/m, rolling: 1 mm}}
joints:
  - {name: play, between: [ground, a], revolute_clearance: {at: [0, 0], clearance: 1 mm,
      pin_radius: 1 cm, surface: {friction: 0.2, restitution: 0.5}}}
  - {name: pin, between: [a, b], revolute: {at: [1, 1], pin_radius: 1 cm}, friction: {friction: 0.1}}
)");
  const auto play = joint<model::RevoluteClearance>(scene);
  EXPECT_EQ(play.law.impact.restitution, 0.5);
  for (const model::InterfaceLaw& law : {scene.model.law(0, 0), play.law}) {
    EXPECT_EQ(law.friction.coefficient, 0);
    EXPECT_EQ(model::static_friction(law.friction), 0);
    EXPECT_EQ(law.friction.viscous, 0);
    EXPECT_EQ(law.friction.rolling, 0);
  }
  EXPECT_EQ(scene.model.machine->joints[1].friction->law.coefficient, 0.1);
}

// Resistance against rolling is one quantity with two spellings in the plane; both at once are a
// mistake.
TEST(Machine, RollingFrictionHasTwoSpellings) {
  const auto rolling = [](const std::string& law) {
    return load_planar("contacts: {default: {friction: 0.3, " + law + "}}\n")
        .model.law(0, 0)
        .friction.rolling;
  };
  EXPECT_EQ(rolling("rolling_friction: 2 mm"), 2e-3);
  EXPECT_EQ(rolling("friction_law: {rolling: 2 mm}"), 2e-3);
  EXPECT_THROW((void)rolling("rolling_friction: 2 mm, friction_law: {rolling: 1 mm}"), InputError);
}

// A planar scene that says nothing of machines has none.
TEST(Machine, IsOnlyThereWhereItIsSaid) {
  const SceneFolder folder;
  const Scene scene = load(folder.write("scene.yaml", R"(
dimension: 2
scheme: stewart_trinkle
bodies: [{name: a, shape: {disc: 10 cm}, mass: 2 kg}]
)"));
  EXPECT_EQ(scene.model.machine, nullptr);
}

// A bar that a drive turns at 2 rad/s has that speed at the start, and takes no effort without
// gravity in any scheme, from the first step on. What is given and fits is left as it is.
TEST(Machine, VelocitiesAtTheStartAreThoseOfTheDrives) {
  for (const std::string name : {"moreau_midpoint", "moreau_jean", "stewart_trinkle",
                                 "anitescu_potra", "index_3", "event_driven"})
    for (const std::string given : {"", ", velocity: [0, 1, 0], angular_velocity: [0, 0, 2]"}) {
      const SceneFolder folder;
      const Scene scene = load(folder.write("scene.yaml", R"(
dimension: 2
gravity: [0, 0]
scheme: )" + name + R"(
bodies:
  - {name: ground, motion: fixed, shape: {disc: 1}, collides: false}
  - {name: bar, shape: {rod: {length: 1, radius: 0.01}}, mass: 2 kg, position: [0.5, 0, 0], collides: false)" +
                                                              given + R"(}
joints: [{name: pin, between: [ground, bar], revolute: {at: [0, 0]}}]
drives: [{name: motor, between: [ground, bar], angle: {slope: 2}}]
)"));
      EXPECT_LT((scene.initial.velocity[1] - Vec3(0, 1, 0)).norm(), 1e-14) << name;
      EXPECT_NEAR(scene.initial.angular_velocity[1].z(), 2, 1e-14) << name;
      model::State state = scene.initial;
      const auto scheme = stepping::make_scheme(scene.model, scene.scheme);
      EXPECT_TRUE(scheme->step(state, 1e-3).is_certified()) << name;
      EXPECT_NEAR(scheme->reactions()[1].effort, 0, 1e-2) << name;
    }
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
