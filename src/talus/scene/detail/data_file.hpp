#pragma once

#include <string>

#include <talus/scene/detail/document.hpp>
#include <talus/scene/scene.hpp>

namespace talus::scene::detail {

/// Reads a text file of data that a scene names and puts it among the scene's sources; a file that
/// is there already is not read again.
/// @param name relative to the folder of the place's document. @param place where it is named.
/// @return the source, valid until there is another one; null if it cannot be read, which is noted.
[[nodiscard]] const SourceFile* read_data_file(const std::string& name, const Place& place,
                                               Scene& scene, Problems& problems);

}  // namespace talus::scene::detail
