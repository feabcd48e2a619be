#include <pybind11/stl.h>

#include "binding.hpp"
#include "contact_class.hpp"

namespace talus::python {
namespace {

using namespace problem;

std::shared_ptr<FrictionContact> friction_contact(py::object W, py::object b, py::object mu,
                                                  py::object law, py::object dimension,
                                                  py::object directions) {
  FrictionContact problem;
  problem.W = to_sparse("W", W);
  problem.b = to_vector("b", b);
  problem.dimension = dimension_of(dimension, mu, "b", problem.b.size());
  problem.friction = of_contacts("mu", mu, problem.b.size(), problem.dimension);
  from_python("law", law, problem.law);
  problem.directions = to_count("directions", directions);
  return valid(std::move(problem));
}

std::shared_ptr<BilateralContact> bilateral_contact(py::object W, py::object b, py::object mu,
                                                    py::object equality_count,
                                                    py::object dimension) {
  BilateralContact problem;
  problem.W = to_sparse("W", W);
  problem.b = to_vector("b", b);
  problem.equality_count = to_count("equality_count", equality_count);
  const Index rows = problem.b.size() - problem.equality_count;
  if (problem.equality_count < 0 || rows < 0)
    refuse("equality_count",
           fmt::format("expected 0 to {}, got {}", problem.b.size(), problem.equality_count));
  problem.dimension = dimension_of(dimension, mu, "b", rows);
  problem.friction = of_contacts("mu", mu, rows, problem.dimension);
  return valid(std::move(problem));
}

std::shared_ptr<RollingFrictionContact> rolling_contact(py::object W, py::object b, py::object mu,
                                                        py::object mu_r) {
  RollingFrictionContact problem;
  problem.W = to_sparse("W", W);
  problem.b = to_vector("b", b);
  problem.friction = of_contacts("mu", mu, problem.b.size(), problem.dimension);
  problem.rolling = of_contacts("mu_r", mu_r, problem.b.size(), problem.dimension);
  return valid(std::move(problem));
}

void bind_friction_contact(py::module_& module) {
  using P = FrictionContact;
  auto type = problem_class<P>(
      module, "FrictionContact", R"(
Frictional contact in local form, in the plane or in space.

Find impulses r and relative velocities u with u = W r + b and, for every contact, the law: Coulomb's
is K_μ ∋ r ⟂ u + μ‖u_T‖ n ∈ K_μ*, K_μ = {‖r_T‖ ≤ μ r_N}. Rows are normal first: (N, T) or (N, T1, T2).

Parameters
----------
W : array_like or sparse matrix, shape (d m, d m)
    Delassus matrix J M⁻¹ Jᵀ [1/kg]; may be rank-deficient. W_NN > 0.
b : array_like, shape (d m,)
    Free relative velocity [m/s].
mu : array_like, shape (m,), or float
    Friction coefficients ≥ 0; a number stands for all contacts.
law : str
    'coulomb', 'maximum_dissipation', 'cone_complementarity', 'polyhedral' or 'frictionless'.
dimension : int, optional
    d, 2 or 3. Otherwise len(b)/len(mu), and 3 where mu is a number.
directions : int
    Corners of the polygon of the polyhedral law in space: even, ≥ 4.

Raises
------
InputError
    Naming the argument: shapes that do not fit, numbers that are not finite, μ < 0.

Examples
--------
A ball of 1 kg that hits the ground at 2 m/s and slides at 3 m/s stops falling and is slowed by μ r_N:

>>> solution = talus.solve(talus.FrictionContact(np.eye(3), [-2.0, 3.0, 0.0], 0.5))
>>> solution.r
array([ 2., -1.,  0.])
)",
      Field{"dimension", &P::dimension, kDimension}, Field{"W", &P::W, kDelassus},
      Field{"b", &P::b, kFreeVelocity}, Field{"mu", &P::friction, kFriction},
      Field{"law", &P::law, kLaw}, Field{"directions", &P::directions, kDirections},
      Field{"force_speed", &P::force_speed,
            "What forces add to velocities in the step where it is known, otherwise 0 [m/s]."});
  type.def(py::init(&friction_contact), py::arg("W"), py::arg("b"), py::arg("mu"), py::kw_only(),
           py::arg("law") = "coulomb", py::arg("dimension") = py::none(),
           py::arg("directions") = P{}.directions)
      .def("with_law", &with_law<P>, py::arg("law"), py::arg("directions") = py::none(), kWithLaw)
      .def_static("solver_names", &contact_solvers, py::arg("law") = "coulomb",
                  py::arg("dimension") = 3, kSolverNames);
  add_cone_form(type);
  add_write(type);
}

void bind_bilateral_contact(py::module_& module) {
  using P = BilateralContact;
  auto type = problem_class<P>(
      module, "BilateralContact", R"(
Bilateral constraints together with frictional contacts, local form.

u = W r + b; u = 0 on the first `equality_count` rows, the constraints, whose r is free; Coulomb's law
on the contacts behind them.

Parameters
----------
W : array_like or sparse matrix, shape (p + d m, p + d m)
    Delassus matrix [1/kg].
b : array_like, shape (p + d m,)
    Free relative velocity [m/s].
mu : array_like, shape (m,), or float
    Friction coefficients ≥ 0.
equality_count : int
    p ≥ 0.
dimension : int, optional
    d, 2 or 3. Otherwise (len(b) − p)/len(mu), and 3 where mu is a number.

Raises
------
InputError
    Naming the argument.
)",
      Field{"dimension", &P::dimension, kDimension},
      Field{"equality_count", &P::equality_count, "Rows of constraints, the first ones."},
      Field{"W", &P::W, kDelassus}, Field{"b", &P::b, kFreeVelocity},
      Field{"mu", &P::friction, kFriction});
  type.def(py::init(&bilateral_contact), py::arg("W"), py::arg("b"), py::arg("mu"),
           py::arg("equality_count"), py::kw_only(), py::arg("dimension") = py::none())
      .def_static("solver_names", &driver::friction_contact_solver_names, kSolverNames);
  add_cone_form(type);
  add_write(type);
}

