#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/friction_law.hpp>

#include "arrays.hpp"

namespace talus::python {

/// Who keeps the members of a problem alive.
struct Owner {
  py::handle object;
  std::shared_ptr<void> problem;
};

// Members of problems: to Python without copies; from Python; in words.

inline py::object to_python(const VecX& x, const Owner& owner) {
  return view(x.data(), x.size(), owner.object);
}
inline py::object to_python(const MatX& x, const Owner& owner) {
  const auto item = static_cast<Index>(sizeof(Real));
  py::array_t<Real> array({x.rows(), x.cols()}, {item, item * x.rows()}, x.data(), owner.object);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}
inline py::object to_python(const SparseMatrix& x, const Owner& owner) {
  // Python cannot write to it either.
  return py::cast(std::shared_ptr<SparseMatrix>(owner.problem, const_cast<SparseMatrix*>(&x)));
}
inline py::object to_python(Index x, const Owner& /*owner*/) { return py::int_(x); }
inline py::object to_python(Real x, const Owner& /*owner*/) { return py::float_(x); }
inline py::object to_python(problem::FrictionLaw x, const Owner& /*owner*/) {
  return py::str(std::string(to_string(x)));
}
inline py::object to_python(const std::vector<problem::Cone>& x, const Owner& /*owner*/) {
  py::list cones;
  for (const problem::Cone& cone : x) cones.append(py::cast(cone));
  return py::tuple(cones);
}

inline void from_python(const char* name, py::handle from, VecX& to) { to = to_vector(name, from); }
inline void from_python(const char* name, py::handle from, MatX& to) { to = to_dense(name, from); }
inline void from_python(const char* name, py::handle from, SparseMatrix& to) {
  to = to_sparse(name, from);
}
inline void from_python(const char* name, py::handle from, Index& to) { to = to_count(name, from); }
inline void from_python(const char* name, py::handle from, Real& to) { to = to_number(name, from); }
void from_python(const char* name, py::handle from, problem::FrictionLaw& to);
void from_python(const char* name, py::handle from, std::vector<problem::Cone>& to);

inline std::string in_words(const VecX& x) { return fmt::format("<{} numbers>", x.size()); }
inline std::string in_words(const MatX& x) { return fmt::format("<{}×{}>", x.rows(), x.cols()); }
inline std::string in_words(const SparseMatrix& x) {
  return fmt::format("<{}×{}, {} entries>", x.rows(), x.cols(), x.nonZeros());
}
inline std::string in_words(Index x) { return fmt::format("{}", x); }
inline std::string in_words(Real x) { return fmt::format("{}", x); }
inline std::string in_words(problem::FrictionLaw x) { return fmt::format("'{}'", to_string(x)); }
inline std::string in_words(const std::vector<problem::Cone>& x) {
  return fmt::format("<{} cones>", x.size());
}

}  // namespace talus::python
