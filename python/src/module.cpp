#include <pybind11/pybind11.h>

#include "binding.hpp"

PYBIND11_MODULE(_talus, module) {
  module.doc() = "The compiled part of talus; everything public is in the package talus.";
  module.attr("__version__") = TALUS_VERSION;
  talus::python::bind_errors(module);
  talus::python::bind_sparse_matrix(module);
  talus::python::bind_certificate(module);
  talus::python::bind_options(module);
  talus::python::bind_contact_problems(module);
  talus::python::bind_global_problems(module);
  talus::python::bind_linear_problems(module);
  talus::python::bind_files(module);
  talus::python::bind_record(module);
  talus::python::bind_scene(module);
  talus::python::bind_simulation(module);
  talus::python::bind_lagrangian(module);
}