void bind_rolling_contact(py::module_& module) {
  using P = RollingFrictionContact;
  auto type =
      problem_class<P>(module, "RollingFrictionContact", R"(
Frictional contact with rolling resistance, local form: rows (N, T1, T2, R1, R2) per contact.

u = W r + b and K ∋ r ⟂ u + (μ‖u_T‖ + μ_r‖u_R‖) n ∈ K*, K = {‖r_T‖ ≤ μ r_N, ‖r_R‖ ≤ μ_r r_N}.

Parameters
----------
W : array_like or sparse matrix, shape (5 m, 5 m)
    Delassus matrix.
b : array_like, shape (5 m,)
    Free relative velocity [m/s, rad/s].
mu : array_like, shape (m,), or float
    Friction coefficients ≥ 0.
mu_r : array_like, shape (m,), or float
    Rolling friction coefficients ≥ 0 [m].

Raises
------
InputError
    Naming the argument.
)",
                       Field{"W", &P::W, kDelassus}, Field{"b", &P::b, kFreeVelocity},
                       Field{"mu", &P::friction, kFriction}, Field{"mu_r", &P::rolling, kRolling});
  type.def(py::init(&rolling_contact), py::arg("W"), py::arg("b"), py::arg("mu"), py::arg("mu_r"))
      .def_static("solver_names", &driver::rolling_solver_names, kSolverNames);
  add_cone_form(type);
  add_write(type);
}

}  // namespace

void bind_contact_problems(py::module_& module) {
  bind_friction_contact(module);
  bind_bilateral_contact(module);
  bind_rolling_contact(module);
}

}  // namespace talus::python
