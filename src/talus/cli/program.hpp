#pragma once

#include <functional>

namespace talus::cli {

/// Called once if the program ends with an error, with its exit code; returns whether this process
/// is the one that says why.
using Failing = std::function<bool(int exit_code)>;

/// What the program does with its words. @return the exit code (verbs.hpp).
[[nodiscard]] int run_program(int argc, char** argv, const Failing& failing);

}  // namespace talus::cli
