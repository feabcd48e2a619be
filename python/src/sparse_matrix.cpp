#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <memory>

#include "arrays.hpp"
#include "binding.hpp"

namespace talus::python {
namespace {

const SparseMatrix& matrix_of(py::handle self) { return self.cast<const SparseMatrix&>(); }

py::array data(py::handle self) {
  return view(matrix_of(self).valuePtr(), matrix_of(self).nonZeros(), self);
}
py::array indices(py::handle self) {
  return view(matrix_of(self).innerIndexPtr(), matrix_of(self).nonZeros(), self);
}
py::array indptr(py::handle self) {
  return view(matrix_of(self).outerIndexPtr(), matrix_of(self).rows() + 1, self);
}
py::tuple shape(const SparseMatrix& m) { return py::make_tuple(m.rows(), m.cols()); }

py::array to_array(const SparseMatrix& matrix) {
  py::array_t<Real> array({matrix.rows(), matrix.cols()});
  Eigen::Map<Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      array.mutable_data(), matrix.rows(), matrix.cols()) = matrix;
  return array;
}

py::array product(const SparseMatrix& matrix, py::handle x) {
  const VecX values = to_vector("x", x);
  if (values.size() != matrix.cols())
    refuse("x", fmt::format("expected {} numbers, got {}", matrix.cols(), values.size()));
  return owned(VecX(matrix * values));
}

/// scipy.sparse.csr_array of the same numbers, not copied.
py::object to_csr(py::handle self) {
  const py::object csr = py::module_::import("scipy.sparse").attr("csr_array");
  return csr(py::make_tuple(data(self), indices(self), indptr(self)),
             py::arg("shape") = shape(matrix_of(self)), py::arg("copy") = false);
}

}  // namespace

void bind_sparse_matrix(py::module_& module) {
  py::class_<SparseMatrix, std::shared_ptr<SparseMatrix>> type(module, "SparseMatrix", R"(
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
      .def_property_readonly("shape", &shape)
      .def_property_readonly("data", [](py::object self) { return data(self); })
      .def_property_readonly("indices", [](py::object self) { return indices(self); })
      .def_property_readonly("indptr", [](py::object self) { return indptr(self); })
      .def_property_readonly("nnz", [](const SparseMatrix& m) { return m.nonZeros(); })
      .def("toarray", &to_array, "Dense copy, ndarray of two axes.")
      .def(
          "__array__",
          [](const SparseMatrix& m, py::object dtype) -> py::object {
            return dtype.is_none() ? py::object(to_array(m)) : to_array(m).attr("astype")(dtype);
          },
          py::arg("dtype") = py::none())
      .def(
          "tocsr", [](py::object self) { return to_csr(self); },
          "scipy.sparse.csr_array of the same memory.")
      .def("__matmul__", &product, py::arg("x"))
      .def("__repr__",
           [](const SparseMatrix& m) {
             return fmt::format("<{}×{} SparseMatrix with {} entries>", m.rows(), m.cols(),
                                m.nonZeros());
           })
      .def(py::pickle(
          [](py::object self) {
            const auto copy = [](const py::array& array) { return array.attr("copy")(); };
            return py::make_tuple(shape(matrix_of(self)), copy(data(self)), copy(indices(self)),
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
