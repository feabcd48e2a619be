#include <fuzz/targets.hpp>
#include <talus/scene/detail/sphere_table.hpp>
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

}  // namespace talus::fuzz
