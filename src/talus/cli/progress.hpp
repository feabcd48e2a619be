#pragma once

#include <chrono>
#include <cstdio>

#include <talus/sim/simulation.hpp>

namespace talus::cli {

/// Shows on a stream how far a run is: on a terminal one line that is redrawn at most ten times a
/// second and cleared at the end, elsewhere a plain line every few seconds.
class Progress {
 public:
  explicit Progress(std::FILE* stream);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// To be called after every step; costs a look at the clock unless something is due.
  void show(const sim::Simulation& simulation);
  /// Removes the live line, so that other text can follow.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* stream_;
  bool is_terminal_;
  bool is_drawn_ = false;
  Clock::time_point last_;
  Index last_steps_ = 0;
  double rate_ = 0;  ///< steps per second, smoothed
};

}  // namespace talus::cli
