#pragma once

#include <pybind11/pybind11.h>

#include <talus/driver/solve.hpp>
#include <talus/driver/solve_classes.hpp>

namespace talus::python {

namespace py = pybind11;

// Answers as the classes of talus/solutions.py. Arrays are moved, not copied.

[[nodiscard]] py::object to_solution(driver::LcpSolution&& solution);
[[nodiscard]] py::object to_solution(driver::MlcpSolution&& solution);
[[nodiscard]] py::object to_solution(driver::BoxQpSolution&& solution);
[[nodiscard]] py::object to_solution(driver::ConeSolution&& solution);
[[nodiscard]] py::object to_solution(driver::FrictionContactSolution&& solution);
[[nodiscard]] py::object to_solution(driver::ImpulseSolution&& solution);
[[nodiscard]] py::object to_solution(driver::GlobalFrictionContactSolution&& solution);
[[nodiscard]] py::object to_solution(driver::GlobalImpulseSolution&& solution);

}  // namespace talus::python
