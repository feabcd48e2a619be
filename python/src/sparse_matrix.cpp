#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <memory>

#include "arrays.hpp"
#include "binding.hpp"

namespace talus::python {
namespace {

using Held = std::shared_ptr<SparseMatrix>;

/// Throws for an object whose constructor was never called.
const SparseMatrix& matrix_of(py::handle self) { return *self.cast<Held>(); }

py::array data(py::handle self) {
  return view(matrix_of(self).valuePtr(), matrix_of(self).nonZeros(), self);
}
py::array indices(py::handle self) {
  return view(matrix_of(self).innerIndexPtr(), matrix_of(self).nonZeros(), self);
}
py::array indptr(py::handle self) {
  return view(matrix_of(self).outerIndexPtr(), matrix_of(self).rows() + 1, self);
}
py::tuple shape(const Held& m) { return py::make_tuple(m->rows(), m->cols()); }

py::array to_array(const Held& held) {
  const SparseMatrix& matrix = *held;
  py::array_t<Real> array({matrix.rows(), matrix.cols()});
  Eigen::Map<Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      array.mutable_data(), matrix.rows(), matrix.cols()) = matrix;
  return array;
}

py::array product(const Held& held, py::handle x) {
  const SparseMatrix& matrix = *held;
  const VecX values = to_vector("x", x);
  if (values.size() != matrix.cols())
    refuse("x", fmt::format("expected {} numbers, got {}", matrix.cols(), values.size()));
  return owned(VecX(matrix * values));
}

/// scipy.sparse.csr_array of the same numbers, not copied.
py::object to_csr(py::handle self) {
  const py::object csr = py::module_::import("scipy.sparse").attr("csr_array");
  return csr(py::make_tuple(data(self), indices(self), indptr(self)),
             py::arg("shape") = shape(self.cast<Held>()), py::arg("copy") = false);
}

}  // namespace

void bind_sparse_matrix(py::module_& module) {
  py::class_<SparseMatrix, Held> type(module, "SparseMatrix", R"(
A matrix in compressed rows, as problems keep it.

Parameters
----------
matrix : array_like or sparse matrix
    Two axes of real numbers, or anything with a method ``tocsr`` as of scipy.sparse.

Attributes
----------
shape : tuple of int
    Rows and columns.
data, indices, indptr : ndarray
    Values, columns, and the start of every row; views that must not be written to.

Notes
-----
``matrix.tocsr()`` is a scipy.sparse.csr_array of the same memory, ``matrix.toarray()`` and
``numpy.asarray(matrix)`` are dense copies, ``matrix @ x`` is the product with a vector.
)");
  type.def(py::init([](py::object matrix) {
             return std::make_shared<SparseMatrix>(to_sparse("matrix", matrix));
           }),
           py::arg("matrix"))
      .def_property_readonly("shape", &shape, "Rows and columns.")
      .def_property_readonly(
          "data", [](py::object self) { return data(self); }, "Values, row by row.")
      .def_property_readonly(
          "indices", [](py::object self) { return indices(self); }, "Their columns.")
      .def_property_readonly(
          "indptr", [](py::object self) { return indptr(self); }, "Start of every row.")
      .def_property_readonly(
          "nnz", [](const Held& m) { return m->nonZeros(); }, "Number of entries.")
      .def("toarray", &to_array, "Dense copy, ndarray of two axes.")
      .def(
          "__array__",
          [](const Held& m, py::object dtype) -> py::object {
            return dtype.is_none() ? py::object(to_array(m)) : to_array(m).attr("astype")(dtype);
          },
          py::arg("dtype") = py::none())
      .def(
          "tocsr", [](py::object self) { return to_csr(self); },
          "scipy.sparse.csr_array of the same memory.")
      .def("__matmul__", &product, py::arg("x"))
      .def("__repr__",
           [](const Held& m) {
             return fmt::format("<{}×{} SparseMatrix with {} entries>", m->rows(), m->cols(),
                                m->nonZeros());
           })
      .def(py::pickle(
          [](py::object self) {
            const auto copy = [](const py::array& array) { return array.attr("copy")(); };
            return py::make_tuple(shape(self.cast<Held>()), copy(data(self)), copy(indices(self)),
                                  copy(indptr(self)));
          },
          [](const py::tuple& state) {
            if (state.size() != 4) refuse("SparseMatrix", "not a pickled matrix");
            return std::make_shared<SparseMatrix>(
                from_csr("SparseMatrix", state[0], state[1], state[2], state[3]));
          }));
  make_public(type);
}

}  // namespace talus::python
