#include <talus/problem/convert_mlcp.hpp>

#include <fmt/format.h>

#include <cmath>

#include <talus/base/error.hpp>
#include <talus/linalg/dense.hpp>

namespace talus::problem {
namespace {

/// Reciprocal condition below which A counts as singular.
constexpr Real kSingular = 1e-13;

/// 1/max over each row (or column) of the sizes of a matrix; 1 where it is empty.
VecX scale_of(const VecX& largest) {
  return largest.unaryExpr([](Real value) { return value > 0 ? 1 / value : Real(1); });
}

}  // namespace

EliminatedMlcp eliminate_free(const Mlcp& problem, const std::string& file) {
  const Index n = problem.free_count(), m = problem.complementary_count();
  EliminatedMlcp result;
  if (n == 0) {
    result.lcp = {problem.B, problem.b};
    result.response = MatX(0, m);
    result.rest = VecX(0);
    return result;
  }
  const VecX rows = scale_of(problem.A.cwiseAbs().rowwise().maxCoeff());
  MatX scaled = rows.asDiagonal() * problem.A;
  const VecX columns = scale_of(scaled.cwiseAbs().colwise().maxCoeff().transpose());
  scaled = scaled * columns.asDiagonal();
  const linalg::PartialPivLu lu(scaled);
  // The estimate of the condition divides by the pivots: a zero one is looked for first.
  const bool has_pivots = lu.least_pivot() > kSingular;
  const Real condition = has_pivots ? lu.reciprocal_condition() : 0;
  if (!(condition > kSingular))
    throw InputError(Diagnostic{
        {file, 0, 0},
        "A",
        fmt::format("expected a non-singular matrix, got one of reciprocal condition {:.2g}",
                    condition),
        "",
        "equations that depend on each other leave x undetermined: drop or regularise them"});

  MatX rhs(n, m + 1);
  rhs << problem.C, problem.a;
  rhs = -(rows.asDiagonal() * rhs);
  MatX x = lu.solve_refined(scaled, rhs);
  x = columns.asDiagonal() * x;
  result.response = x.leftCols(m);
  result.rest = x.col(m);
  result.lcp.M = problem.B;
  linalg::add_product(problem.D, result.response, result.lcp.M);
  result.lcp.q = problem.b + problem.D * result.rest;
  result.change = fmt::format(
      "eliminates {} free unknowns, x = −A⁻¹(C z + a), reciprocal condition of A {:.2g}", n,
      condition);
  return result;
}

}  // namespace talus::problem
