#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <talus/base/text.hpp>
#include <talus/math/rotation.hpp>
#include <talus/scene/detail/robots/robot_file.hpp>
#include <talus/scene/detail/robots/urdf_mimics.hpp>
#include <talus/scene/detail/robots/urdf_transmission.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// URDF (wiki.ros.org/urdf/XML), Bullet's <contact>, Drake's joints. Angles in radians. A link's
// frame is the frame of the joint that it is the child of.

namespace talus::scene::detail {
namespace {

namespace fs = std::filesystem;

/// Drake's elements have its prefix.
std::string_view plain(std::string_view tag) {
  if (tag.starts_with("drake:")) tag.remove_prefix(6);
  return tag;
}

class UrdfReader {
 public:
  UrdfReader(const XmlElement& root, RobotFile& file) : root_(root), file_(file) {
    robot_.place = root.place;
    robot_.rule = SurfaceRule::product;
    robot_.touches_itself = false;
  }

  Robot read() {
    if (const XmlAttribute* name = root_.find("name")) robot_.title = name->value;
    if (const XmlAttribute* version = root_.find("version")) version->is_read = true;
    read_materials(root_);
    for (const XmlElement* child : root_.children)
      if (child->tag == "link") read_link(*child);
    for (const XmlElement* child : root_.children) {
      if (plain(child->tag) == "joint") read_joint(*child);
      if (child->tag == "transmission")
        if (auto one = read_transmission(*child, file_)) transmissions_.push_back(*one);
    }
    if (links_.empty())
      file_.problem(root_.place, "a robot has at least one link", "add <link name=\"…\"/>");
    for (const UrdfTransmission& one : transmissions_) give_motor(one);
    if (file_.problems.empty()) build_tree();
    if (file_.problems.empty())
      read_mimics(
          joints_, [this](const UrdfJoint& one) { return way_of(one); }, robot_, file_);
    file_.note_unread(root_);
    if (file_.problems.empty() && file_.options.placement.name.empty()) add_floor(robot_, file_);
    return std::move(robot_);
  }

 private:
  struct UrdfLink {
    RobotLink link;
    int index = -1;  // in the robot
  };

  void problem(const XmlPlace& place, std::string message, std::string hint = "") {
    file_.problem(place, std::move(message), std::move(hint));
  }

  const XmlAttribute* required(const XmlElement& element, std::string_view name) {
    const XmlAttribute* attribute = element.find(name);
    if (attribute == nullptr)
      problem(element.place, fmt::format("<{}> needs {}", element.tag, name));
    return attribute;
  }

  Pose origin_of(const XmlElement& element) {
    const XmlElement* origin = element.child("origin");
    if (origin == nullptr) return {};
    Vec3 xyz = Vec3::Zero(), rpy = Vec3::Zero();
    read_value(origin->find("xyz"), xyz, file_.problems);
    read_value(origin->find("rpy"), rpy, file_.problems);
    return {xyz, rotation_of_rpy(rpy)};
  }

  // ---- links

  void read_materials(const XmlElement& element) {
    for (const XmlElement* child : element.children)
      if (child->tag == "material") static_cast<void>(colour_of(*child));
  }

  /// The colour of a material, known by its name from then on.
  std::string colour_of(const XmlElement& material) {
    material.is_read = true;
    const XmlAttribute* name = material.find("name");
    if (const XmlElement* texture = material.child("texture"))
      static_cast<void>(texture->find("filename"));
    std::string colour;
    if (const XmlElement* child = material.child("color"))
      if (const auto rgba = numbers_of(child->find("rgba"), 3, 4, file_.problems))
        colour = colour_text(Vec3(rgba->data()));
    if (name == nullptr) return colour;
    if (colour.empty()) return colours_[name->value];
    return colours_[name->value] = colour;
  }

