#include <talus/scene/detail/robots/mjcf.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

namespace talus::scene::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestInclude = std::size_t{64} << 20U;
constexpr std::size_t kMostIncludes = 200;

/// Puts the contents of files in the place of <include>.
class Includer {
 public:
  explicit Includer(RobotFile& file) : file_(file) {
    seen_.insert(fs::weakly_canonical(file.main.path));
  }

  const XmlElement* expand(const XmlElement& element, const fs::path& folder) {
    XmlElement& copy = file_.elements.emplace_back(element);
    copy.children.clear();
    for (const XmlElement* child : element.children)
      if (child->tag == "include")
        include(*child, folder, copy);
      else
        copy.children.push_back(expand(*child, folder));
    return &copy;
  }

 private:
  void include(const XmlElement& element, const fs::path& folder, XmlElement& target) {
    const XmlAttribute* name = element.find("file");
    if (name == nullptr) return file_.problem(element.place, "<include> needs file");
    const fs::path path = folder / name->value;
    std::error_code error;
    if (!seen_.insert(fs::weakly_canonical(path, error)).second)
      return file_.problem(name->place,
                           fmt::format("\"{}\" is included already", name->value.substr(0, 200)),
                           "a file is included once, and not by itself");
    if (seen_.size() > kMostIncludes)
      return file_.problem(name->place, fmt::format("more than {} files", kMostIncludes));
    try {
      std::string text = read_text(path, kLargestInclude);
      Document& document = file_.documents.emplace_back();
      document.path = path;
      document.text = std::move(text);
      const XmlElement* root = parse_xml(document, file_.elements, file_.problems);
      if (root == nullptr) return;
      for (const XmlElement* child : root->children)
        if (child->tag == "include")
          include(*child, folder, target);
        else
          target.children.push_back(expand(*child, folder));
    } catch (const InputError& failure) {
      for (const Diagnostic& mistake : failure.diagnostics())
        file_.problem(name->place,
                      fmt::format("\"{}\": {}", name->value.substr(0, 200), mistake.message),
                      mistake.hint);
    }
  }

  RobotFile& file_;
  std::set<fs::path> seen_;
};

class MjcfReader {
 public:
  MjcfReader(const XmlElement& root, RobotFile& file, std::set<std::string> paired_geoms)
      : context_(file), root_(*Includer(file).expand(root, file.folder())) {
    context_.paired_geoms = std::move(paired_geoms);
    context_.robot.place = root.place;
    context_.robot.parents_touch_fixed = true;
    context_.robot.step = 0.002;
  }

  MjcfContext read() {
    if (!problems().empty()) return std::move(context_);
    root_.is_read = true;
    if (const XmlAttribute* name = root_.find("model")) context_.robot.title = name->value;
    each("compiler", [&](const XmlElement& one) { read_compiler(one); });
    each("option", [&](const XmlElement& one) { read_option(one); });
    for (const char* tag : {"size", "visual", "statistic", "custom"})
      each(tag, [&](const XmlElement& one) { context_.note_looks(one); });
    each("default", [&](const XmlElement& one) { context_.read_defaults(one, nullptr); });
    each("asset", [&](const XmlElement& one) { read_mjcf_assets(one, context_); });
    for (const char* tag : {"extension", "deformable", "plugin"})
      each(tag, [&](const XmlElement& one) {
        context_.file.problem(one.place, fmt::format("<{}> is not read", tag),
                              "remove it, or take a file without it");
      });
    each("contact", [&](const XmlElement& one) { find_paired_geoms(one, context_); });
    each("actuator", [&](const XmlElement& one) { find_actuators(one, context_); });
    each("worldbody", [&](const XmlElement& one) { read_mjcf_bodies(one, context_); });
    set_total_mass();
    set_oscillators(context_);
    for (const RobotLink& link : context_.robot.links) context_.given.push_back(link.X_WL);
    context_.at_springs =
        poses_at(context_.robot, [](const RobotJoint& joint) { return joint.rest; });
    const std::vector<Real> controls = start_at_keyframe(root_, context_);
    set_base();
    each("contact", [&](const XmlElement& one) { read_mjcf_contacts(one, context_); });
    each("tendon", [&](const XmlElement& one) { read_mjcf_tendons(one, context_); });
    each("equality", [&](const XmlElement& one) { read_mjcf_equalities(one, context_); });
    switch_off();
    each("actuator", [&](const XmlElement& one) {
      if (is_off("actuation"))
        mark_read(one);
      else
        read_mjcf_actuators(one, controls, context_);
    });
    each("sensor", [&](const XmlElement& one) { read_mjcf_sensors(one, context_); });
    context_.file.note_unread(root_);
    std::erase_if(context_.robot.tendons, [](const RobotTendon& one) { return !one.has_effect; });
    return std::move(context_);
  }

 private:
  [[nodiscard]] Problems& problems() { return context_.problems(); }

