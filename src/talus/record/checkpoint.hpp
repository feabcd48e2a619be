#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <talus/model/state.hpp>

namespace talus::record {

/// Writes a state to an HDF5 file, bit for bit (docs/reference/record.md, "State files"). A state
/// file of that name is replaced; anything else there is left alone.
/// @param body_names one per body, so that a person, and the scene that takes it up, can tell.
/// @throws InputError if that is not possible.
void write_state(const std::filesystem::path& path, const model::State& state,
                 const std::vector<std::string>& body_names);

/// Reads it back, bit for bit.
/// @throws InputError if the file is not a state.
[[nodiscard]] model::State read_state(const std::filesystem::path& path);

}  // namespace talus::record
