#include <talus/scene/detail/robots/node_maker.hpp>

#include <fmt/format.h>

#include <cmath>

namespace talus::scene::detail {

Node& NodeMaker::make(Node::Kind kind, const XmlPlace& place) {
  Node& node = document_.nodes.emplace_back();
  node.kind = kind;
  node.line = place.line;
  node.column = place.column;
  if (place.document != &document_) node.written_in = place.document;
  return node;
}

Node& NodeMaker::text(std::string_view value, const XmlPlace& place) {
  Node& node = make(Node::Kind::scalar, place);
  node.text = value;
  return node;
}

Node& NodeMaker::number(Real value, const XmlPlace& place) {
  return text(fmt::format("{}", value == 0 ? Real(0) : value), place);
}

Node& NodeMaker::vector(const Vec3& value, const XmlPlace& place) {
  constexpr Real kNothing = 1e-15;
  const Real largest = value.cwiseAbs().maxCoeff();
  Node& node = list(place);
  for (const Real x : value)
    node.children.push_back(&number(std::abs(x) < kNothing * largest ? 0 : x, place));
  return node;
}

Node& NodeMaker::pair(Real a, Real b, const XmlPlace& place) {
  Node& node = list(place);
  node.children = {&number(a, place), &number(b, place)};
  return node;
}

Node& NodeMaker::names(const std::vector<std::string>& words, const XmlPlace& place) {
  Node& node = list(place);
  for (const std::string& word : words) node.children.push_back(&text(word, place));
  return node;
}

Node& NodeMaker::inertia(const Mat3& value, const XmlPlace& place) {
  const Vec3 moments = value.diagonal();
  if (value.isDiagonal(1e-15)) {
    Node& node = list(place);
    for (const Real x : moments) node.children.push_back(&number(x, place));
    return node;
  }
  Node& rows = list(place);
  for (int i = 0; i < 3; ++i) {
    Node& row = list(place);
    for (int j = 0; j < 3; ++j) row.children.push_back(&number(value(i, j), place));
    rows.children.push_back(&row);
  }
  return rows;
}

void NodeMaker::put(Node& map, std::string_view key, const Node& value) {
  Node& word = document_.nodes.emplace_back();
  word.kind = Node::Kind::scalar;
  word.text = key;
  word.line = value.line;
  word.column = value.column;
  word.written_in = value.written_in;
  map.children.push_back(&word);
  map.children.push_back(&value);
}

void NodeMaker::put_pose(Node& map, const Pose& pose, const XmlPlace& place) {
  if (!pose.p.isZero(0)) put(map, "position", vector(pose.p, place));
  if (!pose.q.vec().isZero(0)) put_orientation(map, pose.q, place);
}

void NodeMaker::put_orientation(Node& map, const Quat& q, const XmlPlace& place) {
  Node& orientation = this->map(place);
  Node& quaternion = list(place);
  for (const Real x : {q.w(), q.x(), q.y(), q.z()})
    quaternion.children.push_back(&number(std::abs(x) < 1e-15 ? 0 : x, place));
  put(orientation, "quaternion", quaternion);
  put(map, "orientation", orientation);
}

}  // namespace talus::scene::detail
