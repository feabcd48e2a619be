#pragma once

#include <talus/driver/solve.hpp>
#include <talus/problem/bilateral_contact.hpp>
#include <talus/problem/bounded_friction.hpp>
#include <talus/problem/box_qp.hpp>
#include <talus/problem/cone_problem.hpp>
#include <talus/problem/mlcp.hpp>
#include <talus/problem/rolling_contact.hpp>

namespace talus::driver {

// The other classes of problems, solved and certified as those of driver/solve.hpp: the status is
// converged exactly if the certificate (natural map and equation of motion, both free of units)
// meets the tolerance. Arguments as there; a guess that is certified already costs no iteration.
// Where a class is converted to another one, report.detail begins with what that changed.

/// Answer to a cone problem.
struct ConeSolution {
  VecX r, u;  ///< r ∈ K, u = W r + b
  problem::SolveReport report;
  certify::Certificate certificate;
};

/// Answer to a bound-constrained QP.
struct BoxQpSolution {
  VecX x, y;  ///< y = H x + g
  problem::SolveReport report;
  certify::Certificate certificate;
};

/// Answer to a mixed LCP.
struct MlcpSolution {
  VecX x, z, w;  ///< w = D x + B z + b
  problem::SolveReport report;
  certify::Certificate certificate;
};

/// Answer to a problem of contacts or joints; for BilateralContact the constraints come first.
struct ImpulseSolution {
  VecX impulse, velocity;  ///< r and u = W r + b
  problem::SolveReport report;
  certify::Certificate certificate;
};

/// The same with the velocities of the system, for the global forms.
struct GlobalImpulseSolution {
  VecX impulse, velocity;  ///< r and u = Hᵀ v + w; of constraints λ and Gᵀ v + b, which come first
  VecX v;                  ///< velocities of the system, n
  problem::SolveReport report;
  certify::Certificate certificate;  ///< of the global form, equation_of_motion included
};

/// Names of the solvers of cone problems, in the order of their registry, "auto" first.
[[nodiscard]] std::vector<std::string_view> cone_solver_names();

/// The same of contacts that slide and roll.
[[nodiscard]] std::vector<std::string_view> rolling_solver_names();

/// Solves a cone problem, the associated law. Solvers: cone_solver_names().
[[nodiscard]] ConeSolution solve(const problem::ConeProblem& problem, const Options& options,
                                 const VecX& guess = {});

/// Solves a bound-constrained QP as a cone problem, the numbers unchanged.
[[nodiscard]] BoxQpSolution solve(const problem::BoxQp& problem, const Options& options,
                                  const VecX& guess = {});

/// Solves a mixed LCP: with a solver of LCPs after eliminating x (a singular A throws InputError);
/// with a solver of cone problems as one ([A C; D B] not symmetric throws InputError).
/// @param guess z, or empty; (x, z) for a solver of cone problems.
[[nodiscard]] MlcpSolution solve(const problem::Mlcp& problem, const Options& options,
                                 const VecX& guess = {});

/// Solves contacts that slide and roll, the exact law. Solvers: rolling_solver_names().
[[nodiscard]] ImpulseSolution solve(const problem::RollingFrictionContact& problem,
                                    const Options& options, const VecX& guess = {});

/// Solves constraints with contacts, the exact law, by eliminating the constraints
/// (problem/convert_bilateral, whose errors pass). Solvers: those of FrictionContact. @param guess
/// r of constraints and contacts, or empty.
[[nodiscard]] ImpulseSolution solve(const problem::BilateralContact& problem,
                                    const Options& options, const VecX& guess = {});

/// Solve global forms by their local ones (problem/convert, whose errors pass) and recover
/// v = M⁻¹(H r + f); solvers as there. @param guess r, with constraints (λ, r), or empty.
[[nodiscard]] GlobalImpulseSolution solve(const problem::GlobalRollingFrictionContact& problem,
                                          const Options& options, const VecX& guess = {});
[[nodiscard]] GlobalImpulseSolution solve(const problem::GlobalBilateralContact& problem,
                                          const Options& options, const VecX& guess = {});

/// Solves joints with friction of given bounds: with one direction of slip as a cone problem; in
/// the plane as an LCP with polygons of options.directions sides (Lemke), which the certificate of
/// the disc does not confirm unless no joint slips or r happens to lie on a corner.
[[nodiscard]] ImpulseSolution solve(const problem::BoundedFriction& problem, const Options& options,
                                    const VecX& guess = {});

}  // namespace talus::driver
