#include <fmt/format.h>

#include <cmath>

#include <talus/scene/detail/robots/mjcf.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// <contact>, <equality> and <tendon> of MJCF.

namespace talus::scene::detail {
namespace {

/// The link of a body by the name that an attribute gives; without one the world.
std::optional<int> link_named(const XmlAttribute* name, MjcfContext& context) {
  if (name == nullptr || name->value == "world") return kNoParent;
  const auto found = context.link_of_body.find(name->value);
  if (found != context.link_of_body.end()) return found->second;
  add_problem(context.problems(), name->place, fmt::format("there is no body \"{}\"", name->value));
  return std::nullopt;
}

Vec3 in_world(const MjcfContext& context, int link, const Vec3& point) {
  return link == kNoParent ? point : Vec3(context.robot.links[std::size_t(link)].X_WL * point);
}

bool is_active(const MjcfView& view) { return view.word("active", "true") != "false"; }

void note_softness(const MjcfView& view, MjcfContext& context) {
  for (const char* name : {"solref", "solimp", "torquescale"})
    if (const XmlAttribute* soft = view.find(name))
      context.file.ignored(soft->place,
                           fmt::format("{} {}: equalities are exact", view.element().tag, name));
}

/// Two bodies and a point that they share: anchor of body1, or two sites.
std::optional<RobotLoop> connection(const MjcfView& view, MjcfContext& context) {
  RobotLoop loop;
  loop.place = view.place();
  const XmlAttribute* first_site = view.find("site1");
  const XmlAttribute* second_site = view.find("site2");
  if (first_site != nullptr && second_site != nullptr) {
    const auto a = context.sites.find(first_site->value);
    const auto b = context.sites.find(second_site->value);
    for (const auto& [site, found] : {std::pair(first_site, a), std::pair(second_site, b)})
      if (found == context.sites.end()) {
        add_problem(context.problems(), site->place,
                    fmt::format("there is no site \"{}\"", site->value));
        return std::nullopt;
      }
    loop.link_a = a->second.link;
    loop.link_b = b->second.link;
    loop.point = in_world(context, a->second.link, a->second.X_LF.p);
    const Real apart = (loop.point - in_world(context, b->second.link, b->second.X_LF.p)).norm();
    if (apart > 1e-6)
      add_problem(context.problems(), view.place(),
                  fmt::format("the two sites are {:g} m apart as the bodies are given", apart),
                  "an equality is exact: put them together");
  } else {
    const auto a = link_named(view.find("body1"), context);
    const auto b = link_named(view.find("body2"), context);
    if (!a || !b) return std::nullopt;
    loop.link_a = *a;
    loop.link_b = *b;
    Vec3 anchor = Vec3::Zero();
    read_value(view.find("anchor"), anchor, context.problems());
    loop.point = in_world(context, *a, anchor);
  }
  loop.name = view.word("name");
  if (loop.name.empty())
    loop.name = fmt::format("{} {}", view.element().tag, context.robot.loops.size() + 1);
  return loop;
}

void read_joint_equality(const MjcfView& view, MjcfContext& context) {
  RobotCoupling coupling;
  coupling.place = view.place();
  const XmlAttribute* first = view.find("joint1");
  const XmlAttribute* second = view.find("joint2");
  if (first == nullptr)
    return add_problem(context.problems(), view.place(), "<joint> needs joint1");
  std::vector<Real> c = {0, 1};
  if (const auto given = numbers_of(view.find("polycoef"), 1, 5, context.problems())) {
    c = *given;
    c.resize(std::max<std::size_t>(c.size(), 2), 0);
  }
  for (std::size_t i = 2; i < c.size(); ++i)
    if (c[i] != 0)
      return add_problem(context.problems(), view.find("polycoef")->place,
                         "couplings of joints are linear: polycoef has terms of higher order",
                         "keep the first two of its numbers");
  Real offset = c[0];
  for (const XmlAttribute* name : {first, second}) {
    if (name == nullptr) continue;
    const RobotJoint* joint = context.find_joint(name->value);
    if (joint == nullptr)
      return add_problem(context.problems(), name->place,
                         fmt::format("there is no joint \"{}\"", name->value));
    const Real factor = name == first ? 1 : -c[1];
    if (factor == 0) continue;
    coupling.terms.emplace_back(name->value, factor);
    offset += factor * joint->reference;  // it holds for differences from the reference
  }
  coupling.offset = offset;
  coupling.name = view.word("name");
  if (coupling.name.empty()) coupling.name = first->value + " is coupled";
  context.robot.couplings.push_back(std::move(coupling));
}

/// A tendon along two sites with an upper limit is a rope; others have no effect.
void read_spatial(const XmlElement& element, MjcfContext& context) {
  const MjcfView view = context.view(element, "spatial");
  mark_read(element);
  std::vector<const MjcfSite*> ends;
  bool is_plain = true;
  for (const XmlElement* child : element.children) {
    const auto site = child->tag == "site" && child->find("site") != nullptr
                          ? context.sites.find(child->find("site")->value)
                          : context.sites.end();
    if (site == context.sites.end())
      is_plain = false;
    else
      ends.push_back(&site->second);
  }
  const auto range = numbers_of(view.find("range"), 2, 2, context.problems());
  const std::string limited = view.word("limited", "auto");
  const bool is_limited =
      range && (limited == "true" || (limited == "auto" && context.compiler.limits_itself));
  Real stiffness = 0;
  read_value(view.find("stiffness"), stiffness, context.problems());
  if (!is_plain || ends.size() != 2 || !is_limited || stiffness > 0)
    return context.file.ignored(element.place,
                                "tendon <spatial>: only a limit of length between two sites is "
                                "read, as a rope");
  RobotLoop rope;
  rope.kind = RobotLoop::Kind::rope;
  rope.place = element.place;
  rope.name = view.word("name");
  if (rope.name.empty()) rope.name = fmt::format("rope {}", context.robot.loops.size() + 1);
  rope.link_a = ends[0]->link;
  rope.link_b = ends[1]->link;
  rope.point = in_world(context, rope.link_a, ends[0]->X_LF.p);
  rope.end = in_world(context, rope.link_b, ends[1]->X_LF.p);
  rope.length = (*range)[1];
  if ((*range)[0] > 0)
    context.file.ignored(element.place, "the lower limit of a tendon's length: ropes have none");
  context.robot.loops.push_back(rope);
}

}  // namespace

void read_mjcf_contacts(const XmlElement& element, MjcfContext& context) {
  for (const XmlElement* child : element.children) {
    if (child->tag == "pair") {
      mark_read(*child);
      context.file.ignored(child->place, "contact <pair>: the surfaces of the geoms hold");
    }
    if (child->tag != "exclude") continue;
    mark_read(*child);
    const XmlAttribute* a = child->find("body1");
    const XmlAttribute* b = child->find("body2");
    if (a == nullptr || b == nullptr) {
      add_problem(context.problems(), child->place, "<exclude> needs body1 and body2");
      continue;
    }
    if (link_named(a, context) && link_named(b, context))
      context.robot.excluded.emplace_back(a->value, b->value);
  }
}

void read_mjcf_equalities(const XmlElement& element, MjcfContext& context) {
  for (const XmlElement* child : element.children) {
    child->is_read = true;
    const MjcfView view = context.view(*child, "equality");
    static_cast<void>(view.own("name"));
    if (!is_active(view)) {
      mark_read(*child);
      context.file.ignored(child->place, "an equality that is not active");
      continue;
    }
    if (child->tag == "connect" || child->tag == "weld") {
      auto loop = connection(view, context);
      if (!loop) continue;
      loop->kind = child->tag == "weld" ? RobotLoop::Kind::weld : RobotLoop::Kind::ball;
      if (const XmlAttribute* pose = view.find("relpose"))
        context.file.ignored(pose->place, "weld relpose: bodies are welded as they are given");
      context.robot.loops.push_back(*loop);
    } else if (child->tag == "joint") {
      read_joint_equality(view, context);
    } else {
      mark_read(*child);
      add_problem(context.problems(), child->place,
                  fmt::format("the equality <{}> is not read", child->tag),
                  "connect, weld and joint are");
    }
    note_softness(view, context);
  }
}

void read_mjcf_tendons(const XmlElement& element, MjcfContext& context) {
  for (const XmlElement* child : element.children) {
    if (child->tag == "spatial") read_spatial(*child, context);
    if (child->tag != "fixed") continue;
    mark_read(*child);
    context.file.ignored(child->place, "tendon <fixed>: its limits and springs");
  }
}

}  // namespace talus::scene::detail
