#include <fmt/format.h>

#include <cmath>

#include <talus/scene/detail/robots/mjcf.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// <tendon> of MJCF: along joints, and through sites.

namespace talus::scene::detail {
namespace {

/// The length without force, where it is one number; otherwise that at springref. Between two
/// lengths a spring would rest: it is left out.
void set_rest_length(const MjcfView& view, Real at_springs, RobotJoint& drum,
                     MjcfContext& context) {
  const XmlAttribute* length = view.find("springlength");
  const auto x = numbers_of(length, 1, 2, context.problems());
  drum.rest = x && x->front() >= 0 ? x->front() : at_springs;
  if (!x || x->size() == 1 || (*x)[1] == (*x)[0] || drum.stiffness == 0) return;
  context.file.refused(length->place, "a spring of a tendon that rests between two springlengths");
  drum.stiffness = 0;
}

/// A number of at least 0.
Real strength(const MjcfView& view, const char* name, MjcfContext& context) {
  const XmlAttribute* given = view.find(name);
  const auto x = numbers_of(given, 1, 3, context.problems());
  if (!x) return 0;
  if (x->front() < 0)
    add_problem(context.problems(), given->place,
                fmt::format("{}: expected a number of at least 0, got {:g}", name, x->front()));
  if (x->size() > 1)
    context.file.refused(given->place, fmt::format("tendon {}: all but its linear term", name));
  return x->front();
}

void note_looks(const MjcfView& view, MjcfContext& context) {
  for (const char* name : {"name", "group", "rgba", "width", "material", "user"})
    static_cast<void>(view.find(name));
  for (const char* name : {"solreflimit", "solimplimit", "solreffriction", "solimpfriction"})
    if (const XmlAttribute* soft = view.find(name))
      context.file.ignored(soft->place, fmt::format("tendon {}: limits are hard", name));
  if (const XmlAttribute* margin = view.find("margin"))
    context.file.ignored(margin->place, "tendon margin: limits begin where they are");
}

/// Terms of joints that do not move are left out.
/// @param rest out: the length where joints are at their springref
void read_terms(const XmlElement& element, RobotTendon& tendon, Real& rest, MjcfContext& context) {
  for (const XmlElement* child : element.children) {
    if (child->tag != "joint") continue;
    child->is_read = true;
    const XmlAttribute* name = child->find("joint");
    Real factor = 0;
    if (name == nullptr || !read_value(child->find("coef"), factor, context.problems())) {
      add_problem(context.problems(), child->place, "<joint> of a tendon needs joint and coef");
      continue;
    }
    const auto known = context.joint_of_name.find(name->value);
    const RobotJoint* joint = context.find_joint(name->value);
    if (known == context.joint_of_name.end() || (joint != nullptr && !joint->has_one_axis())) {
      context.missing(*name, "hinge or slide");
      continue;
    }
    if (joint == nullptr || factor == 0) continue;
    tendon.terms.emplace_back(joint->name, factor);
    tendon.drum.reference += factor * joint->reference;
    rest += factor * joint->rest;
    if (tendon.terms.size() == 1) tendon.drum.kind = RobotJoint::Kind::slide;
    if (!joint->is_slide()) tendon.drum.kind = RobotJoint::Kind::hinge;
  }
}

/// What acts along a tendon.
/// @param rest its length where joints are at their springref.
void read_laws(const MjcfView& view, Real rest, RobotTendon& tendon, MjcfContext& context) {
  RobotJoint& drum = tendon.drum;
  drum.limits = mjcf_range(view, "range", "limited", context);
  drum.effort = mjcf_range(view, "actuatorfrcrange", "actuatorfrclimited", context);
  drum.stiffness = strength(view, "stiffness", context);
  drum.damping = strength(view, "damping", context);
  drum.friction = strength(view, "frictionloss", context);
  drum.armature = strength(view, "armature", context);
  set_rest_length(view, rest, drum, context);
}

bool has_law(const RobotJoint& drum) {
  return drum.limits || drum.stiffness > 0 || drum.damping > 0 || drum.friction > 0 ||
         drum.armature > 0;
}

RobotTendon new_tendon(const MjcfView& view, const MjcfContext& context) {
  RobotTendon tendon;
  const std::string name = view.word("name");
  tendon.drum.name =
      "tendon " + (name.empty() ? fmt::format("{}", context.robot.tendons.size() + 1) : name);
  tendon.drum.place = view.place();
  return tendon;
}

void add_tendon(const MjcfView& view, RobotTendon tendon, MjcfContext& context) {
  const std::string name = view.word("name");
  if (!name.empty() && !context.tendon_of_name.emplace(name, context.robot.tendons.size()).second)
    return add_problem(context.problems(), view.place(),
                       fmt::format("there is already a tendon \"{}\"", name));
  context.robot.tendons.push_back(std::move(tendon));
}

void read_fixed(const XmlElement& element, MjcfContext& context) {
  element.is_read = true;
  const MjcfView view = context.view(element, "tendon");
  note_looks(view, context);
  RobotTendon tendon = new_tendon(view, context);
  Real rest = 0;
  read_terms(element, tendon, rest, context);
  if (tendon.terms.empty()) return;
  read_laws(view, rest, tendon, context);
  tendon.has_effect = has_law(tendon.drum);
  add_tendon(view, std::move(tendon), context);
}

/// The straight parts between sites; a pulley ends a branch, and divides the lengths of the next.
/// Nothing, with a note, where geoms are in the way.
/// @param rest out: the length where joints are at their springref.
bool read_way(const XmlElement& element, RobotTendon& tendon, Real& rest, MjcfContext& context) {
  const auto at_springs = [&](const MjcfSite& site) -> Vec3 {
    return site.link == kNoParent ? site.X_LF.p
                                  : context.at_springs[std::size_t(site.link)] * site.X_LF.p;
  };
  const MjcfSite* last = nullptr;
  Real factor = 1;
  for (const XmlElement* child : element.children) {
    if (child->tag == "site") {
      const XmlAttribute* name = child->find("site");
      const auto site = name != nullptr ? context.sites.find(name->value) : context.sites.end();
      if (site == context.sites.end()) {
        if (name != nullptr)
          context.missing(*name, "site");
        else
          add_problem(context.problems(), child->place, "<site> of a tendon needs site");
        return false;
      }
      const MjcfSite& next = site->second;
      if (last != nullptr) {
        tendon.lines.push_back({last->link, next.link, context.in_world(last->link, last->X_LF.p),
                                context.in_world(next.link, next.X_LF.p), factor});
        rest += factor * (at_springs(next) - at_springs(*last)).norm();
      }
      last = &next;
    } else if (child->tag == "pulley") {
      Real divisor = 0;
      if (!read_value(child->find("divisor"), divisor, context.problems()) || !(divisor > 0)) {
        add_problem(context.problems(), child->place, "<pulley> needs divisor, a positive number");
        return false;
      }
      factor = 1 / divisor;
      last = nullptr;
    } else {
      context.file.refused(
          element.place,
          fmt::format("tendon <spatial> around a {}: sites and pulleys are read", child->tag));
      return false;
    }
  }
  if (!tendon.lines.empty()) return true;
  add_problem(context.problems(), element.place, "<spatial> needs two sites");
  return false;
}

/// Between two sites an upper limit is a rope, and stiffness and damping are a spring: what acts
/// along the drum then does so already.
void take_out_simple(const std::string& name, RobotTendon& tendon, MjcfContext& context) {
  RobotJoint& drum = tendon.drum;
  const RobotLine& line = tendon.lines.front();
  const bool is_rope = drum.limits && drum.limits->x() <= 0;
  if (tendon.lines.size() != 1 || line.factor != 1 || drum.friction > 0 || drum.armature > 0 ||
      (drum.limits && !is_rope))
    return;
  Robot& robot = context.robot;
  if (is_rope) {
    RobotLoop rope;
    rope.kind = RobotLoop::Kind::rope;
    rope.place = drum.place;
    rope.name = name.empty() ? fmt::format("rope {}", robot.loops.size() + 1) : name;
    rope.link_a = line.link_a;
    rope.link_b = line.link_b;
    rope.point = line.from;
    rope.end = line.to;
    rope.length = drum.limits->y();
    robot.loops.push_back(rope);
  }
  if (drum.stiffness > 0 || drum.damping > 0)
    robot.springs.push_back(
        {name.empty() ? fmt::format("spring {}", robot.springs.size() + 1) : name, line.link_a,
         line.link_b, line.from, line.to, drum.stiffness, drum.damping, drum.rest, drum.place});
  drum.limits.reset();
  drum.stiffness = drum.damping = 0;
}

void read_spatial(const XmlElement& element, MjcfContext& context) {
  const MjcfView view = context.view(element, "tendon");
  mark_read(element);
  note_looks(view, context);
  RobotTendon tendon = new_tendon(view, context);
  tendon.drum.kind = RobotJoint::Kind::slide;
  Real rest = 0;
  if (!read_way(element, tendon, rest, context)) return;
  for (const RobotLine& line : tendon.lines)
    tendon.drum.reference += line.factor * (line.to - line.from).norm();
  read_laws(view, rest, tendon, context);
  take_out_simple(view.word("name"), tendon, context);
  tendon.has_effect = has_law(tendon.drum);
  add_tendon(view, std::move(tendon), context);
}

}  // namespace

void read_mjcf_tendons(const XmlElement& element, MjcfContext& context) {
  for (const XmlElement* child : element.children) {
    if (child->tag == "spatial") read_spatial(*child, context);
    if (child->tag == "fixed") read_fixed(*child, context);
  }
}

}  // namespace talus::scene::detail
