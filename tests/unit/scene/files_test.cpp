#include <gtest/gtest.h>

#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

constexpr const char* kBall = "bodies:\n  - {name: ball, shape: {sphere: 0.1}, mass: 1}\n";

// A folder stands for its file scene.yaml.
TEST(Files, AFolderIsItsSceneFile) {
  const SceneFolder folder;
  folder.write("scene.yaml", kBall);
  const Scene scene = load(folder.path());
  EXPECT_EQ(scene.path, folder.path() / "scene.yaml");
  ASSERT_EQ(scene.sources.size(), 1U);
  EXPECT_EQ(scene.sources[0].text, kBall);
}

// Includes come before the file that names them, paths are relative to it, each file is read once;
// sources are in the order of reading.
TEST(Files, IncludesPartsInOrder) {
  const SceneFolder folder;
  folder.write("parts/a.yaml",
               "include: deep/c.yaml\nmaterials: {steel: {density: 7800}}\n"
               "bodies: [{name: a, shape: {sphere: 1}, material: steel}]\n");
  folder.write("parts/b.yaml",
               "include: [deep/c.yaml]\ncontacts: {default: {friction: 0.7}}\n"
               "bodies: [{name: b, shape: {sphere: 1}, position: [3, 0, 0], material: steel}]\n");
  folder.write("parts/deep/c.yaml", "bodies: [{name: c, spheres: balls.csv, density: 1}]\n");
  folder.write("parts/deep/balls.csv", "x,y,z,r\n6,0,0,1\n");
  const Scene scene = folder.load(
      "include: [parts/a.yaml, parts/b.yaml]\n"
      "bodies: [{name: main, shape: {sphere: 1}, position: [9, 0, 0], material: steel}]\n");
  ASSERT_EQ(scene.model.body_count(), 4);
  EXPECT_EQ(scene.model.body_name(0), "c[0]");
  EXPECT_EQ(scene.model.body_name(1), "a");
  EXPECT_EQ(scene.model.body_name(2), "b");
  EXPECT_EQ(scene.model.body_name(3), "main");
  EXPECT_EQ(scene.model.law(0, 0).friction.coefficient, 0.7);
  std::string order;
  for (const SourceFile& source : scene.sources) order += source.path.filename().string() + " ";
  EXPECT_EQ(order, "scene.yaml a.yaml c.yaml b.yaml balls.csv ");
}

// Files that cannot be a scene are named with what they are.
TEST(Files, NamesWhatCannotBeRead) {
  const SceneFolder folder;
  EXPECT_TRUE(contains(folder.mistakes_of(folder.path()), "the folder has no file scene.yaml"));
  folder.write("scene.yaml", "");
  EXPECT_EQ(folder.mistakes_of(folder.path()), "scene.yaml: the file says nothing");
  folder.write("scene.yaml", "---\n");
  EXPECT_EQ(folder.mistakes_of(folder.path()), "scene.yaml: the file says nothing");
  EXPECT_EQ(folder.mistakes_of(folder.path() / "scene.yml"),
            "scene.yml: no such file\nhint: did you mean \"scene.yaml\"?");
  EXPECT_TRUE(contains(folder.mistakes_of("/dev/zero"), "expected a regular file"));
  EXPECT_TRUE(contains(folder.mistakes_of(""), "no such file"));
}

// Mistakes in included files are reported with their own file and line, together with the others.
TEST(Files, ReportsMistakesOfAllFiles) {
  const SceneFolder folder;
  folder.write("part.yaml", "\nmaterials: {steel: {density: -1}}\n");
  const std::string mistakes =
      folder.mistakes(std::string("title: [1]\ninclude: [part.yaml, none.yaml]\n") + kBall);
  EXPECT_TRUE(contains(mistakes, "scene.yaml:1:8: title: expected a text"));
  EXPECT_TRUE(
      contains(mistakes, "part.yaml:2:30: materials › steel › density: expected a positive"));
  EXPECT_TRUE(contains(mistakes, "scene.yaml:2:22: include[1]: \"none.yaml\": no such file"));
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
