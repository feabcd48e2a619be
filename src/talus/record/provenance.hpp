#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace talus::record {

/// Where a record comes from: enough to make it again.
struct Provenance {
  struct Source {
    std::string path;
    std::string text;
  };
  std::string title;
  std::vector<Source> sources;  ///< the scene's file first, then what it includes
  std::string scene_hash;       ///< of all sources; filled by describe_run
  std::string options;          ///< JSON: everything that was asked of scheme and solver
  std::string command_line;
  std::string version, compiler, flags, git_commit;  ///< of this build; the commit may be empty
  std::string machine;                               ///< name, kernel, processor, core count
  std::string start_time;                            ///< UTC, ISO 8601
};

/// Fills in the provenance of this program and host: build, machine, start time, hash of the
/// sources.
[[nodiscard]] Provenance describe_run(Provenance given);

/// Version of this build, with its commit where that is known: "0.1.0 (d5f6d96b)".
[[nodiscard]] std::string build_version();

/// 16 hexadecimal digits of a hash.
[[nodiscard]] std::string to_hex(std::uint64_t hash);

}  // namespace talus::record
