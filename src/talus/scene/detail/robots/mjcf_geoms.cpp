#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include <talus/scene/detail/robots/mjcf.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// <asset>, <geom> and <joint> of MJCF.

namespace talus::scene::detail {
namespace {

namespace fs = std::filesystem;
using Kind = RobotGeom::Kind;

std::optional<Kind> geom_kind(std::string_view type) {
  if (type == "sphere") return Kind::sphere;
  if (type == "capsule") return Kind::capsule;
  if (type == "cylinder") return Kind::cylinder;
  if (type == "box") return Kind::box;
  if (type == "ellipsoid") return Kind::ellipsoid;
  if (type == "plane") return Kind::plane;
  if (type == "mesh") return Kind::hull;
  if (type == "hfield") return Kind::ground;
  return std::nullopt;
}

/// How many halves of lengths a shape has.
std::size_t size_count(Kind kind, bool has_ends) {
  if (kind == Kind::sphere) return 1;
  if (kind == Kind::capsule || kind == Kind::cylinder) return has_ends ? 1 : 2;
  if (kind == Kind::box || kind == Kind::ellipsoid) return has_ends ? 2 : 3;
  return 0;
}

void read_mesh(const XmlElement& element, MjcfContext& context) {
  const MjcfView view = context.view(element, "mesh");
  MjcfMesh mesh;
  mesh.place = element.place;
  const MjcfCompiler& compiler = context.compiler;
  std::string name = view.word("name");
  if (const XmlAttribute* file = view.own("file")) {
    fs::path path = file->value;
    if (compiler.strips_path) path = path.filename();
    if (name.empty()) name = path.stem().string();
    mesh.file = (fs::path(compiler.mesh_folder) / path).lexically_normal().generic_string();
  } else if (const auto x = numbers_of(view.own("vertex"), 12, 300'000, context.problems())) {
    for (std::size_t i = 0; i + 2 < x->size(); i += 3) mesh.points.emplace_back(x->data() + i);
    if (const XmlAttribute* faces = view.own("face"))
      context.file.refused(faces->place, "mesh face: a mesh of vertices is their hull");
    for (const char* looks : {"normal", "texcoord"}) static_cast<void>(view.own(looks));
  } else {
    return add_problem(context.problems(), element.place, "<mesh> needs a file, or vertex");
  }
  read_value(view.find("scale"), mesh.scale, context.problems());
  static_cast<void>(view.find("content_type"));
  if (const XmlAttribute* way = view.find("inertia");
      way != nullptr && way->value != "exact" && way->value != "legacy")
    context.file.refused(way->place,
                         fmt::format("mesh inertia {}: it is that of what the triangles enclose",
                                     way->value.substr(0, 60)));
  if (mesh.scale.cwiseAbs().minCoeff() == 0)
    add_problem(context.problems(), view.find("scale")->place, "scale: expected no factor of 0");
  if (const XmlAttribute* moved = view.find("refpos") ? view.find("refpos") : view.find("refquat"))
    add_problem(context.problems(), moved->place, "refpos and refquat of meshes are not read",
                "move the geoms of the mesh in its place");
  context.meshes[name] = mesh;
}

/// A capsule or the like between two points.
void set_ends(const std::vector<Real>& ends, RobotGeom& geom) {
  const Vec3 a(ends.data()), b(ends.data() + 3);
  geom.X_LG = pose_between(a, b);
  const Real length = (a - b).norm();
  if (geom.kind == Kind::capsule || geom.kind == Kind::cylinder)
    geom.size = Vec3(geom.size.x(), length, 0);
  else if (geom.kind == Kind::box)
    geom.size = Vec3(geom.size.x(), geom.size.y(), length);
  else
    geom.size = Vec3(geom.size.x(), geom.size.y(), length / 2);
}

bool read_size(const MjcfView& view, MjcfContext& context, RobotGeom& geom) {
  const XmlAttribute* ends = view.find("fromto");
  const XmlAttribute* size = view.find("size");
  if (geom.kind == Kind::plane || geom.kind == Kind::hull || geom.kind == Kind::ground) return true;
  if (geom.kind == Kind::sphere) ends = nullptr;
  const std::size_t wanted = size_count(geom.kind, ends != nullptr);
  if (size == nullptr) {
    add_problem(context.problems(), view.place(), "<geom> needs size");
    return false;
  }
  const auto x = numbers_of(size, wanted, 6, context.problems());
  if (!x) return false;
  for (std::size_t i = 0; i < wanted; ++i)
    if (!((*x)[i] > 0)) {
      add_problem(context.problems(), size->place,
                  fmt::format("size: expected positive lengths [m], got {:g}", (*x)[i]));
      return false;
    }
  const bool is_whole = geom.kind == Kind::sphere || geom.kind == Kind::ellipsoid;
  for (std::size_t i = 0; i < wanted; ++i)
    geom.size[Index(i)] = is_whole || (i == 0 && geom.kind != Kind::box) ? (*x)[i] : 2 * (*x)[i];
  if (ends != nullptr) {
    const auto points = numbers_of(ends, 6, 6, context.problems());
    if (!points) return false;
    set_ends(*points, geom);
  }
  return true;
}

void read_surface(const MjcfView& view, MjcfContext& context, RobotGeom& geom) {
  RobotSurface& surface = geom.surface;
  surface.torsional = 0.005;
  surface.rolling = 0.0001;
  if (const auto x = numbers_of(view.find("friction"), 1, 3, context.problems())) {
    surface.friction = (*x)[0];
    if (x->size() > 1) surface.torsional = (*x)[1];
    if (x->size() > 2) surface.rolling = (*x)[2];
    if (surface.friction < 0 || surface.torsional < 0 || surface.rolling < 0)
      add_problem(context.problems(), view.find("friction")->place,
                  "friction: expected numbers of at least 0");
  }
  read_value(view.find("condim"), surface.dimension, context.problems());
  read_value(view.find("priority"), surface.priority, context.problems());
  for (const char* name : {"solref", "solimp", "solmix"})
    if (const XmlAttribute* soft = view.find(name))
      context.file.ignored(soft->place, fmt::format("geom {}: contacts are hard", name));
  if (const XmlAttribute* margin = view.find("margin"))
    context.file.ignored(margin->place, "geom margin: contacts begin where surfaces touch");
}

}  // namespace

Pose pose_between(const Vec3& a, const Vec3& b) {
  Pose pose{(a + b) / 2, Quat::Identity()};
  if ((a - b).norm() > 1e-12) pose.q = rotation_between(Vec3::UnitZ(), Vec3((a - b).normalized()));
  return pose;
}

void read_mjcf_assets(const XmlElement& assets, MjcfContext& context) {
  for (const XmlElement* child : assets.children) {
    if (child->tag == "mesh") {
      child->is_read = true;
      read_mesh(*child, context);
    } else if (child->tag == "material") {
      mark_read(*child);
      const MjcfView view = context.view(*child, "material");
      const auto rgba = numbers_of(view.find("rgba"), 4, 4, context.problems());
      if (rgba) context.colours[view.word("name")] = colour_text(Vec3(rgba->data()));
    } else if (child->tag == "texture" || child->tag == "skin") {
      context.note_looks(*child);
    } else if (child->tag == "model") {
      mark_read(*child);
      const XmlAttribute* file = child->find("file");
      if (file == nullptr) {
        add_problem(context.problems(), child->place, "<model> needs file");
        continue;
      }
      const XmlAttribute* name = child->find("name");
      context.models[name != nullptr ? name->value : fs::path(file->value).stem().string()] = {
          file->value, file->place};
    } else if (child->tag == "hfield") {
      read_mjcf_field(*child, context);
    }
  }
}

std::optional<MjcfGeom> read_mjcf_geom(const MjcfView& view, const std::string& suffix,
                                       MjcfContext& context) {
  MjcfGeom one;
  RobotGeom& geom = one.geom;
  geom.place = view.place();
  geom.name = view.word("name");
  if (!geom.name.empty()) geom.name = context.copied(geom.name, suffix);
  const std::string mesh = view.word("mesh");
  const std::string type = view.word("type", mesh.empty() ? "sphere" : "mesh");
  const auto kind = geom_kind(type);
  if (!kind) {
    const XmlAttribute* place = view.find("type");
    add_problem(context.problems(), place != nullptr ? place->place : view.place(),
                fmt::format("geoms of the type \"{}\" are not read", type),
                "plane, sphere, capsule, cylinder, box, ellipsoid, mesh and hfield are");
    return std::nullopt;
  }
  geom.kind = *kind;
  geom.X_LG = context.pose_of(view);
  if (geom.kind != Kind::hull && !mesh.empty()) {
    add_problem(context.problems(), view.find("mesh")->place,
                fmt::format("a {} that is fitted to a mesh is not read", type),
                "give its size, or take the mesh itself");
    return std::nullopt;
  }
  if (!read_size(view, context, geom)) return std::nullopt;
  if (geom.kind == Kind::ground) {
    const XmlAttribute* name = view.find("hfield");
    const auto found = name != nullptr ? context.fields.find(name->value) : context.fields.end();
    if (found == context.fields.end()) {
      add_problem(context.problems(), name != nullptr ? name->place : view.place(),
                  name == nullptr ? "a geom of the type hfield needs hfield"
                                  : fmt::format("there is no hfield \"{}\"", name->value));
      return std::nullopt;
    }
    geom.size = Vec3(found->second.size.x(), found->second.size.y(), 0);
    geom.heights = found->second.heights;
  }
  if (geom.kind == Kind::hull) {
    const auto found = context.meshes.find(mesh);
    if (found == context.meshes.end()) {
      const XmlAttribute* name = view.find("mesh");
      add_problem(context.problems(), name != nullptr ? name->place : view.place(),
                  mesh.empty() ? "a geom of the type mesh needs mesh"
                               : fmt::format("there is no mesh \"{}\"", mesh));
      return std::nullopt;
    }
    geom.file = found->second.file;
    geom.scale = found->second.scale;
    geom.points = found->second.points;
  }
  int type_bits = 1, affinity_bits = 1;
  read_value(view.find("contype"), type_bits, context.problems());
  read_value(view.find("conaffinity"), affinity_bits, context.problems());
  geom.type = static_cast<unsigned>(type_bits);
  geom.affinity = static_cast<unsigned>(affinity_bits);
  geom.collides = type_bits != 0 || affinity_bits != 0 || context.paired_geoms.contains(geom.name);
  read_surface(view, context, geom);
  read_value(view.find("density"), one.density, context.problems());
  Real mass = 0;
  if (read_value(view.find("mass"), mass, context.problems())) one.mass = mass;
  if (mass < 0 || one.density < 0)
    add_problem(context.problems(), view.place(), "expected a mass and density of at least 0");
  read_value(view.find("group"), one.group, context.problems());
  if (const XmlAttribute* rgba = view.find("rgba")) {
    if (const auto x = numbers_of(rgba, 4, 4, context.problems()))
      one.colour = colour_text(Vec3(x->data()));
  } else if (const auto material = context.colours.find(view.word("material"));
             material != context.colours.end()) {
    one.colour = material->second;
  }
  if (const XmlAttribute* shell = view.find("shellinertia");
      shell != nullptr && shell->value == "true")
    add_problem(context.problems(), shell->place, "the inertia of shells is not read",
                "give the body <inertial>");
  if (const XmlAttribute* fluid = view.find("fluidshape");
      fluid != nullptr && fluid->value != "none")
    context.file.refused(fluid->place, "geom fluidshape: there is no fluid");
  return one;
}

RobotJoint read_mjcf_joint(const MjcfView& view, MjcfContext& context) {
  RobotJoint joint;
  joint.place = view.place();
  joint.name = view.word("name");
  const std::string type = view.word("type", "hinge");
  using JointKind = RobotJoint::Kind;
  if (type == "slide")
    joint.kind = JointKind::slide;
  else if (type == "ball")
    joint.kind = JointKind::ball;
  else if (type == "free")
    joint.kind = JointKind::free;
  else if (type != "hinge")
    add_problem(context.problems(), view.find("type")->place,
                fmt::format("joints of the type \"{}\" are not read", type),
                "hinge, slide, ball and free are");
  read_value(view.find("pos"), joint.anchor, context.problems());
  if (read_value(view.find("axis"), joint.axis, context.problems()) && joint.axis.norm() < 1e-12)
    add_problem(context.problems(), view.find("axis")->place,
                "axis: expected a direction, got a zero vector");
  else
    joint.axis.normalize();
  const bool turns = joint.kind == JointKind::hinge;
  const auto coordinate = [&](const char* name, Real& value) {
    if (read_value(view.find(name), value, context.problems()) && turns)
      value = context.angle(value);
  };
  coordinate("ref", joint.reference);
  coordinate("springref", joint.rest);
  if (const auto x = mjcf_range(view, "range", "limited", context)) {
    if (joint.has_one_axis())
      joint.limits = turns ? Vec2(context.angle(x->x()), context.angle(x->y())) : *x;
    else if (const Real cone = context.angle(x->y());
             joint.kind == JointKind::ball && cone < std::numbers::pi)  // else it is never met
      joint.cone = cone;
  }
  const auto first = [&](const char* name, Real& value) {
    const auto x = numbers_of(view.find(name), 1, 3, context.problems());
    if (!x) return;
    value = x->front();
    if (x->size() > 1)
      context.file.refused(view.find(name)->place,
                           fmt::format("joint {}: all but its linear term", name));
    if (value < 0)
      add_problem(context.problems(), view.find(name)->place,
                  fmt::format("{}: expected a number of at least 0, got {:g}", name, value));
  };
  first("stiffness", joint.stiffness);
  first("damping", joint.damping);
  read_value(view.find("armature"), joint.armature, context.problems());
  read_value(view.find("frictionloss"), joint.friction, context.problems());
  if (joint.armature < 0 || joint.friction < 0)
    add_problem(context.problems(), view.place(),
                "expected an armature and a frictionloss of at least 0");
  joint.effort = mjcf_range(view, "actuatorfrcrange", "actuatorfrclimited", context);
  for (const char* name : {"solreflimit", "solimplimit", "solreffriction", "solimpfriction"})
    if (const XmlAttribute* soft = view.find(name))
      context.file.ignored(soft->place, fmt::format("joint {}: limits are hard", name));
  static_cast<void>(view.find("group"));
  return joint;
}

}  // namespace talus::scene::detail
