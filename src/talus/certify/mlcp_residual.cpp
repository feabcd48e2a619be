#include <talus/certify/mlcp_residual.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
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

/// Sets rates to 0 that are not above the rounding of each.
void drop(const VecX& rounding, VecX& rates) {
  rates = (rates.cwiseAbs().array() <= rounding.array()).select(0, rates);
}

/// The scale of the complementary rows, from the whole matrix.
VecX scale_of(const problem::Mlcp& problem) {
  const Index n = problem.free_count(), m = problem.complementary_count();
  problem::Lcp whole{MatX(n + m, n + m), VecX::Zero(n + m)};
  whole.M << problem.A, problem.C, problem.D, problem.B;
  return problem::lcp_scale(whole).tail(m);
}

}  // namespace

Certificate certify(const problem::Mlcp& problem, const VecX& x, const VecX& z) {
  TALUS_DEMAND(x.size() == problem.free_count() && z.size() == problem.complementary_count());
  const VecX x_size = x.cwiseAbs(), z_size = z.cwiseAbs();
  const VecX defect = problem.A * x + problem.C * z + problem.a;
  const VecX size =
      problem.A.cwiseAbs() * x_size + problem.C.cwiseAbs() * z_size + problem.a.cwiseAbs();
  const VecX scale = scale_of(problem);
  const VecX rounding = round_off(problem.A.diagonal().cwiseAbs().cwiseSqrt(), size);
  VecX open = problem.D * x + problem.b, w = problem.B * z + open;
  const VecX w_rounding = round_off(
      scale.cwiseInverse().cwiseSqrt(),
      problem.D.cwiseAbs() * x_size + problem.B.cwiseAbs() * z_size + problem.b.cwiseAbs());
  drop(w_rounding, open);
  drop(w_rounding, w);

  Certificate c;
  for (Index i = 0; i < x.size(); ++i)
    if (!(std::abs(defect[i]) <= rounding[i]))
      c.equation_of_motion =
          std::max(c.equation_of_motion, detail::ratio(std::abs(defect[i]), size[i]));
  Real natural = 0, plain = defect.squaredNorm(), primal = 0, dual = 0, z_sum = 0, free = 0;
  Real power = 0, worst = -1;
  for (Index i = 0; i < z.size(); ++i) {
    const Real root = std::sqrt(scale[i]);
    const Real z_scaled = z[i] / root, w_scaled = root * w[i];
    const Real violation = std::abs(std::min(z_scaled, w_scaled));
    natural += violation * violation;
    plain += std::pow(std::min(z[i], w[i]), 2);
    primal += std::pow(std::min(z_scaled, Real(0)), 2);
    dual += std::pow(std::min(w_scaled, Real(0)), 2);
    free += std::pow(std::min(root * open[i], Real(0)), 2);
    z_sum += z_scaled * z_scaled;
    power += std::abs(z[i] * w[i]);
    c.worst_velocity = std::max(c.worst_velocity, violation / root);
    if (violation > worst) {
      worst = violation;
      c.worst_contact = i;
    }
  }
  const Real length = std::sqrt(z_sum > 0 ? z_sum : free);
  c.natural_map = detail::ratio(std::sqrt(natural), length);
  c.plain =
      detail::ratio(std::sqrt(plain), std::max({std::hypot(problem.a.norm(), problem.b.norm()),
                                                std::hypot(x.norm(), z.norm()), w.norm()}));
  c.primal = detail::ratio(std::sqrt(primal), length);
  c.dual = detail::ratio(std::sqrt(dual), length);
  c.complementarity = z_sum > 0 ? power / z_sum : Real(0);
  c.worst_share = worst > 0 ? worst * worst / natural : Real(0);
  c.is_finite = x.allFinite() && z.allFinite() && defect.allFinite() && w.allFinite();
  for (const Real value : {c.natural_map, c.plain, c.primal, c.dual, c.complementarity,
                           c.equation_of_motion, c.worst_velocity, c.worst_share})
    c.is_finite = c.is_finite && std::isfinite(value);
  return c;
}

}  // namespace talus::certify
