#include <talus/problem/convert_mlcp.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

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

/// Share of the terms of a sum that is round-off of it.
constexpr Real kRoundOff = 64 * std::numeric_limits<Real>::epsilon();

/// Sets to 0 what is round-off of the terms that cancel in M and q (EliminatedMlcp).
/// @param inverse A⁻¹.
void drop_round_off(const Mlcp& problem, const MatX& inverse, EliminatedMlcp& result) {
  const MatX A = problem.A.cwiseAbs(), D = problem.D.cwiseAbs(), X = result.response.cwiseAbs();
  const MatX Y = linalg::product(problem.D, inverse).cwiseAbs();
  const MatX change = linalg::product(D, X);
  const MatX of_equations = problem.C.cwiseAbs() + linalg::product(A, X);
  const VecX rest = result.rest.cwiseAbs();
  const VecX root = (problem.B.diagonal().cwiseAbs() + change.diagonal() +
                     Y.cwiseProduct(of_equations.transpose()).rowwise().sum())
                        .cwiseSqrt();
  const VecX offsets = problem.b.cwiseAbs() + D * rest + Y * (problem.a.cwiseAbs() + A * rest);
  Real largest = 0;
  for (Index i = 0; i < root.size(); ++i)
    if (root[i] > 0) largest = std::max(largest, offsets[i] / root[i]);
  for (Index i = 0; i < root.size(); ++i) {
    for (Index j = 0; j < root.size(); ++j) {
      Real& entry = result.lcp.M(i, j);
      if (change(i, j) > 0 && std::abs(entry) <= kRoundOff * root[i] * root[j]) entry = 0;
    }
    Real& offset = result.lcp.q[i];
    if (change(i, i) > 0 && result.lcp.M(i, i) == 0 &&
        std::abs(offset) <= kRoundOff * root[i] * largest)
      offset = 0;
  }
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
  const MatX inverse = columns.asDiagonal() * lu.solve(MatX(rows.asDiagonal()));
  drop_round_off(problem, inverse, result);
  result.change = fmt::format(
      "eliminates {} free unknowns, x = −A⁻¹(C z + a), reciprocal condition of A {:.2g}", n,
      condition);
  return result;
}

}  // namespace talus::problem
