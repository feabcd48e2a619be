#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <talus/base/error.hpp>
#include <talus/driver/lcp_cascade.hpp>
#include <talus/driver/registry.hpp>
#include <talus/problem/convert_cone.hpp>
#include <talus/solve/newton/fischer_burmeister.hpp>
#include <talus/solve/pivoting/lemke.hpp>

namespace talus::driver {

using problem::Lcp;
using problem::SolveReport;
using problem::SolveStatus;

namespace {

SolveReport run_fischer_burmeister(const Lcp& lcp, const Options& options,
                                   const solve::ExternalResidual& external_residual, VecX& z) {
  solve::FischerBurmeisterOptions newton_options;
  newton_options.max_iterations = options.max_iterations;
  newton_options.keep_history = options.keep_history;
  return solve::fischer_burmeister(problem::as_cone_problem(lcp), newton_options, external_residual,
                                   options.should_stop, z);
}

/// The solver of cone problems of that name, which minimises a quadratic form.
SolveReport run_by_energy(const Lcp& lcp, const Options& options,
                          const solve::ExternalResidual& external_residual, VecX& z) {
  const auto solvers = cone_solvers();
  const auto entry = std::find_if(solvers.begin(), solvers.end(), [&](const auto& candidate) {
    return candidate.name == options.solver;
  });
  try {
    SolveReport report =
        entry->run(problem::to_cone_problem(lcp).problem, options, external_residual, z);
    if (report.status == SolveStatus::unbounded)
      report.detail =
          "½ zᵀMz + qᵀz falls for ever: if M is positive semidefinite the LCP has no "
          "solution, else this says nothing";
    return report;
  } catch (const InputError& error) {
    return {SolveStatus::unsupported, 0, 0,
            fmt::format("{} minimises a quadratic form: {}", options.solver, error.what())};
  }
}

constexpr std::array<SolverEntry<Lcp>, 10> kLcpSolvers = {
    {{"auto", run_lcp_cascade},
     {"lemke", run_lemke},
     {"fischer_burmeister", run_fischer_burmeister},
     {"pgs", run_by_energy},
     {"anderson", run_by_energy},
     {"projected_jacobi", run_by_energy},
     {"apgd", run_by_energy},
     {"spg", run_by_energy},
     {"mprgp", run_by_energy},
     {"admm", run_by_energy}}};

}  // namespace

SolveReport too_large_for_lemke(Index size) {
  return {SolveStatus::capacity_exceeded, 0, 0,
          fmt::format("an LCP of {} unknowns; Lemke's dense tableau takes at most {}", size,
                      kLargestLemke)};
}

SolveReport run_lemke(const Lcp& lcp, const Options& options,
                      const solve::ExternalResidual& /*external_residual*/, VecX& z) {
  if (lcp.size() > kLargestLemke) return too_large_for_lemke(lcp.size());
  solve::LemkeOptions lemke_options;
  lemke_options.tolerance = options.tolerance;
  lemke_options.max_pivots = options.max_iterations;
  lemke_options.should_stop = options.should_stop;
  lemke_options.keep_history = options.keep_history;
  return solve::lemke(lcp, lemke_options, z);
}

std::span<const SolverEntry<Lcp>> lcp_solvers() { return kLcpSolvers; }

}  // namespace talus::driver
