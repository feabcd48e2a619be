#pragma once

#include <pybind11/numpy.h>

#include <string>

#include <talus/problem/friction_contact.hpp>

namespace talus::python {

namespace py = pybind11;
using problem::SparseMatrix;

// What Python gives, as the numbers of C++. Each function throws InputError with the argument's
// name, what was expected and what was found; nothing is dropped or rounded to fit but other types
// of real numbers, which become double precision.

[[noreturn]] void refuse(const std::string& argument, const std::string& message,
                         const std::string& hint = "");

/// An array of real numbers with one axis. Cost: one copy.
[[nodiscard]] VecX to_vector(const std::string& argument, py::handle value);
/// The same; a single number stands for `size` of them.
[[nodiscard]] VecX to_vector(const std::string& argument, py::handle value, Index size);
/// An array of real numbers with two axes, or a sparse matrix. Cost: one copy.
[[nodiscard]] MatX to_dense(const std::string& argument, py::handle value);
/// The same as a sparse matrix: what has a method tocsr (scipy.sparse) keeps its pattern, entries
/// given twice are added; of an array the entries that are not 0. Cost: one copy.
[[nodiscard]] SparseMatrix to_sparse(const std::string& argument, py::handle value);
/// Of compressed rows, each part of which may be wrong.
[[nodiscard]] SparseMatrix from_csr(const std::string& argument, py::handle shape, py::handle data,
                                    py::handle indices, py::handle indptr);
[[nodiscard]] Real to_number(const std::string& argument, py::handle value);
[[nodiscard]] Index to_count(const std::string& argument, py::handle value);
[[nodiscard]] std::string to_text(const std::string& argument, py::handle value);

/// Whether a value is a single number: int, float, or a number of numpy.
[[nodiscard]] bool is_number(py::handle value);

/// Numbers that a Python object owns, not copied and not to be written to.
template <class Number>
[[nodiscard]] py::array view(const Number* first, Index size, py::handle owner) {
  py::array_t<Number> array({size}, {static_cast<Index>(sizeof(Number))}, first, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

/// Numbers that an array owns from now on, not copied. @param Values a vector of numbers.
template <class Values>
[[nodiscard]] py::array owned(Values&& values, const std::vector<Index>& shape) {
  auto* kept = new std::decay_t<Values>(std::forward<Values>(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::decay_t<Values>*>(p); });
  return py::array_t<std::decay_t<decltype(*kept->data())>>(shape, kept->data(), owner);
}
[[nodiscard]] inline py::array owned(VecX&& values) {
  const Index size = values.size();
  return owned(std::move(values), {size});
}

}  // namespace talus::python
