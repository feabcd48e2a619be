#pragma once

namespace talus::cli {

/// From here on SIGINT, SIGTERM and SIGHUP remove files under way (files/unfinished_files.hpp)
/// before they end the program. SIGHUP stays ignored under nohup.
void remove_unfinished_files_on_signals();

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
