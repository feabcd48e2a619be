#include <talus/scene/detail/robots/robot_scene.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <unordered_map>

#include <talus/scene/detail/robots/node_maker.hpp>
#include <talus/scene/detail/robots/robot_bodies.hpp>
#include <talus/scene/detail/robots/robot_contacts.hpp>
#include <talus/scene/detail/robots/robot_couplings.hpp>
#include <talus/scene/detail/robots/robot_forces.hpp>
#include <talus/scene/detail/robots/robot_laws.hpp>
#include <talus/scene/detail/robots/robot_shapes.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

namespace talus::scene::detail {
namespace {

/// Angles about x, y, z, one after another, that make a rotation.
Vec3 cardan_angles(const Quat& q) {
  const Mat3 R = q.toRotationMatrix();
  return {std::atan2(-R(1, 2), R(2, 2)), std::asin(std::clamp(R(0, 2), Real(-1), Real(1))),
          std::atan2(-R(0, 1), R(0, 0))};
}

class SceneWriter {
 public:
  SceneWriter(const Robot& robot, const RobotPlacement& placement, Document& document,
              RobotReport& report, Problems& problems)
      : robot_(robot),
        placement_(placement),
        make_(document),
        document_(document),
        report_(report),
        problems_(problems),
        bodies_(merge_links(robot, body_of_, report)) {
    if (placement.X_WR)
      for (RobotBody& body : bodies_) body.X_WL = *placement.X_WR * body.X_WL;
    for (RobotBody& body : bodies_) add_armature_of_balls(body);
  }

  SceneCoordinates write() {
    root_ = &make_.map(robot_.place);
    bodies_node_ = &make_.list(robot_.place);
    joints_node_ = &make_.list(robot_.place);
    starts_node_ = &make_.map(robot_.place);
    forces_node_ = &make_.list(robot_.place);
    const std::size_t mistakes = problems_.count();
    for (std::size_t i = 0; i < bodies_.size(); ++i) check(i);
    if (problems_.count() > mistakes) return {};  // what follows from them would be, too
    contacts_.emplace(robot_, bodies_, body_of_, placement_.name.empty(), report_);
    for (std::size_t i = 0; i < bodies_.size(); ++i) write_body(i);
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (!bodies_[i].is_free()) write_joints(i);
    for (const RobotLoop& loop : robot_.loops) write_loop(loop);
    Node& couplings = make_.list(robot_.place);
    const auto end = [this](int link) { return end_of(link); };
    put_couplings(
        robot_,
        {placement_.X_WR.value_or(Pose{}), end, [this](int link) { return mass_at(link); },
         [this](const std::string& one) { return unique(one, taken_bodies_); },
         [this](const std::string& one) { return unique(one, taken_joints_); },
         [this](const std::string& one) { return unique(one, taken_couplings_); }},
        {make_, *bodies_node_, *joints_node_, *starts_node_, couplings, coordinates_, report_,
         problems_});
    const auto own = [this](const std::string& one) { return unique(one, taken_forces_); };
    put_forces(robot_, {placement_.X_WR.value_or(Pose{}), end, own}, make_, report_, *forces_node_);
    Node& sensors = make_.list(robot_.place);
    for (const RobotSensor& sensor : robot_.sensors) write_sensor(sensor, sensors);
    write_head();
    contacts_->write(
        make_, *root_, [this](const std::string& name) { return full(name); }, scene_bodies_);
    if (!bodies_node_->children.empty()) make_.put(*root_, "bodies", *bodies_node_);
    if (!joints_node_->children.empty()) make_.put(*root_, "joints", *joints_node_);
    if (!forces_node_->children.empty()) make_.put(*root_, "forces", *forces_node_);
    if (!couplings.children.empty()) make_.put(*root_, "couplings", couplings);
    if (!starts_node_->children.empty()) make_.put(*root_, "joint_positions", *starts_node_);
    if (!sensors.children.empty()) make_.put(*root_, "sensors", sensors);
    document_.root = root_;
    return std::move(coordinates_);
  }

