#include <talus/driver/lcp_cascade.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <talus/driver/detail/stopwatch.hpp>
#include <talus/driver/detail/verdict.hpp>
#include <talus/driver/registry.hpp>
#include <talus/linalg/sparse_factor.hpp>

namespace talus::driver {
namespace {

using problem::Lcp;
using problem::SolveReport;
using problem::SolveStatus;

constexpr Index kFew = 150;  // unknowns: below, Lemke takes a millisecond
constexpr Real kSparse =
    0.05;  // share of entries that are not 0, above which the matrix is not counted on
constexpr Real kNewton = 100;    // factorisations in the time of Lemke's method, about
constexpr Index kGlance = 15;    // Newton steps before the residual is looked at
constexpr Real kProgress = 0.1;  // by which it must have fallen to continue

class LcpCascade {
 public:
  LcpCascade(const Lcp& lcp, const Options& options,
             const solve::ExternalResidual& external_residual, VecX& z)
      : lcp_(lcp),
        options_(options),
        external_residual_(external_residual),
        best_(z),
        residual_ratio_(external_residual(z)) {}

  [[nodiscard]] bool is_over() const {
    return residual_ratio_ <= 1 || is_interrupted_ || (ray_ && ray_->proves_infeasible) ||
           left() < 1;
  }

  /// One run from the best answer so far. @return the factor by which it lowered the residual.
  Real run(const char* solver, Index most) {
    if (is_over()) return 1;
    Options limited = options_;
    limited.solver = solver;
    limited.max_iterations = std::min(most, left());
    const detail::Stopwatch watch;
    VecX z = best_;
    SolveReport own =
        detail::run_by_name(lcp_solvers(), lcp_, lcp_.size(), limited, external_residual_, z);
    if (own.status == SolveStatus::unsupported) return 1;
    const Real before = residual_ratio_, residual_ratio = external_residual_(z);
    if (residual_ratio < residual_ratio_) {
      residual_ratio_ = residual_ratio;
      best_ = std::move(z);
    }
    is_interrupted_ = own.status == SolveStatus::interrupted;
    if (own.ray) {
      ray_ = std::move(own.ray);
      last_words_ = "; " + own.detail;
    }
    if (own.status == SolveStatus::capacity_exceeded) last_words_ = "; " + own.detail;
    report_.status = own.status;
    report_.residual = own.residual;
    report_.add({solver, own.iterations, residual_ratio * options_.tolerance, watch.seconds(),
                 own.counts, std::move(own.history)});
    return residual_ratio_ / before;
  }

  SolveReport finish(VecX& z) {
    z = best_;
    report_.detail = problem::describe(report_.stages);
    if (residual_ratio_ <= 1) {
      report_.status = SolveStatus::converged;
    } else if (ray_ && !is_interrupted_) {
      report_.status = SolveStatus::ray_termination;
      report_.ray = ray_;
    } else if (left() < 1 && !is_interrupted_) {
      report_.status = SolveStatus::max_iterations;
    }
    if (report_.status != SolveStatus::converged) report_.detail += last_words_;
    return report_;
  }

 private:
  [[nodiscard]] Index left() const { return options_.max_iterations - report_.iterations; }

  const Lcp& lcp_;
  const Options& options_;
  const solve::ExternalResidual& external_residual_;
  VecX best_;
  Real residual_ratio_;
  bool is_interrupted_ = false;
  std::shared_ptr<const problem::LcpRay> ray_;
  std::string last_words_;
  SolveReport report_;
};

/// Whether many factorisations cost less than Lemke's method, about n/2 pivots of n².
bool is_cheap_to_factorise(const Lcp& lcp) {
  const Index n = lcp.size();
  if (n < kFew) return false;
  if (n > kLargestLemke) return true;
  const auto has_entry = lcp.M.array() != 0;
  const auto size = static_cast<Real>(lcp.M.size());
  if (static_cast<Real>(has_entry.count()) > kSparse * size) return false;
  const linalg::SparseColumns own = has_entry.cast<Real>().matrix().sparseView();
  const linalg::SparseColumns transposed = own.transpose();
  return kNewton * linalg::ldlt_work(own + transposed) <= size * static_cast<Real>(n) / 2;
}

}  // namespace

SolveReport run_lcp_cascade(const Lcp& lcp, const Options& options,
                            const solve::ExternalResidual& external_residual, VecX& z) {
  constexpr Index kAll = 1 << 30;
  LcpCascade cascade(lcp, options, external_residual, z);
  const auto newton = [&] {
    while (cascade.run("fischer_burmeister", kGlance) <= kProgress) {
    }
  };
  if (is_cheap_to_factorise(lcp)) {
    cascade.run("mprgp", 300);
    newton();
  }
  cascade.run("lemke", kAll);
  newton();
  return cascade.finish(z);
}

}  // namespace talus::driver
