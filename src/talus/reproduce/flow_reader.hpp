#pragma once

#include <filesystem>
#include <string>

#include <talus/reproduce/flow.hpp>
#include <talus/reproduce/paper_reader.hpp>

namespace talus::reproduce::detail {

/// Reads an entry of `flows`. @param folder of the paper, in which the scene is.
/// @throws InputError with file and line where something is wrong.
[[nodiscard]] Flow read_flow(const std::string& name, const std::filesystem::path& folder,
                             Reader& reader);

}  // namespace talus::reproduce::detail
