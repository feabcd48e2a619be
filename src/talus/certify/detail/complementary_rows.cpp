#include <talus/certify/detail/complementary_rows.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
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

/// The largest |√ρ q| of a row and of those that it meets, as far as they meet.
Real given_around(const MatX& M, const VecX& root, const VecX& q, Index row) {
  Real given = std::abs(q[row]);
  for (Index j = 0; j < q.size(); ++j) {
    const Real met = root[row] * root[j] * std::max(std::abs(M(row, j)), std::abs(M(j, row)));
    given = std::max(given, std::min(met, Real(1)) * std::abs(q[j]));
  }
  return given;
}

constexpr Real kRowRounding = 64 * std::numeric_limits<Real>::epsilon();
/// Of V: what rounding may take off a row at most, or z without end would hide all of it.
constexpr Real kMostForgiven = 1e-3;
/// Terms over what is given around a row: those of unknowns that grow without end.
constexpr Real kGrown = 1e3;

}  // namespace

void judge(const problem::Lcp& all, const VecX& scale, const VecX& z, const VecX& w,
           const VecX& size, const VecX& free, Certificate& c) {
  const Index n = w.size(), first = n - z.size();
  const VecX root = scale.cwiseSqrt();
  const VecX rate = root.cwiseProduct(w), q = root.cwiseProduct(all.q);
  const VecX terms = root.cwiseProduct(size);
  VecX demand = q.cwiseAbs();
  demand.tail(n - first) = (-q.tail(n - first)).cwiseMax(0);

  DisjointSets coupled(n);
  problem::join_rows(all.M, coupled);
  std::vector<IslandDemand> demanded(static_cast<std::size_t>(n));
  std::vector<Real> largest_terms(static_cast<std::size_t>(n), 0);  // of complementary rows
  for (Index i = 0; i < n; ++i) {
    demanded[coupled.root(i)].add(demand[i], square(q[i]), 1);
    Real& most = largest_terms[coupled.root(i)];
    if (i >= first) most = std::max(most, terms[i]);
  }

  std::vector<IslandSum> islands(static_cast<std::size_t>(n));
  Real primal = 0, dual = 0, power = 0, worst = -1;
  c.violation = 0;
  for (Index i = 0; i < n; ++i) {
    IslandSum& island = islands[coupled.root(i)];
    const Real V = std::max(demand[i], demanded[coupled.root(i)].least_scale(0));
    const Real own = i < first ? 0 : z[i - first] / root[i];  // z̃
    const Real error = std::abs(i < first || !(own < rate[i]) ? rate[i] : own);
    // No row is known better than the terms of its sum, nor than what is given, of which a
    // demand may be the rounding.
    const Real given = given_around(all.M, root, q, i);
    const Real above = error - kVelocityRoundOff *
                                   (std::abs(rate[i]) + std::abs(q[i]) + std::min(terms[i], given));
    const Real hidden = terms[i] > kGrown * given ? kImpulseRoundOff * terms[i] : Real(0);
    const Real miss = largest(above < 0 ? Real(0) : above, hidden);
    c.violation = largest(c.violation, miss / V);
    island.stake += square(V);
    if (i < first) continue;
    // A rate that rounding leaves of the terms of the island is none.
    const Real rounding =
        std::min(kRowRounding * largest_terms[coupled.root(i)], kMostForgiven * V);
    const auto left = [&](Real x) { return std::abs(x) <= rounding ? Real(0) : x; };
    const Real w_left = left(rate[i]);
    const Real miss_left = std::abs(own < w_left ? own : w_left);
    island.error += square(miss_left);
    island.answer += square(own);
    island.free += square(std::min(left(root[i] * free[i - first]), Real(0)));
    island.work += std::abs(own * w_left);
    primal += square(std::min(own, Real(0)));
    dual += square(std::min(w_left, Real(0)));
    power += std::abs(own * w_left);
    c.worst_velocity = std::max(c.worst_velocity, error / root[i]);
    if (miss_left > worst) {
      worst = miss_left;
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
