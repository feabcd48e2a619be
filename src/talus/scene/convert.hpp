#pragma once

#include <filesystem>
#include <string>

#include <talus/scene/scene.hpp>

namespace talus::scene {

/// A robot's file (URDF, MJCF) written as a scene of Talus: the very scene that `load` makes of it,
/// so that both move alike, bit for bit. The overrides are in it.
/// @param target where the scene is to be written: files that it names are relative to its folder.
/// @return YAML. @throws InputError as `load` does, and for a file that is no robot's.
[[nodiscard]] std::string convert(const std::filesystem::path& robot,
                                  const std::filesystem::path& target,
                                  const Overrides& overrides = {});

}  // namespace talus::scene
