#include <talus/scene/detail/robots/robot_commands.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <talus/base/text.hpp>
#include <talus/scene/detail/joint_coordinates.hpp>

namespace talus::scene::detail {
namespace {

/// The key of a coordinate in joints and in their positions.
const CoordinateName& coordinate_key(std::string_view name) {
  const auto names = coordinate_names();
  return *std::find_if(names.begin(), names.end(),
                       [&](const CoordinateName& one) { return one.name == name; });
}

/// A motor with what it leaves to the one that the file has.
MotorSpec with_defaults(MotorSpec motor, const std::optional<MotorSpec>& of_file,
                        const std::optional<Vec2>& effort) {
  const bool has_limits = motor.has("max_effort") || motor.has("effort_limits");
  if (!of_file) {
    if (!has_limits) motor.effort_limits = effort;
    return motor;
  }
  if (!has_limits) {
    motor.max_effort = of_file->max_effort;
    motor.effort_limits = of_file->effort_limits;
  }
  if (!motor.has("gear")) motor.gear = of_file->gear;
  if (motor.position && !motor.has("stiffness")) motor.stiffness = of_file->stiffness;
  const bool is_same = motor.position || (motor.velocity && of_file->velocity);
  if (is_same && !motor.has("damping")) motor.damping = of_file->damping;
  return motor;
}

class JointCommands {
 public:
  JointCommands(const RobotSpec& robot, const SceneCoordinates& coordinates, FragmentSpec& fragment,
                Problems& problems)
      : robot_(robot), coordinates_(coordinates), fragment_(fragment), problems_(problems) {}

  void start(const Entry<JointPositionSpec>& entry) {
    const SceneCoordinate* one = find(entry.name, entry.place);
    if (one == nullptr || !entry.value.is_sound) return;
    Entry<JointPositionSpec> start = entry;
    start.name = one->joint;
    started_.insert(one->joint);
    const auto member = coordinate_key(one->name).position;
    if (!one->is_one_of_several) {
      std::erase_if(fragment_.joint_positions,
                    [&](const auto& other) { return other.name == one->joint; });
    } else {
      for (auto& other : fragment_.joint_positions)
        if (other.name == one->joint) (other.value.*member).reset();
      // The file's joint turns or slides along one coordinate, whatever the scene calls it.
      start.value.coordinate = one->name;
      const bool slides = one->name.starts_with("slide");
      auto& own = slides ? start.value.slide : start.value.turn;
      if (const auto value = std::exchange(own, std::nullopt)) start.value.*member = value;
    }
    fragment_.joint_positions.push_back(std::move(start));
  }

  /// Takes back where the file starts joints that are coupled to what the scene starts: the
  /// couplings say where they are.
  void release_followers() {
    std::set<std::string> known = started_;
    for (bool has_new = true; std::exchange(has_new, false);)
      for (const CouplingSpec& coupling : fragment_.couplings) {
        if (coupling.terms.size() != 2) continue;
        const CouplingTermSpec &a = coupling.terms[0], &b = coupling.terms[1];
        const bool has_a = known.contains(a.joint);
        const CouplingTermSpec& follower = has_a ? b : a;
        if (has_a == known.contains(b.joint) || follower.coordinate) continue;
        std::erase_if(fragment_.joint_positions,
                      [&](const auto& start) { return start.name == follower.joint; });
        known.insert(follower.joint);
        has_new = true;
      }
  }

  void control(const Entry<ControllerSpec>& entry) {
    const SceneCoordinate* one = find(entry.name, entry.place);
    const ControllerSpec& spec = entry.value;
    if (one == nullptr || !spec.is_sound) return;
    const auto joint =
        std::find_if(fragment_.joints.begin(), fragment_.joints.end(),
                     [&](const JointSpec& other) { return other.name == one->joint; });
    if (joint == fragment_.joints.end()) return;
    const bool is_ball = joint->ball.has_value();
    const bool slides = one->name.starts_with("slide");
    using Motor = std::optional<MotorSpec> ControllerSpec::*;
    const std::pair<const char*, Motor> motors[] = {{"turn", &ControllerSpec::turn},
                                                    {"slide", &ControllerSpec::slide},
                                                    {"turn_x", &ControllerSpec::turn_x},
                                                    {"turn_y", &ControllerSpec::turn_y},
                                                    {"turn_z", &ControllerSpec::turn_z}};
    for (const auto& [key, motor] : motors) {
      if (!(spec.*motor)) continue;
      const std::string_view word = key;
      const bool is_of_ball = word.starts_with("turn_");
      if (is_ball != is_of_ball || (!is_ball && slides != (word == "slide"))) {
        problems_.add(spec.place.at(key),
                      fmt::format("joint \"{}\" of the robot has no {}", entry.name, key),
                      is_ball  ? "it has turn_x, turn_y and turn_z"
                      : slides ? "it has slide"
                               : "it has turn");
        continue;
      }
      std::optional<AxisLawSpec>& law =
          (*joint).*coordinate_key(is_ball ? word : std::string_view(one->name)).law;
      if (!law) {
        law.emplace();
        law->place = spec.place;
        law->is_sound = true;
      }
      law->motor = with_defaults(*(spec.*motor), law->motor, one->effort);
    }
  }

 private:
  const SceneCoordinate* find(const std::string& name, const Place& place) {
    const auto found = coordinates_.find(name);
    if (found != coordinates_.end()) return &found->second;
    std::vector<std::string_view> known;
    for (const auto& [other, coordinate] : coordinates_) known.push_back(other);
    std::sort(known.begin(), known.end());
    const std::string nearest = nearest_word(name, known);
    problems_.add(place, fmt::format("robot \"{}\" has no joint \"{}\"", robot_.name, name),
                  nearest.empty() ? "" : "did you mean \"" + nearest + "\"?");
    return nullptr;
  }

  const RobotSpec& robot_;
  const SceneCoordinates& coordinates_;
  FragmentSpec& fragment_;
  Problems& problems_;
  std::set<std::string> started_;  // joints, as the scene calls them
};

}  // namespace

void command_joints(const RobotSpec& robot, const SceneCoordinates& coordinates,
                    FragmentSpec& fragment, Problems& problems) {
  JointCommands commands(robot, coordinates, fragment, problems);
  for (const auto& start : robot.joint_positions) commands.start(start);
  commands.release_followers();
  for (const auto& controller : robot.controllers) commands.control(controller);
}

}  // namespace talus::scene::detail
