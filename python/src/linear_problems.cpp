#include <pybind11/stl.h>

#include <algorithm>
#include <array>

#include <talus/base/text.hpp>
#include <talus/problem/convert.hpp>

#include "binding.hpp"
#include "contact_class.hpp"

namespace talus::python {
namespace {

using namespace problem;

std::shared_ptr<BoundedFriction> bounded_friction(py::object W, py::object b, py::object bound,
                                                  py::object dimension) {
  BoundedFriction problem;
  problem.W = to_sparse("W", W);
  problem.b = to_vector("b", b);
  problem.dimension = to_count("dimension", dimension);
  problem.bound = of_contacts("bound", bound, problem.b.size(), problem.dimension);
  return valid(std::move(problem));
}

constexpr std::array<std::pair<std::string_view, ConeKind>, 5> kConeKinds = {
    {{"free", ConeKind::free},
     {"nonnegative", ConeKind::nonnegative},
     {"box", ConeKind::box},
     {"friction", ConeKind::friction},
     {"rolling", ConeKind::rolling}}};

/// The value of a name in a table of names; refuses any other with those that there are.
template <class Table>
auto value_of(const char* argument, py::handle name, const Table& table) {
  const std::string word = to_text(argument, name);
  std::vector<std::string_view> names;
  for (const auto& [known, value] : table) {
    if (known == word) return value;
    names.push_back(known);
  }
  const std::string near = nearest_word(word, names);
  refuse(argument, fmt::format("expected {}, got '{}'", join_choices(names), word),
         near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

std::string name_of(ConeKind kind) {
  return std::string(std::find_if(kConeKinds.begin(), kConeKinds.end(), [&](const auto& known) {
                       return known.second == kind;
                     })->first);
}

Cone make_cone(py::object kind, py::object size, py::object mu, py::object mu_r) {
  Cone cone;
  cone.kind = value_of("kind", kind, kConeKinds);
  cone.size = to_count("size", size);
  cone.friction = to_number("mu", mu);
  cone.rolling = to_number("mu_r", mu_r);
  return cone;
}

std::shared_ptr<Lcp> lcp(py::object M, py::object q) {
  return valid(Lcp{to_dense("M", M), to_vector("q", q)});
}

std::shared_ptr<Mlcp> mlcp(py::object A, py::object C, py::object D, py::object B, py::object a,
                           py::object b) {
  return valid(Mlcp{to_dense("A", A), to_dense("C", C), to_dense("D", D), to_dense("B", B),
                    to_vector("a", a), to_vector("b", b)});
}

std::shared_ptr<BoxQp> box_qp(py::object H, py::object g, py::object lower, py::object upper) {
  BoxQp problem{to_sparse("H", H), to_vector("g", g), {}, {}};
  problem.lower = to_vector("lower", lower, problem.size());
  problem.upper = to_vector("upper", upper, problem.size());
  return valid(std::move(problem));
}

std::shared_ptr<ConeProblem> cone_problem(py::object W, py::object b, py::object cones,
                                          py::object lower, py::object upper) {
  ConeProblem problem{to_sparse("W", W), to_vector("b", b), {}, {}, {}};
  from_python("cones", cones, problem.cones);
  if (!lower.is_none()) problem.lower = to_vector("lower", lower, problem.size());
  if (!upper.is_none()) problem.upper = to_vector("upper", upper, problem.size());
  return valid(std::move(problem));
}

/// The names of two tables, each once, in the order of the first.
Names both(const Names& first, const Names& second) {
  Names names = first;
  for (const std::string_view name : second)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

Names mixed_solver_names() { return both(driver::lcp_solver_names(), driver::cone_solver_names()); }

Names bounded_solver_names(py::object dimension) {
  const Index d = to_count("dimension", dimension);
  if (d != 1 && d != 2) refuse("dimension", fmt::format("expected 1 or 2, got {}", d));
  return d == 1 ? both(driver::cone_solver_names(), driver::lcp_solver_names())
                : driver::lcp_solver_names();
}

void bind_lcp(py::module_& module) {
  auto type =
      problem_class<Lcp>(module, "Lcp", R"(
Linear complementarity problem: 0 ≤ z ⟂ w = M z + q ≥ 0.

Parameters
----------
M : array_like or sparse matrix, shape (n, n)
    Any real matrix; kept dense, as given.
q : array_like, shape (n,)

Raises
------
InputError
    Naming the argument.
)",
                         Field{"M", &Lcp::M, "The matrix."}, Field{"q", &Lcp::q, "The vector."});
  type.def(py::init(&lcp), py::arg("M"), py::arg("q"))
      .def_static("solver_names", &driver::lcp_solver_names, kSolverNames);
  add_cone_form(type);
  add_write(type);
}

void bind_mlcp(py::module_& module) {
  auto type = problem_class<Mlcp>(module, "Mlcp", R"(
Mixed linear complementarity problem: 0 = A x + C z + a, 0 ≤ z ⟂ w = D x + B z + b ≥ 0, x free.

Parameters
----------
A, C, D, B : array_like or sparse matrix, shapes (n, n), (n, m), (m, n), (m, m)
    Any real matrices; kept dense, as given.
a, b : array_like, shapes (n,), (m,)

Raises
------
InputError
    Naming the argument; a singular A is found when the problem is solved.
)",
                                  Field{"A", &Mlcp::A, "n×n."}, Field{"C", &Mlcp::C, "n×m."},
                                  Field{"D", &Mlcp::D, "m×n."}, Field{"B", &Mlcp::B, "m×m."},
                                  Field{"a", &Mlcp::a, "n."}, Field{"b", &Mlcp::b, "m."});
  type.def(py::init(&mlcp), py::arg("A"), py::arg("C"), py::arg("D"), py::arg("B"), py::arg("a"),
           py::arg("b"))
      .def_static("solver_names", &mixed_solver_names, kSolverNames);
  add_cone_form(type);
}

void bind_box_qp(py::module_& module) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  auto type = problem_class<BoxQp>(module, "BoxQp", R"(
Bound-constrained quadratic program: min ½ xᵀH x + gᵀx subject to lower ≤ x ≤ upper.

Parameters
----------
H : array_like or sparse matrix, shape (n, n)
    Symmetric, H_ii ≥ 0.
g : array_like, shape (n,)
lower, upper : array_like, shape (n,), or float
    Bounds, −∞ and ∞ where there is none.

Raises
------
InputError
    Naming the argument.
)",
                                   Field{"H", &BoxQp::H, "Symmetric SparseMatrix."},
                                   Field{"g", &BoxQp::g, "The vector."},
                                   Field{"lower", &BoxQp::lower, "Lower bounds."},
                                   Field{"upper", &BoxQp::upper, "Upper bounds."});
  type.def(py::init(&box_qp), py::arg("H"), py::arg("g"), py::arg("lower") = -kInfinity,
           py::arg("upper") = kInfinity)
      .def_static("solver_names", &driver::cone_solver_names, kSolverNames);
  add_cone_form(type);
}

void bind_cone_problem(py::module_& module) {
  py::class_<Cone> cone(module, "Cone", R"(
The convex set of one block of a ConeProblem.

Parameters
----------
kind : str
    'free', 'nonnegative', 'box', 'friction' (N, T) or (N, T1, T2), or 'rolling' (N, T1, T2, R1, R2).
size : int
    Rows ≥ 1.
mu, mu_r : float
    Coefficients ≥ 0 of friction and rolling cones; mu_r in metres.
)");
  cone.def(py::init(&make_cone), py::arg("kind"), py::arg("size") = 1, py::arg("mu") = 0.0,
           py::arg("mu_r") = 0.0)
      .def_property_readonly(
          "kind", [](const Cone& c) { return name_of(c.kind); }, "Its name.")
      .def_readonly("size", &Cone::size, "Rows.")
      .def_readonly("mu", &Cone::friction, "Friction coefficient.")
      .def_readonly("mu_r", &Cone::rolling, "Rolling friction coefficient [m].")
      .def("__repr__",
           [](const Cone& c) {
             return fmt::format("Cone('{}', size={}, mu={}, mu_r={})", name_of(c.kind), c.size,
                                c.friction, c.rolling);
           })
      .def(py::pickle(
          [](const Cone& c) {
            return py::make_tuple(name_of(c.kind), c.size, c.friction, c.rolling);
          },
          [](const py::tuple& state) {
            if (state.size() != 4) refuse("Cone", "not a pickled cone");
            return make_cone(state[0], state[1], state[2], state[3]);
          }));
  make_public(cone);
  auto type = problem_class<ConeProblem>(
      module, "ConeProblem", R"(
Complementarity over a product of convex sets: r ∈ K, u = W r + b, (s − r)·u ≥ 0 for all s ∈ K.

With W symmetric positive semidefinite: min ½ rᵀW r + bᵀr over K.

Parameters
----------
W : array_like or sparse matrix, shape (n, n)
b : array_like, shape (n,)
cones : sequence of Cone
    In order; their sizes sum to n.
lower, upper : array_like, shape (n,), or float, optional
    Bounds where a cone is a box.

Raises
------
InputError
    Naming the argument.
)",
      Field{"W", &ConeProblem::W, "SparseMatrix."}, Field{"b", &ConeProblem::b, "The vector."},
      Field{"cones", &ConeProblem::cones, "The cones, in order."},
      Field{"lower", &ConeProblem::lower, "Lower bounds of boxes, or empty."},
      Field{"upper", &ConeProblem::upper, "Upper bounds of boxes, or empty."});
  type.def(py::init(&cone_problem), py::arg("W"), py::arg("b"), py::arg("cones"),
           py::arg("lower") = py::none(), py::arg("upper") = py::none())
      .def_static("solver_names", &driver::cone_solver_names, kSolverNames);
}

