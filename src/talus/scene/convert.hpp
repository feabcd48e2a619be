#pragma once

#include <filesystem>
#include <string>

#include <talus/scene/scene.hpp>

namespace talus::scene {

/// A robot's file (URDF, MJCF) written as a scene of Talus: the very scene that `load` makes of it,
/// so that both move alike, bit for bit.
/// @param target where the scene is to be written: files that it names are relative to its folder.
/// @return YAML. @throws InputError as `load` does, and for a file that is no robot's.
[[nodiscard]] std::string convert(const std::filesystem::path& robot,
                                  const std::filesystem::path& target,
                                  const Overrides& overrides = {});

/// The same YAML or JSON as YAML that reads well: what fits on a line stands on one. Comments are
/// lost.
/// @param name of the text's file, for messages. @throws InputError where the text is neither.
[[nodiscard]] std::string tidy_yaml(std::string text, const std::filesystem::path& name);

/// The same as JSON, every scalar as the text that it is: what a program changes and gives back to
/// load_text.
[[nodiscard]] std::string yaml_as_json(std::string text, const std::filesystem::path& name);

}  // namespace talus::scene
