#include <talus/scene/detail/robots/robot_couplings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/scene/detail/robots/robot_laws.hpp>
#include <talus/scene/detail/robots/robot_shapes.hpp>

namespace talus::scene::detail {
namespace {

constexpr Real kOpenCoupling = 1e-9;   // of how far a coupling is open [m, rad]
constexpr Real kDrumRadius = 0.001;    // for the eye [m]
constexpr std::size_t kMostTerms = 3;  // of a coupling, beside a drum

class CouplingWriter {
 public:
  CouplingWriter(const Robot& robot, const CouplingPlace& place, const CouplingTarget& target)
      : robot_(robot), place_(place), target_(target), make_(target.make) {}

  /// Of more terms than a coupling has, the first ones are wound up by a drum of their own.
  void write_tendon(const RobotTendon& tendon) {
    Terms terms = tendon.terms;
    std::erase_if(terms, [&](const auto& term) { return !coordinates().contains(term.first); });
    for (std::size_t i = 0; i < tendon.lines.size(); ++i) write_line(tendon, i, terms);
    if (terms.empty())
      return target_.report.add(
          RobotNoteKind::ignored, tendon.drum.place,
          fmt::format("\"{}\": nothing that it runs along moves", tendon.drum.name));
    for (int part = 1; terms.size() > kMostTerms; ++part) {
      RobotJoint drum;
      drum.kind = tendon.drum.kind;
      drum.place = tendon.drum.place;
      drum.name = fmt::format("{}, part {}", tendon.drum.name, part);
      const auto end = terms.begin() + kMostTerms;
      write_drum(drum, Terms(terms.begin(), end));
      terms.erase(terms.begin(), end);
      terms.insert(terms.begin(), {drum.name, 1});
    }
    write_drum(tendon.drum, terms);
  }

  void write_coupling(const RobotCoupling& coupling) {
    Real offset = coupling.offset, open = -coupling.offset;
    for (const auto& [joint, factor] : coupling.terms) {
      const auto found = coordinates().find(joint);
      if (found == coordinates().end())
        return add_problem(
            target_.problems, coupling.place,
            fmt::format("there is no joint \"{}\" that moves along one axis", joint));
      offset -= factor * found->second.reference;
      open += factor * (found->second.reference + found->second.start);
    }
    if (std::abs(open) > kOpenCoupling)
      target_.report.add(RobotNoteKind::added, coupling.place,
                         fmt::format("\"{}\" is open by {:g} where the file starts its joints: "
                                     "they start where it holds",
                                     coupling.name, open));
    write_sum(coupling.name, coupling.terms, offset, coupling.place);
  }

 private:
  using Terms = std::vector<std::pair<std::string, Real>>;
  [[nodiscard]] SceneCoordinates& coordinates() const { return target_.coordinates; }

  /// A straight part of a tendon: a joint that holds nothing. Between what is one body it keeps its
  /// length, and is no term.
  void write_line(const RobotTendon& tendon, std::size_t i, Terms& terms) {
    const RobotLine& line = tendon.lines[i];
    const XmlPlace& place = tendon.drum.place;
    std::string a = place_.end_of(line.link_a), b = place_.end_of(line.link_b);
    if (a == b) return;
    Vec3 from = place_.X_WR * line.from, to = place_.X_WR * line.to;
    if (b == "world") {
      std::swap(a, b);
      std::swap(from, to);
    }
    const std::string own = fmt::format("{}, line {}", tendon.drum.name, i + 1);
    const std::string name = place_.joint(own);
    Node& node = make_.map(place);
    make_.put(node, "name", make_.text(name, place));
    make_.put(node, "between", a == "world" ? make_.text(b, place) : make_.names({a, b}, place));
    Node& kind = make_.map(place);
    make_.put(kind, "from", make_.vector(from, place));
    make_.put(kind, "to", make_.vector(to, place));
    make_.put(node, "line", kind);
    if (robot_.touches_itself) make_.put(node, "collides", make_.text("true", place));
    target_.joints.children.push_back(&node);
    const Real mass = std::min(place_.mass_at(line.link_a), place_.mass_at(line.link_b));
    const Real length = (to - from).norm();
    coordinates()[own] = {name, "slide", false, 0, length, mass, std::nullopt, length};
    terms.emplace_back(own, line.factor);
  }

