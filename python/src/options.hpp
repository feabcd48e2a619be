#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <optional>

#include <talus/driver/options.hpp>

namespace talus::python {

namespace py = pybind11;

/// What talus.solve is asked for beside the problem.
struct SolveOptions {
  driver::Options driver;
  double time_limit = 0;  ///< wall time [s]; 0: none
};

/// The stop condition of a solve: its time limit, and exceptions of signal handlers (Ctrl-C). It is
/// polled without the interpreter's lock and takes it now and then.
class StopCondition {
 public:
  /// @param time_limit [s]; 0: none.
  explicit StopCondition(double time_limit);
  [[nodiscard]] bool should_stop();
  [[nodiscard]] bool is_out_of_time() const { return is_out_of_time_; }
  /// Throws the exception that has stopped the solve, if there is one. Needs the lock.
  void rethrow();

 private:
  using Clock = std::chrono::steady_clock;
  double time_limit_;
  Clock::time_point start_ = Clock::now(), last_look_ = start_;
  bool is_out_of_time_ = false;
  std::optional<py::error_already_set> error_;
};

}  // namespace talus::python
