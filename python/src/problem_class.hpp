#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <talus/base/error.hpp>
#include <talus/exchange/fclib.hpp>
#include <talus/exchange/fclib_classes.hpp>
#include <talus/exchange/lcp_file.hpp>
#include <talus/problem/convert_cone.hpp>
#include <talus/problem/validate.hpp>

#include "arrays.hpp"
#include "solve.hpp"
#include "values.hpp"

namespace talus::python {

/// A member of a problem under its name in Python.
template <class Problem, class Value>
struct Field {
  const char* name;
  Value Problem::*member;
  const char* meaning;
};
template <class Problem, class Value>
Field(const char*, Value Problem::*, const char*) -> Field<Problem, Value>;

/// The problem of a Python object, which keeps it; throws for one whose constructor was never
/// called.
template <class Problem>
std::shared_ptr<Problem> held(py::handle self) {
  return self.cast<std::shared_ptr<Problem>>();
}

/// The problem, valid. Diagnostics name what Python names: b is FCLIB's q, dimension its spacedim.
template <class Problem>
std::shared_ptr<Problem> valid(Problem&& problem) {
  try {
    problem::validate(problem);
  } catch (const InputError& error) {
    std::vector<Diagnostic> diagnostics = error.diagnostics();
    for (Diagnostic& d : diagnostics) {
      if (d.path == "q" && requires { problem.friction; }) d.path = "b";
      if (d.path == "spacedim") d.path = "dimension";
    }
    throw InputError(std::move(diagnostics));
  }
  return std::make_shared<Problem>(std::move(problem));
}

/// A class of problems in Python: its members, which cannot be changed, pickling, solve and
/// certify. Constructors and names of solvers are the caller's.
/// @param fields all members of the problem: what is pickled.
template <class Problem, class... Fields>
py::class_<Problem, std::shared_ptr<Problem>> problem_class(py::module_& module, const char* name,
                                                            const char* doc, Fields... fields) {
  py::class_<Problem, std::shared_ptr<Problem>> type(module, name, doc);
  (type.def_property_readonly(
       fields.name,
       [member = fields.member](py::object self) {
         const std::shared_ptr<Problem> problem = held<Problem>(self);
         return to_python((*problem).*member, Owner{self, problem});
       },
       fields.meaning),
   ...);
  type.def("_solve", &solve<Problem>, py::arg("options"), py::arg("guess") = py::none());
  if constexpr (requires(Problem p) {
                  p.H;
                  p.f;
                })
    type.def("_certify", &certify_motion<Problem>);
  else if constexpr (std::is_same_v<Problem, problem::Mlcp>)
    type.def("_certify", &certify_mixed);
  else
    type.def("_certify", &certify_answer<Problem>);
  type.def("__repr__", [=](py::object self) {
    const std::shared_ptr<Problem> problem = held<Problem>(self);
    std::string text;
    ((text += fmt::format("{}{}={}", text.empty() ? "" : ", ", fields.name,
                          in_words((*problem).*(fields.member)))),
     ...);
    return fmt::format("{}({})", name, text);
  });
  type.def(py::pickle(
      [=](py::object self) {
        const std::shared_ptr<Problem> problem = held<Problem>(self);
        return py::make_tuple(to_python((*problem).*(fields.member), Owner{self, problem})...);
      },
      [=](const py::tuple& state) {
        if (state.size() != sizeof...(Fields)) refuse(name, "not a pickled problem");
        Problem problem;
        std::size_t k = 0;
        (from_python(fields.name, state[k++], problem.*(fields.member)), ...);
        return valid(std::move(problem));
      }));
  make_public(type);
  return type;
}

/// Adds `write` to a class that HDF5 files hold. Files are read and written with the interpreter's
/// lock: the HDF5 library is not made for threads, and h5py may use the same one.
template <class Problem>
void add_write(py::class_<Problem, std::shared_ptr<Problem>>& type) {
  type.def(
      "write",
      [](py::object self, const std::filesystem::path& path, py::object title) {
        const std::shared_ptr<Problem> problem = held<Problem>(self);
        if constexpr (std::is_same_v<Problem, problem::Lcp>)
          exchange::write_lcp(path.string(), *problem, to_text("title", title));
        else
          exchange::write_fclib(path.string(), *problem, to_text("title", title));
      },
      py::arg("path"), py::arg("title") = "", R"(
Write the problem to an HDF5 file, which reads back bit for bit.

Parameters
----------
path : str or path-like
    A new file, or a problem file that Talus wrote: nothing else is replaced.
title : str
    Free text, kept in the file.

Raises
------
InputError
    If the file cannot be written.
)");
}

/// Adds `to_cone_problem`.
template <class Problem>
void add_cone_form(py::class_<Problem, std::shared_ptr<Problem>>& type) {
  type.def(
      "to_cone_problem",
      [](py::object self) {
        return std::make_shared<problem::ConeProblem>(
            problem::to_cone_problem(*held<Problem>(self)).problem);
      },
      R"(
The same numbers as a ConeProblem; contacts lose the De Saxcé term μ‖u_T‖ n and separate where they
slide. The solutions are the same where there is no friction or nothing slides.

Raises
------
InputError
    If the problem has no such form: its matrix is not symmetric.
)");
}

}  // namespace talus::python
