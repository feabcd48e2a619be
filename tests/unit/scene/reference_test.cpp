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