  /// What winds a sum of coordinates up: a light body on an axis of the world, held to the sum.
  void write_drum(const RobotJoint& drum, const Terms& terms) {
    const XmlPlace& place = drum.place;
    Real inertia = std::numeric_limits<Real>::max(), start = 0, given = 0;
    for (const auto& [joint, factor] : terms) {
      const SceneCoordinate& one = coordinates().at(joint);
      inertia = std::min(inertia, kShareOfAdded * one.inertia / (factor * factor));
      start += factor * (one.start - one.given);
      given += factor * one.given;
    }
    const std::string own = add_body(drum, inertia);
    const std::string name = place_.joint(drum.name);
    const char* coordinate = drum.is_slide() ? "slide" : "turn";
    Node& joint = make_.map(place);
    make_.put(joint, "name", make_.text(name, place));
    make_.put(joint, "between", make_.text(own, place));
    Node& kind = make_.map(place);
    make_.put(kind, "at", make_.vector(Vec3::Zero(), place));
    make_.put(kind, "axis", make_.vector(Vec3::UnitZ(), place));
    make_.put(joint, drum.is_slide() ? "prismatic" : "revolute", kind);
    Node& law = law_of(drum, make_);
    if (!law.children.empty()) make_.put(joint, coordinate, law);
    target_.joints.children.push_back(&joint);
    // Without limits that leave 0 out, it starts where its joints have it.
    if (drum.limits &&
        !(drum.limits->x() <= drum.reference && drum.reference <= drum.limits->y())) {
      const Real asked = start + drum.reference;
      const Real first = std::clamp(asked, drum.limits->x(), drum.limits->y());
      make_.put(target_.starts, name, make_.number(first - drum.reference, place));
      if (first != asked)
        target_.report.add(RobotNoteKind::added, place,
                           fmt::format("\"{}\" starts at its limit {:g}: {:g} is beyond it",
                                       drum.name, first, asked));
    }
    coordinates()[drum.name] = {
        name, coordinate, false, drum.reference, start, inertia / kShareOfAdded, drum.effort, 0};
    Terms all = {{drum.name, -1}};  // which follows the others
    all.insert(all.end(), terms.begin(), terms.end());
    write_sum(drum.name + " is wound up", all, given, place);
  }

  std::string add_body(const RobotJoint& drum, Real inertia) {
    const XmlPlace& place = drum.place;
    Node& body = make_.map(place);
    std::string own = place_.body(drum.name + " (added)");
    make_.put(body, "name", make_.text(own, place));
    put_ball(body, kDrumRadius, make_, place);
    make_.put(body, "mass", make_.number(inertia, place));
    make_.put(body, "inertia", make_.number(inertia, place));
    make_.put(body, "collides", make_.text("false", place));
    target_.bodies.children.push_back(&body);
    target_.report.add(RobotNoteKind::added, place,
                       fmt::format("body \"{}\", a drum with {:g} of the inertia that it moves",
                                   own, kShareOfAdded));
    return own;
  }

  /// Σ factor · coordinate = offset.
  void write_sum(const std::string& name, const Terms& sum, Real offset, const XmlPlace& place) {
    Node& terms = make_.list(place);
    for (const auto& [joint, factor] : sum) {
      const SceneCoordinate& one = coordinates().at(joint);
      Node& term = make_.map(place);
      make_.put(term, "joint", make_.text(one.joint, place));
      if (one.is_one_of_several) make_.put(term, "coordinate", make_.text(one.name, place));
      if (factor != 1) make_.put(term, "factor", make_.number(factor, place));
      terms.children.push_back(&term);
    }
    Node& node = make_.map(place);
    make_.put(node, "name", make_.text(place_.coupling(name), place));
    make_.put(node, "terms", terms);
    make_.put(node, "offset", make_.number(offset, place));
    target_.couplings.children.push_back(&node);
  }

  const Robot& robot_;
  const CouplingPlace& place_;
  const CouplingTarget& target_;
  NodeMaker& make_;
};

}  // namespace

void put_couplings(const Robot& robot, const CouplingPlace& place, const CouplingTarget& target) {
  CouplingWriter writer(robot, place, target);
  for (const RobotTendon& tendon : robot.tendons) writer.write_tendon(tendon);
  for (const RobotCoupling& coupling : robot.couplings) writer.write_coupling(coupling);
}

}  // namespace talus::scene::detail
