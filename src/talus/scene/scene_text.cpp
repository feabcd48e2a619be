#include <talus/scene/scene_text.hpp>

#include <utility>

#include <talus/base/error.hpp>
#include <talus/json/json.hpp>
#include <talus/scene/detail/document.hpp>
#include <talus/scene/detail/write_yaml.hpp>

namespace talus::scene {
namespace {

using detail::Document;
using detail::Node;

constexpr std::size_t kMostValues = 10'000'000;

/// How many values a tree has, aliases counted as often as they stand; at most one above the limit.
std::size_t value_count(const Node& node) {
  std::size_t count = 1;
  for (const Node* child : node.children)
    if (count <= kMostValues) count += value_count(*child);
  return count;
}

void parse(std::string text, const std::filesystem::path& name, Document& document) {
  document.path = name;
  document.text = std::move(text);
  detail::Problems problems;
  detail::parse(document, problems);
  problems.throw_if_any();
  if (document.root != nullptr && value_count(*document.root) > kMostValues)
    throw file_error(name.string(), "its aliases stand for more than 10 million values",
                     "write out what they stand for, in parts");
}

Json as_json(const Node& node) {
  if (node.kind == Node::Kind::scalar) return node.text;
  if (node.kind == Node::Kind::null) return nullptr;
  if (node.kind == Node::Kind::list) {
    Json items = Json::array();
    for (const Node* item : node.children) items.push_back(as_json(*item));
    return items;
  }
  Json object = Json::object();
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2)
    object.members().emplace_back(node.children[i]->text, as_json(*node.children[i + 1]));
  return object;
}

}  // namespace

std::string tidy_yaml(std::string text, const std::filesystem::path& name) {
  Document document;
  parse(std::move(text), name, document);
  std::string out;
  if (document.root != nullptr) detail::write_block(*document.root, 0, out);
  return out;
}

std::string yaml_as_json(std::string text, const std::filesystem::path& name) {
  Document document;
  parse(std::move(text), name, document);
  return document.root == nullptr ? "null" : json_text(as_json(*document.root));
}

}  // namespace talus::scene
