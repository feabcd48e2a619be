#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include <algorithm>

#include <talus/base/error.hpp>
#include <talus/scene/detail/robots/mjcf.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// <worldbody> and its bodies: frames, copies, masses.

namespace talus::scene::detail {
namespace {

constexpr std::size_t kMostLinks = 100'000;
constexpr std::size_t kMostWithCopies = 1'000'000;

class BodyReader {
 public:
  explicit BodyReader(MjcfContext& context) : context_(context), robot_(context.robot) {}

  void read(const XmlElement& world) {
    Around around;
    read_children(world, around);
  }

 private:
  /// What an element of a body stands in.
  struct Around {
    int link = kNoParent;
    Pose X_LF;                            ///< of the innermost frame, in the link or the world
    const MjcfClass* defaults = nullptr;  ///< childclass
    std::string suffix;                   ///< of names, in copies
  };
  /// What a body weighs by its geoms.
  struct Weight {
    std::vector<MjcfGeom> geoms;
    std::optional<RobotInertia> inertial;
  };

  void read_children(const XmlElement& element, const Around& around) {
    for (const XmlElement* child : element.children) {
      if (!takes_another(child->place)) return;
      const std::string& tag = child->tag;
      child->is_read = true;
      if (tag == "body") {
        read_body(*child, around);
      } else if (tag == "frame") {
        read_children(*child, inside_frame(*child, around));
      } else if (tag == "replicate") {
        read_copies(*child, around);
      } else if (tag == "geom") {
        read_geom(*child, around);
      } else if (tag == "joint" || tag == "freejoint") {
        read_joint(*child, around);
      } else if (tag == "inertial") {
        read_inertial(*child, around);
      } else if (tag == "site") {
        read_site(*child, around);
      } else if (tag == "camera" || tag == "light") {
        context_.note_looks(*child);
      } else if (tag == "attach") {
        attach_mjcf_model(*child, around.link, around.X_LF, around.suffix, context_);
        weights_.resize(robot_.links.size());
      } else if (tag == "composite" || tag == "flexcomp" || tag == "plugin") {
        mark_read(*child);
        context_.file.problem(child->place, fmt::format("<{}> is not read", tag),
                              "remove it, or take a file without it");
      } else {
        child->is_read = false;
      }
    }
  }

  /// Counts the elements, in copies again; copies of copies soon are more than any memory holds.
  bool takes_another(const XmlPlace& place) {
    if (++element_count_ == kMostWithCopies)
      context_.file.problem(
          place, fmt::format("a robot has at most {} elements with its copies", kMostWithCopies));
    return element_count_ < kMostWithCopies;
  }

  [[nodiscard]] Around inside_frame(const XmlElement& element, const Around& around) const {
    Around inner = around;
    const MjcfView view = context_.view(element, "frame", around.defaults);
    inner.X_LF = around.X_LF * context_.pose_of(view);
    static_cast<void>(view.own("name"));
    set_child_class(element, inner);
    return inner;
  }

  void set_child_class(const XmlElement& element, Around& around) const {
    const XmlAttribute* name = element.find("childclass");
    if (name == nullptr) return;
    XmlElement named;  // as an element of that class
    named.attributes = {{"class", name->value, name->place}};
    around.defaults = context_.class_of(named, nullptr);
  }