 private:
  [[nodiscard]] std::string full(const std::string& name) const {
    return placement_.name.empty() ? scene_name(name) : placement_.name + ":" + scene_name(name);
  }
  /// A name that is new among bodies or among joints.
  std::string unique(const std::string& name, std::set<std::string>& taken) const {
    std::string one = full(name);
    for (int n = 2; !taken.insert(one).second; ++n) one = fmt::format("{} {}", full(name), n);
    return one;
  }

  void write_head() {
    const XmlPlace& place = robot_.place;
    if (!placement_.name.empty()) return compare_gravity();
    if (!robot_.title.empty()) make_.put(*root_, "title", make_.text(robot_.title, place));
    Node& time = make_.map(place);
    make_.put(time, "step", make_.number(robot_.step, place));
    make_.put(time, "end", make_.number(kEnd, place));
    make_.put(*root_, "time", time);
    Node& record = make_.map(place);
    constexpr Real kFrame = 0.02;
    const auto every = std::max(1L, std::lround(kFrame / robot_.step));
    make_.put(record, "every", make_.text(fmt::format("{}", every), place));
    make_.put(*root_, "record", record);
    if (robot_.gravity != Vec3(0, 0, -9.81))
      make_.put(*root_, "gravity", make_.vector(robot_.gravity, place));
  }

  void compare_gravity() {
    const Vec3 &own = robot_.gravity, &g = placement_.gravity;
    if (!robot_.gravity_place || own == g) return;
    report_.add(
        RobotNoteKind::read, *robot_.gravity_place,
        fmt::format("the gravity ({:g}, {:g}, {:g}) of the file: the scene has ({:g}, {:g}, "
                    "{:g})",
                    own.x(), own.y(), own.z(), g.x(), g.y(), g.z()));
  }

  /// What keeps a body from being written.
  void check(std::size_t index) {
    const RobotBody& body = bodies_[index];
    if (body.is_fixed) return;
    for (const RobotGeom* geom : geoms_of(body, true))
      if (geom->kind == RobotGeom::Kind::plane || geom->kind == RobotGeom::Kind::ground)
        add_problem(problems_, geom->place,
                    geom->kind == RobotGeom::Kind::plane
                        ? "a plane has no end: it cannot move"
                        : "a height field is ground: it cannot move",
                    "put it into the world, or take a box");
    const RobotInertia* part = find_inertia(index);
    if (part != nullptr && body.is_massless) return;  // what is behind it is said there
    if (part != nullptr && part->mass > 0 && !part->inertia.isZero(0)) return;
    const bool has_place = body.inertia.place.document != nullptr;
    add_problem(problems_, has_place ? body.inertia.place : body.place,
                fmt::format("\"{}\" moves, and has {}", body.name,
                            part != nullptr && part->mass > 0 ? "no inertia" : "no mass"),
                "give it mass and inertia, or make its joint a fixed one: it is then one body with "
                "its parent");
  }

  // ---- bodies

  static std::vector<const RobotGeom*> geoms_of(const RobotBody& body, bool collides) {
    std::vector<const RobotGeom*> geoms;
    for (const RobotGeom& geom : body.geoms)
      if (geom.collides == collides) geoms.push_back(&geom);
    return geoms;
  }

  void write_body(std::size_t index) {
    const RobotBody& body = bodies_[index];
    scene_bodies_.emplace_back();
    const std::vector<const RobotGeom*> touching = geoms_of(body, true);
    if (body.is_fixed)
      return write_fixed(index, touching.empty() ? geoms_of(body, false) : touching);
    if (!body.is_massless)  // else it is written with its joints
      write_solid(index, unique(body.name, taken_bodies_), body.inertia);
  }