  template <class Visit>
  void each(std::string_view tag, Visit visit) {
    for (const XmlElement* child : root_.children)
      if (child->tag == tag) {
        child->is_read = true;
        visit(*child);
      }
  }

  /// An attribute that has one of some words; null after a mistake, or where it is not there.
  const XmlAttribute* one_of(const XmlElement& element, const char* name,
                             const std::vector<std::string>& words) {
    const XmlAttribute* attribute = element.find(name);
    if (attribute == nullptr ||
        std::find(words.begin(), words.end(), attribute->value) != words.end())
      return attribute;
    context_.file.problem(attribute->place,
                          fmt::format("{}: expected {}, got \"{}\"", name, join(words, ", "),
                                      attribute->value.substr(0, 60)));
    return nullptr;
  }

  void read_compiler(const XmlElement& element) {
    MjcfCompiler& compiler = context_.compiler;
    const auto word = [&](const char* name, std::string& target) {
      if (const XmlAttribute* attribute = element.find(name)) target = attribute->value;
    };
    if (const XmlAttribute* angle = one_of(element, "angle", {"degree", "radian"}))
      compiler.has_degrees = angle->value != "radian";
    if (const XmlAttribute* coordinate = element.find("coordinate");
        coordinate != nullptr && coordinate->value != "local")
      context_.file.problem(coordinate->place, "global coordinates are not read",
                            "MuJoCo has given them up, too: save the model with local ones");
    read_value(element.find("autolimits"), compiler.limits_itself, problems());
    if (const XmlAttribute* sequence = element.find("eulerseq")) {
      if (sequence->value.size() == 3 &&
          sequence->value.find_first_not_of("xyzXYZ") == std::string::npos)
        compiler.euler_sequence = sequence->value;
      else
        context_.file.problem(sequence->place, "expected three of the letters x, y, z, X, Y, Z");
    }
    word("assetdir", compiler.mesh_folder);
    word("meshdir", compiler.mesh_folder);
    if (const auto* from = one_of(element, "inertiafromgeom", {"auto", "true", "false"}))
      compiler.inertia_from_geoms = from->value;
    read_value(element.find("settotalmass"), compiler.total_mass, problems());
    read_value(element.find("boundmass"), compiler.least_mass, problems());
    read_value(element.find("boundinertia"), compiler.least_inertia, problems());
    read_value(element.find("balanceinertia"), compiler.balances_inertia, problems());
    read_value(element.find("strippath"), compiler.strips_path, problems());
    if (const auto groups = numbers_of(element.find("inertiagrouprange"), 2, 2, problems())) {
      compiler.first_group = static_cast<int>((*groups)[0]);
      compiler.last_group = static_cast<int>((*groups)[1]);
    }
    for (const char* name :
         {"texturedir", "discardvisual", "fusestatic", "usethread", "convexhull"})
      static_cast<void>(element.find(name));
  }

  void read_option(const XmlElement& element) {
    if (read_value(element.find("timestep"), context_.robot.step, problems()) &&
        !(context_.robot.step > 0))
      context_.file.problem(element.find("timestep")->place,
                            "timestep: expected a positive time [s]");
    if (read_value(element.find("gravity"), context_.robot.gravity, problems()))
      context_.robot.gravity_place = element.find("gravity")->place;
    for (const char* name : {"density", "viscosity"})
      if (Real value = 0; read_value(element.find(name), value, problems()) && value != 0)
        context_.file.refused(element.find(name)->place,
                              fmt::format("option {}: there is no fluid", name));
    if (const auto groups = numbers_of(element.find("actuatorgroupdisable"), 0, 31, problems()))
      for (const Real group : *groups) context_.disabled_groups.insert(static_cast<int>(group));
    const XmlElement* flags = element.child("flag");
    if (flags == nullptr) return;
    for (const char* name :
         {"gravity", "contact", "filterparent", "constraint", "equality", "frictionloss", "limit",
          "passive", "spring", "damper", "actuation", "clampctrl"})
      if (const XmlAttribute* flag = one_of(*flags, name, {"enable", "disable"});
          flag != nullptr && flag->value == "disable")
        off_.insert(name);
    static_cast<void>(flags->find("energy"));
    if (is_off("gravity")) {
      context_.robot.gravity = Vec3::Zero();
      context_.robot.gravity_place = flags->find("gravity")->place;
    }
    if (is_off("contact") || is_off("constraint")) context_.robot.has_contacts = false;
    if (is_off("filterparent")) context_.robot.parents_touch = true;
    if (is_off("clampctrl"))
      context_.file.refused(flags->find("clampctrl")->place, "flag clampctrl: it is on");
  }

  /// Flags of a model that is attached to another one are the other one's.
  [[nodiscard]] bool is_off(const char* name) const {
    return context_.file.depth == 0 && off_.contains(name);
  }

