#pragma once

#include <talus/cli/command_line.hpp>

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
// with examples, and what it does, which gives the exit code. main.cpp calls them all; a new verb
// adds one file and two lines.
void add_check(Verb program);
void add_convert(Verb program);
void add_solve(Verb program);
void add_run(Verb program);
void add_info(Verb program);
void add_bench(Verb program);
void add_export(Verb program);
void add_plot(Verb program);
void add_render(Verb program);
void add_view(Verb program);
void add_reproduce(Verb program);
void add_study(Verb program);
void add_estimate(Verb program);

}  // namespace talus::cli
