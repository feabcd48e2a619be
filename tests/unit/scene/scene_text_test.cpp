#include <gtest/gtest.h>

#include <fmt/format.h>

#include <talus/base/error.hpp>
#include <talus/scene/scene_text.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::scene::TALUS_TEST_FILE {
namespace {

const char* const kBall = R"(
title: "Ein Ball, \"größer\""
bodies:
  - &floor {name: floor, fixed: true, shape: {plane: {}}}   # a comment
  - {name: "1e3", density: 2500, shape: {sphere: 5 cm}, position: [0, 0, 1]}
)";

// A scene is what its keys say: as a file, as a text, as tidy YAML and as JSON it has one start.
TEST(SceneText, EveryFormIsTheSameScene) {
  const SceneFolder folder;
  const Scene file = folder.load(kBall);
  for (const std::string& text :
       {std::string(kBall), tidy_yaml(kBall, "a.yaml"), yaml_as_json(kBall, "a.yaml"),
        tidy_yaml(yaml_as_json(kBall, "a.yaml"), "a.yaml")}) {
    const Scene scene = load_text(text, "a.yaml");
    EXPECT_EQ(scene.initial.hash(), file.initial.hash()) << text;
    EXPECT_EQ(scene.title, "Ein Ball, \"größer\"");
    EXPECT_EQ(scene.model.body_name(1), "1e3");
    EXPECT_EQ(scene.model.bodies[1].mass, file.model.bodies[1].mass);
    EXPECT_EQ(scene.sources.front().text, text);
  }
}

// Files that a text names are looked for beside the file that it might be.
TEST(SceneText, NamesFilesBesideItsName) {
  const SceneFolder folder;
  folder.write("parts/ball.yaml", "bodies: [{name: ball, density: 1, shape: {sphere: 1}}]\n");
  const Scene scene = load_text("include: [ball.yaml]\n", folder.path() / "parts" / "none.yaml");
  EXPECT_EQ(scene.model.body_name(0), "ball");
}

// A file with the overrides in it is by itself the scene that they make of the text, in whatever
// folder it is; a text without overrides stays as it is.
TEST(SceneText, OverridesAreWritten) {
  const SceneFolder folder;
  folder.write("parts/ball.yaml", "bodies: [{name: ball, density: 1, shape: {sphere: 1}}]\n");
  const auto name = folder.path() / "parts" / "scene.yaml", target = folder.path() / "whole.yaml";
  const std::string text =
      "include: ball.yaml\nscheme: moreau_jean  # in short\nsolver: {relaxation: 1.2}\n";
  EXPECT_EQ(with_overrides(text, name, name, {}), text);
  Overrides change;
  change.settings = {{"gravity", "[0, 0, -1.62]"}};
  change.end_time = 1.0 / 3;
  change.step_size = 1e-3 / 7;
  change.scheme = "moreau_midpoint";
  change.solver = "nsgs";
  change.tolerance = 3e-9;
  change.sweeps = 12345;
  const Scene expected = load_text(text, name, change);
  folder.write("whole.yaml", with_overrides(text, name, target, change));
  const Scene scene = load(target);
  EXPECT_EQ(scene.initial.hash(), expected.initial.hash());
  EXPECT_EQ(scene.model.gravity, Vec3(0, 0, -1.62));
  EXPECT_EQ(scene.end_time, 1.0 / 3);
  EXPECT_EQ(scene.step_size, 1e-3 / 7);
  EXPECT_EQ(scene.scheme.scheme, "moreau_midpoint");
  EXPECT_EQ(scene.scheme.solver.relaxation, 1.2);
  EXPECT_EQ(scene.scheme.solver.solver, "nsgs");
  EXPECT_EQ(scene.scheme.solver.tolerance, 3e-9);
  EXPECT_EQ(scene.scheme.solver.max_iterations, 12345);
  // Options of a scheme are not those of the one in its place: the file would not be read.
  EXPECT_THROW((void)with_overrides("scheme: {theta: 0.7}\nbodies: []\n", name, target, change),
               InputError);
  change.packages = {{"arm", "arm"}};
  EXPECT_THROW((void)with_overrides(text, name, target, change), InputError);
}

// Mistakes of a text have its name, their line and a hint.
TEST(SceneText, MistakesHaveTheirPlace) {
  try {
    (void)load_text("title: a\nbodys: []\n", "made.yaml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().position.file, "made.yaml");
    EXPECT_EQ(error.diagnostics().front().position.line, 2);
    EXPECT_TRUE(contains(error.what(), "did you mean \"bodies\"?"));
  }
  EXPECT_THROW((void)load_text("a: \xff\n", "made.yaml"), InputError);
  EXPECT_THROW((void)tidy_yaml("a: [", "made.yaml"), InputError);
  EXPECT_THROW((void)yaml_as_json("a: [", "made.yaml"), InputError);
}

// Aliases of aliases can stand for more than memory holds: they are counted before they are written
// out.
TEST(SceneText, AliasesDoNotFillTheMemory) {
  std::string text = "a0: &a0 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n";
  for (int k = 1; k < 30; ++k) {
    text += fmt::format("a{0}: &a{0} [*a{1}", k, k - 1);
    for (int i = 1; i < 10; ++i) text += fmt::format(", *a{}", k - 1);
    text += "]\n";
  }
  for (const auto form : {&tidy_yaml, &yaml_as_json}) try {
      (void)form(text, "bomb.yaml");
      FAIL();
    } catch (const InputError& error) {
      EXPECT_TRUE(contains(error.what(), "aliases"));
    }
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
