#include <talus/certify/mlcp_residual.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/certify/detail/complementary_rows.hpp>
#include <talus/certify/detail/ratio.hpp>
#include <talus/problem/scale.hpp>

namespace talus::certify {
namespace {

/// What rounding leaves of rows: a share of the largest terms of any, in energy (a row divided by
/// its root), for errors of x go through A and D.
/// @param root of the stiffness of each row. @param size of the terms of its sum.
VecX round_off(const VecX& root, const VecX& size) {
  constexpr Real kShare = 64 * std::numeric_limits<Real>::epsilon();
  Real largest = 0;
  for (Index i = 0; i < size.size(); ++i)
    if (root[i] > 0) largest = std::max(largest, size[i] / root[i]);
  return kShare * largest * root;
}

/// All rows as one, equations first.
MatX whole_matrix(const problem::Mlcp& problem) {
  const Index n = problem.free_count(), m = problem.complementary_count();
  MatX whole(n + m, n + m);
  whole.topLeftCorner(n, n) = problem.A;
  whole.topRightCorner(n, m) = problem.C;
  whole.bottomLeftCorner(m, n) = problem.D;
  whole.bottomRightCorner(m, m) = problem.B;
  return whole;
}

VecX joined(const VecX& head, const VecX& tail) {
  VecX both(head.size() + tail.size());
  both << head, tail;
  return both;
}

}  // namespace

Certificate certify(const problem::Mlcp& problem, const VecX& x, const VecX& z) {
  const Index n = problem.free_count(), m = problem.complementary_count();
  TALUS_DEMAND(x.size() == n && z.size() == m);
  const problem::Lcp whole{whole_matrix(problem), joined(problem.a, problem.b)};
  const VecX answer = joined(x, z);
  const VecX size = whole.M.cwiseAbs() * answer.cwiseAbs() + whole.q.cwiseAbs();
  const VecX w = whole.M * answer + whole.q;
  const VecX defect = w.head(n);
  const VecX rounding = round_off(problem.A.diagonal().cwiseAbs().cwiseSqrt(), size.head(n));
  Certificate c;
  for (Index i = 0; i < n; ++i)
    if (!(std::abs(defect[i]) <= rounding[i]))
      c.equation_of_motion =
          std::max(c.equation_of_motion, detail::ratio(std::abs(defect[i]), size[i]));
  c.plain = detail::ratio(std::hypot(defect.norm(), z.cwiseMin(w.tail(m)).norm()),
                          std::max({whole.q.norm(), answer.norm(), w.tail(m).norm()}));
  detail::judge(whole, problem::lcp_scale(whole), z, w, size, problem.D * x + problem.b, c);
  return c;
}

}  // namespace talus::certify