  void read_link(const XmlElement& element) {
    element.is_read = true;
    const XmlAttribute* name = required(element, "name");
    if (name == nullptr) return;
    if (const auto known = links_.find(name->value); known != links_.end())
      return problem(name->place, fmt::format("there is already a link \"{}\", on line {}",
                                              name->value, known->second.link.place.line));
    RobotLink& link = links_[name->value].link;
    order_.push_back(name->value);
    link.name = name->value;
    link.place = element.place;
    RobotSurface surface;
    surface.friction = kUsualFriction;
    surface.dimension = 6;
    bool has_friction = false, has_inertial = false;
    if (const XmlElement* contact = element.child("contact"))
      has_friction = read_contact(*contact, surface);
    for (const XmlElement* child : element.children) {
      if (child->tag == "inertial" && std::exchange(has_inertial, true))
        problem(child->place, "a link has one <inertial>", "leave the other one out");
      else if (child->tag == "inertial")
        read_inertial(*child, link);
      if (child->tag == "collision") read_shape(*child, true, surface, link);
      if (child->tag == "visual") read_shape(*child, false, surface, link);
    }
    const auto collides = [](const RobotGeom& geom) { return geom.collides; };
    const bool has_collision = std::any_of(link.geoms.begin(), link.geoms.end(), collides);
    if (has_collision && !has_friction)
      file_.report.add(
          RobotNoteKind::added, element.place,
          fmt::format("the friction {} where the file gives none, as Bullet does", kUsualFriction));
    if (has_collision)
      std::erase_if(link.geoms, [&](const RobotGeom& geom) { return !geom.collides; });
    else
      drop_unusable(link);
  }

  /// Of shapes for the eye, those that cannot be shown are left out.
  void drop_unusable(RobotLink& link) {
    std::erase_if(link.geoms, [&](const RobotGeom& geom) {
      if (geom.kind != RobotGeom::Kind::hull) return false;
      const std::string mistake = file_.mistake_in_hull(geom);
      if (!mistake.empty()) file_.ignored(geom.place, "a shape for the eye: " + mistake);
      return !mistake.empty();
    });
  }

  /// Bullet's surface. @return whether it has friction.
  bool read_contact(const XmlElement& contact, RobotSurface& surface) {
    const auto value = [&](const char* tag, Real& target) {
      const XmlElement* child = contact.child(tag);
      return child != nullptr && read_value(child->find("value"), target, file_.problems);
    };
    value("rolling_friction", surface.rolling);
    value("spinning_friction", surface.torsional);
    value("restitution", surface.restitution);
    return value("lateral_friction", surface.friction);
  }

  void read_inertial(const XmlElement& element, RobotLink& link) {
    element.is_read = true;
    const Pose origin = origin_of(element);
    RobotInertia part;
    part.place = element.place;
    const XmlElement* mass = element.child("mass");
    if (mass == nullptr) return problem(element.place, "<inertial> needs <mass value=\"…\"/>");
    if (required(*mass, "value") == nullptr) return;
    read_value(mass->find("value"), part.mass, file_.problems);
    if (part.mass < 0)
      return problem(mass->find("value")->place,
                     fmt::format("expected a mass [kg] of at least 0, got {:g}", part.mass));
    if (const XmlElement* inertia = element.child("inertia")) {
      part.place = inertia->place;
      const auto entry = [&](const char* name, int i, int j) {
        Real x = 0;
        read_value(inertia->find(name), x, file_.problems);
        part.inertia(i, j) = part.inertia(j, i) = x;
      };
      entry("ixx", 0, 0), entry("iyy", 1, 1), entry("izz", 2, 2);
      entry("ixy", 0, 1), entry("ixz", 0, 2), entry("iyz", 1, 2);
    }
    if (part.mass == 0) {
      if (!part.inertia.isZero(0)) file_.ignored(element.place, "an inertia without mass");
      return;
    }
    link.inertia = moved(part, origin);
    link.inertia->place = part.place;
  }

