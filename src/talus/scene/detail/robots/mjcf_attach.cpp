#include <fmt/format.h>

#include <algorithm>

#include <talus/base/error.hpp>
#include <talus/scene/detail/robots/mjcf.hpp>

// <attach> of MJCF: a part of another model, which has been read on its own, is put into this one
// with a prefix before all of its names.

namespace talus::scene::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestModel = std::size_t{64} << 20U;
constexpr int kMostAttached = 8;
constexpr std::string_view kTendon = "tendon ";

class Graft {
 public:
  Graft(MjcfContext& from, MjcfContext& to, std::string prefix, std::string suffix)
      : from_(from), to_(to), prefix_(std::move(prefix)), suffix_(std::move(suffix)) {}

  /// Puts a link and all below it into a frame of a link, kNoParent: of the world.
  /// @param root kNoParent: all
  void put(int root, int link, const Pose& X_LF, const XmlPlace& place) {
    const std::vector<RobotLink>& links = from_.robot.links;
    const Pose X_WF = link == kNoParent ? X_LF : to_.robot.links[std::size_t(link)].X_WL * X_LF;
    const int above = root == kNoParent ? kNoParent : links[std::size_t(root)].parent;
    X_ = above == kNoParent ? X_WF : X_WF * links[std::size_t(above)].X_WL.inverse();
    number_.assign(links.size(), kNoParent);
    for (std::size_t i = 0; i < links.size(); ++i) {
      const int parent = links[i].parent;
      const bool is_below = parent != kNoParent && number_[std::size_t(parent)] != kNoParent;
      const bool is_root = root == kNoParent ? parent == kNoParent : static_cast<int>(i) == root;
      if (is_root || is_below) put_link(i, is_below ? number_[std::size_t(parent)] : link, place);
    }
    put_names();
    put_relations();
  }

