#include <talus/scene/detail/robots/robot_bodies.hpp>

#include <fmt/format.h>

#include <cmath>
#include <span>

#include <talus/scene/detail/robots/geom_mass.hpp>

namespace talus::scene::detail {
namespace {

constexpr Real kExact = 1e-9;

bool is_perpendicular(const Vec3& a, const Vec3& b) {
  return std::abs(a.normalized().dot(b.normalized())) < kExact;
}
bool is_parallel(const Vec3& a, const Vec3& b) {
  return a.normalized().cross(b.normalized()).norm() < kExact;
}
bool is_same_point(const Vec3& a, const Vec3& b) {
  return (a - b).norm() < kExact * (1 + a.norm());
}

using Joints = std::span<const RobotJoint>;

/// Two slides and a hinge, all perpendicular: a plane on a plane.
bool makes_plane(Joints joints) {
  return joints.size() >= 3 && joints[0].is_slide() && joints[1].is_slide() &&
         joints[2].kind == RobotJoint::Kind::hinge &&
         is_perpendicular(joints[0].axis, joints[1].axis) &&
         is_perpendicular(joints[0].axis, joints[2].axis) &&
         is_perpendicular(joints[1].axis, joints[2].axis);
}

/// A hinge and a slide along one line, the same way round.
bool makes_cylinder(Joints joints) {
  return joints.size() >= 2 && joints[0].has_one_axis() && joints[1].has_one_axis() &&
         joints[0].kind != joints[1].kind && is_parallel(joints[0].axis, joints[1].axis) &&
         joints[0].axis.dot(joints[1].axis) > 0;
}

/// Two hinges whose axes meet at a right angle.
bool makes_cross(Joints joints) {
  return joints.size() >= 2 && joints[0].kind == RobotJoint::Kind::hinge &&
         joints[1].kind == RobotJoint::Kind::hinge &&
         is_perpendicular(joints[0].axis, joints[1].axis) &&
         is_same_point(joints[0].anchor, joints[1].anchor);
}

RobotPair pair_of(Joints joints, RobotPair::Kind kind,
                  std::initializer_list<const char*> coordinates) {
  RobotPair pair;
  pair.kind = kind;
  for (const char* name : coordinates) {
    const RobotJoint& joint = joints[pair.coordinates.size()];
    pair.name += (pair.name.empty() ? "" : " + ") + joint.name;
    pair.coordinates.push_back({&joint, name});
  }
  return pair;
}

RobotPair single(const RobotJoint& joint) {
  using Kind = RobotPair::Kind;
  const Joints one(&joint, 1);
  switch (joint.kind) {
    case RobotJoint::Kind::slide:
      return pair_of(one, Kind::prismatic, {"slide"});
    case RobotJoint::Kind::ball:
      return pair_of(one, Kind::ball, {"turn_x"});
    case RobotJoint::Kind::universal:
      return pair_of(one, Kind::universal, {"turn"});
    case RobotJoint::Kind::planar:
      return pair_of(one, Kind::planar, {"slide_x"});
    case RobotJoint::Kind::screw:
      return pair_of(one, Kind::screw, {"turn"});
    default:
      return pair_of(one, Kind::revolute, {"turn"});
  }
}

}  // namespace

const char* key_of_pair(RobotPair::Kind kind) {
  using Kind = RobotPair::Kind;
  switch (kind) {
    case Kind::revolute:
      return "revolute";
    case Kind::prismatic:
      return "prismatic";
    case Kind::ball:
      return "ball";
    case Kind::universal:
      return "universal";
    case Kind::planar:
      return "planar";
    case Kind::cylindrical:
      return "cylindrical";
    case Kind::screw:
      return "screw";
  }
  return "";
}

std::vector<RobotBody> merge_links(const Robot& robot, std::vector<int>& body_of,
                                   RobotReport& report) {
  std::vector<RobotBody> bodies;
  body_of.assign(robot.links.size(), 0);
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const RobotLink& link = robot.links[i];
    const bool is_welded = link.joints.empty() && link.parent != kNoParent;
    if (!is_welded) {
      body_of[i] = static_cast<int>(bodies.size());
      RobotBody& body = bodies.emplace_back();
      body.name = link.name;
      body.parent = link.parent == kNoParent ? kNoParent : body_of[std::size_t(link.parent)];
      body.is_fixed = link.joints.empty();
      body.X_WL = link.X_WL;
      body.joints = link.joints;
      body.is_massless = link.is_massless;
      body.is_scenery = link.is_scenery;
      body.place = link.place;
    } else {
      body_of[i] = body_of[std::size_t(link.parent)];
    }
    RobotBody& body = bodies[std::size_t(body_of[i])];
    const bool is_first = body.links.empty();
    const Pose X_BL = is_first ? Pose{} : body.X_WL.inverse() * link.X_WL;
    body.links.push_back(static_cast<int>(i));
    if (body.colour.empty()) body.colour = link.colour;
    for (RobotGeom geom : link.geoms) {
      if (!is_first) geom.X_LG = X_BL * geom.X_LG;
      body.geoms.push_back(std::move(geom));
    }
    if (link.inertia) {
      body.inertia = sum(body.inertia, is_first ? *link.inertia : moved(*link.inertia, X_BL));
      if (body.inertia.place.document == nullptr) body.inertia.place = link.inertia->place;
      body.is_massless = false;
    }
    if (is_welded)
      report.add(
          RobotNoteKind::merged, link.place,
          fmt::format("\"{}\" does not move against \"{}\": one body", link.name, body.name));
  }
  return bodies;
}

std::vector<RobotPair> pairs_of(const RobotBody& body, RobotReport& report) {
  using Kind = RobotPair::Kind;
  std::vector<RobotPair> pairs;
  Joints left = body.joints;
  while (!left.empty()) {
    RobotPair pair;
    if (makes_plane(left)) {
      const bool is_right_handed = left[2].axis.cross(left[0].axis).dot(left[1].axis) > 0;
      pair = is_right_handed ? pair_of(left, Kind::planar, {"slide_x", "slide_y", "turn"})
                             : pair_of(left, Kind::planar, {"slide_y", "slide_x", "turn"});
    } else if (makes_cylinder(left)) {
      pair = left[0].is_slide() ? pair_of(left, Kind::cylindrical, {"slide", "turn"})
                                : pair_of(left, Kind::cylindrical, {"turn", "slide"});
    } else if (makes_cross(left)) {
      pair = pair_of(left, Kind::universal, {"turn", "second_turn"});
    } else {
      pair = single(left.front());
    }
    if (pair.coordinates.size() > 1)
      report.add(RobotNoteKind::merged, left.front().place,
                 fmt::format("joint \"{}\": {} joints of \"{}\" as one", pair.name,
                             pair.coordinates.size(), body.name));
    left = left.subspan(pair.coordinates.size());
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace talus::scene::detail
