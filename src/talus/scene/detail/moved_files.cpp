#include <talus/scene/detail/moved_files.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace talus::scene::detail {
namespace {

namespace fs = std::filesystem;

/// Keys whose values name files, also in short. A joint of such a name has no value that is one.
constexpr std::array<std::string_view, 5> kKeys = {"file", "include", "mesh", "spheres", "table"};

fs::path folder_of(const fs::path& file) {
  std::error_code error;
  return fs::weakly_canonical(fs::absolute(file, error).parent_path(), error);
}

class Move {
 public:
  Move(Document& document, const fs::path& from, const fs::path& to, AbsoluteNames absolute)
      : document_(document), from_(folder_of(from)), to_(folder_of(to)), absolute_(absolute) {}

  /// The value with its names moved; itself where none is.
  const Node* moved(const Node* value) const {
    if (value->kind == Node::Kind::list) {
      Node items = *value;
      for (const Node*& item : items.children)
        if (item->kind == Node::Kind::scalar) item = moved(item);
      return items.children == value->children ? value : &document_.nodes.emplace_back(items);
    }
    if (value->kind != Node::Kind::scalar) return value;
    const bool is_absolute = fs::path(value->text).is_absolute();
    if (is_absolute ? absolute_ == AbsoluteNames::stay : from_ == to_) return value;
    std::error_code error;
    if (!fs::is_regular_file(from_ / value->text, error)) return value;
    const fs::path name = fs::relative(from_ / value->text, to_, error);
    if (error || name.empty()) return value;
    Node& other = document_.nodes.emplace_back(*value);
    other.text = name.generic_string();
    return &other;
  }

 private:
  Document& document_;
  fs::path from_, to_;
  AbsoluteNames absolute_;
};

}  // namespace

bool move_files(Document& document, const fs::path& from, const fs::path& to,
                AbsoluteNames absolute) {
  const Move move(document, from, to, absolute);
  bool is_changed = false;
  const std::size_t count = document.nodes.size();  // some are added below: no iterator stays valid
  for (std::size_t k = 0; k < count; ++k) {
    Node& node = document.nodes[k];
    if (node.kind != Node::Kind::map) continue;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      const std::string& key = node.children[i]->text;
      if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) continue;
      const Node* moved = move.moved(node.children[i + 1]);
      is_changed = is_changed || moved != node.children[i + 1];
      node.children[i + 1] = moved;
    }
  }
  return is_changed;
}

}  // namespace talus::scene::detail
