#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <talus/base/error.hpp>

namespace talus::scene::detail {

struct Document;

/// One value of a YAML file with the place where it was written.
struct Node {
  enum class Kind : unsigned char { null, scalar, list, map };
  Kind kind = Kind::null;
  int line = 0;                          ///< from 1
  int column = 0;                        ///< from 1, in bytes
  const Document* written_in = nullptr;  ///< another file than its document's, as robots include
  std::string text;
  std::vector<const Node*> children;  ///< of a list: the items; of a map: key, value, key, value, …

  /// The value of a key of a map, or null.
  [[nodiscard]] const Node* find(std::string_view key) const;
};

/// A YAML file as a tree of nodes. Aliases share their node, so the tree is never larger than the
/// file; keys are text and unique; merge keys (<<) are resolved.
struct Document {
  std::filesystem::path path;
  std::string text;
  std::deque<Node> nodes;
  const Node* root = nullptr;

  Document() = default;
  ~Document() = default;
  Document(const Document&) = delete;  // places point into it
  Document(Document&&) = delete;
  Document& operator=(const Document&) = delete;
  Document& operator=(Document&&) = delete;
};

/// A place in a document and how to get there: `bodies[2] "crate" › shape`.
struct Place {
  const Document* document = nullptr;
  const Node* node = nullptr;
  std::string path;

  /// The place of a key of this map, or this place if the key is not there.
  [[nodiscard]] Place at(std::string_view key) const;
  /// File, line and column.
  [[nodiscard]] SourcePosition position() const;
};

/// Mistakes found so far. Stops taking more when there are many.
class Problems {
 public:
  static constexpr std::size_t kMost = 50;

  void add(Diagnostic diagnostic);
  void add(const Document& document, int line, int column, std::string path, std::string message,
           std::string hint = "");
  void add(const Place& place, std::string message, std::string hint = "");
  [[nodiscard]] bool empty() const { return diagnostics_.empty(); }
  [[nodiscard]] std::size_t count() const { return diagnostics_.size(); }
  [[nodiscard]] bool full() const { return diagnostics_.size() >= kMost; }
  /// @throws InputError with everything found, if anything was.
  void throw_if_any();

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// The whole text of a regular file. @param limit in bytes. @throws InputError if it cannot be
/// read, is too large, or is not UTF-8 text.
[[nodiscard]] std::string read_text(const std::filesystem::path& path, std::size_t limit);

/// The same for a file that need not be text.
[[nodiscard]] std::string read_bytes(const std::filesystem::path& path, std::size_t limit);

/// Whether read_text would take these bytes.
[[nodiscard]] bool is_text(std::string_view bytes);

/// A line of a text, without its end. @param line from 1.
[[nodiscard]] std::string_view line_of(std::string_view text, int line);

/// A diagnostic about a place in a text, with the line it is on. @param line, column from 1, the
/// column in bytes.
[[nodiscard]] Diagnostic diagnostic_at(const std::filesystem::path& path, std::string_view text,
                                       int line, int column);

/// Parses `document.text` into `document.nodes`. Mistakes of the syntax, keys given twice and keys
/// that are not text go to the problems; the root stays null if there is no usable tree.
void parse(Document& document, Problems& problems);

/// A node as a short text for messages: `"3 kg"`, `[1.0, -0.5, 1.0]`, `nothing`.
[[nodiscard]] std::string describe(const Node& node);

}  // namespace talus::scene::detail
