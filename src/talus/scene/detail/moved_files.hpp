#pragma once

#include <filesystem>

#include <talus/scene/detail/document.hpp>

namespace talus::scene::detail {

/// What becomes of names of files that have a root.
enum class AbsoluteNames : unsigned char { stay, become_relative };

/// Makes names of files in a document, relative to the folder of a file, relative to that of
/// another one. Names of what is not there stay. @return whether any name is another one now.
bool move_files(Document& document, const std::filesystem::path& from,
                const std::filesystem::path& to, AbsoluteNames absolute);

}  // namespace talus::scene::detail
