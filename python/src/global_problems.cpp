#include <pybind11/stl.h>

#include <talus/problem/convert.hpp>

#include "binding.hpp"
#include "contact_class.hpp"

namespace talus::python {
namespace {

using namespace problem;

std::shared_ptr<GlobalFrictionContact> global_friction_contact(py::object M, py::object H,
                                                               py::object f, py::object w,
                                                               py::object mu, py::object law,
                                                               py::object dimension,
                                                               py::object directions) {
  GlobalFrictionContact problem;
  problem.M = to_sparse("M", M);
  problem.H = to_sparse("H", H);
  problem.f = to_vector("f", f);
  problem.w = to_vector("w", w);
  problem.dimension = dimension_of(dimension, mu, "w", problem.w.size());
  problem.friction = of_contacts("mu", mu, problem.w.size(), problem.dimension);
  from_python("law", law, problem.law);
  problem.directions = to_count("directions", directions);
  return valid(std::move(problem));
}

std::shared_ptr<GlobalBilateralContact> global_bilateral_contact(py::object M, py::object H,
                                                                 py::object G, py::object f,
                                                                 py::object w, py::object b,
                                                                 py::object mu,
                                                                 py::object dimension) {
  GlobalBilateralContact problem;
  problem.M = to_sparse("M", M);
  problem.H = to_sparse("H", H);
  problem.G = to_sparse("G", G);
  problem.f = to_vector("f", f);
  problem.w = to_vector("w", w);
  problem.b = to_vector("b", b);
  problem.dimension = dimension_of(dimension, mu, "w", problem.w.size());
  problem.friction = of_contacts("mu", mu, problem.w.size(), problem.dimension);
  return valid(std::move(problem));
}

std::shared_ptr<GlobalRollingFrictionContact> global_rolling_contact(py::object M, py::object H,
                                                                     py::object f, py::object w,
                                                                     py::object mu,
                                                                     py::object mu_r) {
  GlobalRollingFrictionContact problem;
  problem.M = to_sparse("M", M);
  problem.H = to_sparse("H", H);
  problem.f = to_vector("f", f);
  problem.w = to_vector("w", w);
  problem.friction = of_contacts("mu", mu, problem.w.size(), problem.dimension);
  problem.rolling = of_contacts("mu_r", mu_r, problem.w.size(), problem.dimension);
  return valid(std::move(problem));
}

template <class Global>
std::shared_ptr<typename Global::Local> to_local(const std::shared_ptr<Global>& problem) {
  const py::gil_scoped_release unlocked;
  return std::make_shared<typename Global::Local>(LocalForm<Global>(*problem).problem());
}

constexpr const char* kToLocal = R"(
The local form: W = Hᵀ M⁻¹ H and b = Hᵀ M⁻¹ f + w, with the rows of constraints first.

Raises
------
InputError
    If M is singular or a contact moves nothing.
)";

void bind_global_friction_contact(py::module_& module) {
  using P = GlobalFrictionContact;
  auto type = problem_class<P>(module, "GlobalFrictionContact", R"(
Frictional contact in global form: the velocities v of the system kept.

M v = H r + f, u = Hᵀ v + w, and the law of FrictionContact between r and u.

Parameters
----------
M : array_like or sparse matrix, shape (n, n)
    Mass matrix [kg], non-singular.
H : array_like or sparse matrix, shape (n, d m)
    Transposed contact Jacobian (FCLIB's letter).
f : array_like, shape (n,)
    Momentum without contact [N s].
w : array_like, shape (d m,)
    Prescribed relative velocity [m/s].
mu, law, dimension, directions
    As of FrictionContact.

Raises
------
InputError
    Naming the argument; a singular M is found when the problem is solved.
)",
                               Field{"dimension", &P::dimension, kDimension},
                               Field{"M", &P::M, kMass}, Field{"H", &P::H, kJacobian},
                               Field{"f", &P::f, kMomentum}, Field{"w", &P::w, kPrescribed},
                               Field{"mu", &P::friction, kFriction}, Field{"law", &P::law, kLaw},
                               Field{"directions", &P::directions, kDirections});
  type.def(py::init(&global_friction_contact), py::arg("M"), py::arg("H"), py::arg("f"),
           py::arg("w"), py::arg("mu"), py::kw_only(), py::arg("law") = "coulomb",
           py::arg("dimension") = py::none(), py::arg("directions") = P{}.directions)
      .def("with_law", &with_law<P>, py::arg("law"), py::arg("directions") = py::none(), kWithLaw)
      .def("to_local", &to_local<P>, kToLocal)
      .def_static("solver_names", &contact_solvers, py::arg("law") = "coulomb",
                  py::arg("dimension") = 3, kSolverNames);
  add_write(type);
}

void bind_global_bilateral_contact(py::module_& module) {
  using P = GlobalBilateralContact;
  auto type = problem_class<P>(module, "GlobalBilateralContact", R"(
Bilateral constraints together with frictional contacts, global form.

M v = H r + G λ + f, Gᵀ v + b = 0, u = Hᵀ v + w, and Coulomb's law between r and u. Answers stack the
impulses as (λ, r).

Parameters
----------
M, H, f, w, mu, dimension
    As of GlobalFrictionContact.
G : array_like or sparse matrix, shape (n, p)
    Transposed constraint Jacobian.
b : array_like, shape (p,)
    Prescribed velocity of the constraints.

Raises
------
InputError
    Naming the argument.
)",
                               Field{"dimension", &P::dimension, kDimension},
                               Field{"M", &P::M, kMass}, Field{"H", &P::H, kJacobian},
                               Field{"G", &P::G, "Transposed constraint Jacobian, SparseMatrix."},
                               Field{"f", &P::f, kMomentum}, Field{"w", &P::w, kPrescribed},
                               Field{"b", &P::b, "Prescribed velocity of the constraints."},
                               Field{"mu", &P::friction, kFriction});
  type.def(py::init(&global_bilateral_contact), py::arg("M"), py::arg("H"), py::arg("G"),
           py::arg("f"), py::arg("w"), py::arg("b"), py::arg("mu"), py::kw_only(),
           py::arg("dimension") = py::none())
      .def("to_local", &to_local<P>, kToLocal)
      .def_static("solver_names", &driver::friction_contact_solver_names, kSolverNames);
  add_write(type);
}

