#include <talus/scene/detail/robots/robot_forces.hpp>

#include <fmt/format.h>

namespace talus::scene::detail {
namespace {

class ForceWriter {
 public:
  ForceWriter(const Robot& robot, const RobotPlace& place, NodeMaker& make, RobotReport& report)
      : robot_(robot), place_(place), make_(make), report_(report) {}

  void write_spring(const RobotSpring& spring, Node& list) {
    const XmlPlace& place = spring.place;
    const Pose& X = place_.X_WR;
    Node& node = between(spring.name, spring.link_a, spring.link_b, place);
    if (node.children.empty()) return;
    Node& kind = make_.map(place);
    const bool is_turned = spring.link_b == kNoParent || place_.end_of(spring.link_b) == "world";
    make_.put(kind, "from", make_.vector(X * (is_turned ? spring.to : spring.from), place));
    make_.put(kind, "to", make_.vector(X * (is_turned ? spring.from : spring.to), place));
    if (spring.stiffness > 0) {
      make_.put(kind, "stiffness", make_.number(spring.stiffness, place));
      make_.put(kind, "rest_length", make_.number(spring.length, place));
    }
    if (spring.damping > 0) make_.put(kind, "damping", make_.number(spring.damping, place));
    make_.put(node, spring.stiffness > 0 ? "spring" : "damper", kind);
    list.children.push_back(&node);
  }

  /// A force that carries a share of a link's weight.
  void write_lift(std::size_t index, Node& list) {
    const RobotLink& link = robot_.links[index];
    if (link.carried == 0 || !link.inertia) return;
    const XmlPlace& place = link.place;
    Node& node = between(link.name + " is carried", kNoParent, static_cast<int>(index), place);
    if (node.children.empty()) return;
    const Pose& X = place_.X_WR;
    Node& kind = make_.map(place);
    make_.put(kind, "at", make_.vector(X * (link.X_WL * link.inertia->centre), place));
    make_.put(kind, "carries", make_.number(link.carried * link.inertia->mass, place));
    make_.put(node, "point_force", kind);
    list.children.push_back(&node);
  }

  /// A force in a point of a body and a torque on it, along directions of the body.
  void write_thrust(const RobotThrust& thrust, Node& list) {
    const XmlPlace& place = thrust.place;
    const Pose X_WF = place_.X_WR * robot_.links[std::size_t(thrust.link)].X_WL * thrust.X_LF;
    for (const bool is_force : {true, false}) {
      const Vec3& along = is_force ? thrust.force : thrust.torque;
      if (along.isZero(0)) continue;
      Node& node =
          between(is_force ? thrust.name : thrust.name + " torque", kNoParent, thrust.link, place);
      if (node.children.empty()) return;
      Node& kind = make_.map(place);
      if (is_force) make_.put(kind, "at", make_.vector(X_WF.p, place));
      make_.put(kind, "direction", make_.vector(X_WF.q * along.normalized(), place));
      make_.put(kind, is_force ? "force" : "torque",
                make_.number(along.norm() * thrust.command, place));
      make_.put(kind, "follows", make_.text("true", place));
      make_.put(node, is_force ? "point_force" : "moment", kind);
      list.children.push_back(&node);
    }
  }

 private:
  /// A force element between two links, the world first; nothing where they are one body.
  Node& between(const std::string& name, int link_a, int link_b, const XmlPlace& place) {
    Node& node = make_.map(place);
    std::string a = place_.end_of(link_a), b = place_.end_of(link_b);
    if (b == "world") std::swap(a, b);
    if (a == b) {
      report_.add(RobotNoteKind::ignored, place,
                  fmt::format("\"{}\" acts between what is one body", name));
      return node;
    }
    make_.put(node, "name", make_.text(place_.unique(name), place));
    make_.put(node, "between", a == "world" ? make_.text(b, place) : make_.names({a, b}, place));
    return node;
  }

  const Robot& robot_;
  const RobotPlace& place_;
  NodeMaker& make_;
  RobotReport& report_;
};

}  // namespace

void put_forces(const Robot& robot, const RobotPlace& place, NodeMaker& make, RobotReport& report,
                Node& list) {
  ForceWriter writer(robot, place, make, report);
  for (const RobotSpring& spring : robot.springs) writer.write_spring(spring, list);
  for (std::size_t i = 0; i < robot.links.size(); ++i) writer.write_lift(i, list);
  for (const RobotThrust& thrust : robot.thrusts) writer.write_thrust(thrust, list);
}

}  // namespace talus::scene::detail
