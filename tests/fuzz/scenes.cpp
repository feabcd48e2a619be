#include <fuzz/targets.hpp>

#include <optional>
#include <string>

#include <talus/scene/convert.hpp>
#include <talus/scene/detail/sphere_table.hpp>
#include <talus/scene/detail/time_table.hpp>
#include <talus/scene/scene.hpp>

namespace talus::fuzz {
namespace {

/// A robot that can be read can be converted, and the scene that this writes can be read, too.
void robot(const std::filesystem::path& path) {
  std::string text;
  reading([&] { text = scene::convert(path, path.parent_path() / "robot.yaml", {}); });
  if (text.empty()) return;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  static_cast<void>(scene::load(as_file({bytes, text.size()}, "robot.yaml")));
}

}  // namespace

void scene(Bytes bytes) {
  const auto path = as_file(bytes, "scene.yaml");
  reading([&] { static_cast<void>(scene::load(path)); });
}

void urdf(Bytes bytes) { robot(as_file(bytes, "robot.urdf")); }

void mjcf(Bytes bytes) { robot(as_file(bytes, "robot.xml")); }

void sphere_table(Bytes bytes) {
  scene::detail::Problems problems;
  static_cast<void>(scene::detail::parse_sphere_table("balls.csv", text_of(bytes), problems));
}

void time_table(Bytes bytes) {
  for (const std::optional<std::string>& column : {std::optional<std::string>(), {"angle"}}) {
    scene::detail::Problems problems;
    static_cast<void>(scene::detail::parse_time_table("angles.csv", text_of(bytes), column,
                                                      scene::Quantity::angle, problems));
  }
}

}  // namespace talus::fuzz
