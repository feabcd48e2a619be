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

}  // namespace

RobotContacts::RobotContacts(const Robot& robot, const std::vector<RobotBody>& bodies,
                             bool is_whole_scene)
    : robot_(robot), bodies_(bodies), is_whole_scene_(is_whole_scene) {
  for (const RobotBody& body : bodies) {
    std::optional<RobotSurface> own;
    unsigned type = 0, affinity = 0;
    for (const RobotGeom& geom : body.geoms) {
      if (!geom.collides) continue;
      own = own ? stronger(*own, geom.surface) : geom.surface;
      type |= geom.type;
      affinity |= geom.affinity;
    }
    type_.push_back(type);
    affinity_.push_back(affinity);
    surface_of_.push_back(-1);
    if (!own) continue;
    const auto known = std::find(surfaces_.begin(), surfaces_.end(), *own);
    surface_of_.back() = static_cast<int>(known - surfaces_.begin());
    if (known == surfaces_.end()) surfaces_.push_back(*own);
  }
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

RobotSurface RobotContacts::law(const RobotSurface& a, const RobotSurface& b) const {
  if (robot_.rule == SurfaceRule::largest) return stronger(a, b);
  RobotSurface both = a;
  both.friction *= b.friction;
  both.torsional *= b.torsional;
  both.rolling *= b.rolling;
  both.restitution *= b.restitution;
  both.dimension = std::max(a.dimension, b.dimension);
  return both;
}

void RobotContacts::put_law(NodeMaker& make, Node& node, const RobotSurface& surface) const {
  const XmlPlace& place = robot_.place;
  make.put(node, "friction", make.number(surface.dimension == 1 ? 0 : surface.friction, place));
  if (surface.restitution > 0)
    make.put(node, "restitution", make.number(std::min(surface.restitution, Real(1)), place));
  if (surface.dimension >= 4 && surface.torsional > 0)
    make.put(node, "torsional_friction", make.number(surface.torsional, place));
  if (surface.dimension >= 6 && surface.rolling > 0)
    make.put(node, "rolling_friction", make.number(surface.rolling, place));
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
  if (is_whole_scene_) {
    Node& fallback = make.map(place);
    put_law(make, fallback, law(surfaces_.front(), surfaces_.front()));
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
        Node& pair = make.map(place);
        make.put(pair, "between", make.names({full(material(i)), full(material(j))}, place));
        put_law(make, pair, law(surfaces_[i], surfaces_[j]));
        pairs.children.push_back(&pair);
      }
    make.put(contacts, "pairs", pairs);
  }
  if (!lists.children.empty()) make.put(contacts, "apart", lists);
  if (!contacts.children.empty()) make.put(scene, "contacts", contacts);
}

bool RobotContacts::touches(std::size_t a, std::size_t b) const {
  return (type_[a] & affinity_[b]) != 0 || (type_[b] & affinity_[a]) != 0;
}

/// Whether the file keeps two bodies apart for another reason than its bits.
bool RobotContacts::is_apart(std::size_t a, std::size_t b) const {
  const auto is_parent = [&](std::size_t parent, std::size_t child) {
    return !robot_.parents_touch && bodies_[child].parent == static_cast<int>(parent) &&
           (!bodies_[parent].is_fixed || !robot_.parents_touch_fixed);
  };
  if (is_parent(a, b) || is_parent(b, a)) return true;
  const auto has = [&](std::size_t body, const std::string& link) {
    return std::any_of(bodies_[body].links.begin(), bodies_[body].links.end(),
                       [&](int i) { return robot_.links[std::size_t(i)].name == link; });
  };
  return std::any_of(robot_.excluded.begin(), robot_.excluded.end(), [&](const auto& pair) {
    return (has(a, pair.first) && has(b, pair.second)) ||
           (has(a, pair.second) && has(b, pair.first));
  });
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
