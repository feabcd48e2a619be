#include <algorithm>
#include <limits>

#include <talus/problem/detail/mistakes.hpp>
#include <talus/problem/symmetry.hpp>
#include <talus/problem/validate.hpp>

namespace talus::problem {
namespace {

using detail::Mistakes;

void check_bounds(Mistakes& mistakes, const VecX& lower, const VecX& upper, Index first,
                  Index size) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  for (Index i = first; i < first + size; ++i) {
    if (std::isnan(lower[i]) || lower[i] == kInfinity)
      return mistakes.add("lower",
                          fmt::format("expected a number or −∞, got {} at index {}", lower[i], i));
    if (std::isnan(upper[i]) || upper[i] == -kInfinity)
      return mistakes.add("upper",
                          fmt::format("expected a number or ∞, got {} at index {}", upper[i], i));
    if (lower[i] > upper[i])
      return mistakes.add("lower", fmt::format("expected lower ≤ upper, got {} > {} at index {}",
                                               lower[i], upper[i], i));
  }
}

void check_diagonal(Mistakes& mistakes, const char* name, const VecX& diagonal, Index first,
                    Index size, bool may_be_zero) {
  for (Index i = first; i < first + size; ++i)
    if (may_be_zero ? diagonal[i] < 0 : diagonal[i] <= 0)
      return mistakes.add(name,
                          fmt::format("expected a diagonal entry {} 0 in row {}, got {}",
                                      may_be_zero ? "≥" : ">", i, diagonal[i]),
                          "the matrix of a well-posed problem is positive semidefinite");
}

void check_symmetric(Mistakes& mistakes, const char* name, const SparseMatrix& matrix) {
  if (const auto found = asymmetry(matrix))
    mistakes.add(name, *found, fmt::format("½({0} + {0}ᵀ) has the same objective", name));
}

const char* name_of(ConeKind kind) {
  switch (kind) {
    case ConeKind::free:
      return "free";
    case ConeKind::nonnegative:
      return "nonnegative";
    case ConeKind::box:
      return "box";
    case ConeKind::friction:
      return "friction";
    case ConeKind::rolling:
      return "rolling";
  }
  return "unknown";
}

/// The rows and coefficients of the cones.
void check_cones(Mistakes& mistakes, const ConeProblem& problem) {
  Index row = 0;
  for (std::size_t k = 0; k < problem.cones.size(); ++k) {
    const Cone& cone = problem.cones[k];
    const std::string place = fmt::format("cones[{}]", k);
    const Index n = cone.size;
    const bool has_size = cone.kind == ConeKind::friction  ? n == 2 || n == 3
                          : cone.kind == ConeKind::rolling ? n == 5
                                                           : n >= 1;
    if (cone.first != row || !has_size) {
      if (cone.first != row)
        mistakes.add(place, fmt::format("expected the first row {}, got {}", row, cone.first),
                     "cones stand in order and cover the rows once");
      if (!has_size)
        mistakes.add(place, fmt::format("expected {} rows for a cone of kind {}, got {}",
                                        cone.kind == ConeKind::friction  ? "2 or 3"
                                        : cone.kind == ConeKind::rolling ? "5"
                                                                         : "at least 1",
                                        name_of(cone.kind), n));
      return;
    }
    row += n;
    const auto check = [&](const char* symbol, Real value) {
      if (!(value >= 0 && std::isfinite(value)))
        mistakes.add(place, fmt::format("expected a finite {} ≥ 0, got {}", symbol, value));
    };
    if (cone.kind == ConeKind::friction || cone.kind == ConeKind::rolling)
      check("μ", cone.friction);
    if (cone.kind == ConeKind::rolling) check("μ_r", cone.rolling);
  }
  if (row != problem.size())
    mistakes.add("cones", fmt::format("expected cones over {} rows, got {}", problem.size(), row),
                 "a row without a law is of kind free");
}

}  // namespace

void validate(const Mlcp& problem, const std::string& file) {
  Mistakes mistakes(file);
  const Index n = problem.free_count(), m = problem.complementary_count();
  mistakes.check_shape("A", problem.A.rows(), problem.A.cols(), n, n, "the size of a");
  mistakes.check_shape("C", problem.C.rows(), problem.C.cols(), n, m, "size of a × size of b");
  mistakes.check_shape("D", problem.D.rows(), problem.D.cols(), m, n, "size of b × size of a");
  mistakes.check_shape("B", problem.B.rows(), problem.B.cols(), m, m, "the size of b");
  mistakes.check_finite("A", problem.A);
  mistakes.check_finite("C", problem.C);
  mistakes.check_finite("D", problem.D);
  mistakes.check_finite("B", problem.B);
  mistakes.check_finite("a", problem.a);
  mistakes.check_finite("b", problem.b);
  mistakes.throw_if_any();
}

