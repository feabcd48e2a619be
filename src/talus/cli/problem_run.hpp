#pragma once

#include <string>
#include <variant>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/driver/options.hpp>
#include <talus/exchange/fclib.hpp>
#include <talus/exchange/problem_file.hpp>
#include <talus/json/json.hpp>
#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>

namespace talus::cli {

/// What `talus solve` can run: a file's problem, or the cone problem that it was turned into.
using RunProblem =
    std::variant<problem::FrictionContact, problem::GlobalFrictionContact,
                 problem::BilateralContact, problem::GlobalBilateralContact,
                 problem::RollingFrictionContact, problem::GlobalRollingFrictionContact,
                 problem::Lcp, problem::ConeProblem>;

/// Reads a problem for a law: "coulomb", as it is; another name of problem/friction_law, which
/// frictional contact takes as its law; or "cone", turned into a cone problem, as are other classes
/// for "cone_complementarity".
/// @param change what that changed in the solutions; empty for nothing.
/// @throws InputError as exchange::read_problem, where W is not symmetric for "cone", and where the
/// class of the problem has no such law.
[[nodiscard]] RunProblem read_for_law(const std::string& file, const std::string& law,
                                      std::string& change);

/// One problem solved by one solver: what `talus solve` and `talus bench problems` report.
struct ProblemRun {
  std::string file;
  driver::Options options;
  Index contacts = 0, dimension = 0;
  double seconds = 0;      ///< the solve alone, certificate included, reading excluded
  double cpu_seconds = 0;  ///< processor time of the same
  problem::SolveReport report;
  certify::Certificate certificate;
  exchange::FclibSolution solution;
  std::vector<std::string> warnings;  ///< of the problem: a Delassus or mass matrix not symmetric
};

/// Solves a problem. @param time_limit seconds, 0: none; a run that it ends has the status
/// time_limit. @param repeats the solve is repeated up to so often, 0.1 s in all, and the shortest
/// time kept. Ctrl-C ends it with the status interrupted where an InterruptGuard lives.
[[nodiscard]] ProblemRun run_problem(const std::string& file, const RunProblem& problem,
                                     const driver::Options& options, double time_limit,
                                     int repeats = 1);

/// The certificate of a given solution; status converged or stalled, as it is
/// within the tolerance or not. A local form needs r and u, a global one also v, with constraints
/// also l; u must be what r and v make (certify/velocity_residual).
[[nodiscard]] ProblemRun certify_solution(const std::string& file, const RunProblem& problem,
                                          const std::string& solution_file,
                                          const driver::Options& options);

/// One object: file, solver, status, iterations, seconds, counts, residuals by name, stages with
/// their own counts, …; with options.keep_history also the histories, of a run without stages its
/// own, else of the stages; where Lemke's method ended on a secondary ray (problem/lcp.hpp) "ray".
[[nodiscard]] Json to_json(const ProblemRun& run);

}  // namespace talus::cli
