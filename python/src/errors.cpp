#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <talus/base/error.hpp>

#include "binding.hpp"

namespace talus::python {
namespace {

/// talus.InputError of the same diagnostics (talus/errors.py).
void set_input_error(const InputError& error) {
  const py::module_ errors = py::module_::import("talus.errors");
  py::list diagnostics;
  for (const Diagnostic& d : error.diagnostics())
    diagnostics.append(errors.attr("Diagnostic")(
        d.position.file, d.position.line, d.position.column, d.path, d.message, d.excerpt, d.hint));
  const py::object type = errors.attr("InputError");
  const py::object instance = type(std::string(error.what()), py::tuple(diagnostics));
  PyErr_SetObject(type.ptr(), instance.ptr());
}

}  // namespace

void bind_errors(py::module_& /*module*/) {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const InputError& error) {
      try {
        set_input_error(error);
      } catch (py::error_already_set& failed) {
        failed.restore();
      }
    }
  });
}

}  // namespace talus::python
