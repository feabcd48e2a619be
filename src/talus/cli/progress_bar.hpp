#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace talus::cli {

/// A bar with a text on a terminal, redrawn at most ten times a second; elsewhere nothing.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* stream);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// @param share of the whole, in [0, 1].
  void show(const std::string& text, double share);
  /// Removes the bar, so that other text can follow.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  bool is_terminal_;
  bool is_drawn_ = false;
  Clock::time_point last_;
};

}  // namespace talus::cli
