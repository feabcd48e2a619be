#include <talus/certify/detail/complementary_rows.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/base/disjoint_sets.hpp>
#include <talus/certify/detail/island_sums.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/problem/row_islands.hpp>

namespace talus::certify::detail {
namespace {

Real square(Real x) { return x * x; }

/// The largest of both; NaN if one is.
Real largest(Real a, Real b) { return a >= b || std::isnan(a) ? a : b; }

/// An error without what rounding makes of w.
Real without_row_rounding(Real error, Real w, Real q) {
  const Real above = error - kVelocityRoundOff * (std::abs(w) + std::abs(q));
  return above < 0 ? Real(0) : above;  // NaN stays
}

}  // namespace

void judge(const problem::Lcp& all, const VecX& scale, const VecX& z, const VecX& w,
           const VecX& free, Certificate& c) {
  const Index n = w.size(), first = n - z.size();
  const VecX root = scale.cwiseSqrt();
  const VecX rate = root.cwiseProduct(w), q = root.cwiseProduct(all.q);
  VecX demand = q.cwiseAbs();
  demand.tail(n - first) = (-q.tail(n - first)).cwiseMax(0);

  DisjointSets coupled(n);
  problem::join_rows(all.M, coupled);
  std::vector<IslandDemand> demanded(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) demanded[coupled.root(i)].add(demand[i], square(q[i]), 1);

  std::vector<IslandSum> islands(static_cast<std::size_t>(n));
  Real primal = 0, dual = 0, power = 0, worst = -1;
  c.violation = 0;
  for (Index i = 0; i < n; ++i) {
    IslandSum& island = islands[coupled.root(i)];
    const Real V = std::max(demand[i], demanded[coupled.root(i)].least_scale(0));
    const Real own = i < first ? 0 : z[i - first] / root[i];  // z̃
    const Real error = std::abs(i < first || !(own < rate[i]) ? rate[i] : own);
    // No row is better than its z is known.
    const Real miss =
        largest(without_row_rounding(error, rate[i], q[i]), kImpulseRoundOff * std::abs(own));
    c.violation = largest(c.violation, miss / V);
    island.stake += square(V);
    if (i < first) continue;
    island.error += square(error);
    island.answer += square(own);
    island.free += square(std::min(root[i] * free[i - first], Real(0)));
    island.work += std::abs(own) * without_row_rounding(std::abs(rate[i]), rate[i], q[i]);
    primal += square(std::min(own, Real(0)));
    dual += square(std::min(rate[i], Real(0)));
    power += std::abs(own * rate[i]);
    c.worst_velocity = std::max(c.worst_velocity, error / root[i]);
    if (error > worst) {
      worst = error;
      c.worst_contact = i - first;
    }
  }
  const IslandVerdict verdict = judge(islands);
  c.natural_map = verdict.natural_map;
  c.work = verdict.work;
  c.primal = verdict.ratio(primal);
  c.dual = verdict.ratio(dual);
  c.complementarity = verdict.answer > 0 ? power / verdict.answer : Real(0);
  if (worst > 0)
    c.worst_share = square(worst) / islands[coupled.root(first + c.worst_contact)].error;
  c.is_finite = w.allFinite() && z.allFinite();
  for (const Real value :
       {c.natural_map, c.plain, c.primal, c.dual, c.complementarity, c.equation_of_motion,
        c.worst_velocity, c.violation, c.work, c.worst_share})
    c.is_finite = c.is_finite && std::isfinite(value);
}

}  // namespace talus::certify::detail
