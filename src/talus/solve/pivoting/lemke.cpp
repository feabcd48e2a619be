#include <talus/solve/pivoting/lemke.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/problem/scale.hpp>
#include <talus/solve/detail/history.hpp>
#include <talus/solve/pivoting/detail/lemke_tableau.hpp>
#include <talus/solve/pivoting/detail/secondary_ray.hpp>

namespace talus::solve {
namespace {

using problem::SolveReport;
using problem::SolveStatus;

/// One of the retries.
struct Try {
  Real tie_tolerance;
  std::uint64_t covering_seed;  // 0: covering vector of ones
};

/// ‖z̃‖ over what the rows have to answer on average above which z says nothing about the size of
/// residuals: the violation may be 1000 tolerances (docs/adr/0019).
constexpr Real kLargest = 1e3;

/// A ray that violates its conditions by more is no ray but round-off.
constexpr Real kTrueRay = 1e-6;

constexpr std::array<Try, 8> kTries = {{{1e-12, 0},
                                        {1e-10, 0},
                                        {1e-14, 0},
                                        {1e-8, 0},
                                        {1e-12, 1},
                                        {1e-10, 2},
                                        {1e-12, 3},
                                        {1e-10, 4}}};

VecX covering_vector(Index n, std::uint64_t seed) {
  VecX d = VecX::Ones(n);
  Random random(seed);
  if (seed != 0)
    for (Index i = 0; i < n; ++i) d[i] = random.uniform(0.5, 1.5);
  return d;
}

Real residual_norm(const VecX& z, const VecX& w, const VecX& q) {
  const Real numerator = z.cwiseMin(w).norm();
  const Real z_norm = z.norm(), demand = q.cwiseMin(0).norm();
  const auto demanding = static_cast<Real>((q.array() < 0).count());
  Real denominator = z_norm > 0 ? z_norm : demand;
  if (demand > 0) denominator = std::min(denominator, kLargest * demand / std::sqrt(demanding));
  return numerator == 0 ? 0 : numerator / denominator;
}

/// The problem in z̃ = z/(√ρ γ), w̃ = √ρ w/γ, γ = max|√ρ q|, and the candidates found so far.
class ScaledLcp {
 public:
  ScaledLcp(const problem::Lcp& lcp, const VecX& scale)
      : root_(scale.cwiseSqrt()),
        M_(root_.asDiagonal() * lcp.M * root_.asDiagonal()),
        q_(root_.cwiseProduct(lcp.q)),
        best_(VecX::Zero(lcp.size())) {
    gamma_ = q_.cwiseAbs().maxCoeff();
    if (gamma_ > 0) q_ /= gamma_;
    best_residual_ = residual(best_);
  }

  [[nodiscard]] const MatX& M() const { return M_; }
  [[nodiscard]] const VecX& q() const { return q_; }
  [[nodiscard]] Real best_residual() const { return best_residual_; }
  [[nodiscard]] VecX best() const { return gamma_ * root_.cwiseProduct(best_); }
  /// A ray of the scaled problem in the units of the given one.
  [[nodiscard]] problem::LcpRay unscaled(problem::LcpRay ray) const {
    ray.z = gamma_ * root_.cwiseProduct(ray.z);
    ray.direction = gamma_ * root_.cwiseProduct(ray.direction);
    ray.covering = gamma_ * ray.covering.cwiseQuotient(root_);
    return ray;
  }
  [[nodiscard]] VecX scaled(const VecX& z) const { return z.cwiseQuotient(root_) / gamma_; }

  [[nodiscard]] const problem::SolveCounts& counts() const { return counts_; }

  [[nodiscard]] Real residual(const VecX& z) {
    ++counts_.products;
    return residual_norm(z, M_ * z + q_, q_);
  }

  void offer(VecX z) {
    z = z.cwiseMax(0);
    const Real value = residual(z);
    if (!(value < best_residual_)) return;
    best_residual_ = value;
    best_ = std::move(z);
  }

  /// Offers the solution of M_αα z_α = −q_α with one step of refinement.
  void offer_support(const std::vector<Index>& support) {
    if (support.empty()) return offer(VecX::Zero(q_.size()));
    const MatX block = M_(support, support);
    const VecX rhs = -q_(support);
    const linalg::PartialPivLu factors(block);
    ++counts_.factorisations;
    const VecX values = factors.solve_refined(block, rhs);
    VecX z = VecX::Zero(q_.size());
    z(support) = values;
    if (z.allFinite()) offer(std::move(z));
  }

