#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/scene/scene.hpp>
#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

constexpr const char* kScene = R"(time: {step: 1 ms, end: 1 s}
contacts: {default: {friction: 0.4}}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: ball
    shape: &round {sphere: {radius: 1 cm}}
    mass: 1 kg
    position: [0, 0, 5 cm]
  - {name: other, shape: *round, mass: 1 kg, position: [1 m, 0, 5 cm]}
)";

Real radius_of(const Scene& scene, const std::string& name) {
  return std::get<geometry::Sphere>(scene.model.bodies[scene.model.find_body(name)].shape).radius;
}

// Settings put values in the place of what is written, one after another; list items go by name or
// number; a key that is not there is added.
TEST(Setting, ReplacesValues) {
  const SceneFolder folder;
  Overrides change;
  change.settings = {{"time.step", "2 ms"},
                     {"contacts.default.friction", "0.1"},
                     {"contacts.law", "cone_complementarity"},
                     {"bodies.ball.position", "[1 cm, 0, 9 cm]"},
                     {"bodies.ball.position.2", "7 cm"},
                     {"damping.linear", "3"}};
  const Scene scene = folder.load(kScene, change);
  EXPECT_EQ(scene.step_size, 2e-3);
  EXPECT_EQ(scene.model.laws[0].friction.coefficient, 0.1);
  EXPECT_EQ(scene.scheme.law, problem::FrictionLaw::cone_complementarity);
  EXPECT_EQ(scene.initial.position[1], Vec3(0.01, 0, 0.07));
  EXPECT_EQ(scene.model.linear_damping, 3);
  EXPECT_EQ(scene.end_time, 1);
}

// A value that aliases share changes where the setting says, not elsewhere.
TEST(Setting, LeavesAliasesAlone) {
  const SceneFolder folder;
  Overrides change;
  change.settings = {{"bodies.ball.shape.sphere.radius", "2 cm"}};
  const Scene scene = folder.load(kScene, change);
  EXPECT_EQ(radius_of(scene, "ball"), 0.02);
  EXPECT_EQ(radius_of(scene, "other"), 0.01);
}

// Settings are sources of the scene: a record of it tells them apart.
TEST(Setting, BecomesASource) {
  const SceneFolder folder;
  Overrides change;
  change.settings = {{"time.step", "2 ms"}};
  const Scene scene = folder.load(kScene, change);
  ASSERT_EQ(scene.sources.size(), 2U);
  EXPECT_EQ(scene.sources[1].path, "setting time.step");
  EXPECT_EQ(scene.sources[1].text, "2 ms");
}

// What a setting gets wrong is a mistake like any other: an item that is not there, a way through
// a plain value, a value of the wrong kind, an unknown key, broken YAML.
TEST(Setting, ReportsMistakes) {
  const SceneFolder folder;
  const std::vector<std::pair<Setting, std::string>> cases = {
      {{"bodies.bal.mass", "2 kg"}, "there is no item \"bal\""},
      {{"bodies.7.mass", "2 kg"}, "there is no item \"7\""},
      {{"time.step.unit", "ms"}, "there is no \"unit\""},
      {{"time.step", "fast"}, "scene.yaml:1:14"},
      {{"time.steps", "1 ms"}, "steps"},
      {{"time", "[1, "}, "not valid YAML"}};
  for (const auto& [setting, words] : cases) {
    Overrides change;
    change.settings = {setting};
    EXPECT_TRUE(contains(folder.mistakes(kScene, change), words)) << setting.path;
  }
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