  /// A body that moves, with its shapes.
  void write_solid(std::size_t index, const std::string& own, const RobotInertia& inertia) {
    const RobotBody& body = bodies_[index];
    const std::vector<const RobotGeom*> touching = geoms_of(body, true),
                                        seen = geoms_of(body, false);
    const bool collides = !touching.empty() && robot_.has_contacts;
    const std::vector<const RobotGeom*>& shown = touching.empty() ? seen : touching;
    if (!touching.empty() && !seen.empty())
      report_.add(RobotNoteKind::ignored, seen.front()->place,
                  "shapes for the eye are left out where a body has others to collide with");
    Node& node = make_.map(body.place);
    scene_bodies_[index] = {own};
    body_names_[static_cast<int>(index)] = own;
    make_.put(node, "name", make_.text(own, body.place));
    const XmlPlace& inertial = inertia.place;
    const Vec3 centre = inertia.centre;
    Vec3 mass_centre = centre;
    const bool is_plain = shown.size() == 1 && shown[0]->X_LG.q.vec().isZero(0) &&
                          shown[0]->kind != RobotGeom::Kind::hull &&
                          shown[0]->kind != RobotGeom::Kind::ellipsoid;
    if (shown.empty()) {
      put_ball(node, gyration(inertia), make_, body.place);
      mass_centre = Vec3::Zero();
    } else if (is_plain) {
      Node& shape = make_.map(shown[0]->place);
      put_shape(shape, *shown[0], make_);
      make_.put(node, "shape", shape);
      mass_centre = centre - shown[0]->X_LG.p;
    } else {
      put_clump(node, shown);
    }
    if (collides)
      contacts_->put_material(make_, node, index, [this](const std::string& n) { return full(n); });
    make_.put(node, "mass", make_.number(inertia.mass, inertial));
    make_.put(node, "inertia", make_.inertia(inertia.inertia, inertial));
    if (!shown.empty() && !(is_plain && mass_centre.isZero(0)))
      make_.put(node, "mass_centre", make_.vector(mass_centre, inertial));
    make_.put_pose(node, {body.X_WL * centre, body.X_WL.q.normalized()}, body.place);
    put_look(node, body, collides);
    bodies_node_->children.push_back(&node);
  }

  void put_look(Node& node, const RobotBody& body, bool collides) {
    if (!body.colour.empty()) make_.put(node, "colour", make_.text(body.colour, body.place));
    if (!collides) make_.put(node, "collides", make_.text("false", body.place));
  }

  /// A fixed body for every shape: a scene's fixed bodies need no mass.
  void write_fixed(std::size_t index, const std::vector<const RobotGeom*>& shown) {
    const RobotBody& body = bodies_[index];
    for (const RobotGeom* geom : shown) {
      Node& node = make_.map(geom->place);
      const std::string name = unique(body.name, taken_bodies_);
      scene_bodies_[index].push_back(name);
      make_.put(node, "name", make_.text(name, geom->place));
      make_.put(node, "motion", make_.text("fixed", geom->place));
      Node& shape = make_.map(geom->place);
      put_shape(shape, *geom, make_);
      make_.put(node, "shape", shape);
      const bool collides = geom->collides && robot_.has_contacts;
      if (collides)
        contacts_->put_material(make_, node, index,
                                [this](const std::string& n) { return full(n); });
      const Pose X_WG = body.X_WL * geom->X_LG;
      make_.put_pose(node, {X_WG.p, X_WG.q.normalized()}, geom->place);
      put_look(node, body, collides);
      bodies_node_->children.push_back(&node);
    }
  }

  static Real gyration(const RobotInertia& part) {
    return std::sqrt(std::max(part.inertia.trace() / (2 * part.mass), Real(1e-12)));
  }

  void put_clump(Node& node, const std::vector<const RobotGeom*>& geoms) {
    const XmlPlace& place = geoms.front()->place;
    Node& members = make_.list(place);
    for (const RobotGeom* geom : geoms) {
      Node& member = make_.map(geom->place);
      put_shape(member, *geom, make_);
      make_.put_pose(member, {geom->X_LG.p, geom->X_LG.q.normalized()}, geom->place);
      members.children.push_back(&member);
    }
    Node& shape = make_.map(place);
    make_.put(shape, "clump", members);
    make_.put(node, "shape", shape);
  }

  // ---- joints

  /// The name that joints have for a body: its own, or the world's.
  [[nodiscard]] std::string end_name(int body) const {
    const auto name = body_names_.find(body);
    return name == body_names_.end() ? "world" : name->second;
  }