void bind_global_rolling_contact(py::module_& module) {
  using P = GlobalRollingFrictionContact;
  auto type =
      problem_class<P>(module, "GlobalRollingFrictionContact", R"(
Frictional contact with rolling resistance, global form.

M v = H r + f, u = Hᵀ v + w, and the law of RollingFrictionContact between r and u.

Parameters
----------
M, H, f, w
    As of GlobalFrictionContact, with five rows per contact.
mu, mu_r
    As of RollingFrictionContact.

Raises
------
InputError
    Naming the argument.
)",
                       Field{"M", &P::M, kMass}, Field{"H", &P::H, kJacobian},
                       Field{"f", &P::f, kMomentum}, Field{"w", &P::w, kPrescribed},
                       Field{"mu", &P::friction, kFriction}, Field{"mu_r", &P::rolling, kRolling});
  type.def(py::init(&global_rolling_contact), py::arg("M"), py::arg("H"), py::arg("f"),
           py::arg("w"), py::arg("mu"), py::arg("mu_r"))
      .def("to_local", &to_local<P>, kToLocal)
      .def_static("solver_names", &driver::rolling_solver_names, kSolverNames);
  add_write(type);
}

}  // namespace

void bind_global_problems(py::module_& module) {
  bind_global_friction_contact(module);
  bind_global_bilateral_contact(module);
  bind_global_rolling_contact(module);
}

}  // namespace talus::python
