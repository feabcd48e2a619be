#pragma once

#include <chrono>

namespace talus::driver::detail {

/// Wall seconds since it was made: the only clock of the driver, and nothing is decided by it.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace talus::driver::detail
