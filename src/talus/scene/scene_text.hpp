#pragma once

#include <filesystem>
#include <string>

#include <talus/scene/scene.hpp>

// Texts of scenes in another form, for programs that change them.

namespace talus::scene {

/// YAML or JSON as YAML that reads well: what fits on a line stands on one. Comments are lost.
/// @param name of the text's file, for messages. @throws InputError where the text is neither, or
/// aliases make it too large.
[[nodiscard]] std::string tidy_yaml(std::string text, const std::filesystem::path& name);

/// The same as JSON, every scalar as the text that it is: what a program changes and gives back to
/// load_text.
[[nodiscard]] std::string yaml_as_json(std::string text, const std::filesystem::path& name);

/// A scene with the overrides in it: a file `target` of this text is by itself the scene that
/// load_text(text, name, overrides) makes. Names of files are made relative to the target's folder,
/// so that they go on naming the same files. A text in which nothing changes stays as it is.
/// @return YAML. @throws InputError where the scene with them cannot be read, as load, and for what
/// no scene can say: a keyframe of its own, folders of packages for its robots.
[[nodiscard]] std::string with_overrides(std::string text, const std::filesystem::path& name,
                                         const std::filesystem::path& target,
                                         const Overrides& overrides);

}  // namespace talus::scene
