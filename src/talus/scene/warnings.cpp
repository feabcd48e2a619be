#include <talus/scene/warnings.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include <talus/model/spatial_machine.hpp>

namespace talus::scene {

std::vector<std::string> limit_warnings(const Scene& scene) {
  std::vector<std::string> warnings;
  if (!scene.model.spatial_machine) return warnings;
  const auto looks_like_degrees = [](Real limit) {
    constexpr Real kPlaces = 100;  // two behind the point
    return std::isfinite(limit) && std::abs(limit) > 2 * std::numbers::pi &&
           std::round(kPlaces * limit) == kPlaces * limit;
  };
  for (const model::SpatialJoint& joint : scene.model.spatial_machine->joints)
    for (const model::AxisLaw& law : joint.axes)
      if (model::is_turn(law.axis) &&
          (looks_like_degrees(law.lower) || looks_like_degrees(law.upper)))
        warnings.push_back(fmt::format(
            "the limits of joint {}, {:g} and {:g}, are radians, more than a turn: for degrees "
            "write limits: [{:g} deg, {:g} deg]",
            joint.name, law.lower, law.upper, law.lower, law.upper));
  return warnings;
}

std::vector<std::string> warnings(const Scene& scene) {
  std::vector<std::string> all;
  for (const RobotNote& note : scene.robot_notes)
    if (note.kind == RobotNoteKind::refused) all.push_back(to_string(note));
  for (std::string& warning : limit_warnings(scene)) all.push_back(std::move(warning));
  return all;
}

}  // namespace talus::scene
