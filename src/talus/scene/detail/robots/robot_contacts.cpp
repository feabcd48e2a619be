#include <talus/scene/detail/robots/robot_contacts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace talus::scene::detail {
namespace {

/// Of two surfaces of one body the one that matters more.
RobotSurface stronger(const RobotSurface& a, const RobotSurface& b) {
  if (a.priority != b.priority) return a.priority > b.priority ? a : b;
  RobotSurface both = a;
  both.friction = std::max(a.friction, b.friction);
  both.torsional = std::max(a.torsional, b.torsional);
  both.rolling = std::max(a.rolling, b.rolling);
  both.restitution = std::max(a.restitution, b.restitution);
  both.dimension = std::max(a.dimension, b.dimension);
  return both;
}

/// What of a surface acts: its dimension says whether it has friction, in torsion and in rolling
/// too.
RobotSurface acting(RobotSurface surface) {
  if (surface.dimension == 1) surface.friction = 0;
  if (surface.dimension < 4) surface.torsional = 0;
  if (surface.dimension < 6) surface.rolling = 0;
  surface.restitution = std::min(surface.restitution, Real(1));
  surface.dimension = surface.priority = 0;
  return surface;
}

}  // namespace

RobotContacts::RobotContacts(const Robot& robot, const std::vector<RobotBody>& bodies,
                             const std::vector<int>& body_of, bool is_whole_scene,
                             RobotReport& report)
    : robot_(robot), bodies_(bodies), is_whole_scene_(is_whole_scene) {
  read_pairs(body_of, report);
  for (const RobotBody& body : bodies) read_surface(body, report);
  note_exclusions(report);
}

void RobotContacts::read_pairs(const std::vector<int>& body_of, RobotReport& report) {
  for (const RobotContactPair& one : robot_.pairs) {
    const auto a = static_cast<std::size_t>(body_of[std::size_t(one.link_a)]),
               b = static_cast<std::size_t>(body_of[std::size_t(one.link_b)]);
    const auto known = std::find_if(pairs_.begin(), pairs_.end(),
                                    [&](const BodyPair& pair) { return pair.is_of(a, b); });
    if (known == pairs_.end()) {
      pairs_.push_back({a, b, one.law, one.place, {one.geom_a, one.geom_b}});
      continue;
    }
    if (known->law != one.law)
      report.add(RobotNoteKind::merged, one.place,
                 "pairs of the same two bodies with different friction: the larger values");
    known->law = stronger(known->law, one.law);
    known->geoms.insert({one.geom_a, one.geom_b});
  }
  for (const BodyPair& pair : pairs_)
    if (has_others(pair.a, pair) || has_others(pair.b, pair))
      report.add(RobotNoteKind::merged, pair.place,
                 "shapes without a pair, of bodies that have one: they touch under its friction");
}

/// Whether a body has shapes that no pair of geoms names.
bool RobotContacts::has_others(std::size_t body, const BodyPair& pair) const {
  return std::any_of(
      bodies_[body].geoms.begin(), bodies_[body].geoms.end(),
      [&](const RobotGeom& geom) { return geom.collides && !pair.geoms.contains(geom.name); });
}

void RobotContacts::read_surface(const RobotBody& body, RobotReport& report) {
  std::optional<RobotSurface> own;
  unsigned type = 0, affinity = 0;
  bool is_mixed = false;
  for (const RobotGeom& geom : body.geoms) {
    if (!geom.collides) continue;
    is_mixed |= own && (*own != geom.surface || type != geom.type || affinity != geom.affinity);
    own = own ? stronger(*own, geom.surface) : geom.surface;
    type |= geom.type;
    affinity |= geom.affinity;
  }
  if (is_mixed)
    report.add(RobotNoteKind::merged, body.place,
               "shapes of one body with different friction or filters: the larger values, and what "
               "any of them touches");
  std::vector<int>& links = links_.emplace_back();
  const auto collides = [](const RobotGeom& geom) { return geom.collides; };
  for (const int link : body.links) {
    const std::vector<RobotGeom>& geoms = robot_.links[std::size_t(link)].geoms;
    if (std::any_of(geoms.begin(), geoms.end(), collides))
      links.push_back(body.is_scenery ? kNoParent : link);
  }
  const std::size_t index = type_.size();
  type_.push_back(type);
  affinity_.push_back(affinity);
  surface_of_.push_back(-1);
  if (!own) return;
  // A body that is one of a pair has a surface of its own.
  const auto known = is_paired(index) ? surfaces_.end() : find_shared(*own);
  surface_of_.back() = static_cast<int>(known - surfaces_.begin());
  if (known == surfaces_.end()) {
    surfaces_.push_back(*own);
    is_shared_.push_back(!is_paired(index));
  }
}

