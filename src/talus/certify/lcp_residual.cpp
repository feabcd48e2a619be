#include <talus/certify/lcp_residual.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/certify/detail/ratio.hpp>
#include <talus/problem/scale.hpp>

namespace talus::certify {

/// ‖z̃‖/‖q̃‖ above which z is on its way to infinity.
constexpr Real kLargest = 1e5;

Certificate certify(const problem::Lcp& lcp, const VecX& z) {
  TALUS_DEMAND_EQ(z.size(), lcp.size());
  const Index n = lcp.size();
  const VecX scale = problem::lcp_scale(lcp);
  const VecX w = lcp.M * z + lcp.q;
  Real natural = 0, plain = 0, primal = 0, dual = 0, z_sum = 0, free = 0, q_sum = 0, power = 0;
  Real worst = -1;
  Certificate c;
  c.is_finite = true;
  for (Index i = 0; i < n; ++i) {
    const Real root = std::sqrt(scale[i]);
    const Real z_scaled = z[i] / root, w_scaled = root * w[i];
    const Real violation = std::abs(z_scaled < w_scaled ? z_scaled : w_scaled);
    natural += violation * violation;
    plain += std::pow(std::min(z[i], w[i]), 2);
    primal += std::pow(std::min(z_scaled, Real(0)), 2);
    dual += std::pow(std::min(w_scaled, Real(0)), 2);
    free += std::pow(std::min(root * lcp.q[i], Real(0)), 2);
    q_sum += std::pow(root * lcp.q[i], 2);
    z_sum += z_scaled * z_scaled;
    power += std::abs(z[i] * w[i]);
    c.worst_velocity = std::max(c.worst_velocity, violation / root);
    if (violation > worst) {
      worst = violation;
      c.worst_contact = i;
    }
    c.is_finite = c.is_finite && std::isfinite(z[i]) && std::isfinite(w[i]);
  }
  Real size = std::sqrt(z_sum > 0 ? z_sum : free);
  if (q_sum > 0) size = std::min(size, kLargest * std::sqrt(q_sum));
  c.natural_map = detail::ratio(std::sqrt(natural), size);
  c.plain = detail::ratio(std::sqrt(plain), std::max({lcp.q.norm(), z.norm(), w.norm()}));
  c.primal = detail::ratio(std::sqrt(primal), size);
  c.dual = detail::ratio(std::sqrt(dual), size);
  c.complementarity = z_sum > 0 ? power / z_sum : Real(0);
  c.worst_share = worst > 0 ? worst * worst / natural : Real(0);
  for (const Real value : {c.natural_map, c.plain, c.primal, c.dual, c.complementarity,
                           c.worst_velocity, c.worst_share})
    c.is_finite = c.is_finite && std::isfinite(value);
  return c;
}

}  // namespace talus::certify
