#include <talus/scene/detail/robots/robot_shapes.hpp>

#include <talus/scene/detail/robots/geom_mass.hpp>

namespace talus::scene::detail {
namespace {

Node& ground(const RobotGeom& geom, NodeMaker& make) {
  const XmlPlace& place = geom.place;
  Node& rows = make.list(place);
  for (const std::vector<Real>& heights : geom.heights) {
    Node& row = make.list(place);
    for (const Real height : heights) row.children.push_back(&make.number(height, place));
    rows.children.push_back(&row);
  }
  Node& shape = make.map(place);
  make.put(shape, "heights", rows);
  make.put(shape, "size", make.pair(geom.size.x(), geom.size.y(), place));
  return shape;
}

}  // namespace

void put_shape(Node& map, const RobotGeom& geom, NodeMaker& make) {
  const XmlPlace& place = geom.place;
  Node& shape = make.map(place);
  switch (geom.kind) {
    case RobotGeom::Kind::sphere:
      return make.put(map, "sphere", make.number(geom.size.x(), place));
    case RobotGeom::Kind::box:
      return make.put(map, "box", make.vector(geom.size, place));
    case RobotGeom::Kind::plane:
      return make.put(map, "plane", shape);
    case RobotGeom::Kind::capsule:
    case RobotGeom::Kind::cylinder:
      make.put(shape, "radius", make.number(geom.size.x(), place));
      make.put(shape, "length", make.number(geom.size.y(), place));
      return make.put(map, geom.kind == RobotGeom::Kind::capsule ? "capsule" : "cylinder", shape);
    case RobotGeom::Kind::ground:
      return make.put(map, "mesh", ground(geom, make));
    case RobotGeom::Kind::hull:
    case RobotGeom::Kind::ellipsoid:
      break;
  }
  const bool is_ellipsoid = geom.kind == RobotGeom::Kind::ellipsoid;
  if (geom.file.empty()) {
    Node& points = make.list(place);
    for (const Vec3& x : is_ellipsoid ? ellipsoid_points(geom.size) : geom.points)
      points.children.push_back(&make.vector(x, place));
    make.put(shape, "points", points);
  } else {
    make.put(shape, "file", make.text(geom.file, place));
  }
  if (geom.scale != Vec3::Ones())
    make.put(shape, "scale",
             geom.scale == Vec3::Constant(geom.scale.x()) ? make.number(geom.scale.x(), place)
                                                          : make.vector(geom.scale, place));
  make.put(shape, "centred", make.text("false", place));
  make.put(map, "hull", shape);
}

void put_ball(Node& body, Real radius, NodeMaker& make, const XmlPlace& place) {
  Node& shape = make.map(place);
  make.put(shape, "sphere", make.number(radius, place));
  make.put(body, "shape", shape);
}

}  // namespace talus::scene::detail
