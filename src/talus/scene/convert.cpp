#include <talus/scene/convert.hpp>

#include <fmt/format.h>

#include <deque>
#include <string_view>

#include <talus/base/error.hpp>
#include <talus/json/json.hpp>
#include <talus/scene/detail/robots/robot_file.hpp>

namespace talus::scene {
namespace {

using detail::Document;
using detail::Node;

constexpr std::size_t kLargestRobot = std::size_t{64} << 20U;
constexpr std::size_t kLongestLine = 140;
constexpr std::size_t kMostValues = 10'000'000;

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

void write_block(const Node& node, std::size_t indent, std::string& out);

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

/// Names of files, from the robot's folder to that of the scene.
void move_files(Document& document, const std::filesystem::path& from,
                const std::filesystem::path& to) {
  std::error_code error;
  const std::size_t count = document.nodes.size();  // some are added below: no iterator stays valid
  for (std::size_t k = 0; k < count; ++k) {
    Node& node = document.nodes[k];
    if (node.kind != Node::Kind::map) continue;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      if (node.children[i]->text != "file") continue;
      Node& value = document.nodes.emplace_back(*node.children[i + 1]);
      const auto moved = std::filesystem::relative(from / value.text, to, error);
      if (!error && !moved.empty()) value.text = moved.generic_string();
      node.children[i + 1] = &value;
    }
  }
}

}  // namespace

std::string convert(const std::filesystem::path& robot, const std::filesystem::path& target,
                    const Overrides& overrides) {
  if (!detail::is_robot_file(robot))
    throw file_error(robot.string(), "this is no file of a robot",
                     "those end in .urdf, .xml or .mjcf");
  static_cast<void>(load(robot, overrides));  // says every mistake
  detail::Problems problems;
  detail::RobotReport report;
  std::deque<Document> documents;
  Document& document = documents.emplace_back();
  document.path = robot;
  document.text = detail::read_text(robot, kLargestRobot);
  static_cast<void>(detail::read_robot_file(
      document, documents, {overrides.packages, overrides.keyframe, std::nullopt, {}}, report,
      problems));
  problems.throw_if_any();
  std::error_code error;
  const auto folder = [&](const std::filesystem::path& file) {
    return std::filesystem::absolute(file, error).parent_path();
  };
  move_files(document, folder(robot), folder(target));
  std::string out = fmt::format("# Written by talus convert from {}\n", robot.filename().string());
  for (std::size_t i = 0; i + 1 < document.root->children.size(); i += 2)
    if (!document.root->children[i + 1]->children.empty() ||
        document.root->children[i + 1]->kind == Node::Kind::scalar) {
      Node one;
      one.kind = Node::Kind::map;
      one.children = {document.root->children[i], document.root->children[i + 1]};
      const Node& value = *one.children[1];
      const bool is_list =
          value.kind == Node::Kind::list && value.children.front()->kind != Node::Kind::scalar;
      const bool is_table = one.children[0]->text == "joint_positions";
      if (is_list || is_table) {
        out += one.children[0]->text + ":\n";
        write_block(*one.children[1], 2, out);
      } else {
        write_block(one, 0, out);
      }
    }
  return out;
}

namespace {

void parse(std::string text, const std::filesystem::path& name, Document& document) {
  document.path = name;
  document.text = std::move(text);
  detail::Problems problems;
  detail::parse(document, problems);
  problems.throw_if_any();
}

/// @param left how many more values there may be: aliases can stand for more than a file holds.
Json as_json(const Node& node, std::size_t& left) {
  if (left-- == 0) throw InputError(Diagnostic{{}, "", "aliases make it too large", "", ""});
  if (node.kind == Node::Kind::scalar) return node.text;
  if (node.kind == Node::Kind::null) return nullptr;
  if (node.kind == Node::Kind::list) {
    Json items = Json::array();
    for (const Node* item : node.children) items.push_back(as_json(*item, left));
    return items;
  }
  Json object = Json::object();
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2)
    object.members().emplace_back(node.children[i]->text, as_json(*node.children[i + 1], left));
  return object;
}

}  // namespace

std::string tidy_yaml(std::string text, const std::filesystem::path& name) {
  Document document;
  parse(std::move(text), name, document);
  std::string out;
  if (document.root != nullptr) write_block(*document.root, 0, out);
  return out;
}

std::string yaml_as_json(std::string text, const std::filesystem::path& name) {
  Document document;
  parse(std::move(text), name, document);
  std::size_t left = kMostValues;
  return document.root == nullptr ? "null" : json_text(as_json(*document.root, left));
}

}  // namespace talus::scene
