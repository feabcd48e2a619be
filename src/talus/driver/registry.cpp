#include <talus/driver/registry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <talus/driver/contact_cascade.hpp>
#include <talus/driver/lcp_cascade.hpp>
#include <talus/problem/convert.hpp>
#include <talus/solve/gauss_seidel/nsgs.hpp>
#include <talus/solve/interior_point/ipm.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

namespace talus::driver {
namespace {

using problem::FrictionContact;
using problem::SolveReport;
using problem::SolveStatus;

SolveReport run_lemke_on_pyramids(const FrictionContact& problem, const Options& options,
                                  const solve::ExternalResidual& external_residual, VecX& r) {
  const Index k = problem.dimension == 2 ? 2 : options.directions;
  const Index size = (k + 2) * problem.contact_count();
  r = VecX::Zero(problem.b.size());
  if (size > kLargestLemke) return too_large_for_lemke(size);
  const problem::PolyhedralLcp pyramids = problem::to_lcp(problem, k);
  VecX z;
  SolveReport report = run_lemke(pyramids.lcp, options, external_residual, z);
  r = pyramids.impulse * z;
  report.ray = nullptr;  // in the unknowns of the pyramids, which the caller never sees
  if (problem.dimension == 3)
    report.detail += fmt::format("; cones replaced by pyramids of {} sides", k);
  return report;
}

/// Sweeps, computes the external residual when the sweep's own passes the gate, and continues with
/// a tighter gate where the external residual is too large.
SolveReport run_nsgs(const FrictionContact& problem, const Options& options,
                     const solve::ExternalResidual& external_residual, VecX& r) {
  solve::Nsgs nsgs;
  nsgs.start(problem, r, options.keep_history ? options.max_iterations : 0);
  Real gate = options.tolerance;
  SolveReport report;
  while (true) {
    report = nsgs.run(gate, options.max_iterations, options.relaxation, options.should_stop);
    if (report.status != SolveStatus::converged) break;
    const Real residual_ratio = external_residual(nsgs.impulse());
    if (!(residual_ratio > 1) || report.residual == 0) break;
    gate = report.residual * std::clamp(0.9 / residual_ratio, 0.1, 0.9);
  }
  r = nsgs.impulse();
  report.detail =
      fmt::format("{} sweeps, residual of the sweep {:.3g}", report.iterations, report.residual);
  return report;
}

SolveReport run_proximal_newton(const FrictionContact& problem, const Options& options,
                                const solve::ExternalResidual& external_residual, VecX& r) {
  solve::ProximalNewton newton;
  newton.start(problem);
  solve::ProximalNewtonOptions newton_options;
  newton_options.max_factorisations = options.max_iterations;
  newton_options.keep_history = options.keep_history;
  return newton.run(newton_options, external_residual, options.should_stop, r);
}

SolveReport run_ipm(const FrictionContact& problem, const Options& options,
                    const solve::ExternalResidual& external_residual, VecX& r) {
  solve::IpmOptions ipm_options;
  ipm_options.max_factorisations = options.max_iterations;
  ipm_options.keep_history = options.keep_history;
  return solve::ipm(problem, ipm_options, external_residual, options.should_stop, r);
}

constexpr std::array<SolverEntry<FrictionContact>, 5> kFrictionContactSolvers = {
    {{"auto", run_contact_cascade},
     {"nsgs", run_nsgs},
     {"proximal_newton", run_proximal_newton},
     {"ipm", run_ipm},
     {"lemke", run_lemke_on_pyramids}}};

}  // namespace

std::span<const SolverEntry<FrictionContact>> friction_contact_solvers() {
  return kFrictionContactSolvers;
}

}  // namespace talus::driver
