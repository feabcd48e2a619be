#pragma once

#include <functional>
#include <optional>
#include <string>

#include <talus/sim/pull.hpp>
#include <talus/sim/simulation.hpp>

namespace talus::cli {

/// Lets another program pause a run, take it a step further, continue it and pull at a body: lines
/// of view/run_command.hpp on standard input (talus view, its page's buttons and pointer). While
/// the run is paused its record shows the state as it is. Other lines are said and left.
class Steering {
 public:
  /// Between two steps: reads what has been said, and returns when the run shall continue.
  /// @param should_stop polled while the run is paused; true lets it run to its end.
  void wait(sim::Simulation& simulation, const std::function<bool()>& should_stop);

 private:
  void hold(sim::Simulation& simulation, const std::function<bool()>& should_stop);
  void read(const sim::Simulation& simulation, int milliseconds);
  void obey(const sim::Simulation& simulation, const std::string& line);

  bool is_paused_ = false, is_closed_ = false;
  Index steps_ = 0;  ///< to take although it is paused
  std::string line_;
  std::optional<sim::Pull> pull_;  ///< while a body is held
};

}  // namespace talus::cli
