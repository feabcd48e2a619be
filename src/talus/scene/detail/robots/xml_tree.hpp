#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <talus/scene/detail/document.hpp>

// An XML file as a tree whose parts know where they were written.

namespace talus::scene::detail {

/// Where something is written: a file that was read, line and column from 1.
struct XmlPlace {
  const Document* document = nullptr;
  int line = 0, column = 0;
};

struct XmlAttribute {
  std::string name, value;
  XmlPlace place;
  mutable bool is_read = false;  ///< whether a reader has looked at it
};

struct XmlElement {
  std::string tag;
  std::string text;  ///< all text directly in it, without space at the ends
  XmlPlace place;
  std::vector<XmlAttribute> attributes;
  std::vector<const XmlElement*> children;
  mutable bool is_read = false;

  /// The attribute of a name, or null; it counts as read from then on.
  [[nodiscard]] const XmlAttribute* find(std::string_view name) const;
  /// The first child of a tag, or null; it counts as read.
  [[nodiscard]] const XmlElement* child(std::string_view tag) const;
};

/// Elements, which stay where they are.
using XmlElements = std::deque<XmlElement>;

/// Reads a file into a document and its elements. Refuses entities of its own, more than 10⁶
/// elements, and elements more than 500 deep.
/// @return the root, or null with the reason in the problems.
[[nodiscard]] const XmlElement* parse_xml(const Document& document, XmlElements& elements,
                                          Problems& problems);

/// Adds a problem at a place.
void add_problem(Problems& problems, const XmlPlace& place, std::string message,
                 std::string hint = "");

/// Whether a name of a file is that of a robot: .urdf, .xml or .mjcf; or .sdf or .xacro, of which
/// its reader says what to do with them.
[[nodiscard]] bool is_robot_file(const std::filesystem::path& path);

}  // namespace talus::scene::detail
