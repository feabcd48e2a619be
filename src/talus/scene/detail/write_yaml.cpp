#include <talus/scene/detail/write_yaml.hpp>

#include <fmt/format.h>

#include <string_view>

namespace talus::scene::detail {
namespace {

constexpr std::size_t kLongestLine = 140;

/// Whether a text can stand without quotes, within brackets too.
bool is_plain(std::string_view text) {
  if (text.empty() || text == "null" || text == "Null" || text == "NULL" || text == "~")
    return false;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool is_number = text.front() == '-' && text.size() > 1 && is_word(text[1]);
  if (!is_word(text.front()) && !is_number) return false;
  for (const char c : text)
    if (!is_word(c) && std::string_view("+-. ()").find(c) == std::string_view::npos) return false;
  return text.back() != ' ';
}

std::string yaml_text(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

/// A node on one line.
std::string flow(const Node& node) {
  if (node.kind == Node::Kind::null) return "";
  if (node.kind == Node::Kind::scalar) return yaml_text(node.text);
  const bool is_map = node.kind == Node::Kind::map;
  std::string out = is_map ? "{" : "[";
  for (std::size_t i = 0; i < node.children.size(); i += is_map ? 2 : 1) {
    if (i > 0) out += ", ";
    if (is_map) out += yaml_text(node.children[i]->text) + ": ";
    out += flow(*node.children[is_map ? i + 1 : i]);
  }
  return out + (is_map ? "}" : "]");
}

/// The value after a key or a dash: on the line where it fits.
void write_value(const Node& node, std::size_t indent, std::size_t column, std::string& out) {
  const std::string line = flow(node);
  const bool is_leaf = node.kind == Node::Kind::scalar || node.children.empty();
  if (is_leaf || column + line.size() <= kLongestLine) {
    out += ' ' + line + '\n';
    return;
  }
  out += '\n';
  write_block(node, indent + 2, out);
}

}  // namespace

void write_block(const Node& node, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  if (node.kind == Node::Kind::map) {
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      const std::string key = yaml_text(node.children[i]->text);
      out += margin + key + ':';
      write_value(*node.children[i + 1], indent, indent + key.size() + 2, out);
    }
    return;
  }
  for (const Node* item : node.children) {
    const std::string line = flow(*item);
    if (item->kind == Node::Kind::scalar || indent + line.size() + 2 <= kLongestLine ||
        item->kind == Node::Kind::list) {
      out += fmt::format("{}- {}\n", margin, line);
      continue;
    }
    // The first key stands after the dash.
    std::string block;
    write_block(*item, indent + 2, block);
    block[indent] = '-';
    out += block;
  }
}

}  // namespace talus::scene::detail