  /// The same for a link.
  [[nodiscard]] std::string end_of(int link) const {
    return link == kNoParent ? "world" : end_name(body_of_[std::size_t(link)]);
  }

  void write_joints(std::size_t index) {
    const RobotBody& body = bodies_[index];
    if (body.is_fixed) return;
    std::vector<RobotPair> pairs = pairs_of(body, report_);
    std::string parent = end_name(body.parent);
    for (std::size_t n = 0; n < pairs.size(); ++n) {
      const bool is_last = n + 1 == pairs.size();
      const Vec3 at = body.X_WL * pairs[n].coordinates.front().joint->anchor;
      const std::string child =
          is_last && !body.is_massless
              ? body_names_.at(static_cast<int>(index))
              : add_body(index, is_last ? body.name : pairs[n].name, at, is_last);
      write_pair(pairs[n], index, parent, child);
      parent = child;
    }
    if (body.is_massless) body_names_[static_cast<int>(index)] = parent;
  }

  /// A small body between two joints. @param is_link it is the body itself, with what touches of it
  std::string add_body(std::size_t index, const std::string& name, const Vec3& at, bool is_link) {
    const RobotInertia& behind = *find_inertia(index);
    const XmlPlace& place = bodies_[index].place;
    const Real mass = kShareOfAdded * behind.mass;
    const Real inertia = kShareOfAdded * behind.inertia.trace() / 3;
    std::string own = unique(name + " (added)", taken_bodies_);
    report_.add(RobotNoteKind::added, place,
                fmt::format("body \"{}\" between joints, with {:g} of the mass behind it", own,
                            kShareOfAdded));
    if (is_link && !geoms_of(bodies_[index], true).empty()) {
      const Vec3 centre = bodies_[index].X_WL.inverse() * at;
      write_solid(index, own, {mass, centre, inertia * Mat3::Identity(), place});
      return own;
    }
    Node& node = make_.map(place);
    make_.put(node, "name", make_.text(own, place));
    put_ball(node, gyration(behind) / 10, make_, place);
    make_.put(node, "mass", make_.number(mass, place));
    make_.put(node, "inertia", make_.number(inertia, place));
    make_.put_pose(node, {at, Quat::Identity()}, place);
    make_.put(node, "collides", make_.text("false", place));
    bodies_node_->children.push_back(&node);
    return own;
  }

