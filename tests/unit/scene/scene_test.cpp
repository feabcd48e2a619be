#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/geometry/planar.hpp>

#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

using model::BodyKind;

constexpr const char* kBall = R"(
bodies:
  - name: ball
    shape: {sphere: {radius: 0.1}}
    mass: 1 kg
)";

// One word chooses the law of friction; without friction it is Coulomb's with μ = 0; a second word
// in an included file, an unknown one, or a scheme with a law of its own is a mistake.
TEST(Load, ReadsTheLawOfFriction) {
  const auto law = [](const std::string& word, const std::string& more = "") {
    return SceneFolder().load("contacts: {law: " + word + ", default: {friction: 0.4}}\n" + more +
                              kBall);
  };
  EXPECT_EQ(SceneFolder().load(kBall).scheme.law, problem::FrictionLaw::coulomb);
  EXPECT_EQ(law("maximum_dissipation").scheme.law, problem::FrictionLaw::maximum_dissipation);
  EXPECT_EQ(law("polyhedral").model.law(0, 0).friction.coefficient, 0.4);
  EXPECT_EQ(law("frictionless").model.law(0, 0).friction.coefficient, 0);
  EXPECT_EQ(law("frictionless").scheme.law, problem::FrictionLaw::coulomb);
  EXPECT_THROW((void)law("maximum"), InputError);
  EXPECT_THROW((void)law("cone_complementarity", "scheme: stewart_trinkle\n"), InputError);
}

// Bodies and materials may have a colour, by word or as on the web, and a scene a place to be seen
// from; a body's own colour is before its material's, which is the picture's matter. Other words
// are mistakes with the nearest one.
TEST(Load, ReadsColoursAndTheCamera) {
  const auto load = [](const std::string& colour, const std::string& more = "") {
    return SceneFolder().load("materials: {steel: {colour: '#123456'}}\n" + more + kBall +
                              "    material: steel\n    colour: " + colour + "\n");
  };
  const Scene scene = load("blue", "camera: {position: [3 m, 0, 1], target: [0, 0, 20 cm]}\n");
  EXPECT_EQ(scene.model.groups[0].colour, 0x4e79a7U);
  EXPECT_EQ(scene.model.materials[0].colour, 0x123456U);
  ASSERT_TRUE(scene.model.camera.has_value());
  EXPECT_EQ(scene.model.camera->position, Vec3(3, 0, 1));
  EXPECT_EQ(scene.model.camera->target, Vec3(0, 0, 0.2));
  EXPECT_EQ(SceneFolder().load(kBall).model.groups[0].colour, model::kNoColour);
  EXPECT_FALSE(load("\"#ffffff\"").model.camera.has_value());
  for (const char* wrong : {"blu", "\"#12345\"", "\"#12345g\""})
    EXPECT_THROW((void)load(wrong), InputError);
}

