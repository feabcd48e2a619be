#include <talus/scene/detail/document.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace talus::scene::detail {
namespace {

constexpr std::size_t kLongestExcerpt = 160;

/// Byte offset of the start of a line (from 1).
std::size_t line_start(std::string_view text, int line) {
  std::size_t start = 0;
  for (int n = 1; n < line; ++n) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) return text.size();
    start = end + 1;
  }
  return start;
}

bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Appends at most `room` bytes' worth of a node; false when it did not fit.
bool render(const Node& node, std::string& out, std::size_t room) {
  if (out.size() > room) return false;
  switch (node.kind) {
    case Node::Kind::null:
      out += "nothing";
      return true;
    case Node::Kind::scalar:
      out += node.text;
      return out.size() <= room;
    case Node::Kind::list:
      out += '[';
      for (std::size_t i = 0; i < node.children.size(); ++i) {
        if (i > 0) out += ", ";
        if (!render(*node.children[i], out, room)) return false;
      }
      out += ']';
      return true;
    case Node::Kind::map:
      out += '{';
      for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
        if (i > 0) out += ", ";
        out += node.children[i]->text + ": ";
        if (!render(*node.children[i + 1], out, room)) return false;
      }
      out += '}';
      return true;
  }
  return true;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  if (kind != Kind::map) return nullptr;
  for (std::size_t i = 0; i + 1 < children.size(); i += 2)
    if (children[i]->text == key) return children[i + 1];
  return nullptr;
}

Place Place::at(std::string_view key) const {
  const Node* child = node != nullptr ? node->find(key) : nullptr;
  if (child == nullptr) return *this;
  return {document, child, path.empty() ? std::string(key) : path + " › " + std::string(key)};
}

SourcePosition Place::position() const {
  const Document& in = node->written_in != nullptr ? *node->written_in : *document;
  return {in.path.string(), node->line, node->column};
}

void Problems::add(Diagnostic diagnostic) {
  if (full()) return;
  diagnostics_.push_back(std::move(diagnostic));
  if (full()) diagnostics_.push_back({{}, "", "… and perhaps more: these are the first", "", ""});
}

void Problems::add(const Document& document, int line, int column, std::string path,
                   std::string message, std::string hint) {
  if (full()) return;
  Diagnostic diagnostic = diagnostic_at(document.path, document.text, line, column);
  diagnostic.path = std::move(path);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  add(std::move(diagnostic));
}

void Problems::add(const Place& place, std::string message, std::string hint) {
  const Document* other = place.node->written_in;
  add(other != nullptr ? *other : *place.document, place.node->line, place.node->column, place.path,
      std::move(message), std::move(hint));
}

void Problems::throw_if_any() {
  if (!empty()) throw InputError(std::move(diagnostics_));
}

std::string_view line_of(std::string_view text, int line) {
  const std::size_t start = line_start(text, line);
  std::string_view found = text.substr(start, text.find('\n', start) - start);
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return found;
}

Diagnostic diagnostic_at(const std::filesystem::path& path, std::string_view text, int line,
                         int column) {
  Diagnostic diagnostic{{path.string(), line, column}, "", "", "", ""};
  if (line <= 0) return diagnostic;
  const std::string_view excerpt = line_of(text, line);
  const std::string_view before = excerpt.substr(0, column > 0 ? column - 1 : 0);
  diagnostic.position.column =
      column - static_cast<int>(std::count_if(before.begin(), before.end(), is_continuation_byte));
  if (before.size() >= kLongestExcerpt) return diagnostic;  // a caret far to the right is of no use
  std::size_t length = std::min(excerpt.size(), kLongestExcerpt);
  while (length > 0 && length < excerpt.size() && is_continuation_byte(excerpt[length])) --length;
  diagnostic.excerpt = excerpt.substr(0, length);
  std::replace(diagnostic.excerpt.begin(), diagnostic.excerpt.end(), '\t', ' ');
  if (length < excerpt.size()) diagnostic.excerpt += " …";
  return diagnostic;
}

std::string describe(const Node& node) {
  constexpr std::size_t kRoom = 60;
  if (node.kind == Node::Kind::null) return "nothing";
  if (node.kind == Node::Kind::map && node.children.empty()) return "an empty mapping {}";
  std::string text;
  const bool whole = render(node, text, kRoom);
  if (!whole) {
    std::size_t length = std::min(text.size(), kRoom);
    while (length > 0 && length < text.size() && is_continuation_byte(text[length])) --length;
    text.resize(length);
    text += " …";
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return node.kind == Node::Kind::scalar ? '"' + text + '"' : text;
}

}  // namespace talus::scene::detail