  /// The inertia of a body, or where it has none of the first one behind it that has.
  [[nodiscard]] const RobotInertia* find_inertia(std::size_t index) const {
    if (!bodies_[index].is_massless) return &bodies_[index].inertia;
    for (std::size_t i = index + 1; i < bodies_.size(); ++i)
      if (bodies_[i].parent == static_cast<int>(index)) return find_inertia(i);
    return nullptr;
  }
  void write_pair(const RobotPair& pair, std::size_t index, const std::string& parent,
                  const std::string& child) {
    const RobotBody& body = bodies_[index];
    const RobotJoint& first = *pair.coordinates.front().joint;
    const RobotJoint& last = *pair.coordinates.back().joint;
    const XmlPlace& place = first.place;
    const auto world = [&](const Vec3& direction) -> Vec3 { return body.X_WL.q * direction; };
    Node& node = make_.map(place);
    const std::string name = unique(pair.name, taken_joints_);
    make_.put(node, "name", make_.text(name, place));
    make_.put(node, "between",
              parent == "world" ? make_.text(child, place) : make_.names({parent, child}, place));
    Node& kind = make_.map(place);
    const bool turns_last = pair.kind == RobotPair::Kind::planar ||
                            (pair.kind == RobotPair::Kind::cylindrical && !last.is_slide());
    make_.put(kind, "at", make_.vector(body.X_WL * (turns_last ? last : first).anchor, place));
    using Kind = RobotPair::Kind;
    if (pair.kind == Kind::planar) {
      make_.put(kind, "normal", make_.vector(world(last.axis), place));
      const auto along =
          std::find_if(pair.coordinates.begin(), pair.coordinates.end(),
                       [](const auto& one) { return one.name == std::string_view("slide_x"); });
      const Vec3 x = pair.coordinates.size() > 1 ? along->joint->axis : first.second;
      make_.put(kind, "along", make_.vector(world(x), place));
    } else if (pair.kind != Kind::ball) {
      make_.put(kind, "axis", make_.vector(world(first.axis), place));
    }
    if (pair.kind == Kind::universal)
      make_.put(kind, "second_axis",
                make_.vector(world(pair.coordinates.size() > 1 ? last.axis : first.second), place));
    if (pair.kind == Kind::screw) make_.put(kind, "pitch", make_.number(first.pitch, place));
    make_.put(node, key_of_pair(pair.kind), kind);
    for (const RobotPair::Coordinate& coordinate : pair.coordinates)
      put_laws(node, pair, coordinate);
    if (robot_.parents_touch || contacts_->is_pair(index, body.parent))
      make_.put(node, "collides", make_.text("true", place));
    write_start(name, pair, body.X_WL.q);
    const RobotInertia& behind = *find_inertia(index);
    for (const RobotPair::Coordinate& coordinate : pair.coordinates) {
      const RobotJoint& joint = *coordinate.joint;
      coordinates_[joint.name] = {name,
                                  coordinate.name,
                                  pair.coordinates.size() > 1,
                                  joint.reference,
                                  joint.first() - joint.reference,
                                  joint.is_slide() ? behind.mass : behind.inertia.trace() / 3,
                                  joint.effort,
                                  0};
    }
    joints_node_->children.push_back(&node);
    if (first.kind != RobotJoint::Kind::ball) return;
    write_rotation(first, parent, child);
    write_damper(first, body.X_WL * first.anchor, parent, child);
  }

  /// Of a ball on the world the armature is an inertia of its body that is the same about all axes.
  void add_armature_of_balls(RobotBody& body) {
    for (RobotJoint& joint : body.joints) {
      if (joint.kind != RobotJoint::Kind::ball) continue;
      const bool is_on_world =
          body.parent == kNoParent || bodies_[std::size_t(body.parent)].is_fixed;
      if (joint.armature > 0 && is_on_world && body.joints.size() == 1 && !body.is_massless)
        body.inertia.inertia += joint.armature * Mat3::Identity();
      else if (joint.armature > 0)
        report_.add(RobotNoteKind::refused, joint.place,
                    "armature of a ball joint whose parent moves, or with other joints");
      if (joint.friction > 0)
        report_.add(RobotNoteKind::refused, joint.place, "dry friction of a ball joint");
    }
  }

  /// −c ω of a ball, ω of the child against the parent.
  void write_damper(const RobotJoint& ball, const Vec3& at, const std::string& parent,
                    const std::string& child) {
    if (ball.damping == 0) return;
    const XmlPlace& place = ball.place;
    Node& node = make_.map(place);
    make_.put(node, "name", make_.text(unique(ball.name + ", damping", taken_forces_), place));
    make_.put(node, "between",
              parent == "world" ? make_.text(child, place) : make_.names({parent, child}, place));
    Node& kind = make_.map(place);
    make_.put(kind, "at", make_.vector(at, place));
    make_.put(kind, "angular_damping", make_.number(ball.damping, place));
    make_.put(node, "bushing", kind);
    forces_node_->children.push_back(&node);
  }

  /// What acts on how far a ball is turned, about whatever axis.
  void write_rotation(const RobotJoint& ball, const std::string& parent, const std::string& child) {
    Node& law = rotation_law_of(ball, make_);
    if (law.children.empty()) return;
    const XmlPlace& place = ball.place;
    Node& node = make_.map(place);
    make_.put(node, "name", make_.text(unique(ball.name + ", rotation", taken_joints_), place));
    make_.put(node, "between",
              parent == "world" ? make_.text(child, place) : make_.names({parent, child}, place));
    make_.put(node, "rotation", make_.map(place));
    make_.put(node, "turn", law);
    if (const Node* collides = joints_node_->children.back()->find("collides"))
      make_.put(node, "collides", *collides);
    joints_node_->children.push_back(&node);
  }

