#pragma once

#include <string>
#include <vector>

#include <talus/cli/command_line.hpp>
#include <talus/scene/scene.hpp>

namespace talus::cli {

/// What robots' files need besides themselves.
struct RobotOptions {
  std::vector<std::string> packages;  ///< NAME=FOLDER
  std::string keyframe;
};

/// Adds --package and --keyframe to a verb.
void add_robot_options(Verb verb, RobotOptions& options);

/// Puts them into what a scene is loaded with. @throws InputError for a package without a folder.
void take(const RobotOptions& options, scene::Overrides& overrides);

}  // namespace talus::cli
