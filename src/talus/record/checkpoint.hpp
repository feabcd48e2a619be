#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <talus/files/output_file.hpp>
#include <talus/model/state.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::record {

/// All that a run needs to resume as if it had never ended.
struct Checkpoint {
  model::State state;
  Index step = 0;  ///< steps done
  stepping::SchemeMemory memory;
  bool has_memory = false;  ///< without it the next step starts cold: certified, not the same bits
  Index pushed_steps = 0;   ///< steps that had impulses from outside: not reached from the scene
  std::vector<std::string> body_names;  ///< one per body
};

/// State files that Talus wrote.
[[nodiscard]] const files::OwnKind& state_kind();

/// Writes a state to an HDF5 file, bit for bit (docs/reference/record.md, "State files"). A state
/// file of that name is replaced; anything else there is left alone.
/// @throws InputError if that is not possible.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// The state alone.
/// @param body_names one per body, so that a person, and the scene that takes it up, can tell.
void write_state(const std::filesystem::path& path, const model::State& state,
                 const std::vector<std::string>& body_names);

/// Reads a state file, or the last frame of a record, bit for bit.
/// @throws InputError if the file is neither.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& path);

/// The state of a state file alone.
[[nodiscard]] model::State read_state(const std::filesystem::path& path);

}  // namespace talus::record