 private:
  [[nodiscard]] std::string named(const std::string& name) const {
    return prefix_ + name + suffix_;
  }
  /// The same of a joint, or of the drum of a tendon.
  [[nodiscard]] std::string coordinate(const std::string& name) const {
    const bool is_drum = from_.joint_of_name.count(name) == 0 && name.starts_with(kTendon);
    return is_drum ? std::string(kTendon) + named(name.substr(kTendon.size())) : named(name);
  }
  [[nodiscard]] bool has(int link) const {
    return link == kNoParent || number_[std::size_t(link)] != kNoParent;
  }
  /// Whether two ends are there, one of them at least on a link.
  [[nodiscard]] bool has(int a, int b) const {
    return has(a) && has(b) && (a != kNoParent || b != kNoParent);
  }
  [[nodiscard]] int moved(int link) const {
    return link == kNoParent ? kNoParent : number_[std::size_t(link)];
  }
  [[nodiscard]] bool has_joints(const std::vector<std::pair<std::string, Real>>& terms) const {
    return std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
      const auto joint = from_.joint_of_name.find(term.first);
      if (joint != from_.joint_of_name.end()) return has(joint->second.first);
      for (const RobotTendon& tendon : from_.robot.tendons)
        if (tendon.drum.name == term.first)
          return has_joints(tendon.terms) && has_lines(tendon.lines);
      return false;
    });
  }

  [[nodiscard]] bool has_lines(const std::vector<RobotLine>& lines) const {
    return std::all_of(lines.begin(), lines.end(),
                       [&](const RobotLine& line) { return has(line.link_a) && has(line.link_b); });
  }

  void put_link(std::size_t index, int parent, const XmlPlace& place) {
    RobotLink link = from_.robot.links[index];
    number_[index] = static_cast<int>(to_.robot.links.size());
    link.name = named(link.name);
    link.parent = parent;
    link.X_WL = X_ * link.X_WL;
    if (parent != kNoParent && !link.joints.empty() &&
        link.joints.front().kind == RobotJoint::Kind::free)
      return add_problem(to_.problems(), place, "only bodies of the world can be free");
    for (std::size_t n = 0; n < link.joints.size(); ++n) {
      RobotJoint& joint = link.joints[n];
      joint.name = named(joint.name);
      to_.joints.emplace_back(number_[index], n);
      if (!to_.joint_of_name.emplace(joint.name, std::pair(number_[index], n)).second)
        add_problem(to_.problems(), place,
                    fmt::format("there is already a joint \"{}\"", joint.name), "give a prefix");
    }
    for (RobotGeom& geom : link.geoms) {
      if (!geom.name.empty()) geom.name = named(geom.name);
      if (geom.file.empty()) continue;
      std::error_code error;
      const fs::path folder = to_.file.folder().empty() ? fs::path(".") : to_.file.folder();
      const fs::path path = from_.file.folder() / geom.file;
      const fs::path relative = fs::relative(path, folder, error);
      geom.file = (error || relative.empty() ? path : relative).generic_string();
    }
    to_.robot.links.push_back(std::move(link));
  }

  void put_names() {
    for (const auto& [name, link] : from_.link_of_body)
      if (link != kNoParent && has(link)) to_.link_of_body.emplace(named(name), moved(link));
    for (const auto& [name, link] : from_.link_of_geom)
      if (link != kNoParent && has(link)) to_.link_of_geom[named(name)] = moved(link);
    for (const std::string& name : from_.actuators) to_.actuators.insert(named(name));
    for (const auto& [name, site] : from_.sites) {
      if (!has(site.link)) continue;
      MjcfSite& own = to_.sites[named(name)] = site;
      own.link = moved(site.link);
      if (site.link == kNoParent) own.X_LF = X_ * site.X_LF;
    }
  }

  void put_relations() {
    Robot& robot = to_.robot;
    for (RobotTendon tendon : from_.robot.tendons) {
      if (!has_joints(tendon.terms) || !has_lines(tendon.lines)) continue;
      const std::string name = coordinate(tendon.drum.name);
      to_.tendon_of_name[name.substr(kTendon.size())] = robot.tendons.size();
      tendon.drum.name = name;
      for (auto& [joint, factor] : tendon.terms) joint = named(joint);
      for (RobotLine& line : tendon.lines) {
        line.link_a = moved(line.link_a);
        line.link_b = moved(line.link_b);
        line.from = X_ * line.from;
        line.to = X_ * line.to;
      }
      robot.tendons.push_back(std::move(tendon));
    }
    for (RobotCoupling coupling : from_.robot.couplings) {
      if (!has_joints(coupling.terms)) continue;
      coupling.name = named(coupling.name);
      for (auto& [joint, factor] : coupling.terms) joint = coordinate(joint);
      robot.couplings.push_back(std::move(coupling));
    }
    for (RobotLoop loop : from_.robot.loops) {
      if (!has(loop.link_a, loop.link_b)) continue;
      loop.name = named(loop.name);
      loop.link_a = moved(loop.link_a);
      loop.link_b = moved(loop.link_b);
      loop.point = X_ * loop.point;
      loop.end = X_ * loop.end;
      loop.axis = X_.q * loop.axis;
      robot.loops.push_back(std::move(loop));
    }
    for (RobotSpring spring : from_.robot.springs) {
      if (!has(spring.link_a, spring.link_b)) continue;
      spring.name = named(spring.name);
      spring.link_a = moved(spring.link_a);
      spring.link_b = moved(spring.link_b);
      spring.from = X_ * spring.from;
      spring.to = X_ * spring.to;
      robot.springs.push_back(std::move(spring));
    }
    for (RobotThrust thrust : from_.robot.thrusts) {
      if (!has(thrust.link)) continue;
      thrust.name = named(thrust.name);
      thrust.link = moved(thrust.link);
      robot.thrusts.push_back(std::move(thrust));
    }
    for (RobotSensor sensor : from_.robot.sensors) {
      if (!has(sensor.link)) continue;
      sensor.name = named(sensor.name);
      if (sensor.link == kNoParent) sensor.X_LF = X_ * sensor.X_LF;
      sensor.link = moved(sensor.link);
      robot.sensors.push_back(std::move(sensor));
    }
    for (RobotContactPair pair : from_.robot.pairs) {
      if (!has(pair.link_a) || !has(pair.link_b)) continue;
      pair.link_a = moved(pair.link_a);
      pair.link_b = moved(pair.link_b);
      pair.geom_a = named(pair.geom_a);
      pair.geom_b = named(pair.geom_b);
      robot.pairs.push_back(pair);
    }
    for (const RobotExclusion& one : from_.robot.excluded)
      if (has(one.link_a) && has(one.link_b))
        robot.excluded.push_back({moved(one.link_a), moved(one.link_b), one.place});
  }

  MjcfContext& from_;
  MjcfContext& to_;
  std::string prefix_, suffix_;
  Pose X_;                   // the other model's world in this one's
  std::vector<int> number_;  // of every link of the other model, in this one
};

