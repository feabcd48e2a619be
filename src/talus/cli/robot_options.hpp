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

/// @throws InputError if any was given with a file that is neither a robot nor a scene.
void demand_none(const RobotOptions& options, const std::string& verb, const std::string& file);

/// Puts them into what a scene is loaded with. @throws InputError for a package without a folder.
void take(const RobotOptions& options, scene::Overrides& overrides);
/// What a scene is loaded with where nothing else is changed.
[[nodiscard]] scene::Overrides overrides_of(const RobotOptions& options);

/// The options as words of a command line.
[[nodiscard]] std::vector<std::string> words_of(const RobotOptions& options);

}  // namespace talus::cli
