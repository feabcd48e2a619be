#include <fuzz/targets.hpp>

#include <optional>
#include <string>

#include <talus/scene/detail/sphere_table.hpp>
#include <talus/scene/detail/time_table.hpp>
#include <talus/scene/scene.hpp>

namespace talus::fuzz {

void scene(Bytes bytes) {
  const auto path = as_file(bytes, "scene.yaml");
  reading([&] { static_cast<void>(scene::load(path)); });
}

void urdf(Bytes bytes) {
  const auto path = as_file(bytes, "robot.urdf");
  reading([&] { static_cast<void>(scene::load(path)); });
}

void mjcf(Bytes bytes) {
  const auto path = as_file(bytes, "robot.xml");
  reading([&] { static_cast<void>(scene::load(path)); });
}

void sphere_table(Bytes bytes) {
  scene::detail::Problems problems;
  static_cast<void>(scene::detail::parse_sphere_table("balls.csv", text_of(bytes), problems));
}

void time_table(Bytes bytes) {
  for (const std::optional<std::string>& column : {std::optional<std::string>(), {"angle"}}) {
    scene::detail::Problems problems;
    static_cast<void>(
        scene::detail::parse_time_table("angles.csv", text_of(bytes), column, problems));
  }
}

}  // namespace talus::fuzz
