#include <fmt/format.h>

#include <cmath>

#include <talus/scene/detail/robots/mjcf.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// <tendon> of MJCF: along joints, and between two sites.

namespace talus::scene::detail {
namespace {

/// The length without force, where it is one number; otherwise that at the reference.
std::optional<Real> rest_length(const MjcfView& view, MjcfContext& context) {
  const XmlAttribute* given = view.find("springlength");
  const auto x = numbers_of(given, 1, 2, context.problems());
  if (!x || x->front() < 0) return std::nullopt;
  if (x->size() > 1 && (*x)[1] != (*x)[0])
    context.file.refused(given->place, "tendon springlength: the second of two lengths");
  return x->front();
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
void read_terms(const XmlElement& element, RobotTendon& tendon, MjcfContext& context) {
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
      add_problem(context.problems(), name->place,
                  fmt::format("there is no hinge or slide \"{}\"", name->value));
      continue;
    }
    if (joint == nullptr || factor == 0) continue;
    tendon.terms.emplace_back(joint->name, factor);
    tendon.drum.reference += factor * joint->reference;
    if (tendon.terms.size() == 1) tendon.drum.kind = RobotJoint::Kind::slide;
    if (!joint->is_slide()) tendon.drum.kind = RobotJoint::Kind::hinge;
  }
}

void read_fixed(const XmlElement& element, MjcfContext& context) {
  element.is_read = true;
  const MjcfView view = context.view(element, "tendon");
  note_looks(view, context);
  RobotTendon tendon;
  RobotJoint& drum = tendon.drum;
  const std::string name = view.word("name");
  drum.name =
      "tendon " + (name.empty() ? fmt::format("{}", context.robot.tendons.size() + 1) : name);
  drum.place = element.place;
  read_terms(element, tendon, context);
  if (tendon.terms.empty()) return;
  drum.limits = mjcf_range(view, "range", "limited", context);
  drum.effort = mjcf_range(view, "actuatorfrcrange", "actuatorfrclimited", context);
  drum.stiffness = strength(view, "stiffness", context);
  drum.damping = strength(view, "damping", context);
  drum.friction = strength(view, "frictionloss", context);
  drum.armature = strength(view, "armature", context);
  drum.rest = rest_length(view, context).value_or(drum.reference);
  tendon.has_effect = drum.limits || drum.stiffness > 0 || drum.damping > 0 || drum.friction > 0 ||
                      drum.armature > 0;
  if (!name.empty() && !context.tendon_of_name.emplace(name, context.robot.tendons.size()).second)
    return add_problem(context.problems(), element.place,
                       fmt::format("there is already a tendon \"{}\"", name));
  context.robot.tendons.push_back(std::move(tendon));
}

/// Between two sites an upper limit is a rope, and stiffness and damping are a spring.
void read_spatial(const XmlElement& element, MjcfContext& context) {
  const MjcfView view = context.view(element, "tendon");
  mark_read(element);
  note_looks(view, context);
  std::vector<const MjcfSite*> ends;
  bool is_plain = true;
  for (const XmlElement* child : element.children) {
    const XmlAttribute* name = child->tag == "site" ? child->find("site") : nullptr;
    const auto site = name != nullptr ? context.sites.find(name->value) : context.sites.end();
    if (name != nullptr && site == context.sites.end())
      return add_problem(context.problems(), name->place,
                         fmt::format("there is no site \"{}\"", name->value));
    if (name == nullptr)
      is_plain = false;
    else
      ends.push_back(&site->second);
  }
  const auto range = mjcf_range(view, "range", "limited", context);
  const Real stiffness = strength(view, "stiffness", context);
  const Real damping = strength(view, "damping", context);
  if (!is_plain || ends.size() != 2)
    return context.file.refused(element.place,
                                "tendon <spatial>: it is read between two sites, without a way "
                                "around others");
  if (strength(view, "frictionloss", context) > 0)
    context.file.refused(view.find("frictionloss")->place,
                         "frictionloss of a tendon between sites");
  const Vec3 from = context.in_world(ends[0]->link, ends[0]->X_LF.p);
  const Vec3 to = context.in_world(ends[1]->link, ends[1]->X_LF.p);
  std::string name = view.word("name");
  if (range) {
    RobotLoop rope;
    rope.kind = RobotLoop::Kind::rope;
    rope.place = element.place;
    rope.name = name.empty() ? fmt::format("rope {}", context.robot.loops.size() + 1) : name;
    rope.link_a = ends[0]->link;
    rope.link_b = ends[1]->link;
    rope.point = from;
    rope.end = to;
    rope.length = range->y();
    if (range->x() > 0)
      context.file.refused(element.place, "the lower limit of a tendon's length: ropes have none");
    context.robot.loops.push_back(rope);
  }
  if (stiffness > 0 || damping > 0) {
    if (name.empty()) name = fmt::format("spring {}", context.robot.springs.size() + 1);
    context.robot.springs.push_back(
        {name, ends[0]->link, ends[1]->link, from, to, stiffness, damping,
         rest_length(view, context).value_or((to - from).norm()), element.place});
  }
}

}  // namespace

void read_mjcf_tendons(const XmlElement& element, MjcfContext& context) {
  for (const XmlElement* child : element.children) {
    if (child->tag == "spatial") read_spatial(*child, context);
    if (child->tag == "fixed") read_fixed(*child, context);
  }
}

}  // namespace talus::scene::detail
