#pragma once

namespace talus::cli {

/// While it lives, the first Ctrl-C (SIGINT) or SIGTERM is noted instead of ending the program; a
/// second one ends it at once. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] static bool is_interrupted() noexcept;
};

}  // namespace talus::cli
