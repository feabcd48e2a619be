#pragma once

#include <CLI/CLI.hpp>

namespace talus::cli {

/// Exit codes of every verb.
enum ExitCode : int {
  kDone = 0,  ///< done and certified
  kInternalError = 1,
  kInputError = 2,   ///< usage or input
  kUncertified = 3,  ///< done, but some steps or the answer are uncertified
  kDiffers = 4,      ///< reproduced, but some numbers differ
  kInterrupted = 130,
};

// Each verb lives in the file of its name and adds itself to the program: its options, its help
// with examples, and a callback that does the work and sets the exit code. main.cpp calls them all;
// a new verb adds one file and two lines.
void add_check(CLI::App& app, int& exit_code);
void add_solve(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_plot(CLI::App& app, int& exit_code);
void add_render(CLI::App& app, int& exit_code);
void add_view(CLI::App& app, int& exit_code);
void add_reproduce(CLI::App& app, int& exit_code);
void add_sweep(CLI::App& app, int& exit_code);

}  // namespace talus::cli
