#include <talus/scene/detail/robots/xml_tree.hpp>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace talus::scene::detail {
namespace {

constexpr std::size_t kMostElements = 1'000'000;
constexpr std::size_t kDeepest = 500;

/// Lines and columns of offsets into a text.
class LineTable {
 public:
  explicit LineTable(const Document& document) : document_(document) {
    for (std::size_t i = 0; i < document.text.size(); ++i)
      if (document.text[i] == '\n') starts_.push_back(i + 1);
  }
  [[nodiscard]] XmlPlace at(std::ptrdiff_t offset) const {
    if (offset < 0) return {&document_, 1, 1};
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), std::size_t(offset));
    const auto line = next - starts_.begin();
    return {&document_, static_cast<int>(line),
            static_cast<int>(offset - static_cast<std::ptrdiff_t>(*(next - 1)) + 1)};
  }

 private:
  const Document& document_;
  std::vector<std::size_t> starts_ = {0};
};

std::string without_outer_space(std::string_view text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

/// Copies pugixml's tree: in the same buffer as the text, so that names tell their offsets.
class TreeCopy {
 public:
  TreeCopy(const Document& document, const char* buffer, XmlElements& elements, Problems& problems)
      : lines_(document), buffer_(buffer), elements_(elements), problems_(problems) {}

  const XmlElement* copy(const pugi::xml_node& node, std::size_t depth) {
    // The name stands after the bracket.
    const XmlPlace place = lines_.at(node.name() - buffer_ - 1);
    if (depth > kDeepest || elements_.size() >= kMostElements) {
      add_problem(problems_, place,
                  depth > kDeepest ? fmt::format("elements are nested more than {} deep", kDeepest)
                                   : fmt::format("a file has at most {} elements", kMostElements));
      return nullptr;
    }
    XmlElement& element = elements_.emplace_back();
    element.tag = node.name();
    element.place = place;
    for (const pugi::xml_attribute& attribute : node.attributes())
      element.attributes.push_back(
          {attribute.name(), attribute.value(), lines_.at(attribute.name() - buffer_)});
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element) {
        const XmlElement* inner = copy(child, depth + 1);
        if (inner == nullptr) return nullptr;
        element.children.push_back(inner);
      } else if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
        element.text += child.value();
      }
    }
    element.text = without_outer_space(element.text);
    return &element;
  }

 private:
  LineTable lines_;
  const char* buffer_;
  XmlElements& elements_;
  Problems& problems_;
};

}  // namespace

const XmlAttribute* XmlElement::find(std::string_view name) const {
  for (const XmlAttribute& attribute : attributes)
    if (attribute.name == name) {
      attribute.is_read = true;
      return &attribute;
    }
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view name) const {
  for (const XmlElement* one : children)
    if (one->tag == name) {
      one->is_read = true;
      return one;
    }
  return nullptr;
}

const XmlElement* parse_xml(const Document& document, XmlElements& elements, Problems& problems) {
  std::string buffer = document.text;
  pugi::xml_document tree;
  const auto result = tree.load_buffer_inplace(
      buffer.data(), buffer.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result) {
    add_problem(problems, LineTable(document).at(result.offset),
                fmt::format("not valid XML: {}", result.description()),
                "check that every element is closed and every value stands in quotes");
    return nullptr;
  }
  for (const pugi::xml_node& node : tree.children())
    if (node.type() == pugi::node_doctype &&
        std::string_view(node.value()).find("ENTITY") != std::string_view::npos) {
      add_problem(problems, LineTable(document).at(node.value() - buffer.data()),
                  "a robot's file has no entities of its own", "write out what they stand for");
      return nullptr;
    }
  const pugi::xml_node root = tree.document_element();
  if (!root) {
    add_problem(problems, {&document, 1, 1}, "the file has no element");
    return nullptr;
  }
  return TreeCopy(document, buffer.data(), elements, problems).copy(root, 1);
}

void add_problem(Problems& problems, const XmlPlace& place, std::string message, std::string hint) {
  problems.add(*place.document, place.line, place.column, "", std::move(message), std::move(hint));
}

bool is_robot_file(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".urdf" || ending == ".xml" || ending == ".mjcf" || ending == ".sdf" ||
         ending == ".xacro";
}

}  // namespace talus::scene::detail