  void read_shape(const XmlElement& element, bool collides, const RobotSurface& surface,
                  RobotLink& link) {
    element.is_read = true;
    static_cast<void>(element.find("name"));
    static_cast<void>(element.find("group"));
    if (const XmlElement* material = element.child("material")) {
      const std::string colour = colour_of(*material);
      if (link.colour.empty() && !collides) link.colour = colour;
    }
    const XmlElement* geometry = element.child("geometry");
    if (geometry == nullptr || geometry->children.empty())
      return problem(element.place,
                     fmt::format("<{}> needs a <geometry> with a shape", element.tag));
    const XmlElement& shape = *geometry->children.front();
    shape.is_read = true;
    RobotGeom geom;
    geom.place = shape.place;
    geom.X_LG = origin_of(element);
    geom.collides = collides;
    geom.surface = surface;
    const auto length = [&](const char* name) {
      Real x = 0;
      const XmlAttribute* attribute = required(shape, name);
      if (read_value(attribute, x, file_.problems) && !(x > 0))
        problem(attribute->place,
                fmt::format("{}: expected a positive length [m], got {:g}", name, x));
      return x;
    };
    using Kind = RobotGeom::Kind;
    const std::string_view tag = plain(shape.tag);
    if (tag == "box") {
      geom.kind = Kind::box;
      const XmlAttribute* size = required(shape, "size");
      if (read_value(size, geom.size, file_.problems) && !(geom.size.minCoeff() > 0))
        problem(size->place, "size: expected 3 positive lengths [m]");
    } else if (tag == "sphere") {
      geom.kind = Kind::sphere;
      geom.size.x() = length("radius");
    } else if (tag == "cylinder" || tag == "capsule") {
      geom.kind = tag == "cylinder" ? Kind::cylinder : Kind::capsule;
      geom.size = Vec3(length("radius"), length("length"), 0);
    } else if (tag == "ellipsoid") {
      geom.kind = Kind::ellipsoid;
      geom.size = Vec3(length("a"), length("b"), length("c"));
    } else if (tag == "mesh") {
      geom.kind = Kind::hull;
      if (!read_mesh(shape, geom)) return;
    } else {
      if (!collides) return file_.ignored(shape.place, fmt::format("shape <{}>", shape.tag));
      return file_.refused(shape.place, fmt::format("shape <{}>", shape.tag));
    }
    if (collides) file_.simplify(geom);
    link.geoms.push_back(std::move(geom));
  }

  bool read_mesh(const XmlElement& shape, RobotGeom& geom) {
    const XmlAttribute* name = required(shape, "filename");
    if (name == nullptr) return false;
    if (const XmlAttribute* scale = shape.find("scale")) {
      if (words_of(scale->value).size() == 1) {
        Real factor = 1;
        read_value(scale, factor, file_.problems);
        geom.scale = Vec3::Constant(factor);
      } else {
        read_value(scale, geom.scale, file_.problems);
      }
    }
    const auto path = find_urdf_file(name->value, file_);
    if (path) {
      std::error_code error;
      const fs::path folder = file_.folder().empty() ? fs::path(".") : file_.folder();
      const fs::path relative = fs::relative(*path, folder, error);
      geom.file = (error || relative.empty() ? *path : relative).generic_string();
      return true;
    }
    const std::string text = fmt::format("there is no file \"{}\"", name->value.substr(0, 200));
    if (!geom.collides) {
      file_.ignored(name->place, text + ", which is for the eye only");
      return false;
    }
    problem(name->place, text,
            name->value.starts_with("package://")
                ? "say where the package is: --package NAME=FOLDER"
                : "it is looked for beside the robot's file and in the folders above");
    return false;
  }

  // ---- joints

