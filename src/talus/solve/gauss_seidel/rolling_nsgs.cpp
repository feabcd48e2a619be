#include <talus/solve/gauss_seidel/rolling_nsgs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/linalg/block_csr.hpp>
#include <talus/math/cone_projection.hpp>
#include <talus/solve/detail/history.hpp>
#include <talus/solve/gauss_seidel/local/rolling.hpp>

namespace talus::solve {
namespace {

using problem::RollingFrictionContact;
using problem::SolveReport;
using problem::SolveStatus;

/// The problem in scaled rows: x = r/s.
struct ScaledRolling {
  linalg::BlockCsr<5> W;
  VecX b, scale, friction, rolling;
};

ScaledRolling scaled_rows(const RollingFrictionContact& problem) {
  ScaledRolling result;
  const VecX diagonal = problem.W.diagonal();
  result.scale.resize(problem.b.size());
  result.friction = problem.friction;
  result.rolling = problem.rolling;
  for (Index i = 0; i < problem.contact_count(); ++i) {
    const Real force = std::sqrt(3 / diagonal.segment<3>(5 * i).sum());
    const Real sum = diagonal.segment<2>(5 * i + 3).sum();
    const Real moment = sum > 0 ? std::sqrt(2 / sum) : force;
    result.scale.segment<5>(5 * i) << force, force, force, moment, moment;
    result.rolling[i] *= force / moment;
  }
  const problem::SparseMatrix W = result.scale.asDiagonal() * problem.W * result.scale.asDiagonal();
  result.W.assign(W);
  result.b = result.scale.cwiseProduct(problem.b);
  return result;
}

/// What one sweep saw and did; sums of squares.
struct Sweep {
  Real residual = 0, size = 0;
  bool has_changed = false;
};

/// @param is_moving false: only look.
Sweep sweep(const ScaledRolling& problem, VecX& x, bool is_moving = true) {
  Sweep result;
  const auto& W = problem.W;
  for (std::size_t i = 0; i < W.size(); ++i) {
    const auto contact = static_cast<Index>(i), place = 5 * contact;
    const Real mu = problem.friction[contact], mu_r = problem.rolling[contact];
    // bᵢ + Σ_{j≠i} W_ij rⱼ with the newest rⱼ, then the one-contact problem (`jourdan_1998`).
    Vec5 free = problem.b.segment<5>(place);
    for (std::size_t e = W.row_start[i]; e < W.row_start[i + 1]; ++e)
      free.noalias() += W.block[e] * x.segment<5>(5 * static_cast<Index>(W.column[e]));
    const Vec5 before = x.segment<5>(place);
    // û = u + (μ‖u_T‖ + μ_r‖u_R‖) n (`acary_2021`), and the natural map with ρ = 1.
    Vec5 shifted = free + W.diagonal[i] * before;
    shifted[0] += mu * shifted.segment<2>(1).norm() + mu_r * shifted.tail<2>().norm();
    result.residual +=
        (before - project_rolling_cone(Vec5(before - shifted), mu, mu_r)).squaredNorm();
    const Vec5 after =
        !is_moving ? before : solve_rolling(W.diagonal[i], free, mu, mu_r, before).impulse;
    result.has_changed = result.has_changed || after != before;
    result.size += after.squaredNorm();
    x.segment<5>(place) = after;
  }
  return result;
}

}  // namespace

SolveReport rolling_nsgs(const RollingFrictionContact& problem, const RollingNsgsOptions& options,
                         const ExternalResidual& external_residual, const StopRequest& should_stop,
                         VecX& r) {
  TALUS_DEMAND_EQ(r.size(), problem.b.size());
  const ScaledRolling scaled = scaled_rows(problem);
  VecX x = r.cwiseQuotient(scaled.scale);
  Real free_size = 0;  // ‖P_K(−b)‖, the scale where x = 0
  for (Index i = 0; i < problem.contact_count(); ++i) {
    auto block = x.segment<5>(5 * i);
    block = project_rolling_cone(Vec5(block), scaled.friction[i], scaled.rolling[i]);
    free_size += project_rolling_cone(Vec5(-scaled.b.segment<5>(5 * i)), scaled.friction[i],
                                      scaled.rolling[i])
                     .squaredNorm();
  }
  r = scaled.scale.cwiseProduct(x);
  const auto relative = [&](const Sweep& result) {
    const Real size = std::sqrt(result.size > 0 ? result.size : free_size);
    return result.residual == 0 ? 0 : std::sqrt(result.residual) / size;
  };
  SolveReport report{SolveStatus::max_iterations, 0, 0, {}, {}};
  detail::History history(options.keep_history, options.max_iterations);
  if (options.keep_history) history.add(relative(sweep(scaled, x, false)));
  Real gate = options.gate;
  while (report.iterations < options.max_iterations) {
    if (should_stop && should_stop()) {
      report.status = SolveStatus::interrupted;
      break;
    }
    const Sweep result = sweep(scaled, x);
    ++report.iterations;
    report.residual = relative(result);
    history.add(report.residual);
    if (!std::isfinite(result.residual + result.size)) {
      report.status = SolveStatus::numerical_error;
      break;
    }
    r = scaled.scale.cwiseProduct(x);
    if (report.residual <= gate || !result.has_changed) {
      const Real residual_ratio = external_residual(r);
      if (residual_ratio <= 1) {
        report.status = SolveStatus::converged;
        break;
      }
      if (!result.has_changed) {
        report.status = SolveStatus::stalled;
        break;
      }
      gate = report.residual * std::clamp(0.9 / residual_ratio, 0.1, 0.9);
    }
  }
  report.counts = {report.iterations, report.iterations, 0};
  report.history = history.get();
  report.detail =
      fmt::format("{} sweeps, residual of the sweep {:.3g}", report.iterations, report.residual);
  return report;
}

}  // namespace talus::solve
