#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/scene/detail/robots/mjcf.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// <contact> and <equality> of MJCF.

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
    loop.point = context.in_world(a->second.link, a->second.X_LF.p);
    const Real apart = (loop.point - context.in_world(b->second.link, b->second.X_LF.p)).norm();
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
    loop.point = context.in_world(*a, anchor);
  }
  loop.name = view.word("name");
  if (loop.name.empty())
    loop.name = fmt::format("{} {}", view.element().tag, context.robot.loops.size() + 1);
  return loop;
}

/// A joint by its name, or the drum of a tendon.
const RobotJoint* find_coordinate(const std::string& kind, const std::string& name,
                                  MjcfContext& context) {
  if (kind == "joint") return context.find_joint(name);
  const RobotTendon* tendon = context.find_tendon(name);
  return tendon != nullptr ? &tendon->drum : nullptr;
}

/// @param kind joint or tendon
void read_coupling(const MjcfView& view, const std::string& kind, MjcfContext& context) {
  RobotCoupling coupling;
  coupling.place = view.place();
  const XmlAttribute* first = view.find(kind + "1");
  const XmlAttribute* second = view.find(kind + "2");
  if (first == nullptr)
    return add_problem(context.problems(), view.place(), fmt::format("<{}> needs {}1", kind, kind));
  std::vector<Real> c = {0, 1};
  if (const auto given = numbers_of(view.find("polycoef"), 1, 5, context.problems())) {
    c = *given;
    c.resize(std::max<std::size_t>(c.size(), 2), 0);
  }
  for (std::size_t i = 2; i < c.size(); ++i)
    if (c[i] != 0)
      return add_problem(context.problems(), view.find("polycoef")->place,
                         "couplings are linear: polycoef has terms of higher order",
                         "keep the first two of its numbers");
  Real offset = c[0];
  for (const XmlAttribute* name : {first, second}) {
    if (name == nullptr) continue;
    const RobotJoint* joint = find_coordinate(kind, name->value, context);
    if (joint == nullptr)
      return add_problem(context.problems(), name->place,
                         fmt::format("there is no {} \"{}\"", kind, name->value));
    const Real factor = name == first ? 1 : -c[1];
    if (factor == 0) continue;
    coupling.terms.emplace_back(joint->name, factor);
    offset += factor * joint->reference;  // it holds for differences from the reference
  }
  coupling.offset = offset;
  coupling.name = view.word("name");
  if (coupling.name.empty()) coupling.name = first->value + " is coupled";
  context.robot.couplings.push_back(std::move(coupling));
}

/// Friction of a pair: along two directions, in torsion, in rolling about two.
void read_pair_friction(const XmlAttribute& attribute, RobotSurface& law, MjcfContext& context) {
  const auto x = numbers_of(&attribute, 1, 5, context.problems());
  if (!x) return;
  law.friction = (*x)[0];
  if (x->size() > 2) law.torsional = (*x)[2];
  if (x->size() > 3) law.rolling = (*x)[3];
  if (*std::min_element(x->begin(), x->end()) < 0)
    add_problem(context.problems(), attribute.place, "friction: expected numbers of at least 0");
  if ((x->size() > 1 && (*x)[1] != (*x)[0]) || (x->size() > 4 && (*x)[4] != (*x)[3]))
    context.file.refused(attribute.place, "pair friction: the second of two directions");
}

void read_pair(const XmlElement& element, MjcfContext& context) {
  element.is_read = true;
  const MjcfView view = context.view(element, "pair");
  static_cast<void>(view.own("name"));
  RobotContactPair pair;
  for (const auto& [key, link] : {std::pair("geom1", &pair.link_a), {"geom2", &pair.link_b}}) {
    const XmlAttribute* name = view.find(key);
    if (name == nullptr)
      return add_problem(context.problems(), element.place, "<pair> needs geom1 and geom2");
    const auto found = context.link_of_geom.find(name->value);
    if (found == context.link_of_geom.end())
      return add_problem(context.problems(), name->place,
                         fmt::format("there is no geom \"{}\"", name->value));
    *link = found->second;
  }
  pair.law.torsional = 0.005;
  pair.law.rolling = 0.0001;
  read_value(view.find("condim"), pair.law.dimension, context.problems());
  if (const XmlAttribute* friction = view.find("friction"))
    read_pair_friction(*friction, pair.law, context);
  for (const char* name : {"solref", "solreffriction", "solimp", "margin", "gap"})
    if (const XmlAttribute* soft = view.find(name))
      context.file.ignored(soft->place, fmt::format("pair {}: contacts are hard", name));
  context.robot.pairs.push_back(pair);
}

}  // namespace

void find_paired_geoms(const XmlElement& element, MjcfContext& context) {
  for (const XmlElement* child : element.children)
    if (child->tag == "pair")
      for (const char* key : {"geom1", "geom2"})
        if (const XmlAttribute* name = child->find(key)) context.paired_geoms.insert(name->value);
}

void read_mjcf_contacts(const XmlElement& element, MjcfContext& context) {
  for (const XmlElement* child : element.children) {
    if (child->tag == "pair") read_pair(*child, context);
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
        context.file.refused(pose->place, "weld relpose: bodies are welded as they are given");
      context.robot.loops.push_back(*loop);
    } else if (child->tag == "joint" || child->tag == "tendon") {
      read_coupling(view, child->tag, context);
    } else {
      mark_read(*child);
      add_problem(context.problems(), child->place,
                  fmt::format("the equality <{}> is not read", child->tag),
                  "connect, weld, joint and tendon are");
    }
    note_softness(view, context);
  }
}

}  // namespace talus::scene::detail