  /// What acts along a coordinate; a cross or a plane that has several has the same along all.
  void put_laws(Node& node, const RobotPair& pair, const RobotPair::Coordinate& coordinate) {
    using Kind = RobotPair::Kind;
    Node& law = law_of(*coordinate.joint, make_);
    if (law.children.empty()) return;
    std::vector<const char*> names = {coordinate.name};
    if (pair.kind == Kind::universal && pair.coordinates.size() == 1)
      names = {"turn", "second_turn"};
    if (pair.kind == Kind::planar && pair.coordinates.size() == 1)
      names = {"slide_x", "slide_y", "turn"};
    for (const char* name : names) make_.put(node, name, law);
  }

  void write_start(const std::string& name, const RobotPair& pair, const Quat& R_WL) {
    const XmlPlace& place = pair.coordinates.front().joint->place;
    Node& starts = make_.map(place);
    for (const RobotPair::Coordinate& coordinate : pair.coordinates) {
      const RobotJoint& joint = *coordinate.joint;
      if (joint.turned) {
        // Turns of the child against the parent, seen along the axes of the world at the start.
        Quat turned = *joint.turned;
        const Real angle = Quat::Identity().angularDistance(turned);
        if (joint.cone && angle > *joint.cone) {
          turned = Quat::Identity().slerp(*joint.cone / angle, turned);
          report_.add(RobotNoteKind::added, joint.place,
                      fmt::format("joint \"{}\" starts at its limit {:g}: {:g} is beyond it",
                                  joint.name, *joint.cone, angle));
        }
        const Vec3 angles = cardan_angles(R_WL * turned * R_WL.conjugate());
        const char* names[] = {"turn_x", "turn_y", "turn_z"};
        for (int k = 0; k < 3; ++k)
          make_.put(starts, names[k], make_.number(angles[k], joint.place));
        continue;
      }
      if (!joint.has_one_axis()) continue;
      const Real asked = joint.start.value_or(joint.reference), start = joint.first();
      if (start != asked)
        report_.add(RobotNoteKind::added, joint.place,
                    fmt::format("joint \"{}\" starts at its limit {:g}: {:g} is beyond it",
                                joint.name, start, asked));
      if (!joint.start && start == asked) continue;
      make_.put(starts, coordinate.name, make_.number(start - joint.reference, joint.place));
    }
    if (starts.children.empty()) return;
    const bool is_only = starts.children.size() == 2 && pair.coordinates.size() == 1 &&
                         pair.coordinates.front().joint->has_one_axis();
    make_.put(*starts_node_, name, is_only ? *starts.children[1] : starts);
  }

  // ---- what is beside the tree

  void write_loop(const RobotLoop& loop) {
    const XmlPlace& place = loop.place;
    std::string a = end_of(loop.link_a), b = end_of(loop.link_b);
    const Pose X = placement_.X_WR.value_or(Pose{});
    Vec3 point = X * loop.point, last = X * loop.end;
    if (b == "world") {
      std::swap(a, b);
      std::swap(point, last);
      if (loop.kind != RobotLoop::Kind::rope) point = last = X * loop.point;
    }
    if (a == b) {
      report_.add(RobotNoteKind::ignored, place,
                  fmt::format("\"{}\" connects what is one body", loop.name));
      return;
    }
    Node& node = make_.map(place);
    make_.put(node, "name", make_.text(unique(loop.name, taken_joints_), place));
    make_.put(node, "between", a == "world" ? make_.text(b, place) : make_.names({a, b}, place));
    Node& kind = make_.map(place);
    using Kind = RobotLoop::Kind;
    if (loop.kind == Kind::rope) {
      make_.put(kind, "from", make_.vector(point, place));
      make_.put(kind, "to", make_.vector(last, place));
      make_.put(kind, "length", make_.number(loop.length, place));
    } else {
      make_.put(kind, "at", make_.vector(point, place));
    }
    if (loop.kind == Kind::revolute || loop.kind == Kind::prismatic)
      make_.put(kind, "axis", make_.vector(X.q * loop.axis, place));
    make_.put(node,
              loop.kind == Kind::ball       ? "ball"
              : loop.kind == Kind::weld     ? "weld"
              : loop.kind == Kind::revolute ? "revolute"
              : loop.kind == Kind::rope     ? "rope"
                                            : "prismatic",
              kind);
    if (robot_.touches_itself) make_.put(node, "collides", make_.text("true", place));
    joints_node_->children.push_back(&node);
  }

