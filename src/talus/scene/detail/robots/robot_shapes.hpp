#pragma once

#include <talus/scene/detail/robots/node_maker.hpp>
#include <talus/scene/detail/robots/robot.hpp>

namespace talus::scene::detail {

/// Adds the shape of a geom, as a scene writes it, to a body or to a member of a clump.
void put_shape(Node& map, const RobotGeom& geom, NodeMaker& make);

/// A ball for the eye.
void put_ball(Node& body, Real radius, NodeMaker& make, const XmlPlace& place);

}  // namespace talus::scene::detail
