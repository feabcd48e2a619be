#include <talus/scene/detail/robots/robot_file.hpp>

namespace talus::scene::detail {

Robot read_mjcf(const XmlElement& root, RobotFile& file) {
  file.problem(root.place, "not yet");
  return {};
}

}  // namespace talus::scene::detail