  void read_joint(const XmlElement& element) {
    element.is_read = true;
    UrdfJoint joint;
    joint.place = element.place;
    const XmlAttribute* name = required(element, "name");
    const XmlAttribute* type = required(element, "type");
    const XmlElement* parent = element.child("parent");
    const XmlElement* child = element.child("child");
    if (parent == nullptr || child == nullptr)
      return problem(element.place, "<joint> needs a <parent> and a <child>");
    const XmlAttribute* parent_link = required(*parent, "link");
    const XmlAttribute* child_link = required(*child, "link");
    if (!name || !type || !parent_link || !child_link) return;
    for (const UrdfJoint& other : joints_)
      if (other.name == name->value)
        return problem(name->place, fmt::format("there is already a joint \"{}\", on line {}",
                                                name->value, other.place.line));
    joint.name = name->value;
    joint.type = type->value;
    joint.parent = parent_link->value;
    joint.child = child_link->value;
    if (joint.parent == "world" && !links_.contains("world")) {
      RobotLink& world = links_["world"].link;
      world.name = "world";
      world.place = parent_link->place;
      order_.insert(order_.begin(), "world");
    }
    for (const XmlAttribute* end : {parent_link, child_link})
      if (!links_.contains(end->value))
        return problem(end->place, fmt::format("there is no link \"{}\"", end->value));
    if (joint.parent == joint.child)
      return problem(child_link->place, "a joint connects two different links");
    joint.origin = origin_of(element);
    if (!read_kind(element, *type, joint)) return;
    read_laws(element, joint);
    joint.mimic = element.child("mimic");
    joints_.push_back(std::move(joint));
  }

  bool read_kind(const XmlElement& element, const XmlAttribute& type, UrdfJoint& joint) {
    using Kind = RobotJoint::Kind;
    RobotJoint& way = joint.joint;
    way.name = joint.name;
    way.place = element.place;
    way.axis = Vec3::UnitX();
    if (const XmlElement* axis = element.child("axis")) {
      const XmlAttribute* xyz = required(*axis, "xyz");
      if (read_value(xyz, way.axis, file_.problems) && way.axis.norm() < 1e-12) {
        if (joint.type != "fixed" && joint.type != "floating")
          problem(xyz->place, "xyz: expected a direction, got a zero vector");
        way.axis = Vec3::UnitX();
      }
      way.axis.normalize();
    }
    const std::string& kind = joint.type;
    if (kind == "revolute" || kind == "continuous") {
      way.kind = Kind::hinge;
    } else if (kind == "prismatic") {
      way.kind = Kind::slide;
    } else if (kind == "ball" || kind == "spherical") {
      way.kind = Kind::ball;
    } else if (kind == "floating") {
      way.kind = Kind::free;
    } else if (kind == "planar") {
      way.kind = Kind::planar;
      way.second = way.axis.unitOrthogonal();
    } else if (kind == "universal") {
      way.kind = Kind::universal;
      way.axis = Vec3::UnitX();
      way.second = Vec3::UnitY();
    } else if (kind == "screw") {
      way.kind = Kind::screw;
      const XmlElement* pitch = element.child("drake:screw_thread_pitch");
      if (pitch == nullptr || !read_value(pitch->find("value"), way.pitch, file_.problems) ||
          way.pitch == 0)
        problem(element.place, "a screw needs <drake:screw_thread_pitch value=\"…\"/>, not 0");
    } else if (kind != "fixed") {
      problem(type.place, fmt::format("joints of the type \"{}\" are not read", kind),
              "revolute, continuous, prismatic, fixed, floating, planar, spherical, universal and "
              "screw are");
      return false;
    }
    return true;
  }

  void read_laws(const XmlElement& element, UrdfJoint& joint) {
    RobotJoint& way = joint.joint;
    const bool is_limited = joint.type == "revolute" || joint.type == "prismatic";
    bool has_range = false;
    if (const XmlElement* limit = element.child("limit")) {
      Vec2 range(0, 0);
      const bool has_lower = read_value(limit->find("lower"), range.x(), file_.problems);
      const bool has_upper = read_value(limit->find("upper"), range.y(), file_.problems);
      if (Real effort = 0; read_value(limit->find("effort"), effort, file_.problems) && effort > 0)
        way.effort = Vec2(-effort, effort);
      if (const XmlAttribute* velocity = limit->find("velocity"))
        file_.ignored(velocity->place, "limits of joint velocities: they are for controllers");
      if (is_limited && (has_lower || has_upper)) {
        if (range.x() < range.y())
          way.limits = range;
        else if (range.x() > range.y())
          file_.ignored(limit->place, "a lower limit above the upper one: no limits, as in Bullet");
        else
          lock(joint, range.x(), limit->place);
        has_range = true;
      }
    }
    if (is_limited && !has_range)
      file_.report.add(
          RobotNoteKind::added, element.place,
          fmt::format("{} joints without lower and upper limits: they move without end",
                      joint.type));
    for (const char* tag : {"dynamics", "joint_properties"})
      if (const XmlElement* dynamics = element.child(tag)) {
        if (const auto d = numbers_of(dynamics->find("damping"), 1, 6, file_.problems))
          way.damping = d->front();
        if (const auto f = numbers_of(dynamics->find("friction"), 1, 6, file_.problems))
          way.friction = f->front();
        if (way.damping < 0 || way.friction < 0)
          problem(dynamics->place, "expected damping and friction of at least 0");
      }
  }

