#pragma once

#include <fmt/format.h>
#include <cstdio>
#include <exception>

#include <talus/base/error.hpp>

namespace talus::bench {

/// The exit code of a program: that of what it runs; 2 where its input is wrong, 1 where it fails,
/// which is said.
template <class Run>
[[nodiscard]] int exit_code(const char* program, const Run& run) {
  try {
    return run();
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 1;
  }
}

}  // namespace talus::bench
