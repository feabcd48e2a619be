#include <talus/scene/detail/setting.hpp>

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace talus::scene::detail {
namespace {

/// Index of the list item with a number or a name.
std::optional<std::size_t> item_of(const Node& list, std::string_view key) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error == std::errc() && end == key.data() + key.size())
    return number < list.children.size() ? std::optional(number) : std::nullopt;
  for (std::size_t i = 0; i < list.children.size(); ++i) {
    const Node* name = list.children[i]->find("name");
    if (name != nullptr && name->text == key) return i;
  }
  return std::nullopt;
}

class Replacement {
 public:
  Replacement(const Setting& setting, Document& document, const Node& value, Problems& problems)
      : setting_(setting), document_(document), value_(value), problems_(problems) {}

  /// The node with the value put where `way` leads from it; the node itself after a mistake.
  const Node* put(const Node* node, std::string_view way) {
    if (way.empty()) return &value_;
    const std::size_t dot = way.find('.');
    const std::string_view key = way.substr(0, dot);
    const std::string_view rest = dot == std::string_view::npos ? "" : way.substr(dot + 1);
    if (node->kind == Node::Kind::list) {
      const auto item = item_of(*node, key);
      if (!item) return fail(node, fmt::format("there is no item \"{}\"", key));
      return replaced(node, *item, put(node->children[*item], rest));
    }
    if (node->kind != Node::Kind::map)
      return fail(node, fmt::format("there is no \"{}\" in {}", key, describe(*node)));
    for (std::size_t i = 0; i + 1 < node->children.size(); i += 2)
      if (node->children[i]->text == key)
        return replaced(node, i + 1, put(node->children[i + 1], rest));
    Node& word = copy(node);
    word.kind = Node::Kind::scalar;
    word.text = key;
    word.children.clear();
    Node& empty = copy(&word);
    empty.kind = Node::Kind::map;
    Node& larger = copy(node);
    larger.children.insert(larger.children.end(), {&word, put(&empty, rest)});
    return &larger;
  }

 private:
  Node& copy(const Node* node) { return document_.nodes.emplace_back(Node(*node)); }
  const Node* replaced(const Node* node, std::size_t child, const Node* by) {
    Node& changed = copy(node);
    changed.children[child] = by;
    return &changed;
  }
  const Node* fail(const Node* node, const std::string& message) {
    problems_.add(document_, node->line, node->column, "setting " + setting_.path, message,
                  "keys, and names or numbers of list items, with dots between them");
    return node;
  }

  const Setting& setting_;
  Document& document_;
  const Node& value_;
  Problems& problems_;
};

}  // namespace

void apply(const Setting& setting, Document& document, Document& text, Problems& problems) {
  text.path = "setting " + setting.path;
  text.text = setting.value;
  const std::size_t before = problems.count();
  parse(text, problems);
  if (problems.count() > before) return;
  if (text.root == nullptr) text.root = &text.nodes.emplace_back();
  const Node* old = document.root;
  for (std::string_view way = setting.path; !way.empty() && old != nullptr;) {
    const std::string_view key = way.substr(0, way.find('.'));
    way.remove_prefix(std::min(way.size(), key.size() + 1));
    const Node* next = old->find(key);
    if (old->kind == Node::Kind::list) {
      const auto item = item_of(*old, key);
      next = item ? old->children[*item] : nullptr;
    }
    if (next == nullptr) break;
    old = next;
  }
  for (Node& node : text.nodes) {
    node.line = old->line;
    node.column = old->column;
  }
  document.root =
      Replacement(setting, document, *text.root, problems).put(document.root, setting.path);
}

}  // namespace talus::scene::detail