  /// A joint whose limits are equal does not move: it stands there.
  void lock(UrdfJoint& joint, Real at, const XmlPlace& place) {
    file_.report.add(RobotNoteKind::merged, place,
                     "joints whose limits are equal: they do not move");
    const Vec3 way = at * joint.joint.axis;
    joint.origin = joint.origin * (joint.joint.is_slide() ? Pose{way, Quat::Identity()}
                                                          : Pose{Vec3::Zero(), rotation_exp(way)});
    joint.held = at;
    joint.type = "fixed";
  }

  void give_motor(const UrdfTransmission& transmission) {
    std::vector<std::string_view> known;
    for (UrdfJoint& joint : joints_) {
      if (joint.name == transmission.joint) return drive(joint.joint, transmission, file_);
      known.push_back(joint.name);
    }
    const std::string nearest = nearest_word(transmission.joint, known);
    problem(transmission.place, fmt::format("there is no joint \"{}\"", transmission.joint),
            nearest.empty() ? "" : "did you mean \"" + nearest + "\"?");
  }

  // ---- the tree

  void build_tree() {
    std::unordered_map<std::string, std::vector<UrdfJoint*>> children;
    std::unordered_map<std::string, UrdfJoint*> first;
    std::vector<UrdfJoint*> loops;
    for (UrdfJoint& joint : joints_) {
      if (first.emplace(joint.child, &joint).second)
        children[joint.parent].push_back(&joint);
      else
        loops.push_back(&joint);
    }
    std::vector<std::string> roots;
    for (const std::string& name : order_)
      if (!first.contains(name)) roots.push_back(name);
    if (roots.size() > 1)
      return problem(
          links_[roots[1]].link.place,
          fmt::format("two links, \"{}\" and \"{}\", have no parent", roots[0], roots[1]),
          "a robot is one tree: join them");
    if (!roots.empty()) add_tree(roots.front(), children);
    for (const UrdfJoint& joint : joints_)
      if (links_[joint.child].index < 0)
        return problem(joint.place,
                       fmt::format("link \"{}\" hangs on itself: no joint leads to it from a link "
                                   "without a parent",
                                   joint.child),
                       "of a loop of links, one has no parent; the loop is closed by a second "
                       "joint with the same child");
    set_base(roots.front());
    for (const UrdfJoint* joint : loops) add_loop(*joint);
  }

  /// Adds a link and what hangs on it, parents first.
  void add_tree(const std::string& root,
                const std::unordered_map<std::string, std::vector<UrdfJoint*>>& children) {
    struct Step {
      std::string name;
      int parent;
      Pose X_WL;
      const UrdfJoint* joint;
    };
    std::vector<Step> open = {{root, kNoParent, Pose{}, nullptr}};
    while (!open.empty()) {
      const Step step = std::move(open.back());
      open.pop_back();
      UrdfLink& known = links_[step.name];
      known.index = static_cast<int>(robot_.links.size());
      RobotLink& link = robot_.links.emplace_back(known.link);
      link.parent = step.parent;
      link.X_WL = step.X_WL;
      if (step.joint != nullptr && step.joint->type != "fixed") {
        link.joints = {step.joint->joint};
        link.is_massless = !link.inertia;
        if (step.joint->joint.kind == RobotJoint::Kind::free) link.is_massless = false;
      }
      const auto next = children.find(step.name);
      if (next == children.end()) continue;
      for (auto joint = next->second.rbegin(); joint != next->second.rend(); ++joint)
        open.push_back({(*joint)->child, known.index, step.X_WL * (*joint)->origin, *joint});
    }
  }

