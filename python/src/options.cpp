#include "options.hpp"

#include <fmt/format.h>

#include "arrays.hpp"
#include "binding.hpp"

namespace talus::python {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

SolveOptions make_options(py::object solver, py::object tolerance, py::object plain_tolerance,
                          py::object max_iterations, py::object relaxation, py::object directions,
                          bool history, py::object time_limit) {
  SolveOptions options;
  driver::Options& driver = options.driver;
  driver.solver = to_text("solver", solver);
  driver.tolerance = to_number("tolerance", tolerance);
  driver.plain_tolerance =
      plain_tolerance.is_none() ? driver.tolerance : to_number("plain_tolerance", plain_tolerance);
  driver.max_iterations = to_count("max_iterations", max_iterations);
  driver.relaxation = to_number("relaxation", relaxation);
  driver.directions = to_count("directions", directions);
  driver.keep_history = history;
  if (time_limit.is_none()) return options;
  options.time_limit = to_number("time_limit", time_limit);
  if (!(options.time_limit > 0))
    refuse("time_limit", fmt::format("expected a positive number of seconds or None, got {}",
                                     options.time_limit));
  return options;
}

}  // namespace

StopCondition::StopCondition(double time_limit) : time_limit_(time_limit) {}

bool StopCondition::should_stop() {
  if (error_ || is_out_of_time_) return true;
  const Clock::time_point now = Clock::now();
  is_out_of_time_ =
      time_limit_ > 0 && std::chrono::duration<double>(now - start_).count() > time_limit_;
  if (now - last_look_ > kBetweenLooks) {
    last_look_ = now;
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) error_.emplace();
  }
  return error_ || is_out_of_time_;
}

void StopCondition::rethrow() {
  if (error_) throw py::error_already_set(*error_);
}

void bind_options(py::module_& module) {
  py::class_<SolveOptions>(module, "Options", "What talus.solve is asked for beside the problem.")
      .def(py::init(&make_options), py::kw_only(), py::arg("solver"), py::arg("tolerance"),
           py::arg("plain_tolerance"), py::arg("max_iterations"), py::arg("relaxation"),
           py::arg("directions"), py::arg("history"), py::arg("time_limit"));
}

}  // namespace talus::python
