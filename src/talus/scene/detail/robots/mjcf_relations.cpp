#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

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
  context.missing(*name, "body");
  return std::nullopt;
}

bool is_active(const MjcfView& view) { return view.word("active", "true") != "false"; }

void note_softness(const MjcfView& view, MjcfContext& context) {
  for (const char* name : {"solref", "solimp"})
    if (const XmlAttribute* soft = view.find(name))
      context.file.ignored(soft->place,
                           fmt::format("{} {}: equalities are exact", view.element().tag, name));
}

/// Frames of two bodies that an equality brings together: their points, or the frames themselves.
struct Connection {
  int link_a = kNoParent, link_b = kNoParent;
  Pose X_AF, X_BF;
};

/// Those of two sites; null where they are not named.
std::optional<Connection> between_sites(const MjcfView& view, MjcfContext& context) {
  Connection one;
  for (const auto& [key, link, X] :
       {std::tuple("site1", &one.link_a, &one.X_AF), {"site2", &one.link_b, &one.X_BF}}) {
    const XmlAttribute* name = view.find(key);
    if (name == nullptr) return std::nullopt;
    const auto site = context.sites.find(name->value);
    if (site == context.sites.end()) {
      context.missing(*name, "site");
      return std::nullopt;
    }
    *link = site->second.link;
    *X = site->second.X_LF;
  }
  return one;
}

/// Those of two bodies as the file gives them: in the anchor, which a connection has in the first
/// body and a weld in the second; or with the pose of the second in the first that a weld says.
std::optional<Connection> between_bodies(const MjcfView& view, bool is_weld, MjcfContext& context) {
  Connection one;
  const auto a = link_named(view.find("body1"), context);
  const auto b = link_named(view.find("body2"), context);
  if (!a || !b) return std::nullopt;
  one.link_a = *a;
  one.link_b = *b;
  const auto given = [&](int link) {
    return link == kNoParent ? Pose{} : context.given[std::size_t(link)];
  };
  Vec3 anchor = Vec3::Zero();
  read_value(view.find("anchor"), anchor, context.problems());
  Pose X_AB = given(*a).inverse() * given(*b);
  if (const auto x = numbers_of(view.find("relpose"), 7, 7, context.problems())) {
    const Quat turned((*x)[3], (*x)[4], (*x)[5], (*x)[6]);  // 0: as the bodies are given
    if (turned.norm() > 1e-12) X_AB = {Vec3(x->data()), turned.normalized()};
  }
  const Pose at{anchor, Quat::Identity()};
  one.X_AF = is_weld ? X_AB * at : at;
  one.X_BF = is_weld ? at : X_AB.inverse() * at;
  return one;
}

/// Moves a free body so that the frames are together, where they are not.
void bring_together(const Connection& one, bool is_weld, const XmlPlace& place,
                    MjcfContext& context) {
  const auto frame = [&](int link, const Pose& X_LF) {
    return link == kNoParent ? X_LF : context.robot.links[std::size_t(link)].X_WL * X_LF;
  };
  const Pose A = frame(one.link_a, one.X_AF), B = frame(one.link_b, one.X_BF);
  const Real way = (A.p - B.p).norm(), turn = is_weld ? A.q.angularDistance(B.q) : Real(0);
  constexpr Real kFits = 1e-6, kNearly = 1e-3;  // [m, rad]
  if (way <= kFits && turn <= kFits) return;
  const auto apart = fmt::format("{:g} m{} apart as the bodies are given", way,
                                 is_weld ? fmt::format(" and {:g} rad", turn) : "");
  const auto is_free = [&](int link) {
    if (link == kNoParent) return false;
    const std::vector<RobotJoint>& joints = context.robot.links[std::size_t(link)].joints;
    return !joints.empty() && joints.front().kind == RobotJoint::Kind::free;
  };
  if (is_free(one.link_a) || is_free(one.link_b)) {
    const bool moves_b = is_free(one.link_b);
    const int link = moves_b ? one.link_b : one.link_a;
    const Pose &from = moves_b ? B : A, &to = moves_b ? A : B;
    Pose moved{to.p - from.p, Quat::Identity()};
    if (is_weld) moved = to * from.inverse();
    move_subtree(context.robot, link, moved * context.robot.links[std::size_t(link)].X_WL);
    return context.file.report.add(RobotNoteKind::added, place,
                                   fmt::format("an equality holds \"{}\": it starts there",
                                               context.robot.links[std::size_t(link)].name));
  }
  if (is_weld && way <= kNearly && turn <= kNearly)
    return context.file.ignored(place, "weld relpose, which is nearly so: " + apart);
  add_problem(context.problems(), place, "what is to be together is " + apart,
              "an equality is exact: put them together");
}

std::optional<RobotLoop> connection(const MjcfView& view, MjcfContext& context) {
  const bool is_weld = view.element().tag == "weld";
  const bool has_sites = view.find("site1") != nullptr && view.find("site2") != nullptr;
  const auto one =
      has_sites ? between_sites(view, context) : between_bodies(view, is_weld, context);
  if (!one) return std::nullopt;
  if (!is_weld && !has_sites && view.find("anchor") == nullptr)
    add_problem(context.problems(), view.place(),
                "<connect> needs body1 and anchor, or site1 and site2");
  Real torque = 1;  // that a weld holds a turn by: without one it holds a point
  const XmlAttribute* scale = is_weld ? view.find("torquescale") : nullptr;
  if (read_value(scale, torque, context.problems()) && torque != 0)
    context.file.ignored(scale->place, "weld torquescale: equalities are exact");
  const bool holds_turn = is_weld && torque != 0;
  bring_together(*one, holds_turn, view.place(), context);
  RobotLoop loop;
  loop.place = view.place();
  loop.kind = holds_turn ? RobotLoop::Kind::weld : RobotLoop::Kind::ball;
  loop.link_a = one->link_a;
  loop.link_b = one->link_b;
  loop.point = context.in_world(one->link_a, one->X_AF.p);
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
    if (joint == nullptr) return context.missing(*name, kind);
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
  pair.place = element.place;
  for (const auto& [key, link, geom] :
       {std::tuple("geom1", &pair.link_a, &pair.geom_a), {"geom2", &pair.link_b, &pair.geom_b}}) {
    const XmlAttribute* name = view.find(key);
    if (name == nullptr)
      return add_problem(context.problems(), element.place, "<pair> needs geom1 and geom2");
    const auto found = context.link_of_geom.find(name->value);
    if (found == context.link_of_geom.end()) return context.missing(*name, "geom");
    *link = found->second;
    *geom = name->value;
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
    const auto link_a = link_named(a, context), link_b = link_named(b, context);
    if (link_a && link_b) context.robot.excluded.push_back({*link_a, *link_b, child->place});
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
      if (const auto loop = connection(view, context)) context.robot.loops.push_back(*loop);
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