std::vector<RobotSurface>::iterator RobotContacts::find_shared(const RobotSurface& surface) {
  for (std::size_t i = 0; i < surfaces_.size(); ++i)
    if (is_shared_[i] && surfaces_[i] == surface) return surfaces_.begin() + std::ptrdiff_t(i);
  return surfaces_.end();
}

bool RobotContacts::is_paired(std::size_t body) const {
  return std::any_of(pairs_.begin(), pairs_.end(),
                     [&](const BodyPair& pair) { return pair.a == body || pair.b == body; });
}

bool RobotContacts::has_pair(std::size_t a, std::size_t b) const {
  return std::any_of(pairs_.begin(), pairs_.end(),
                     [&](const BodyPair& pair) { return pair.is_of(a, b); });
}

bool RobotContacts::is_pair(std::size_t body, int other) const {
  return other != kNoParent && has_pair(body, static_cast<std::size_t>(other));
}

std::string RobotContacts::material(std::size_t surface) const {
  const RobotSurface& one = surfaces_[surface];
  std::string name = fmt::format("friction {}", one.dimension == 1 ? 0 : one.friction);
  std::size_t same = 0;
  for (std::size_t i = 0; i < surface; ++i) {
    const Real friction = surfaces_[i].dimension == 1 ? 0 : surfaces_[i].friction;
    if (friction == (one.dimension == 1 ? 0 : one.friction)) ++same;
  }
  return same == 0 ? name : fmt::format("{} ({})", name, same + 1);
}

RobotSurface RobotContacts::law(std::size_t i, std::size_t j) const {
  for (const BodyPair& pair : pairs_) {
    const std::pair numbers(static_cast<std::size_t>(surface_of_[pair.a]),
                            static_cast<std::size_t>(surface_of_[pair.b]));
    if (numbers == std::pair(i, j) || numbers == std::pair(j, i)) return pair.law;
  }
  const RobotSurface &a = surfaces_[i], &b = surfaces_[j];
  if (robot_.rule == SurfaceRule::largest) return stronger(a, b);
  RobotSurface both = a;
  both.friction *= b.friction;
  both.torsional *= b.torsional;
  both.rolling *= b.rolling;
  both.restitution *= b.restitution;
  both.dimension = std::max(a.dimension, b.dimension);
  return both;
}

void RobotContacts::put_law(NodeMaker& make, Node& node, const RobotSurface& surface,
                            const RobotSurface& otherwise) const {
  const auto put = [&](const char* key, Real RobotSurface::*value) {
    if (surface.*value != otherwise.*value)
      make.put(node, key, make.number(surface.*value, robot_.place));
  };
  make.put(node, "friction", make.number(surface.friction, robot_.place));
  put("restitution", &RobotSurface::restitution);
  put("torsional_friction", &RobotSurface::torsional);
  put("rolling_friction", &RobotSurface::rolling);
}

void RobotContacts::put_material(NodeMaker& make, Node& node, std::size_t body,
                                 const Name& full) const {
  const int surface = surface_of_[body];
  if ((surfaces_.size() > 1 || !is_whole_scene_) && surface >= 0)
    make.put(node, "material",
             make.text(full(material(std::size_t(surface))), bodies_[body].place));
}

void RobotContacts::write(NodeMaker& make, Node& scene, const Name& full,
                          const std::vector<std::vector<std::string>>& names) const {
  if (surfaces_.empty() || !robot_.has_contacts) return;
  const XmlPlace& place = robot_.place;
  Node& contacts = make.map(place);
  Node& lists = apart(make, names);
  // Pairs take what they do not say from the default of the scene: the own one, or one that is not
  // known here.
  constexpr Real kUnknown = -1;
  RobotSurface usual{kUnknown, kUnknown, kUnknown, kUnknown, 0, 0};
  if (is_whole_scene_) {
    usual = acting(law(0, 0));
    Node& fallback = make.map(place);
    put_law(make, fallback, usual, {0, 0, 0, 0, 0, 0});
    make.put(contacts, "default", fallback);
  }
  if (surfaces_.size() > 1 || !is_whole_scene_) {
    Node& materials = make.map(place);
    for (std::size_t i = 0; i < surfaces_.size(); ++i)
      make.put(materials, full(material(i)), make.map(place));
    make.put(scene, "materials", materials);
    Node& pairs = make.list(place);
    for (std::size_t i = 0; i < surfaces_.size(); ++i)
      for (std::size_t j = i; j < surfaces_.size(); ++j) {
        const RobotSurface own = acting(law(i, j));
        if (own == usual) continue;
        Node& pair = make.map(place);
        make.put(pair, "between", make.names({full(material(i)), full(material(j))}, place));
        put_law(make, pair, own, usual);
        pairs.children.push_back(&pair);
      }
    if (!pairs.children.empty()) make.put(contacts, "pairs", pairs);
  }
  if (!lists.children.empty()) make.put(contacts, "apart", lists);
  if (!contacts.children.empty()) make.put(scene, "contacts", contacts);
}

