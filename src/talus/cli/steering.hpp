#pragma once

#include <functional>
#include <string>

#include <talus/sim/simulation.hpp>

namespace talus::cli {

/// Lets another program pause a run, take it a step further and continue it: lines "pause", "step"
/// and "go" on standard input (talus view and the buttons of its page). While the run is paused its
/// record shows the state as it is.
class Steering {
 public:
  /// Between two steps: reads what has been said, and returns when the run shall continue.
  /// @param should_stop polled while the run is paused; true lets it run to its end.
  void wait(sim::Simulation& simulation, const std::function<bool()>& should_stop);

 private:
  void read(int milliseconds);

  bool is_paused_ = false, is_closed_ = false;
  Index steps_ = 0;  ///< to take although it is paused
  std::string line_;
};

}  // namespace talus::cli