void validate(const BoxQp& problem, const std::string& file) {
  Mistakes mistakes(file);
  const Index n = problem.size();
  mistakes.check_shape("H", problem.H.rows(), problem.H.cols(), n, n, "the size of g");
  mistakes.check_size("lower", problem.lower.size(), n, "the size of g");
  mistakes.check_size("upper", problem.upper.size(), n, "the size of g");
  mistakes.throw_if_any();
  mistakes.check_finite("H", problem.H);
  mistakes.check_finite("g", problem.g);
  mistakes.throw_if_any();
  check_diagonal(mistakes, "H", problem.H.diagonal(), 0, n, true);
  check_symmetric(mistakes, "H", problem.H);
  check_bounds(mistakes, problem.lower, problem.upper, 0, n);
  mistakes.throw_if_any();
}

void validate(const ConeProblem& problem, const std::string& file) {
  Mistakes mistakes(file);
  const Index n = problem.size();
  mistakes.check_shape("W", problem.W.rows(), problem.W.cols(), n, n, "the size of b");
  const bool has_box = std::any_of(problem.cones.begin(), problem.cones.end(),
                                   [](const Cone& c) { return c.kind == ConeKind::box; });
  const auto check_bound_size = [&](const char* name, Index found) {
    if (found != (has_box ? n : 0))
      mistakes.add(name, fmt::format("expected {} numbers ({}), got {}", has_box ? n : 0,
                                     has_box ? "the size of b" : "no cone is a box", found));
  };
  check_bound_size("lower", problem.lower.size());
  check_bound_size("upper", problem.upper.size());
  check_cones(mistakes, problem);
  mistakes.throw_if_any();
  mistakes.check_finite("W", problem.W);
  mistakes.check_finite("b", problem.b);
  const VecX diagonal = problem.W.diagonal();
  for (const Cone& cone : problem.cones) {
    const bool is_contact = cone.kind == ConeKind::friction || cone.kind == ConeKind::rolling;
    if (is_contact) check_diagonal(mistakes, "W", diagonal, cone.first, 1, false);
    check_diagonal(mistakes, "W", diagonal, cone.first, cone.size, true);
    if (cone.kind == ConeKind::box)
      check_bounds(mistakes, problem.lower, problem.upper, cone.first, cone.size);
  }
  mistakes.throw_if_any();
}

void validate(const RollingFrictionContact& problem, const std::string& file) {
  Mistakes mistakes(file);
  const Index m = problem.contact_count();
  mistakes.check_velocity(problem.W, "q", problem.b, 5 * m, "5 × contacts",
                          ", the number of entries of mu");
  mistakes.check_friction(problem.friction);
  mistakes.check_rolling(problem.rolling, m);
  mistakes.check_contact_diagonal(problem.W.diagonal(), 0, 5);
  mistakes.throw_if_any();
}

void validate(const GlobalRollingFrictionContact& problem, const std::string& file) {
  Mistakes mistakes(file);
  const Index m = problem.contact_count();
  mistakes.check_motion(problem, 5 * m);
  mistakes.check_friction(problem.friction);
  mistakes.check_rolling(problem.rolling, m);
  mistakes.throw_if_any();
}

void validate(const BilateralContact& problem, const std::string& file) {
  Mistakes mistakes(file);
  mistakes.check_dimension(problem.dimension);
  if (problem.equality_count < 0)
    mistakes.add("equality_count",
                 fmt::format("expected a count ≥ 0, got {}", problem.equality_count));
  mistakes.throw_if_any();
  const Index p = problem.equality_count;
  mistakes.check_velocity(problem.W, "b", problem.b,
                          p + problem.dimension * problem.contact_count(),
                          "constraints + dimension × contacts");
  mistakes.check_friction(problem.friction);
  const VecX diagonal = problem.W.diagonal();
  check_diagonal(mistakes, "W", diagonal, 0, p, true);
  mistakes.check_contact_diagonal(diagonal, p, problem.dimension);
  mistakes.throw_if_any();
}

void validate(const GlobalBilateralContact& problem, const std::string& file) {
  Mistakes mistakes(file);
  mistakes.check_dimension(problem.dimension);
  mistakes.throw_if_any();
  mistakes.check_shape("G", problem.G.rows(), problem.G.cols(), problem.M.rows(),
                       problem.equality_count(), "rows of M × the size of b");
  mistakes.check_motion(problem, problem.dimension * problem.contact_count());
  mistakes.check_finite("G", problem.G);
  mistakes.check_finite("b", problem.b);
  mistakes.check_friction(problem.friction);
  mistakes.throw_if_any();
}

void validate(const BoundedFriction& problem, const std::string& file) {
  Mistakes mistakes(file);
  if (problem.dimension != 1 && problem.dimension != 2)
    mistakes.add("dimension", fmt::format("expected 1 or 2, got {}", problem.dimension));
  mistakes.throw_if_any();
  const Index size = problem.dimension * problem.joint_count();
  mistakes.check_velocity(problem.W, "b", problem.b, size, "dimension × joints",
                          ", the number of entries of bound");
  mistakes.check_finite("bound", problem.bound);
  mistakes.check_not_negative("bound", "a bound", problem.bound, "joint",
                              "use 0 for a joint without friction");
  check_diagonal(mistakes, "W", problem.W.diagonal(), 0, size, false);
  mistakes.throw_if_any();
}

}  // namespace talus::problem
