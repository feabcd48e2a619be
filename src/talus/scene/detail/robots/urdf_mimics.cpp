#include <talus/scene/detail/robots/urdf_mimics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include <talus/scene/detail/robots/xml_values.hpp>

namespace talus::scene::detail {
namespace {

struct Mimic {
  const UrdfJoint* follower = nullptr;
  const UrdfJoint* leader = nullptr;
  Real multiplier = 1, offset = 0;
  bool is_started = false;
};

std::optional<Mimic> mimic_of(const UrdfJoint& joint, const std::vector<UrdfJoint>& joints,
                              RobotFile& file) {
  Mimic one;
  one.follower = &joint;
  const XmlAttribute* name = joint.mimic->find("joint");
  if (name == nullptr) {
    file.problem(joint.mimic->place, "<mimic> needs joint");
    return std::nullopt;
  }
  read_value(joint.mimic->find("multiplier"), one.multiplier, file.problems);
  read_value(joint.mimic->find("offset"), one.offset, file.problems);
  const auto found = std::find_if(joints.begin(), joints.end(), [&](const UrdfJoint& other) {
    return other.name == name->value;
  });
  if (found == joints.end()) {
    file.problem(name->place, fmt::format("there is no joint \"{}\"", name->value));
    return std::nullopt;
  }
  one.leader = &*found;
  if (joint.type == "fixed") return std::nullopt;
  for (const UrdfJoint* end : {one.follower, one.leader}) {
    if (end->type == "fixed" || end->joint.has_one_axis()) continue;
    file.problem(end == one.leader ? name->place : joint.mimic->place,
                 fmt::format("joint \"{}\" is of the type {}", end->name, end->type),
                 "mimic is for joints with one coordinate: revolute, continuous, prismatic");
    return std::nullopt;
  }
  return one;
}

RobotCoupling coupling_of(const Mimic& one) {
  RobotCoupling coupling;
  coupling.name = one.follower->name + " follows " + one.leader->name;
  coupling.place = one.follower->mimic->place;
  coupling.terms.emplace_back(one.follower->name, 1);
  if (one.multiplier != 0 && one.leader->type != "fixed")
    coupling.terms.emplace_back(one.leader->name, -one.multiplier);
  coupling.offset = one.offset + one.multiplier * one.leader->held;
  return coupling;
}

}  // namespace

void read_mimics(const std::vector<UrdfJoint>& joints,
                 const std::function<RobotJoint*(const UrdfJoint&)>& way_of, Robot& robot,
                 RobotFile& file) {
  std::map<const UrdfJoint*, Mimic> mimics;  // by who follows
  std::vector<const UrdfJoint*> followers;
  for (const UrdfJoint& joint : joints) {
    if (joint.mimic == nullptr) continue;
    const auto one = mimic_of(joint, joints, file);
    if (!one) continue;
    robot.couplings.push_back(coupling_of(*one));
    mimics.emplace(&joint, *one);
    followers.push_back(&joint);
  }
  const auto start = [&](const Mimic& one) {
    RobotJoint *own = way_of(*one.follower), *other = way_of(*one.leader);
    if (own == nullptr) return;
    const Real first =
        one.offset + one.multiplier * (other != nullptr ? other->first() : one.leader->held);
    const bool is_within = !own->limits || (first >= own->limits->x() && first <= own->limits->y());
    if (first != 0 && is_within) own->start = first;
  };
  for (const UrdfJoint* follower : followers) {
    std::vector<const Mimic*> chain;
    for (auto at = mimics.find(follower); at != mimics.end() && !at->second.is_started;
         at = mimics.find(at->second.leader)) {
      at->second.is_started = true;
      chain.push_back(&at->second);
    }
    for (auto one = chain.rbegin(); one != chain.rend(); ++one) start(**one);
  }
}

}  // namespace talus::scene::detail
