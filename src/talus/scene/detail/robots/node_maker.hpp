#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <talus/math/spatial.hpp>
#include <talus/scene/detail/document.hpp>
#include <talus/scene/detail/robots/xml_tree.hpp>

namespace talus::scene::detail {

/// Makes the nodes of a scene that is not read from YAML. Each has the place of what it came from.
class NodeMaker {
 public:
  explicit NodeMaker(Document& document) : document_(document) {}

  [[nodiscard]] Node& map(const XmlPlace& place) { return make(Node::Kind::map, place); }
  [[nodiscard]] Node& list(const XmlPlace& place) { return make(Node::Kind::list, place); }
  [[nodiscard]] Node& text(std::string_view value, const XmlPlace& place);
  /// The shortest number that is read back as the same.
  [[nodiscard]] Node& number(Real value, const XmlPlace& place);
  /// Three numbers; what is below 1e-15 of the others is 0.
  [[nodiscard]] Node& vector(const Vec3& value, const XmlPlace& place);
  [[nodiscard]] Node& pair(Real a, Real b, const XmlPlace& place);
  [[nodiscard]] Node& names(const std::vector<std::string>& words, const XmlPlace& place);
  /// Principal moments, or a matrix where it is not diagonal.
  [[nodiscard]] Node& inertia(const Mat3& value, const XmlPlace& place);

  /// Adds a key to a map, with the place of the value.
  void put(Node& map, std::string_view key, const Node& value);
  /// Adds position and orientation, unless they are the origin's.
  void put_pose(Node& map, const Pose& pose, const XmlPlace& place);
  /// Adds an orientation.
  void put_orientation(Node& map, const Quat& q, const XmlPlace& place);

 private:
  Node& make(Node::Kind kind, const XmlPlace& place);

  Document& document_;
};

}  // namespace talus::scene::detail