 private:
  VecX root_;
  MatX M_;
  VecX q_;
  Real gamma_ = 1;
  VecX best_;
  Real best_residual_ = 0;
  problem::SolveCounts counts_;
};

/// One run of Lemke's method. Returns converged if it reached a complementary basis (not yet
/// verified), else how it ended. @param ray where it ended on one; a proof is not overwritten.
SolveStatus run_once(ScaledLcp& lcp, detail::LemkeTableau& tableau, const Try& attempt,
                     const LemkeOptions& options, Index& pivots, detail::History& history,
                     std::shared_ptr<const problem::LcpRay>& ray) {
  const Index n = tableau.size();
  const VecX covering = covering_vector(n, attempt.covering_seed);
  tableau.reset(lcp.M(), lcp.q(), covering);
  const Index limit = std::min(options.max_pivots, pivots + 10 * n + 50);
  // z₀ enters, and the row with the largest −q/d leaves: an almost complementary basis
  // (`lemke_1965`).
  Index entering = tableau.artificial();
  Index row = tableau.first_row(covering, attempt.tie_tolerance);
  while (true) {
    if (pivots >= limit) return SolveStatus::max_iterations;
    if (options.should_stop && options.should_stop()) return SolveStatus::interrupted;
    const Index leaving = tableau.pivot(row, entering);
    ++pivots;
    history.add(tableau.value(tableau.artificial()));
    if (leaving == tableau.artificial()) break;  // z₀ = 0: complementary
    entering = tableau.complement(leaving);      // of the pair of which both are non-basic
    // Ratio test with ties broken lexicographically (`cottle_2009` §4.9); none left: a ray.
    row = tableau.leaving_row(entering, attempt.tie_tolerance);
    if (row >= 0) continue;
    auto found = detail::secondary_ray(tableau, entering, lcp.M(), lcp.q(), covering);
    if (!(found.violation <= kTrueRay)) return SolveStatus::numerical_error;
    if (!ray || found.proves_infeasible)
      ray = std::make_shared<problem::LcpRay>(lcp.unscaled(std::move(found)));
    return SolveStatus::ray_termination;
  }
  if (!tableau.is_finite()) return SolveStatus::numerical_error;

  VecX z(n);
  std::vector<Index> support;
  for (Index i = 0; i < n; ++i) {
    z[i] = tableau.value(n + i);
    if (tableau.is_basic(n + i)) support.push_back(i);
  }
  lcp.offer(std::move(z));
  lcp.offer_support(support);
  return SolveStatus::converged;
}

/// Offers a guess and the solution on its support.
void offer_guess(ScaledLcp& lcp, const VecX& guess) {
  lcp.offer(lcp.scaled(guess));
  std::vector<Index> support;
  for (Index i = 0; i < guess.size(); ++i)
    if (guess[i] > 0) support.push_back(i);
  lcp.offer_support(support);
}

}  // namespace

Real lcp_natural_residual(const problem::Lcp& lcp, const VecX& scale, const VecX& z) {
  const VecX root = scale.cwiseSqrt();
  return residual_norm(z.cwiseQuotient(root), root.cwiseProduct(lcp.M * z + lcp.q),
                       root.cwiseProduct(lcp.q));
}

SolveReport lemke(const problem::Lcp& lcp, const LemkeOptions& options, VecX& z) {
  const Index n = lcp.size();
  if (n == 0) {
    z.resize(0);
    SolveReport report{SolveStatus::converged, 0, 0, "empty problem"};
    if (options.keep_history) report.history.residual = {0};
    return report;
  }
  ScaledLcp scaled(lcp, problem::lcp_scale(lcp));
  detail::History history(options.keep_history, options.max_pivots);
  history.add(std::max(Real(0), -scaled.q().minCoeff()));
  const auto report_of = [&](SolveStatus status, Index pivots, Real residual, std::string detail) {
    SolveReport report{status, pivots, residual, std::move(detail)};
    report.counts = scaled.counts();
    report.history = history.get();
    return report;
  };
  const auto finish = [&](SolveStatus status, Index pivots, std::string detail) {
    z = scaled.best();
    return report_of(status, pivots, scaled.best_residual(), std::move(detail));
  };
  const auto is_solved = [&] { return scaled.best_residual() <= options.tolerance; };
  if (is_solved()) return finish(SolveStatus::converged, 0, "z = 0");
  if (z.size() == n && z.allFinite()) {
    const Real residual = scaled.residual(scaled.scaled(z));
    if (residual <= options.tolerance)
      return report_of(SolveStatus::converged, 0, residual, "the guess, as it came");
    offer_guess(scaled, z);
  }
  if (is_solved()) return finish(SolveStatus::converged, 0, "the support of the guess");

  detail::LemkeTableau tableau(n);
  std::shared_ptr<const problem::LcpRay> ray;
  SolveStatus worst = SolveStatus::ray_termination;
  Index pivots = 0;
  const Index tries = std::min(options.max_tries, static_cast<Index>(kTries.size()));
  for (Index i = 0; i < tries; ++i) {
    Try attempt = kTries[static_cast<std::size_t>(i)];
    if (i == 0) attempt.tie_tolerance = options.first_tie_tolerance;
    const SolveStatus status = run_once(scaled, tableau, attempt, options, pivots, history, ray);
    if (is_solved())
      return finish(SolveStatus::converged, pivots,
                    fmt::format("{} pivots, try {}, tie tolerance {:g}", pivots, i + 1,
                                attempt.tie_tolerance));
    if (ray && ray->proves_infeasible) {
      SolveReport report = finish(
          SolveStatus::ray_termination, pivots,
          fmt::format("secondary ray after {} pivots, which proves: no z ≥ 0 has M z + q ≥ 0",
                      pivots));
      report.ray = std::move(ray);
      return report;
    }
    if (status == SolveStatus::interrupted || pivots >= options.max_pivots)
      return finish(status == SolveStatus::interrupted ? status : SolveStatus::max_iterations,
                    pivots, fmt::format("{} pivots in {} tries", pivots, i + 1));
    if (status == SolveStatus::converged)
      worst = SolveStatus::stalled;
    else if (status != SolveStatus::ray_termination && worst != SolveStatus::stalled)
      worst = status;
  }
  if (!std::isfinite(scaled.best_residual())) worst = SolveStatus::numerical_error;
  SolveReport report =
      finish(worst, pivots,
             fmt::format("{} after {} pivots in {} tries, best natural residual {:.3g}",
                         to_string(worst), pivots, tries, scaled.best_residual()));
  if (worst == SolveStatus::ray_termination) report.ray = std::move(ray);
  return report;
}

}  // namespace talus::solve
