#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <talus/scene/detail/robots/robot.hpp>
#include <talus/scene/detail/spec.hpp>
#include <talus/scene/scene.hpp>

namespace talus::scene::detail {

/// A scene's files as they were read. The documents stay where they are: places point to them.
struct SceneFiles {
  std::deque<Document> documents;  ///< the main file first, then includes in order of reading
  SceneSpec scene;
  std::vector<FragmentSpec> included;  ///< in order of meaning: what is included comes before
  RobotReport report;                  ///< on the robots among them
};

/// Reads the main file, with some of its values replaced, and everything it includes.
/// @param text what the main file says, which is then not opened.
/// @throws InputError if the main file cannot be read at all; other mistakes go to the problems.
void read_files(const std::filesystem::path& main_file, std::optional<std::string> text,
                const Overrides& overrides, SceneFiles& files, Problems& problems);

}  // namespace talus::scene::detail