/// Of names those between a prefix and a suffix, without these.
std::set<std::string> names_within(const std::set<std::string>& names, const std::string& prefix,
                                   const std::string& suffix) {
  std::set<std::string> inner;
  const std::size_t around = prefix.size() + suffix.size();
  for (const std::string& name : names)
    if (name.size() > around && name.starts_with(prefix) && name.ends_with(suffix))
      inner.insert(name.substr(prefix.size(), name.size() - around));
  return inner;
}

}  // namespace

void attach_mjcf_model(const XmlElement& element, int link, const Pose& X_LF,
                       const std::string& suffix, MjcfContext& context) {
  mark_read(element);
  RobotFile& file = context.file;
  const XmlAttribute* name = element.find("model");
  if (name == nullptr) return file.problem(element.place, "<attach> needs model");
  const auto model = context.models.find(name->value);
  if (model == context.models.end())
    return file.problem(name->place, fmt::format("there is no model \"{}\"", name->value));
  if (file.depth >= kMostAttached)
    return file.problem(element.place,
                        fmt::format("models are attached more than {} deep", kMostAttached));
  Document& document = file.documents.emplace_back();
  document.path = file.folder() / model->second.file;
  try {
    document.text = read_text(document.path, kLargestModel);
  } catch (const InputError& error) {
    const Diagnostic& mistake = error.diagnostics().front();
    return file.problem(
        model->second.place,
        fmt::format("\"{}\": {}", model->second.file.substr(0, 200), mistake.message),
        mistake.hint);
  }
  const XmlElement* root = parse_xml(document, file.elements, file.problems);
  if (root == nullptr) return;
  if (root->tag != "mujoco")
    return file.problem(root->place, "a model that is attached begins with <mujoco>");
  const XmlAttribute* given = element.find("prefix");
  const std::string prefix = given != nullptr ? given->value : "";
  const std::string& keyframe = file.options.keyframe;  // of the other model behind its prefix
  const RobotOptions options{file.options.packages,
                             keyframe.starts_with(prefix) ? keyframe.substr(prefix.size()) : "",
                             std::nullopt,
                             {}};
  RobotFile other{document, file.documents, file.elements, options, file.report, file.problems,
                  {},       file.depth + 1};
  MjcfContext part =
      read_mjcf_model(*root, other, names_within(context.paired_geoms, prefix, suffix));
  if (!file.problems.empty()) return;
  int body = kNoParent;
  if (const XmlAttribute* wanted = element.find("body")) {
    const auto found = part.link_of_body.find(wanted->value);
    if (found == part.link_of_body.end())
      return file.problem(wanted->place,
                          fmt::format("there is no body \"{}\" in the model", wanted->value));
    body = found->second;
  }
  context.starts_at_keyframe = context.starts_at_keyframe || part.starts_at_keyframe;
  Graft(part, context, prefix, suffix).put(body, link, X_LF, element.place);
}

}  // namespace talus::scene::detail
