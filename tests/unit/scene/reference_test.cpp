#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

#include <talus/scene/reference.hpp>

#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

std::string committed(const std::string& name) {
  std::ifstream stream(std::string(TALUS_SOURCE_DIR) + "/docs/reference/" + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The committed JSON schema is the one the reader's schema gives today.
// Again: talus check --schema > docs/reference/scene.schema.json
TEST(Reference, SchemaFileIsFresh) { EXPECT_EQ(committed("scene.schema.json"), json_schema()); }

// The committed reference page is the one the reader's schema gives today.
// Again: talus check --reference > docs/reference/scene.md
TEST(Reference, PageIsFresh) { EXPECT_EQ(committed("scene.md"), reference_page()); }

// The example on the reference page is a scene without mistakes.
TEST(Reference, ExampleLoads) {
  const std::string page = reference_page();
  const std::string fence = "```yaml\n";
  const std::size_t start = page.find(fence) + fence.size();
  const Scene scene = SceneFolder().load(page.substr(start, page.find("```", start) - start));
  EXPECT_EQ(scene.title, "A ball on a slope");
  EXPECT_EQ(scene.model.body_count(), 2);
}

/// The complete scene that an example is a part of.
std::string completed(const std::string& example) {
  if (("\n" + example).find("\nbodies:") != std::string::npos) return example;
  const std::string_view machine =
      "bodies:\n"
      "  - {name: ground, fixed: true, collides: false, shape: {disc: 1 cm}}\n"
      "  - {name: crank, mass: 1, collides: false, shape: {disc: 1 cm}, position: [0.1, 0, 0]}\n"
      "  - {name: block, mass: 1, collides: false, shape: {disc: 1 cm}, position: [0.5, 0, 0]}\n";
  for (const char* key : {"joints:", "drives:", "forces:"})
    if (example.starts_with(key)) return "dimension: 2\n" + example + std::string(machine);
  const bool is_planar = example.find("dimension: 2") != std::string::npos;
  return example + "bodies: [{name: ball, shape: {" + (is_planar ? "disc" : "sphere") +
         ": 10 cm}, mass: 1 kg}]\n";
}

// Every example on the reference page is part of a scene without mistakes, and the keys that are
// hardest to guess are in one.
TEST(Reference, ExamplesLoad) {
  const std::string page = reference_page();
  const std::string fence = "```yaml\n";
  const SceneFolder folder;
  folder.write("beads.csv", "x,y,z,r\n0,0,1,0.01\n");
  folder.write("gait.csv", "time [ms],hip [N m],knee [N m]\n0,12.5,3\n10,12.1,3.4\n");
  int count = 0;
  std::string all;
  for (std::size_t at = 0; (at = page.find(fence, at)) != std::string::npos; ++count) {
    at += fence.size();
    const std::string example = page.substr(at, page.find("```", at) - at);
    EXPECT_EQ(folder.mistakes(completed(example)), "") << example;
    all += example;
  }
  EXPECT_GT(count, 45);
  for (const char* key :
       {"periodic",  "damping",        "scheme",  "solver",   "record", "probes", "sinks",
        "materials", "contacts",       "joints",  "drives",   "forces", "source", "lattice",
        "random",    "packing",        "spheres", "rotation", "swing",  "table",  "shake",
        "mass_flow", "solid_fraction", "repose",  "mixing",   "stress", "fabric", "coordination",
        "energy",    "centre",         "clump",   "grain"})
    EXPECT_NE(all.find(std::string(key) + ':'), std::string::npos) << key;
}

// The index leads to every section.
TEST(Reference, IndexIsComplete) {
  const std::string page = reference_page();
  const std::size_t end = page.find("\n## scene\n");
  const std::string index = page.substr(page.find("\n## Index\n"), end - page.find("\n## Index\n"));
  for (std::size_t at = end + 1; (at = page.find("\n## ", at)) != std::string::npos;) {
    at += 4;
    const std::string title = page.substr(at, page.find('\n', at) - at);
    EXPECT_NE(index.find('[' + title + ']'), std::string::npos) << title;
  }
}

// Every reference within the JSON schema leads to a definition, and every object is closed.
TEST(Reference, SchemaIsComplete) {
  const nlohmann::json schema = nlohmann::json::parse(json_schema());
  std::set<std::string> used;
  const auto visit = [&](const auto& self, const nlohmann::json& node) -> void {
    if (node.is_object()) {
      if (node.contains("$ref")) used.insert(node["$ref"].get<std::string>());
      if (node.contains("properties") && node.contains("type")) {
        EXPECT_EQ(node["additionalProperties"], false);
      }
    }
    for (const nlohmann::json& child : node)
      if (child.is_structured()) self(self, child);
  };
  visit(visit, schema);
  EXPECT_GT(used.size(), 20U);
  for (const std::string& reference : used)
    EXPECT_TRUE(schema.contains(nlohmann::json::json_pointer(reference.substr(1)))) << reference;
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