bool RobotContacts::touches(std::size_t a, std::size_t b) const {
  return has_pair(a, b) || (type_[a] & affinity_[b]) != 0 || (type_[b] & affinity_[a]) != 0;
}

/// Whether the file keeps two bodies apart for another reason than its bits.
bool RobotContacts::is_apart(std::size_t a, std::size_t b) const {
  if (has_pair(a, b)) return false;
  const auto is_parent = [&](std::size_t parent, std::size_t child) {
    return !robot_.parents_touch && bodies_[child].parent == static_cast<int>(parent) &&
           (!bodies_[parent].is_fixed || !robot_.parents_touch_fixed);
  };
  if (is_parent(a, b) || is_parent(b, a)) return true;
  return is_excluded(a, b);
}

bool RobotContacts::is_excluded(std::size_t a, std::size_t b) const {
  const auto is_out = [&](int one, int other) {
    return std::any_of(robot_.excluded.begin(), robot_.excluded.end(), [&](const auto& pair) {
      return (pair.link_a == one && pair.link_b == other) ||
             (pair.link_a == other && pair.link_b == one);
    });
  };
  return std::all_of(links_[a].begin(), links_[a].end(), [&](int one) {
    return std::all_of(links_[b].begin(), links_[b].end(),
                       [&](int other) { return is_out(one, other); });
  });
}

void RobotContacts::note_exclusions(RobotReport& report) const {
  const auto bodies_with = [&](int link) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (std::find(links_[i].begin(), links_[i].end(), link) != links_[i].end())
        found.push_back(i);
    return found;
  };
  for (const RobotExclusion& one : robot_.excluded) {
    const std::vector<std::size_t> others = bodies_with(one.link_b);
    const auto touch = [&](std::size_t a) {
      return std::any_of(others.begin(), others.end(),
                         [&](std::size_t b) { return a != b && !is_excluded(a, b); });
    };
    const std::vector<std::size_t> own = bodies_with(one.link_a);
    if (std::any_of(own.begin(), own.end(), touch))
      report.add(RobotNoteKind::refused, one.place,
                 "exclude of a part of what is one body: all of its shapes touch");
  }
}

Node& RobotContacts::apart(NodeMaker& make,
                           const std::vector<std::vector<std::string>>& names) const {
  const XmlPlace& place = robot_.place;
  Node& lists = make.list(place);
  const auto add = [&](const std::vector<std::size_t>& bodies) {
    std::vector<std::string> list;
    bool moves = false;
    for (const std::size_t body : bodies) {
      list.insert(list.end(), names[body].begin(), names[body].end());
      moves |= !bodies_[body].is_fixed;
    }
    if (moves && list.size() > 1) lists.children.push_back(&make.names(list, place));
  };
  std::vector<std::size_t> touching;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (surface_of_[i] >= 0 && !names[i].empty()) touching.push_back(i);
  // Bodies of one kind that do not touch each other are one list.
  std::set<std::pair<std::size_t, std::size_t>> done;
  std::vector<bool> is_listed(bodies_.size(), false);
  for (const std::size_t i : touching) {
    const auto never = [&](std::size_t a, std::size_t b) {
      const bool is_floor = bodies_[a].is_scenery || bodies_[b].is_scenery;
      return !touches(a, b) || (!robot_.touches_itself && !is_floor);
    };
    if (is_listed[i] || !never(i, i)) continue;
    std::vector<std::size_t> list = {i};
    for (const std::size_t j : touching)
      if (j != i && never(j, j) &&
          std::all_of(list.begin(), list.end(), [&](std::size_t k) { return never(j, k); }))
        list.push_back(j);
    for (const std::size_t j : list) {
      is_listed[j] = true;
      for (const std::size_t k : list) done.emplace(j, k);
    }
    add(list);
  }
  for (std::size_t n = 0; n < touching.size(); ++n)
    for (std::size_t m = n + 1; m < touching.size(); ++m) {
      const std::size_t a = touching[n], b = touching[m];
      if (bodies_[a].is_fixed && bodies_[b].is_fixed) continue;
      if (done.contains({a, b})) continue;
      const bool is_joined = bodies_[b].parent == static_cast<int>(a) &&
                             bodies_[b].joints.size() == 1 && !bodies_[a].is_fixed;
      const bool is_kept = is_joined && is_apart(a, b);  // by the joint between them
      if ((!touches(a, b) || is_apart(a, b)) && !is_kept) add({a, b});
    }
  return lists;
}

}  // namespace talus::scene::detail
