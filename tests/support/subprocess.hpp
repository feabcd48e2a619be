#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace talus::test {

/// How a program ended and what it printed.
struct Outcome {
  int exit_code = -1;  ///< −signal if a signal ended it
  std::string out, err;
};

/// Runs a program in a folder, without a shell and without a terminal, and waits for it.
/// @param meanwhile called once after the start with the process id, e.g. to send a signal.
/// Ended by SIGKILL after `timeout_seconds`.
Outcome run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                    const std::function<void(pid_t)>& meanwhile = {}, double timeout_seconds = 240);

}  // namespace talus::test
