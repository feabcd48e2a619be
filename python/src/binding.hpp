#pragma once

#include <pybind11/pybind11.h>

namespace talus::python {

namespace py = pybind11;

// One function per source: each adds its classes and functions to the module, in this order.
void bind_errors(py::module_& module);
void bind_sparse_matrix(py::module_& module);
void bind_certificate(py::module_& module);
void bind_options(py::module_& module);
void bind_contact_problems(py::module_& module);
void bind_global_problems(py::module_& module);
void bind_linear_problems(py::module_& module);
void bind_files(py::module_& module);
void bind_record(py::module_& module);
void bind_scene(py::module_& module);
void bind_simulation(py::module_& module);
void bind_lagrangian(py::module_& module);

/// Users meet a class as talus.NAME: so it is printed and pickled.
inline void make_public(py::object type) { type.attr("__module__") = "talus"; }

}  // namespace talus::python
