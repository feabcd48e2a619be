#include <talus/scene/scene_text.hpp>

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/json/json.hpp>
#include <talus/scene/detail/document.hpp>
#include <talus/scene/detail/moved_files.hpp>
#include <talus/scene/detail/setting.hpp>
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

/// A value as YAML, if there is one.
template <class T>
std::optional<std::string> yaml_of(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  if constexpr (std::is_same_v<T, std::string>)
    return json_text(Json(*value));
  else
    return fmt::format("{}", *value);
}

/// What overrides say, as settings of keys.
std::vector<Setting> settings_of(const Overrides& overrides, const Node& root) {
  using Values = std::vector<std::pair<std::string, std::optional<std::string>>>;
  std::vector<Setting> settings;
  const auto put = [&](const std::string& object, const Values& values) {
    std::vector<Setting> own;
    for (const auto& [key, value] : values)
      if (value) own.push_back({fmt::format("{}.{}", object, key), *value});
    const Node* old = root.find(object);
    if (!own.empty() && old != nullptr && old->kind == Node::Kind::scalar)  // its name, in short
      settings.push_back({object, fmt::format("{{name: {}}}", json_text(Json(old->text)))});
    settings.insert(settings.end(), own.begin(), own.end());
  };
  put("time", {{"end", yaml_of(overrides.end_time)}, {"step", yaml_of(overrides.step_size)}});
  put("scheme", {{"name", yaml_of(overrides.scheme)}});
  put("solver", {{"name", yaml_of(overrides.solver)},
                 {"tolerance", yaml_of(overrides.tolerance)},
                 {"max_iterations", yaml_of(overrides.sweeps)}});
  return settings;
}

void refuse_what_no_scene_says(const Overrides& overrides, const Node& root,
                               const std::filesystem::path& name) {
  const auto refuse = [&](const char* what, const char* message, const char* hint) {
    throw InputError(Diagnostic{{name.string(), 0, 0}, what, message, "", hint});
  };
  if (!overrides.keyframe.empty())
    refuse("keyframe", "a scene has no keyframe of its own",
           "give it to the robot: robots: [{file: …, keyframe: …}]");
  if (!overrides.packages.empty() &&
      (root.find("robots") != nullptr || root.find("include") != nullptr))
    refuse("packages", "folders of packages for robots stand in no scene",
           "write it without them, and give them to talus run --package");
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

std::string with_overrides(std::string text, const std::filesystem::path& name,
                           const std::filesystem::path& target, const Overrides& overrides) {
  std::deque<Document> documents;
  Document& document = documents.emplace_back();
  parse(std::move(text), name, document);
  if (document.root == nullptr) {
    Node& nothing = document.nodes.emplace_back();
    nothing.kind = Node::Kind::map;
    document.root = &nothing;
  }
  refuse_what_no_scene_says(overrides, *document.root, name);
  detail::Problems problems;
  const auto apply = [&](const std::vector<Setting>& settings) {
    for (const Setting& setting : settings)
      detail::apply(setting, document, documents.emplace_back(), problems);
    problems.throw_if_any();
  };
  const Node* before = document.root;
  apply(overrides.settings);
  apply(settings_of(overrides, *document.root));
  bool is_changed = document.root != before;
  for (Document& part : documents)
    is_changed = detail::move_files(part, name, target, detail::AbsoluteNames::stay) || is_changed;
  if (!is_changed) return std::move(document.text);
  std::string out;
  detail::write_block(*document.root, 0, out);
  static_cast<void>(load_text(out, target));  // a scheme may not have the options of another
  return out;
}

}  // namespace talus::scene
