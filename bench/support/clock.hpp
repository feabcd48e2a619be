#pragma once

#include <chrono>
#include <ctime>

namespace talus::bench {

/// Seconds that all threads of this process have computed: on a machine that others use too, the
/// clock for one thread.
[[nodiscard]] inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds that passed: the clock for several threads.
[[nodiscard]] inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace talus::bench
