#include <talus/driver/registry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <talus/certify/friction_contact_residual.hpp>
#include <talus/problem/convert.hpp>
#include <talus/solve/gauss_seidel/nsgs.hpp>
#include <talus/solve/newton/proximal_newton.hpp>
#include <talus/solve/pivoting/lemke.hpp>

namespace talus::driver {
namespace {

using problem::FrictionContact;
using problem::Lcp;
using problem::SolveReport;
using problem::SolveStatus;

/// Largest dense matrix that Lemke is given: two of them, 2 × 288 MB.
constexpr Index kLargestLcp = 6000;

SolveReport too_large(Index size) {
  return {SolveStatus::capacity_exceeded, 0, 0,
          fmt::format("an LCP of {} unknowns; Lemke's dense tableau takes at most {}", size,
                      kLargestLcp)};
}

SolveReport run_lemke(const Lcp& lcp, const Options& options, VecX& z) {
  if (lcp.size() > kLargestLcp) {
    z = VecX::Zero(lcp.size());
    return too_large(lcp.size());
  }
  solve::LemkeOptions lemke_options;
  lemke_options.tolerance = options.tolerance;
  lemke_options.max_pivots = options.max_iterations;
  lemke_options.should_stop = options.should_stop;
  return solve::lemke(lcp, lemke_options, z);
}

SolveReport run_lemke_on_pyramids(const FrictionContact& problem, const Options& options, VecX& r) {
  const Index k = problem.dimension == 2 ? 2 : options.directions;
  const Index size = (k + 2) * problem.contact_count();
  r = VecX::Zero(problem.b.size());
  if (size > kLargestLcp) return too_large(size);
  const problem::PolyhedralLcp pyramids = problem::to_lcp(problem, k);
  VecX z;
  SolveReport report = run_lemke(pyramids.lcp, options, z);
  r = pyramids.impulse * z;
  if (problem.dimension == 3)
    report.detail += fmt::format("; cones replaced by pyramids of {} sides", k);
  return report;
}

/// Sweeps, certifies when the sweep's own residual passes the gate, and goes on with a tighter gate
/// where the certificate disagrees.
SolveReport run_nsgs(const FrictionContact& problem, const Options& options, VecX& r) {
  solve::Nsgs nsgs;
  nsgs.start(problem, r);
  Real gate = options.tolerance;
  SolveReport report;
  while (true) {
    report = nsgs.run(gate, options.max_iterations, options.relaxation, options.should_stop);
    if (report.status != SolveStatus::converged) break;
    const Real certified = certify::certify(problem, nsgs.impulse()).natural_map;
    if (!(certified > options.tolerance) || report.residual == 0) break;
    gate = report.residual * std::clamp(0.9 * options.tolerance / certified, 0.1, 0.9);
  }
  r = nsgs.impulse();
  report.detail =
      fmt::format("{} sweeps, residual of the sweep {:.3g}", report.iterations, report.residual);
  return report;
}

/// Newton, certified from outside: where the certificate disagrees with its residual the gate is
/// tightened.
SolveReport run_proximal_newton(const FrictionContact& problem, const Options& options, VecX& r) {
  if (r.size() == 0) r = VecX::Zero(problem.b.size());
  solve::ProximalNewtonOptions newton;
  newton.gate = 0.5 * options.tolerance;
  SolveReport report;
  Index factorisations = 0;
  for (int round = 0; round < 5; ++round) {
    newton.max_factorisations = std::min<Index>(options.max_iterations, 400) - factorisations;
    if (newton.max_factorisations < 1) break;
    report = solve::proximal_newton(problem, newton, options.should_stop, r);
    factorisations += report.iterations;
    if (report.status != SolveStatus::converged) break;
    const Real certified = certify::certify(problem, r).natural_map;
    if (!(certified > options.tolerance)) break;
    newton.gate *= std::clamp(0.5 * options.tolerance / certified, 1e-3, 0.5);
  }
  report.iterations = factorisations;
  return report;
}

/// The ladder: sweeps while they are cheap, then Newton from where they ended; the better of the
/// two answers.
SolveReport run_auto(const FrictionContact& problem, const Options& options, VecX& r) {
  Options rung = options;
  rung.max_iterations =
      std::min(options.max_iterations, newton_pays_after(problem.contact_count()));
  SolveReport sweeps = run_nsgs(problem, rung, r);
  const Real swept = certify::certify(problem, r).natural_map;
  if (swept <= options.tolerance || sweeps.status == SolveStatus::interrupted) return sweeps;
  VecX x = r;
  const SolveReport newton = run_proximal_newton(problem, options, x);
  const bool is_better = !(certify::certify(problem, x).natural_map > swept);
  if (is_better) r = x;
  SolveReport report = is_better ? newton : sweeps;
  report.detail =
      fmt::format("nsgs: {} sweeps to {:.3g}; proximal_newton: {} factorisations, {}",
                  sweeps.iterations, swept, newton.iterations, to_string(newton.status));
  report.iterations = sweeps.iterations + newton.iterations;
  return report;
}

constexpr std::array<SolverEntry<Lcp>, 2> kLcpSolvers = {
    {{"auto", run_lemke}, {"lemke", run_lemke}}};

constexpr std::array<SolverEntry<FrictionContact>, 4> kFrictionContactSolvers = {
    {{"auto", run_auto},
     {"nsgs", run_nsgs},
     {"proximal_newton", run_proximal_newton},
     {"lemke", run_lemke_on_pyramids}}};

}  // namespace

Index newton_pays_after(Index contact_count) { return 200 + 10 * contact_count; }

std::span<const SolverEntry<Lcp>> lcp_solvers() { return kLcpSolvers; }
std::span<const SolverEntry<FrictionContact>> friction_contact_solvers() {
  return kFrictionContactSolvers;
}

}  // namespace talus::driver
