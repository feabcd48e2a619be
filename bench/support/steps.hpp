#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace talus::bench {

/// The number of steps that a table's first argument gives; ends the program where it is none.
/// @param otherwise without an argument.
inline int steps_of(int argc, char** argv, int otherwise, const char* program) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : otherwise;
  if (steps >= 1) return steps;
  fmt::print(stderr, "{}: expected a number of steps, 1 or more\n", program);
  std::exit(2);
}

}  // namespace talus::bench
