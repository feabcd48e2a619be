#pragma once

#include <pybind11/pybind11.h>

#include <talus/driver/solve.hpp>
#include <talus/driver/solve_classes.hpp>

namespace talus::python {

namespace py = pybind11;

// Answers as the classes of talus/solutions.py, with the seconds that they took. Arrays are moved,
// not copied.

[[nodiscard]] py::object to_solution(driver::LcpSolution&& solution, double seconds);
[[nodiscard]] py::object to_solution(driver::MlcpSolution&& solution, double seconds);
[[nodiscard]] py::object to_solution(driver::BoxQpSolution&& solution, double seconds);
[[nodiscard]] py::object to_solution(driver::ConeSolution&& solution, double seconds);
[[nodiscard]] py::object to_solution(driver::FrictionContactSolution&& solution, double seconds);
[[nodiscard]] py::object to_solution(driver::ImpulseSolution&& solution, double seconds);
[[nodiscard]] py::object to_solution(driver::GlobalFrictionContactSolution&& solution,
                                     double seconds);
[[nodiscard]] py::object to_solution(driver::GlobalImpulseSolution&& solution, double seconds);

}  // namespace talus::python
