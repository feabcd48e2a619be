#include <talus/scene/detail/joint_coordinates.hpp>

#include <fmt/format.h>

#include <array>
#include <vector>

namespace talus::scene::detail {
namespace {

using model::Freedom;

constexpr std::array kNames = {
    CoordinateName{"turn", &JointSpec::turn, &JointPositionSpec::turn},
    CoordinateName{"second_turn", &JointSpec::second_turn, &JointPositionSpec::second_turn},
    CoordinateName{"turn_x", &JointSpec::turn_x, &JointPositionSpec::turn_x},
    CoordinateName{"turn_y", &JointSpec::turn_y, &JointPositionSpec::turn_y},
    CoordinateName{"turn_z", &JointSpec::turn_z, &JointPositionSpec::turn_z},
    CoordinateName{"slide", &JointSpec::slide, &JointPositionSpec::slide},
    CoordinateName{"slide_x", &JointSpec::slide_x, &JointPositionSpec::slide_x},
    CoordinateName{"slide_y", &JointSpec::slide_y, &JointPositionSpec::slide_y},
};

std::vector<std::string_view> names_of(const JointSpec& joint) {
  std::vector<std::string_view> names;
  for (const CoordinateName& one : kNames)
    if (find_coordinate(joint, one.name)) names.push_back(one.name);
  return names;
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace

std::span<const CoordinateName> coordinate_names() { return kNames; }

std::string_view kind_of(const JointSpec& joint) {
  if (joint.revolute) return "revolute";
  if (joint.prismatic) return "prismatic";
  if (joint.cylindrical) return "cylindrical";
  if (joint.universal) return "universal";
  if (joint.ball) return "ball";
  if (joint.planar) return "planar";
  if (joint.screw) return "screw";
  if (joint.weld) return "weld";
  if (joint.distance) return "distance";
  if (joint.rope) return "rope";
  if (joint.line) return "line";
  if (joint.rotation) return "rotation";
  if (joint.slot) return "slot";
  if (joint.revolute_clearance) return "revolute_clearance";
  return "ball_clearance";
}

std::optional<Freedom> find_coordinate(const JointSpec& joint, std::string_view name) {
  const bool is_axial = joint.cylindrical || joint.screw;
  if (name == "turn" &&
      (joint.revolute || joint.universal || joint.planar || joint.rotation || is_axial))
    return Freedom::turn_z;
  if (name == "second_turn" && joint.universal) return Freedom::turn_x;
  if (name == "turn_x" && joint.ball) return Freedom::turn_x;
  if (name == "turn_y" && joint.ball) return Freedom::turn_y;
  if (name == "turn_z" && joint.ball) return Freedom::turn_z;
  if (name == "slide" && (joint.prismatic || joint.slot || joint.line || is_axial))
    return Freedom::z;
  if (name == "slide_x" && joint.planar) return Freedom::x;
  if (name == "slide_y" && joint.planar) return Freedom::y;
  return std::nullopt;
}

std::string coordinates_text(const JointSpec& joint) {
  const std::vector<std::string_view> names = names_of(joint);
  if (names.empty()) return fmt::format("a {} joint has no coordinates", kind_of(joint));
  return fmt::format("a {} joint has the coordinate{} {}", kind_of(joint),
                     names.size() == 1 ? "" : "s", listed(names));
}

std::optional<Freedom> resolve_coordinate(const JointSpec& joint, const WantedCoordinate& wanted,
                                          const Place& place, Problems& problems) {
  const auto suits = [&](Freedom freedom) {
    return is_turn(freedom) ? wanted.may_turn : wanted.may_slide;
  };
  const char* what = !wanted.may_slide ? "an angle" : !wanted.may_turn ? "a displacement" : "";
  if (wanted.name) {
    const auto freedom = find_coordinate(joint, *wanted.name);
    if (!freedom)
      problems.add(place,
                   fmt::format("joint \"{}\" has no coordinate {}", joint.name, *wanted.name),
                   coordinates_text(joint));
    else if (!suits(*freedom))
      problems.add(place,
                   fmt::format("the coordinate {} of joint \"{}\" is not {}", *wanted.name,
                               joint.name, what),
                   coordinates_text(joint));
    return freedom && suits(*freedom) ? freedom : std::nullopt;
  }
  std::vector<std::string_view> names;
  for (const std::string_view name : names_of(joint))
    if (suits(*find_coordinate(joint, name))) names.push_back(name);
  if (names.size() == 1) return find_coordinate(joint, names[0]);
  problems.add(place,
               names.empty() ? fmt::format("joint \"{}\" has no coordinate that is {}", joint.name,
                                           *what == '\0' ? "free" : what)
                             : fmt::format("joint \"{}\" has several coordinates: {}", joint.name,
                                           listed(names)),
               names.empty() ? coordinates_text(joint) : "name one of them");
  return std::nullopt;
}

}  // namespace talus::scene::detail
