#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <talus/record/checkpoint.hpp>
#include <talus/scene/scene.hpp>

namespace talus::sim {

/// A file that a run can be resumed from: the last frame of a record, or a state file.
struct Resumption {
  record::Checkpoint checkpoint;
  bool is_record = false;       ///< and not a state file
  std::filesystem::path scene;  ///< of the record; empty if it is not known
  std::string options;          ///< JSON, of the record
  std::vector<std::string> source_texts;
};

/// @throws InputError if the file is neither a record nor a state file.
[[nodiscard]] Resumption read_resumption(const std::filesystem::path& path);

/// What makes the resumed run another one than the run that never ended, one line each: the files
/// of the scene changed, options changed, no contacts to start from. End time and recording do not
/// count.
[[nodiscard]] std::vector<std::string> differences(const Resumption& from,
                                                   const scene::Scene& scene);

/// Everything that was asked of time stepping and solver, as JSON.
[[nodiscard]] std::string options_as_json(const scene::Scene& scene);

}  // namespace talus::sim
