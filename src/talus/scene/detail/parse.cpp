#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <talus/scene/detail/document.hpp>

namespace talus::scene::detail {
namespace {

/// Thrown inside the parser's callbacks to leave it; the problem has been noted already.
struct GiveUp {};

/// Turns yaml-cpp's events into nodes.
class Builder : public YAML::EventHandler {
 public:
  Builder(Document& document, Problems& problems) : document_(document), problems_(problems) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    put(add(Node::Kind::null, mark, anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias inside the value that it names");
    put(*found->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    check_quote(mark);
    Node& node = add(Node::Kind::scalar, mark, anchor);
    node.text = value;
    put(node);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override {
    check_keys(*open_.back().node);
    close();
  }

 private:
  struct Open {
    Node* node;
    YAML::anchor_t anchor;
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) {
    problems_.add(document_, mark.line + 1, mark.column + 1, "", message);
    throw GiveUp{};
  }
  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(mark, "tags such as " + tag + " have no meaning here");
  }
  /// The parser takes the rest of the file for the text of a quote that is not closed.
  void check_quote(const YAML::Mark& mark) {
    const std::string& text = document_.text;
    const auto start =
        static_cast<std::size_t>(mark.pos) + (text.starts_with("\xef\xbb\xbf") ? 3 : 0);
    if (start >= text.size() || (text[start] != '"' && text[start] != '\'')) return;
    const char quote = text[start];
    for (std::size_t at = start + 1; at < text.size(); ++at) {
      const bool is_pair = quote == '\'' && text[at] == quote && text.substr(at, 2) == "''";
      if (is_pair || (text[at] == '\\' && quote == '"'))
        ++at;
      else if (text[at] == quote)
        return;
    }
    problems_.add(document_, mark.line + 1, mark.column + 1, "", "this quote is not closed",
                  fmt::format("put {} where the text ends", quote));
    throw GiveUp{};
  }
  Node& add(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    Node& node = document_.nodes.emplace_back();
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    // A list or map gets its name when it is complete: until then an alias would make a cycle.
    if (anchor != 0 && (kind == Node::Kind::null || kind == Node::Kind::scalar))
      anchors_[anchor] = &node;
    return node;
  }
  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    check_tag(mark, tag);
    open_.push_back({&add(kind, mark, anchor), anchor});
  }
  void close() {
    const Open done = open_.back();
    open_.pop_back();
    if (done.anchor != 0) anchors_[done.anchor] = done.node;
    put(*done.node);
  }
  void put(Node& node) {
    if (open_.empty()) {
      document_.root = &node;
      return;
    }
    Node& parent = *open_.back().node;
    const bool is_value = parent.kind == Node::Kind::map && parent.children.size() % 2 == 1;
    if (node.kind == Node::Kind::null && is_value) {
      // The parser puts what is not there at the next thing that is; the key is the better place.
      node.line = parent.children.back()->line;
      node.column = parent.children.back()->column;
    }
    parent.children.push_back(&node);
  }

  /// Keys must be text and unique; merge keys are replaced by what they bring.
  void check_keys(Node& map) {
    std::unordered_map<std::string_view, const Node*> seen;
    std::vector<const Node*> entries;
    std::vector<const Node*> merged;
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      const Node& key = *map.children[i];
      const Node& value = *map.children[i + 1];
      if (key.kind != Node::Kind::scalar) {
        problems_.add(document_, key.line, key.column, "",
                      "expected a key that is a word, got " + describe(key));
      } else if (key.text == "<<") {
        gather_merged(value, merged);
      } else if (const auto [first, is_new] = seen.emplace(key.text, &key); !is_new) {
        problems_.add(document_, key.line, key.column, "",
                      fmt::format("the key \"{}\" is given twice, first on line {}", key.text,
                                  first->second->line),
                      "remove one of the two");
      } else {
        entries.push_back(&key);
        entries.push_back(&value);
      }
    }
    for (const Node* source : merged) {
      for (std::size_t i = 0; i + 1 < source->children.size(); i += 2) {
        if (!seen.emplace(source->children[i]->text, source->children[i]).second) continue;
        entries.push_back(source->children[i]);
        entries.push_back(source->children[i + 1]);
        if (++merged_entry_count_ > kMostMergedEntries) {
          problems_.add(document_, map.line, map.column, "", "too much is merged with <<");
          throw GiveUp{};
        }
      }
    }
    map.children = std::move(entries);
  }
  void gather_merged(const Node& value, std::vector<const Node*>& merged) {
    if (value.kind == Node::Kind::map) {
      merged.push_back(&value);
      return;
    }
    bool is_list_of_maps = value.kind == Node::Kind::list;
    for (const Node* item : value.children)
      is_list_of_maps = is_list_of_maps && item->kind == Node::Kind::map;
    if (is_list_of_maps)
      merged.insert(merged.end(), value.children.begin(), value.children.end());
    else
      problems_.add(document_, value.line, value.column, "",
                    "<< merges a mapping or a list of mappings, got " + describe(value));
  }

  static constexpr std::size_t kMostMergedEntries = 2'000'000;
  Document& document_;
  Problems& problems_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Node*> anchors_;
  std::size_t merged_entry_count_ = 0;
};

/// The parser reads all brackets that follow one another before it counts them: 10 MB of them take
/// 2 GB. Quoted text and comments do not count.
bool refuse_deep_brackets(const Document& document, Problems& problems) {
  constexpr int kMostBrackets = 1000;
  int depth = 0, line = 1, column = 0;
  char quote = 0, before = ' ';
  bool is_comment = false;
  for (const char c : document.text) {
    ++column;
    if (c == '\n') {
      ++line;
      column = 0;
      is_comment = false;
    } else if (quote != 0) {
      if (c == quote && before != '\\') quote = 0;
    } else if (!is_comment) {
      is_comment = c == '#' && (before == ' ' || before == '\t' || before == '\n');
      const bool starts_value = std::string_view(" \t\n[{,:").find(before) != std::string::npos;
      if ((c == '"' || c == '\'') && starts_value) quote = c;
      if (c == '[' || c == '{') ++depth;
      if ((c == ']' || c == '}') && depth > 0) --depth;
      if (depth > kMostBrackets) {
        problems.add(document, line, column, "", "lists or mappings nested too deeply");
        return true;
      }
    }
    before = c;
  }
  return false;
}

/// YAML indents by blanks alone, and an excerpt shows both alike.
bool is_indented_by_tabs(std::string_view line) {
  return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

}  // namespace

void parse(Document& document, Problems& problems) {
  document.root = nullptr;
  if (refuse_deep_brackets(document, problems)) return;
  std::istringstream stream(document.text);
  Builder builder(document, problems);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    const Node* root = document.root;
    if (root != nullptr && parser.HandleNextDocument(builder)) {
      const Node* second = document.root;
      problems.add(document, second->line, second->column, "",
                   "a scene is one document: nothing may follow the line ---");
    }
    document.root = root;
  } catch (const GiveUp&) {
    document.root = nullptr;
  } catch (const YAML::DeepRecursion& error) {
    document.root = nullptr;
    problems.add(document, error.mark.line + 1, error.mark.column + 1, "",
                 "lists or mappings nested too deeply");
  } catch (const YAML::Exception& error) {
    document.root = nullptr;
    const int line = error.mark.line + 1;
    problems.add(document, line, error.mark.column + 1, "", "not valid YAML: " + error.msg,
                 is_indented_by_tabs(line_of(document.text, line))
                     ? "write blanks in place of the tabs that this line begins with"
                     : "check the indentation, the brackets and the quotes near this place");
  }
}

}  // namespace talus::scene::detail
