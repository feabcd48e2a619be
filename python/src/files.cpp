#include <pybind11/pybind11.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <variant>

#include <talus/exchange/problem_file.hpp>

#include "arrays.hpp"
#include "binding.hpp"

namespace talus::python {
namespace {

/// Whatever problem the file holds. With the interpreter's lock: HDF5 is not made for threads.
py::object read_problem(const std::filesystem::path& path) {
  return std::visit(
      [](auto&& problem) {
        using Problem = std::decay_t<decltype(problem)>;
        return py::cast(std::make_shared<Problem>(std::move(problem)));
      },
      exchange::read_problem(path.string()));
}

}  // namespace

void bind_files(py::module_& module) {
  module.def("read_problem", &read_problem, py::arg("path"), R"(
Read a problem from an HDF5 file: FCLIB's forms, local and global, with constraints and with rolling,
and LCPs.

Parameters
----------
path : str or path-like

Returns
-------
FrictionContact, GlobalFrictionContact, BilateralContact, GlobalBilateralContact,
RollingFrictionContact, GlobalRollingFrictionContact or Lcp
    Told by the group that the file has.

Raises
------
InputError
    With file, place in the file, what was found and what is allowed.
)");
}

}  // namespace talus::python