  /// The mass that a pull at a link moves; without end where it does not move.
  [[nodiscard]] Real mass_at(int link) const {
    if (link == kNoParent) return std::numeric_limits<Real>::max();
    const auto body = static_cast<std::size_t>(body_of_[std::size_t(link)]);
    const RobotInertia* found = bodies_[body].is_fixed ? nullptr : find_inertia(body);
    return found != nullptr ? found->mass : std::numeric_limits<Real>::max();
  }

  void write_sensor(const RobotSensor& sensor, Node& list) {
    const XmlPlace& place = sensor.place;
    const bool is_of_world = sensor.link == kNoParent;
    const Pose X_WL = is_of_world ? Pose{} : robot_.links[std::size_t(sensor.link)].X_WL;
    const Pose X_WF = placement_.X_WR.value_or(Pose{}) * X_WL * sensor.X_LF;
    Node& kind = make_.map(place);
    if (sensor.kind == "force" || sensor.kind == "torque") {
      const RobotJoint& joint = robot_.links[std::size_t(sensor.link)].joints.back();
      const auto found = coordinates_.find(joint.name);
      if (found == coordinates_.end())
        return report_.add(RobotNoteKind::ignored, place,
                           fmt::format("sensor <{}> of a body without a joint", sensor.kind));
      make_.put(kind, "joint", make_.text(found->second.joint, place));
    } else if (sensor.kind == "touch" && end_of(sensor.link) == "world") {
      return report_.add(RobotNoteKind::ignored, place, "touch of what is fixed in the world");
    } else {
      make_.put(kind, "body", make_.text(end_of(sensor.link), place));
    }
    make_.put(kind, "at", make_.vector(X_WF.p, place));
    if (sensor.kind == "rangefinder")
      make_.put(kind, "direction", make_.vector(X_WF.q * Vec3::UnitZ(), place));
    else
      make_.put_orientation(kind, X_WF.q.normalized(), place);
    if (sensor.box) make_.put(kind, "box", make_.vector(*sensor.box, place));
    if (sensor.reach) make_.put(kind, "reach", make_.number(*sensor.reach, place));
    Node& node = make_.map(place);
    make_.put(node, "name", make_.text(unique(sensor.name, taken_sensors_), place));
    make_.put(node, sensor.kind, kind);
    list.children.push_back(&node);
  }

  static constexpr Real kEnd = 5;  // [s]

  const Robot& robot_;
  const RobotPlacement& placement_;
  NodeMaker make_;
  Document& document_;
  RobotReport& report_;
  Problems& problems_;
  std::vector<int> body_of_;  // of every link
  std::vector<RobotBody> bodies_;
  std::optional<RobotContacts> contacts_;
  std::vector<std::vector<std::string>> scene_bodies_;  // of every body, those of the scene
  std::unordered_map<int, std::string> body_names_;     // of bodies that move
  SceneCoordinates coordinates_;
  std::set<std::string> taken_bodies_, taken_joints_, taken_couplings_, taken_forces_,
      taken_sensors_;
  Node* root_ = nullptr;
  Node* bodies_node_ = nullptr;
  Node* joints_node_ = nullptr;
  Node* starts_node_ = nullptr;
  Node* forces_node_ = nullptr;
};

}  // namespace

SceneCoordinates write_scene(const Robot& robot, const RobotPlacement& placement,
                             Document& document, RobotReport& report, Problems& problems) {
  return SceneWriter(robot, placement, document, report, problems).write();
}

}  // namespace talus::scene::detail
