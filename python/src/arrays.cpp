#include "arrays.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <talus/base/error.hpp>

namespace talus::python {
namespace {

constexpr Index kMostEntries = std::numeric_limits<SparseMatrix::StorageIndex>::max();

using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Number>
using Contiguous = py::array_t<Number, py::array::c_style | py::array::forcecast>;

std::string type_name(py::handle value) {
  return py::str(py::type::handle_of(value).attr("__name__"));
}

/// "shape (2, 3)".
std::string shape_of(const py::array& array) {
  return "shape " + std::string(py::str(array.attr("shape")));
}

/// An array of real numbers of any shape.
py::array to_real(const std::string& argument, py::handle value) {
  py::array array = py::isinstance<py::array>(value)
                        ? py::reinterpret_borrow<py::array>(value)
                        : py::array::ensure(value);  // clears Python's own error
  if (!array)
    refuse(argument, fmt::format("expected an array of numbers, got {}", type_name(value)));
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u')
    refuse(argument,
           fmt::format("expected real numbers, got {} of type {}", type_name(value),
                       std::string(py::str(array.dtype()))),
           kind == 'c' ? "take the real part if the imaginary one is 0" : "");
  if (Py_TYPE(array.ptr()) != py::detail::npy_api::get().PyArray_Type_ &&
      py::hasattr(array, "mask"))
    refuse(argument, "expected plain numbers, got a masked array", "fill it: x.filled(value)");
  return array;
}

py::array to_real(const std::string& argument, py::handle value, Index axes) {
  py::array array = to_real(argument, value);
  if (array.ndim() != axes)
    refuse(argument,
           fmt::format("expected {}, got {}", axes == 1 ? "one axis" : "a matrix with two axes",
                       array.ndim() == 0 ? "a single number" : shape_of(array)),
           axes == 1 && array.ndim() == 2 ? "flatten it: x.ravel()" : "");
  return array;
}

/// Integers of one axis.
Contiguous<std::int64_t> to_indices(const std::string& argument, py::handle value) {
  const py::array array = to_real(argument, value, 1);
  if (array.dtype().kind() == 'f')
    refuse(argument, "expected integers, got " + std::string(py::str(array.dtype())));
  return array;
}

bool has_sorted_rows(const Contiguous<std::int64_t>& start,
                     const Contiguous<std::int64_t>& column) {
  for (Index i = 0; i + 1 < start.size(); ++i)
    for (Index k = start.at(i) + 1; k < start.at(i + 1); ++k)
      if (column.data()[k - 1] >= column.data()[k]) return false;
  return true;
}

RowMajor to_row_major(const std::string& argument, py::handle value) {
  const Contiguous<Real> array = to_real(argument, value, 2);
  return Eigen::Map<const RowMajor>(array.data(), array.shape(0), array.shape(1));
}

bool is_sparse(py::handle value) {
  return py::isinstance<SparseMatrix>(value) || py::hasattr(value, "tocsr");
}

}  // namespace

void refuse(const std::string& argument, const std::string& message, const std::string& hint) {
  throw InputError(Diagnostic{{}, argument, message, "", hint});
}

SparseMatrix from_csr(const std::string& argument, py::handle csr_shape, py::handle data,
                      py::handle indices, py::handle indptr) {
  const auto member = [&](const char* name) { return argument + '.' + name; };
  const Contiguous<std::int64_t> shape = to_indices(member("shape"), csr_shape);
  if (shape.size() != 2) refuse(member("shape"), "expected two numbers");
  const Index rows = shape.at(0), columns = shape.at(1);
  const Contiguous<Real> value = to_real(member("data"), data, 1);
  const auto column = to_indices(member("indices"), indices);
  const auto start = to_indices(member("indptr"), indptr);
  if (rows < 0 || columns < 0 || rows > kMostEntries || columns > kMostEntries)
    refuse(member("shape"), fmt::format("expected at most {} rows and columns, got {} and {}",
                                        kMostEntries, rows, columns));
  if (start.size() != rows + 1 || start.at(0) != 0)
    refuse(member("indptr"), fmt::format("expected {} numbers, the first 0", rows + 1));
  for (Index i = 0; i < rows; ++i)
    if (start.at(i + 1) < start.at(i))
      refuse(member("indptr"), fmt::format("expected rising numbers, got {} after {} in row {}",
                                           start.at(i + 1), start.at(i), i));
  const Index count = start.at(rows);
  if (count > value.size() || count > column.size() || count > kMostEntries)
    refuse(member("indptr"),
           fmt::format("expected at most {} entries, got {}",
                       std::min({value.size(), column.size(), kMostEntries}), count));
  for (Index k = 0; k < count; ++k)
    if (column.data()[k] < 0 || column.data()[k] >= columns)
      refuse(member("indices"), fmt::format("expected columns 0 to {}, got {} at {}", columns - 1,
                                            column.data()[k], k));
  SparseMatrix matrix(rows, columns);
  if (has_sorted_rows(start, column)) {
    matrix.resizeNonZeros(count);
    std::copy_n(value.data(), count, matrix.valuePtr());
    std::copy_n(column.data(), count, matrix.innerIndexPtr());
    std::copy_n(start.data(), rows + 1, matrix.outerIndexPtr());
    return matrix;
  }
  std::vector<Eigen::Triplet<Real>> entries;
  entries.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < rows; ++i)
    for (Index k = start.at(i); k < start.at(i + 1); ++k)
      entries.emplace_back(static_cast<int>(i), static_cast<int>(column.data()[k]),
                           value.data()[k]);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

VecX to_vector(const std::string& argument, py::handle value) {
  const Contiguous<Real> array = to_real(argument, value, 1);
  return Eigen::Map<const VecX>(array.data(), array.size());
}

VecX to_vector(const std::string& argument, py::handle value, Index size) {
  return is_number(value) ? VecX::Constant(size, to_number(argument, value))
                          : to_vector(argument, value);
}

MatX to_dense(const std::string& argument, py::handle value) {
  if (is_sparse(value)) return to_sparse(argument, value);
  return to_row_major(argument, value);
}

SparseMatrix to_sparse(const std::string& argument, py::handle value) {
  if (py::isinstance<SparseMatrix>(value)) return *value.cast<std::shared_ptr<SparseMatrix>>();
  if (py::hasattr(value, "tocsr")) {
    const py::object csr = value.attr("tocsr")();
    return from_csr(argument, csr.attr("shape"), csr.attr("data"), csr.attr("indices"),
                    csr.attr("indptr"));
  }
  const RowMajor dense = to_row_major(argument, value);
  if (dense.size() > kMostEntries)
    refuse(argument, fmt::format("expected at most {} entries", kMostEntries),
           "give a sparse matrix");
  return dense.sparseView(0, 0);
}

bool is_number(py::handle value) {
  return !py::isinstance<py::bool_>(value) &&
         (PyFloat_Check(value.ptr()) || PyIndex_Check(value.ptr()) ||
          py::isinstance(value, py::module_::import("numpy").attr("number"))) &&
         !(py::isinstance<py::array>(value) &&
           py::array(py::reinterpret_borrow<py::array>(value)).ndim() > 0);
}

Real to_number(const std::string& argument, py::handle value) {
  if (!is_number(value)) refuse(argument, "expected a number, got " + type_name(value));
  const py::array array = to_real(argument, value, 0);
  return Contiguous<Real>(array).data()[0];
}

Index to_count(const std::string& argument, py::handle value) {
  if (py::isinstance<py::bool_>(value) || !PyIndex_Check(value.ptr()))
    refuse(argument, "expected an integer, got " + type_name(value));
  const Index count = PyNumber_AsSsize_t(value.ptr(), PyExc_OverflowError);
  if (count == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(argument, "expected an integer of 64 bits");
  }
  return count;
}

std::string to_text(const std::string& argument, py::handle value) {
  if (!py::isinstance<py::str>(value)) refuse(argument, "expected a text, got " + type_name(value));
  return value.cast<std::string>();
}

}  // namespace talus::python