  void read_copies(const XmlElement& element, const Around& around) {
    int count = 0;
    if (!read_value(element.find("count"), count, context_.problems()) || count < 1 ||
        count > 100'000)
      return context_.file.problem(element.place,
                                   "<replicate> needs count, a number from 1 to 100000");
    Pose step;
    read_value(element.find("offset"), step.p, context_.problems());
    step.q = context_.orientation_of(context_.view(element, "replicate"));
    const XmlAttribute* separator = element.find("sep");
    Around inner = around;
    for (int i = 0; i < count && context_.problems().empty(); ++i) {
      if (!takes_another(element.place)) return;
      const auto width = fmt::format("{}", count - 1).size();
      inner.suffix = around.suffix + (separator != nullptr ? separator->value : "") +
                     fmt::format("{:0{}}", i, width);
      read_children(element, inner);
      inner.X_LF = inner.X_LF * step;
    }
  }

  RobotLink& new_link(const std::string& name, const XmlPlace& place) {
    RobotLink& link = robot_.links.emplace_back();
    link.name = name;
    link.place = place;
    weights_.resize(robot_.links.size());
    return link;
  }

  void read_body(const XmlElement& element, const Around& around) {
    if (robot_.links.size() >= kMostLinks)
      return context_.file.problem(element.place,
                                   fmt::format("a robot has at most {} bodies", kMostLinks));
    const MjcfView view = context_.view(element, "body", around.defaults);
    const XmlAttribute* given = view.own("name");
    const int index = static_cast<int>(robot_.links.size());
    const std::string name = given != nullptr ? context_.copied(given->value, around.suffix)
                                              : fmt::format("body {}", index + 1);
    if (given != nullptr && !context_.link_of_body.emplace(name, index).second)
      return context_.file.problem(given->place,
                                   fmt::format("there is already a body \"{}\"", name));
    RobotLink& link = new_link(name, element.place);
    const Pose X_LB = around.X_LF * context_.pose_of(view);
    link.X_WL =
        around.link == kNoParent ? X_LB : robot_.links[std::size_t(around.link)].X_WL * X_LB;
    // A body on the world that has no joint is fixed on its own.
    link.parent = around.link;
    read_value(view.own("gravcomp"), link.carried, context_.problems());
    if (const XmlAttribute* mocap = view.own("mocap"); mocap != nullptr && mocap->value != "false")
      context_.file.ignored(mocap->place, "body mocap: it stays where it is");
    Around inner;
    inner.link = index;
    inner.defaults = around.defaults;
    inner.suffix = around.suffix;
    set_child_class(element, inner);
    read_children(element, inner);
    weigh(index);
  }

  void read_geom(const XmlElement& element, const Around& around) {
    const MjcfView view = context_.view(element, "geom", around.defaults);
    auto one = read_mjcf_geom(view, around.suffix, context_);
    if (!one) return;
    one->geom.X_LG = around.X_LF * one->geom.X_LG;
    if (!one->geom.name.empty())
      context_.link_of_geom[one->geom.name] =
          around.link != kNoParent ? around.link : static_cast<int>(robot_.links.size());
    if (around.link != kNoParent) {
      RobotLink& link = robot_.links[std::size_t(around.link)];
      if (link.colour.empty()) link.colour = one->colour;
      weights_[std::size_t(around.link)].geoms.push_back(*one);
      return;
    }
    // Every geom of the world is a body of its own: it has bits and a surface of its own.
    RobotLink& link = new_link(one->geom.name.empty() ? "world" : one->geom.name, element.place);
    link.colour = one->colour;
    link.is_scenery = true;
    link.X_WL = one->geom.X_LG;
    one->geom.X_LG = {};
    if (usable(one->geom)) link.geoms.push_back(one->geom);
  }

  void read_joint(const XmlElement& element, const Around& around) {
    if (around.link == kNoParent)
      return context_.file.problem(element.place, "the world has no joint");
    RobotLink& link = robot_.links[std::size_t(around.link)];
    const bool is_free = element.tag == "freejoint";
    RobotJoint joint;
    if (is_free) {
      joint.kind = RobotJoint::Kind::free;
      joint.place = element.place;
      if (const XmlAttribute* name = element.find("name")) joint.name = name->value;
      static_cast<void>(element.find("align"));
      static_cast<void>(element.find("group"));
    } else {
      const MjcfView view = context_.view(element, "joint", around.defaults);
      joint = read_mjcf_joint(view, context_);
      read_oscillator(view, joint, around.link);
    }
    if (joint.name.empty())
      joint.name =
          fmt::format("{} joint{}", link.name,
                      link.joints.empty() ? "" : fmt::format(" {}", link.joints.size() + 1));
    else
      joint.name = context_.copied(joint.name, around.suffix);
    if (!context_.joint_of_name.emplace(joint.name, std::pair(around.link, link.joints.size()))
             .second)
      return context_.file.problem(element.place,
                                   fmt::format("there is already a joint \"{}\"", joint.name));
    joint.anchor = around.X_LF * joint.anchor;
    joint.axis = around.X_LF.q * joint.axis;
    const bool is_alone = link.joints.empty();
    if (joint.kind == RobotJoint::Kind::free) {
      if (link.parent != kNoParent)
        return context_.file.problem(element.place, "only bodies of the world can be free");
      if (!is_alone) return context_.file.problem(element.place, "a free joint stands alone");
      if (joint.damping > 0 || joint.armature > 0 || joint.friction > 0 || joint.stiffness > 0)
        context_.file.refused(element.place,
                              "damping, armature, frictionloss and stiffness of a "
                              "free joint");
    } else if (!is_alone && link.joints.front().kind == RobotJoint::Kind::free) {
      return context_.file.problem(element.place, "a free joint stands alone");
    }
    context_.joints.emplace_back(around.link, link.joints.size());
    link.joints.push_back(std::move(joint));
  }

  void read_oscillator(const MjcfView& view, const RobotJoint& joint, int link) {
    const XmlAttribute* given = view.find("springdamper");
    const auto x = numbers_of(given, 2, 2, context_.problems());
    if (!x || !((*x)[0] > 0 && (*x)[1] > 0)) return;
    if (!joint.has_one_axis())
      return context_.file.refused(given->place, "joint springdamper of a ball or free joint");
    context_.oscillators.push_back(
        {link, robot_.links[std::size_t(link)].joints.size(), (*x)[0], (*x)[1]});
  }

  void read_inertial(const XmlElement& element, const Around& around) {
    if (around.link == kNoParent) return;
    if (weights_[std::size_t(around.link)].inertial)
      return context_.file.problem(element.place, "a body has one <inertial>",
                                   "leave the other one out");
    const MjcfView view = context_.view(element, "inertial", around.defaults);
    RobotInertia part;
    part.place = element.place;
    const Pose X = around.X_LF * context_.pose_of(view);
    if (view.own("mass") == nullptr)
      return context_.file.problem(element.place, "<inertial> needs mass");
    read_value(view.own("mass"), part.mass, context_.problems());
    if (part.mass < 0)
      return context_.file.problem(
          view.own("mass")->place,
          fmt::format("expected a mass [kg] of at least 0, got {:g}", part.mass));
    if (const auto d = numbers_of(view.own("diaginertia"), 3, 3, context_.problems())) {
      part.inertia = Vec3(d->data()).asDiagonal();
    } else if (const auto f = numbers_of(view.own("fullinertia"), 6, 6, context_.problems())) {
      if (view.find_any(kOrientations) != nullptr)
        context_.file.problem(view.own("fullinertia")->place,
                              "fullinertia is along the axes of the body, and there is an "
                              "orientation",
                              "leave the orientation out, or give diaginertia");
      const auto& x = *f;
      part.inertia << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
    }
    RobotInertia there = moved(part, {Vec3::Zero(), X.q});
    there.centre = X.p;
    weights_[std::size_t(around.link)].inertial = there;
  }

  void read_site(const XmlElement& element, const Around& around) {
    mark_read(element);
    const MjcfView view = context_.view(element, "site", around.defaults);
    MjcfSite site;
    site.link = around.link;
    site.X_LF = around.X_LF * context_.pose_of(view);
    const std::string type = view.word("type", "sphere");
    site.is_box = type == "box";
    auto size = numbers_of(view.find("size"), 1, 3, context_.problems());
    if (const auto ends = numbers_of(view.find("fromto"), 6, 6, context_.problems())) {
      const Vec3 a(ends->data()), b(ends->data() + 3);
      site.X_LF = around.X_LF * pose_between(a, b);
      if (size) size->resize(type == "box" || type == "ellipsoid" ? 2 : 1, size->back());
      if (size && type != "sphere") size->push_back((a - b).norm() / 2);
    }
    if (size) {
      const auto at = [&](std::size_t i) { return (*size)[std::min(i, size->size() - 1)]; };
      const bool is_long = type == "capsule" || type == "cylinder";
      site.half_size = type == "sphere" ? Vec3::Constant(at(0)) : Vec3(at(0), at(1), at(2));
      if (is_long) site.half_size = Vec3(at(0), at(0), at(1) + (type == "capsule" ? at(0) : 0));
    }
    const std::string name = view.word("name");
    if (!name.empty()) context_.sites[context_.copied(name, around.suffix)] = site;
  }

  // ---- masses

  /// The inertia of a link: as it is given, or of its geoms.
  void weigh(int index) {
    RobotLink& link = robot_.links[std::size_t(index)];
    Weight& weight = weights_[std::size_t(index)];
    const MjcfCompiler& compiler = context_.compiler;
    const bool from_geoms = compiler.inertia_from_geoms == "true" ||
                            (compiler.inertia_from_geoms == "auto" && !weight.inertial);
    if (!from_geoms) link.inertia = weight.inertial;
    for (const MjcfGeom& one : weight.geoms) {
      const bool counts =
          from_geoms && one.group >= compiler.first_group && one.group <= compiler.last_group &&
          one.geom.kind != RobotGeom::Kind::plane && one.geom.kind != RobotGeom::Kind::ground &&
          (moves(index) || compiler.total_mass > 0);
      if (counts) add_weight(one, link);
    }
    for (MjcfGeom& one : weight.geoms)
      if (one.geom.collides || !has_collision(weight)) {
        if (usable(one.geom)) link.geoms.push_back(std::move(one.geom));
      }
    if (link.inertia && (link.inertia->mass > 0 || compiler.least_mass > 0)) {
      link.inertia->mass = std::max(link.inertia->mass, compiler.least_mass);
      if (compiler.least_inertia > 0 || compiler.balances_inertia) bound(*link.inertia);
    } else {
      link.inertia.reset();
    }
    link.is_massless =
        !link.joints.empty() && !link.inertia && link.joints.front().kind != RobotJoint::Kind::free;
  }

  /// Whether forces move a link: it, or a link before it, has joints.
  [[nodiscard]] bool moves(int index) const {
    if (context_.file.options.is_fixed == false || context_.file.depth > 0) return true;
    for (; index != kNoParent; index = robot_.links[std::size_t(index)].parent)
      if (!robot_.links[std::size_t(index)].joints.empty()) return true;
    return false;
  }

  static bool has_collision(const Weight& weight) {
    return std::any_of(weight.geoms.begin(), weight.geoms.end(),
                       [](const MjcfGeom& one) { return one.geom.collides; });
  }

  void add_weight(const MjcfGeom& one, RobotLink& link) {
    if (one.mass && *one.mass == 0) return;
    if (!one.mass && one.density == 0) return;
    try {
      RobotInertia part = unit_inertia(one.geom, context_.file.folder(), context_.file.meshes);
      if (!(part.mass > 0))
        return context_.file.problem(one.geom.place, "the mesh encloses no volume, and no mass",
                                     "give the body <inertial>");
      const Real factor = one.mass ? *one.mass / part.mass : one.density;
      part.mass = one.mass.value_or(factor * part.mass);
      part.inertia *= factor;
      link.inertia = link.inertia ? sum(*link.inertia, part) : part;
    } catch (const InputError& error) {
      context_.file.problem(one.geom.place, error.diagnostics().front().message,
                            "the mass of its body comes from it: give the body <inertial>");
    }
  }

  /// Moments at least as large as the compiler is told, and those of a body.
  void bound(RobotInertia& part) const {
    const Eigen::SelfAdjointEigenSolver<Mat3> axes(part.inertia);
    Vec3 moments = axes.eigenvalues().cwiseMax(context_.compiler.least_inertia);
    if (context_.compiler.balances_inertia && moments[2] > moments[0] + moments[1])
      moments = Vec3::Constant(moments.mean());
    if (moments != axes.eigenvalues())
      part.inertia = axes.eigenvectors() * moments.asDiagonal() * axes.eigenvectors().transpose();
  }

  /// Whether a geom can be made: a hull that is for the eye only is left out where it cannot.
  bool usable(RobotGeom& geom) {
    if (geom.collides) context_.file.simplify(geom);
    if (geom.collides || geom.kind != RobotGeom::Kind::hull) return true;
    const std::string mistake = context_.file.mistake_in_hull(geom);
    if (!mistake.empty()) context_.file.ignored(geom.place, "a shape for the eye: " + mistake);
    return mistake.empty();
  }

  MjcfContext& context_;
  Robot& robot_;
  std::vector<Weight> weights_;  // of every link
  std::size_t element_count_ = 0;
};

}  // namespace

void read_mjcf_bodies(const XmlElement& world, MjcfContext& context) {
  BodyReader(context).read(world);
}

}  // namespace talus::scene::detail
