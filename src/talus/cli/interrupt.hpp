#pragma once

namespace talus::cli {

/// While it lives, the first Ctrl-C (SIGINT), SIGTERM or SIGHUP (the terminal was closed) is noted
/// instead of ending the program; a second one ends it at once. SIGHUP stays ignored under nohup.
/// One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  [[nodiscard]] static bool is_interrupted() noexcept;
};

}  // namespace talus::cli
