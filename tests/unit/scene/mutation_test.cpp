#include <gtest/gtest.h>

#include <string>

#include <talus/base/random.hpp>

#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

constexpr const char* kScene = R"(title: Everything
gravity: [0, 0, -9.81 m/s^2]
time: {step: 1 ms, end: 2 s}
scheme: {name: moreau_jean, theta: 0.5}
solver: {name: nsgs, tolerance: 1e-8}
include: part.yaml
materials: &all
  steel: {density: 7800 kg/m^3}
contacts:
  default: {friction: 0.3}
  pairs: [{between: [steel, wood], friction: 0.4, restitution: 20 %}]
bodies:
  - &floor {name: floor, fixed: true, shape: {plane: {normal: [0, 0, 1]}}}
  - <<: *floor
    name: wall
    position: [-9, 0, 0]
    orientation: {axis: [0, 1, 0], angle: 90 deg}
  - name: "crate \u00fc"
    shape: {box: {size: [1, 0.5, 20 cm]}}
    mass: 3 kg
    inertia: [0.1, 0.1, 0.1]
    position: [0, 0, 1]
    orientation: {quaternion: [1, 0, 0, 1]}
  - {name: grains, spheres: {file: bed.csv}, material: steel}
  - name: pile
    density: 1000
    lattice: {shape: {sphere: 1 cm}, count: [2, 2, 1], spacing: 3 cm, origin: [4, 0, 1], seed: 1}
  - name: cloud
    material: wood
    random: {shape: {sphere: 1 cm}, count: 9, region: {min: [5, 0, 0], max: [6, 1, 1]}}
  - {name: arm, shape: {box: 10 cm}, mass: 1, position: [0, 5, 1]}
joints:
  - {name: h, between: arm, revolute: {at: [0, 5, 2], axis: [1, 0, 0]}, turn: {limits: [-1, 1], motor: {velocity: 1, max_effort: 2}}}
  - {name: r, between: [arm, "crate \u00fc"], rope: {length: 9}}
couplings: [{name: c, terms: [{joint: h, factor: 2}], offset: 0.2}]
forces: [{name: f, between: [world, arm], spring: {stiffness: 9, from: [0, 5, 3]}}]
joint_positions: {h: 0.1}
)";
constexpr const char* kPart = "materials: {wood: {density: 600}}\n";
constexpr const char* kBed = "# balls\nid,x,y,z,r,vx\n0,0,3,1,0.1,1e-3\n1,1,3,1,0.1,-2\n";

/// Loads; what is not a scene must be an InputError with a message.
void load_any(const SceneFolder& folder, const std::string& what) {
  try {
    const Scene scene = load(folder.path());
    EXPECT_TRUE(scene.initial.is_finite()) << what;
    EXPECT_GT(scene.model.body_count(), 0) << what;
  } catch (const InputError& error) {
    EXPECT_FALSE(error.diagnostics().empty()) << what;
    EXPECT_FALSE(std::string(error.what()).empty()) << what;
  }
}

class Mutation : public ::testing::TestWithParam<const char*> {
 protected:
  Mutation() {
    folder_.write("scene.yaml", kScene);
    folder_.write("part.yaml", kPart);
    folder_.write("bed.csv", kBed);
  }
  [[nodiscard]] std::string original() const {
    const std::string name = GetParam();
    return name == "scene.yaml" ? kScene : name == "part.yaml" ? kPart : kBed;
  }
  SceneFolder folder_;
};

// The scene that is mutated is a scene.
TEST_P(Mutation, StartsFromAValidScene) { EXPECT_EQ(folder_.mistakes(kScene), ""); }

// A file cut off at any byte is read or refused with a message.
TEST_P(Mutation, SurvivesTruncation) {
  const std::string text = original();
  for (std::size_t length = 0; length < text.size(); ++length) {
    folder_.write(GetParam(), text.substr(0, length));
    load_any(folder_, "cut at " + std::to_string(length));
  }
}

// A file with any byte changed, doubled or removed is read or refused with a message.
TEST_P(Mutation, SurvivesChangedBytes) {
  const std::string text = original();
  const std::string replacements = std::string("\0\xff", 2) + "[]{}:,-#&*!|>'\"%@`<\n\t 9e.\\";
  Random random(11);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int kind = 0; kind < 4; ++kind) {
      std::string changed = text;
      if (kind == 0) changed[i] = replacements[random.bits() % replacements.size()];
      if (kind == 1) changed[i] = static_cast<char>(changed[i] ^ (1 << (random.bits() % 8)));
      if (kind == 2) changed.erase(i, 1 + random.bits() % 4);
      if (kind == 3) changed.insert(i, text, random.bits() % text.size(), random.bits() % 8);
      folder_.write(GetParam(), changed);
      load_any(folder_, "byte " + std::to_string(i) + ", change " + std::to_string(kind));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Mutation, ::testing::Values("scene.yaml", "part.yaml", "bed.csv"),
                         [](const auto& test) {
                           const std::string name = test.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