  /// Takes out what a flag switches off.
  void switch_off() {
    Robot& robot = context_.robot;
    const auto each_joint = [&](auto take) {
      for (RobotLink& link : robot.links)
        std::for_each(link.joints.begin(), link.joints.end(), take);
      for (RobotTendon& tendon : robot.tendons) take(tendon.drum);
    };
    const auto is_rope = [](const RobotLoop& loop) { return loop.kind == RobotLoop::Kind::rope; };
    const bool has_no_constraint = is_off("constraint"), is_not_passive = is_off("passive");
    if (has_no_constraint || is_off("limit")) {
      each_joint([](RobotJoint& joint) {
        joint.limits.reset();
        joint.cone.reset();
      });
      std::erase_if(robot.loops, is_rope);
    }
    if (has_no_constraint || is_off("frictionloss"))
      each_joint([](RobotJoint& joint) { joint.friction = 0; });
    if (has_no_constraint || is_off("equality")) {
      std::erase_if(robot.loops, std::not_fn(is_rope));
      robot.couplings.clear();
    }
    if (is_not_passive || is_off("spring")) {
      each_joint([](RobotJoint& joint) { joint.stiffness = 0; });
      for (RobotSpring& spring : robot.springs) spring.stiffness = 0;
    }
    if (is_not_passive || is_off("damper")) {
      each_joint([](RobotJoint& joint) { joint.damping = 0; });
      for (RobotSpring& spring : robot.springs) spring.damping = 0;
    }
    if (is_off("actuation")) {
      each_joint([](RobotJoint& joint) { joint.motor.reset(); });
      robot.thrusts.clear();
    }
    if (is_not_passive)
      for (RobotLink& link : robot.links) link.carried = 0;
    std::erase_if(robot.springs, [](const RobotSpring& spring) {
      return spring.stiffness == 0 && spring.damping == 0;
    });
  }

  /// Scales all masses so that they add up to what the compiler is told.
  void set_total_mass() {
    if (!(context_.compiler.total_mass > 0)) return;
    Real mass = 0;
    for (const RobotLink& link : context_.robot.links)
      if (link.inertia) mass += link.inertia->mass;
    if (!(mass > 0)) return;
    for (RobotLink& link : context_.robot.links)
      if (link.inertia) {
        link.inertia->mass *= context_.compiler.total_mass / mass;
        link.inertia->inertia *= context_.compiler.total_mass / mass;
      }
  }

  /// Holds or frees the base: bodies of the world that carry joints, or else the first body that
  /// it can be. Loose objects and furniture stay as they are.
  void set_base() {
    const auto& is_fixed = context_.file.options.is_fixed;
    if (!is_fixed) return;
    const std::vector<RobotLink>& links = context_.robot.links;
    std::vector<int> bases, others;
    for (int i = 0; i < static_cast<int>(links.size()); ++i) {
      const RobotLink& link = links[std::size_t(i)];
      if (link.parent != kNoParent || link.is_scenery) continue;
      const bool is_free =
          !link.joints.empty() && link.joints.front().kind == RobotJoint::Kind::free;
      const auto behind = links.begin() + i + 1,
                 end = links.begin() + end_of_tree(context_.robot, i);
      const bool carries =
          std::any_of(behind, end, [](const RobotLink& one) { return !one.joints.empty(); });
      if (carries || (!is_free && !link.joints.empty()))
        bases.push_back(i);
      else if (is_free == *is_fixed)
        others.push_back(i);
    }
    if (bases.empty() && !others.empty()) bases.push_back(others.front());
    for (const int base : bases) hold_or_free(base, *is_fixed);
  }

  void hold_or_free(int base, bool is_fixed) {
    RobotLink& link = context_.robot.links[std::size_t(base)];
    if (link.joints.empty()) {
      if (is_fixed) return;
      RobotJoint& joint = link.joints.emplace_back();
      joint.kind = RobotJoint::Kind::free;
      joint.name = link.name;
      joint.place = link.place;
    } else if (link.joints.front().kind != RobotJoint::Kind::free) {
      if (is_fixed) return;
      context_.file.problem(link.joints.front().place,
                            fmt::format("base: floating, and \"{}\" hangs on the world by joint "
                                        "\"{}\"",
                                        link.name, link.joints.front().name),
                            "leave base out, or take the joint out of the file");
    } else if (is_fixed) {
      link.joints.clear();
      std::erase_if(context_.joints, [&](const auto& one) { return one.first == base; });
    }
  }

  MjcfContext context_;
  const XmlElement& root_;
  std::set<std::string> off_;  // flags that are disabled
};

}  // namespace

void mark_read(const XmlElement& element) {
  element.is_read = true;
  for (const XmlAttribute& attribute : element.attributes) attribute.is_read = true;
  for (const XmlElement* child : element.children) mark_read(*child);
}

MjcfContext read_mjcf_model(const XmlElement& root, RobotFile& file,
                            std::set<std::string> paired_geoms) {
  return MjcfReader(root, file, std::move(paired_geoms)).read();
}

Robot read_mjcf(const XmlElement& root, RobotFile& file) {
  return std::move(read_mjcf_model(root, file).robot);
}

}  // namespace talus::scene::detail