  /// Whether the base is held: it is where it is called world, or has no mass.
  void set_base(const std::string& root) {
    RobotLink& base = robot_.links.front();
    Real mass = 0;
    std::vector<bool> is_base(robot_.links.size(), false);
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const RobotLink& link = robot_.links[i];
      is_base[i] = i == 0 || (link.joints.empty() && is_base[std::size_t(link.parent)]);
      if (is_base[i] && link.inertia) mass += link.inertia->mass;
    }
    const bool is_fixed = file_.options.is_fixed.value_or(root == "world" || mass == 0);
    if (!file_.options.is_fixed)
      file_.report.add(RobotNoteKind::added, base.place,
                       is_fixed ? fmt::format("the base \"{}\" is fixed: it {}", root,
                                              root == "world" ? "is called world" : "has no mass")
                                : fmt::format("the base \"{}\" is free: it has a mass", root));
    if (is_fixed) return;
    RobotJoint& joint = base.joints.emplace_back();
    joint.kind = RobotJoint::Kind::free;
    joint.name = root;
    joint.place = base.place;
    if (!(mass > 0))
      problem(base.place, "a base without a mass cannot be free", "write base: fixed");
  }

  void add_loop(const UrdfJoint& joint) {
    RobotLoop loop;
    loop.name = joint.name;
    loop.link_a = links_[joint.parent].index;
    loop.link_b = links_[joint.child].index;
    loop.place = joint.place;
    const Pose X_WJ = robot_.links[std::size_t(loop.link_a)].X_WL * joint.origin;
    loop.point = X_WJ.p;
    loop.axis = X_WJ.q * joint.joint.axis;
    using Kind = RobotLoop::Kind;
    if (joint.type == "fixed")
      loop.kind = Kind::weld;
    else if (joint.joint.kind == RobotJoint::Kind::hinge)
      loop.kind = Kind::revolute;
    else if (joint.joint.kind == RobotJoint::Kind::slide)
      loop.kind = Kind::prismatic;
    else if (joint.joint.kind == RobotJoint::Kind::ball)
      loop.kind = Kind::ball;
    else
      return problem(joint.place,
                     fmt::format("a loop is not closed by a joint of the type \"{}\"", joint.type));
    file_.report.add(RobotNoteKind::read, joint.place,
                     fmt::format("joint \"{}\" is a second one of link \"{}\": it closes a loop",
                                 joint.name, joint.child));
    if (joint.joint.limits || joint.joint.damping > 0 || joint.joint.friction > 0 ||
        joint.joint.armature > 0)
      file_.refused(joint.place,
                    "limits, damping, friction and rotors of a joint that closes a loop");
    robot_.loops.push_back(loop);
  }

  RobotJoint* way_of(const UrdfJoint& joint) {
    std::vector<RobotJoint>& own = robot_.links[std::size_t(links_[joint.child].index)].joints;
    const bool is_there = !own.empty() && own.front().name == joint.name;
    return is_there && own.front().has_one_axis() ? &own.front() : nullptr;
  }

  static constexpr Real kUsualFriction = 0.5;

  const XmlElement& root_;
  RobotFile& file_;
  Robot robot_;
  std::unordered_map<std::string, UrdfLink> links_;
  std::vector<std::string> order_;
  std::vector<UrdfJoint> joints_;
  std::vector<UrdfTransmission> transmissions_;
  std::unordered_map<std::string, std::string> colours_;
};

}  // namespace

Robot read_urdf(const XmlElement& root, RobotFile& file) { return UrdfReader(root, file).read(); }

}  // namespace talus::scene::detail