void bind_bounded_friction(py::module_& module) {
  using P = BoundedFriction;
  auto type = problem_class<P>(module, "BoundedFriction", R"(
Friction whose largest impulse is given: u = W r + b, ‖rᵢ‖ ≤ boundᵢ, rᵢ·uᵢ = −boundᵢ‖uᵢ‖.

Parameters
----------
W : array_like or sparse matrix, shape (d m, d m)
    W_kk > 0.
b : array_like, shape (d m,)
    Free slip velocity [m/s or rad/s].
bound : array_like, shape (m,), or float
    Step size × largest force or moment, ≥ 0.
dimension : int
    d, directions of slip per joint: 1 or 2.

Raises
------
InputError
    Naming the argument.
)",
                               Field{"dimension", &P::dimension, "Directions of slip per joint."},
                               Field{"W", &P::W, kDelassus},
                               Field{"b", &P::b, "Free slip velocity [m/s or rad/s]."},
                               Field{"bound", &P::bound, "Largest impulse of every joint."});
  type.def(py::init(&bounded_friction), py::arg("W"), py::arg("b"), py::arg("bound"),
           py::arg("dimension") = P{}.dimension)
      .def_static("solver_names", &bounded_solver_names, py::arg("dimension") = P{}.dimension,
                  kSolverNames);
  add_cone_form(type);
}

}  // namespace

void from_python(const char* name, py::handle from, FrictionLaw& to) {
  std::vector<std::pair<std::string_view, FrictionLaw>> laws;
  for (const FrictionLaw law : kFrictionLaws) laws.emplace_back(to_string(law), law);
  to = value_of(name, from, laws);
}

void from_python(const char* name, py::handle from, std::vector<Cone>& to) {
  if (!py::isinstance<py::sequence>(from) || py::isinstance<py::str>(from))
    refuse(name, "expected a sequence of Cone");
  Index first = 0;
  for (const py::handle cone : from) {
    if (!py::isinstance<Cone>(cone))
      refuse(name, "expected a sequence of Cone, got " + std::string(py::repr(cone)));
    to.push_back(cone.cast<Cone>());
    to.back().first = first;
    first += std::max<Index>(to.back().size, 0);
  }
}

void bind_linear_problems(py::module_& module) {
  bind_lcp(module);
  bind_mlcp(module);
  bind_box_qp(module);
  bind_cone_problem(module);
  bind_bounded_friction(module);
}

}  // namespace talus::python
