#pragma once

#include <filesystem>
#include <string>

// Texts of scenes in another form, for programs that change them.

namespace talus::scene {

/// YAML or JSON as YAML that reads well: what fits on a line stands on one. Comments are lost.
/// @param name of the text's file, for messages. @throws InputError where the text is neither, or
/// aliases make it too large.
[[nodiscard]] std::string tidy_yaml(std::string text, const std::filesystem::path& name);

/// The same as JSON, every scalar as the text that it is: what a program changes and gives back to
/// load_text.
[[nodiscard]] std::string yaml_as_json(std::string text, const std::filesystem::path& name);

}  // namespace talus::scene