// What a scene does not say has the documented default.
TEST(Load, HasDefaults) {
  const Scene scene = SceneFolder().load(kBall);
  EXPECT_EQ(scene.title, "");
  EXPECT_EQ(scene.step_size, 1e-3);
  EXPECT_EQ(scene.end_time, 1);
  EXPECT_EQ(scene.record_every, 1);
  EXPECT_EQ(scene.on_uncertified, OnUncertified::accept);
  EXPECT_EQ(scene.model.gravity, Vec3(0, 0, -9.81));
  const stepping::SchemeOptions defaults;
  EXPECT_EQ(scene.scheme.scheme, defaults.scheme);
  EXPECT_EQ(scene.model.linear_damping, 0);
  EXPECT_EQ(scene.model.angular_damping, 0);
  EXPECT_EQ(scene.scheme.theta, defaults.theta);
  EXPECT_EQ(scene.scheme.error_reduction, defaults.error_reduction);
  EXPECT_EQ(scene.scheme.slop, defaults.slop);
  EXPECT_EQ(scene.scheme.directions, defaults.directions);
  EXPECT_EQ(scene.scheme.solver.solver, defaults.solver.solver);
  EXPECT_EQ(scene.scheme.solver.tolerance, defaults.solver.tolerance);
  EXPECT_EQ(scene.scheme.solver.max_iterations, defaults.solver.max_iterations);
  EXPECT_EQ(scene.scheme.solver.relaxation, defaults.solver.relaxation);
  ASSERT_EQ(scene.model.body_count(), 1);
  const model::Body& ball = scene.model.bodies[0];
  EXPECT_EQ(ball.kind, BodyKind::dynamic);
  EXPECT_EQ(scene.model.materials.at(ball.material).name, "default");
  EXPECT_EQ(scene.model.law(0, 0).friction.coefficient, 0);
  EXPECT_EQ(scene.model.law(0, 0).impact.restitution, 0);
  EXPECT_EQ(scene.initial.time, 0);
  EXPECT_EQ(scene.initial.position[0], Vec3::Zero().eval());
  EXPECT_EQ(scene.initial.orientation[0].coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(scene.initial.velocity[0], Vec3::Zero().eval());
}

// Every setting arrives where it belongs, in SI units.
TEST(Load, ReadsSettings) {
  const Scene scene = SceneFolder().load(std::string(R"(
title: Settings
gravity: [0, 1, -1.62 m/s^2]
time: {step: 2 ms, end: 3 min}
scheme: {name: moreau_jean, theta: 0.75, error_reduction: 20 %, slop: 0.01}
solver: {name: nsgs, tolerance: 1e-6, max_iterations: 500, relaxation: 1.3}
on_uncertified: stop
record: {every: 10}
damping: {linear: 0.5 1/s, angular: 2 Hz}
)") + kBall);
  EXPECT_EQ(scene.title, "Settings");
  EXPECT_EQ(scene.model.gravity, Vec3(0, 1, -1.62));
  EXPECT_EQ(scene.step_size, 2e-3);
  EXPECT_EQ(scene.end_time, 180);
  EXPECT_EQ(scene.scheme.theta, 0.75);
  EXPECT_EQ(scene.scheme.error_reduction, 0.2);
  EXPECT_EQ(scene.scheme.slop, 0.01);
  EXPECT_EQ(scene.scheme.solver.tolerance, 1e-6);
  EXPECT_EQ(scene.scheme.solver.max_iterations, 500);
  EXPECT_EQ(scene.scheme.solver.relaxation, 1.3);
  EXPECT_EQ(scene.on_uncertified, OnUncertified::stop);
  EXPECT_EQ(scene.record_every, 10);
  EXPECT_EQ(scene.model.linear_damping, 0.5);
  EXPECT_EQ(scene.model.angular_damping, 2);
}

// Shapes, motions and initial states arrive in SI units; box sizes are full edge lengths.
TEST(Load, ReadsBodies) {
  const Scene scene = SceneFolder().load(R"(
materials: {steel: {density: 8 g/cm^3}}
bodies:
  - {name: floor, motion: fixed, shape: {plane: {}}, material: steel}
  - {name: belt, motion: kinematic, shape: {box: [2, 1, 10 cm]}, position: [0, 0, 5],
     velocity: [36 km/h, 0, 0], angular_velocity: [0, 0, 60 rpm]}
  - {name: crate, shape: {box: {size: [1, 0.5, 20 cm]}}, mass: 3 kg, position: [0, 0, 1],
     orientation: {axis: [0, 0, 2], angle: 90 deg}}
  - {name: pill, shape: {capsule: {radius: 1 cm, length: 4 cm}}, density: 1000,
     position: [0, 0, 2], orientation: {quaternion: [2, 0, 0, 2]}}
  - {name: cube, shape: {box: 10 cm}, material: steel, position: [0, 0, 3]}
)");
  const model::Model& model = scene.model;
  ASSERT_EQ(model.body_count(), 5);
  EXPECT_EQ(model.body_name(2), "crate");
  EXPECT_EQ(model.find_body("pill"), 3);
  EXPECT_EQ(model.bodies[0].kind, BodyKind::fixed);
  EXPECT_TRUE(std::holds_alternative<geometry::Plane>(model.bodies[0].shape));
  EXPECT_EQ(model.bodies[1].kind, BodyKind::kinematic);
  EXPECT_DOUBLE_EQ(scene.initial.velocity[1].x(), 10);
  EXPECT_DOUBLE_EQ(scene.initial.angular_velocity[1].z(), 2 * std::numbers::pi);
  const auto& crate = std::get<geometry::Box>(model.bodies[2].shape);
  EXPECT_LT((crate.half_size - Vec3(0.5, 0.25, 0.1)).norm(), 1e-15);
  EXPECT_EQ(model.bodies[2].mass, 3);
  // a box of mass m and edges a, b, c: I_x = m (b² + c²) / 12
  EXPECT_NEAR(model.bodies[2].inertia(0, 0), 3 * (0.25 + 0.04) / 12, 1e-15);
  EXPECT_NEAR(model.bodies[2].inertia(1, 1), 3 * (1 + 0.04) / 12, 1e-15);
  EXPECT_NEAR(model.bodies[2].inertia(2, 2), 3 * (1 + 0.25) / 12, 1e-15);
  EXPECT_LT((scene.initial.orientation[2] * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  const auto& pill = std::get<geometry::Capsule>(model.bodies[3].shape);
  EXPECT_EQ(pill.radius, 0.01);
  EXPECT_EQ(pill.half_length, 0.02);
  const Real volume = std::numbers::pi * (1e-4 * 0.04 + 4.0 / 3 * 1e-6);
  EXPECT_NEAR(model.bodies[3].mass, 1000 * volume, 1e-13);
  EXPECT_NEAR(scene.initial.orientation[3].norm(), 1, 1e-15);
  EXPECT_LT((scene.initial.orientation[3] * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_NEAR(model.bodies[4].mass, 8, 1e-12);
}

// A given inertia is taken as it is: principal moments or a full matrix in the body's frame.
TEST(Load, ReadsInertia) {
  const Scene scene = SceneFolder().load(R"(
bodies:
  - {name: a, shape: {box: 1}, mass: 2, inertia: [3, 4, 5 kg m^2]}
  - {name: b, shape: {box: 1}, mass: 2, position: [3, 0, 0],
     inertia: [[3, 0.1, 0], [0.1, 4, 0.2], [0, 0.2, 5]]}
)");
  EXPECT_EQ(scene.model.bodies[0].inertia, Mat3(Vec3(3, 4, 5).asDiagonal()));
  Mat3 expected;
  expected << 3, 0.1, 0, 0.1, 4, 0.2, 0, 0.2, 5;
  EXPECT_EQ(scene.model.bodies[1].inertia, expected);
}

// A plane's normal turns the body's frame, after which the body's orientation turns both.
TEST(Load, TurnsPlanes) {
  const Scene scene = SceneFolder().load(std::string(kBall) + R"(
  - {name: wall, fixed: true, shape: {plane: {normal: [1, 0, 0]}}, position: [-1, 0, 0]}
  - {name: other, fixed: true, shape: {plane: {normal: [3, 0, 0]}}, position: [0, -1, 0],
     orientation: {axis: [0, 0, 1], angle: 90 deg}}
  - {name: ceiling, fixed: true, shape: {plane: {normal: [0, 0, -1]}}, position: [0, 0, 1]}
)");
  const auto normal = [&](Index body) {
    return Vec3(scene.initial.orientation[body] * Vec3::UnitZ());
  };
  EXPECT_LT((normal(1) - Vec3::UnitX()).norm(), 1e-15);
  EXPECT_LT((normal(2) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((normal(3) + Vec3::UnitZ()).norm(), 1e-15);
}

// The contact law of a pair is the listed one in either order, else the default; what a pair leaves
// open is the default's.
TEST(Load, ReadsContactLaws) {
  const Scene scene = SceneFolder().load(R"(
materials: {steel: {density: 7800}, wood: {density: 600}, ice: {}}
contacts:
  default: {friction: 0.3, restitution: 10 %}
  pairs:
    - {between: [steel, wood], friction: 0.4}
    - {between: [ice, ice], restitution: 0.9}
    - {between: [default, ice], friction: 0.01, restitution: 0}
bodies:
  - {name: ball, shape: {sphere: 1}, mass: 1}
)");
  const model::Model& model = scene.model;
  ASSERT_EQ(model.materials.size(), 4U);
  EXPECT_EQ(model.materials[3].name, "default");
  const auto expect_law = [&](int a, int b, Real friction, Real restitution) {
    for (const model::InterfaceLaw& law : {model.law(a, b), model.law(b, a)}) {
      EXPECT_EQ(law.friction.coefficient, friction);
      EXPECT_EQ(law.impact.restitution, restitution);
    }
  };
  expect_law(0, 0, 0.3, 0.1);
  expect_law(0, 1, 0.4, 0.1);
  expect_law(2, 2, 0.3, 0.9);
  expect_law(3, 2, 0.01, 0);
  expect_law(3, 3, 0.3, 0.1);
}

// The command line wins over the file, and its values obey the same ranges.
TEST(Load, TakesOverrides) {
  const SceneFolder folder;
  Overrides overrides;
  overrides.end_time = 5;
  overrides.step_size = 0.01;
  overrides.solver = "lemke";
  overrides.tolerance = 1e-4;
  const Scene scene = folder.load(kBall, overrides);
  EXPECT_EQ(scene.end_time, 5);
  EXPECT_EQ(scene.step_size, 0.01);
  EXPECT_EQ(scene.scheme.solver.solver, "lemke");
  EXPECT_EQ(scene.scheme.solver.tolerance, 1e-4);

  overrides.end_time = -1;
  overrides.step_size = std::nan("");
  overrides.scheme = "moreau_jan";
  overrides.solver = "";
  overrides.tolerance = 0;
  const std::string mistakes = folder.mistakes(kBall, overrides);
  EXPECT_TRUE(contains(mistakes, "command line: --until: expected a positive time [s], got -1"));
  EXPECT_TRUE(contains(mistakes, "command line: --step-size: expected a time [s] in (0, 1000000]"));
  EXPECT_TRUE(contains(mistakes, "command line: --scheme: expected "));
  EXPECT_TRUE(contains(mistakes, "got \"moreau_jan\"; did you mean \"moreau_jean\"?"));
  EXPECT_TRUE(contains(mistakes, "command line: --solver: expected "));
  EXPECT_TRUE(contains(mistakes, "command line: --tolerance: expected a number in (0, 1), got 0"));
}

// An override and a mistake in the file are reported together.
TEST(Load, ReportsFileAndCommandLineTogether) {
  Overrides overrides;
  overrides.tolerance = -1;
  const std::string mistakes = SceneFolder().mistakes(std::string("titel: x") + kBall, overrides);
  EXPECT_TRUE(contains(mistakes, "scene.yaml:1:1: unknown key \"titel\""));
  EXPECT_TRUE(contains(mistakes, "command line: --tolerance"));
}

// A planar scene: gravity along −y, a rod along x, a polygon moved to its centroid, a half-plane
// with its normal up; mass is density times area times 1 m.
TEST(Load, ReadsPlanarScenes) {
  const Scene scene = SceneFolder().load(R"(
dimension: 2
scheme: stewart_trinkle
bodies:
  - {name: floor, fixed: true, shape: {half_plane: {}}}
  - {name: disc, shape: {disc: 0.2}, density: 100, position: [0, 1, 0]}
  - {name: rod, shape: {rod: {length: 0.5, radius: 0.05}}, mass: 2, position: [2, 1, 0]}
  - name: wedge
    shape: {polygon: {corners: [[0, 0], [0.3, 0], [0, 0.3]]}}
    density: 100
    position: [4, 1, 0]
)");
  EXPECT_EQ(scene.model.dimension, 2);
  EXPECT_EQ(scene.model.gravity, Vec3(0, -9.81, 0));
  const auto& bodies = scene.model.bodies;
  EXPECT_NEAR((scene.initial.orientation[0] * Vec3::UnitZ() - Vec3::UnitY()).norm(), 0, 1e-15);
  EXPECT_NEAR(bodies[1].mass, 100 * std::numbers::pi * 0.04, 1e-12);
  EXPECT_NEAR(bodies[1].inertia(2, 2), bodies[1].mass * 0.04 / 2, 1e-12);
  const auto rod = geometry::project_to_plane(bodies[2].shape, bodies[2].X_BS);
  ASSERT_EQ(rod.corners.size(), 2U);
  EXPECT_NEAR((rod.corners[1] - rod.corners[0] - Vec2(0.5, 0)).norm(), 0, 1e-15);
  const auto wedge =
      geometry::area_properties(geometry::project_to_plane(bodies[3].shape, bodies[3].X_BS));
  EXPECT_NEAR(wedge.centre.norm(), 0, 1e-15);
  EXPECT_NEAR(bodies[3].mass, 100 * 0.045, 1e-12);
  EXPECT_NEAR(bodies[3].inertia(2, 2), 100 * wedge.moment, 1e-12);
}

// A message has the place, what was found, what is allowed, the line with a caret, and a hint.
TEST(Load, ShowsTheWholeMessage) {
  EXPECT_EQ(SceneFolder().mistakes("bodies:\n  - name: crate\n    shape:\n      box: {size: [1.0, "
                                   "2 kg, 1.0]}\n    mass: 1\n"),
            "scene.yaml:4:25: bodies[0] \"crate\" › shape › box › size[1]: expected a positive "
            "length [m], got \"2 kg\"\n"
            "    4 |       box: {size: [1.0, 2 kg, 1.0]}\n"
            "      |                         ^\n"
            "hint: \"2 kg\" is a mass; a bare number is in m; write it as 0.5, 2 mm, 20 cm");
}

// When there are very many mistakes the first ones are reported.
TEST(Load, StopsAfterManyMistakes) {
  std::string text = "bodies:\n";
  for (int i = 0; i < 100000; ++i) text += "  - {}\n";
  try {
    (void)SceneFolder().load(text);
    FAIL() << "expected mistakes";
  } catch (const InputError& error) {
    EXPECT_GE(error.diagnostics().size(), 50U);
    EXPECT_LE(error.diagnostics().size(), 52U);
    EXPECT_TRUE(contains(error.what(), "and perhaps more"));
  }
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
