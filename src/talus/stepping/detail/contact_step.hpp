#pragma once

#include <talus/driver/options.hpp>
#include <talus/stepping/detail/step_laws.hpp>

namespace talus::stepping::detail {

/// Whether a step is a frictional contact problem and no more: rigid contacts, each with one
/// coefficient of friction (μ₀ = μ, no viscous part), no rolling, no friction in joints.
[[nodiscard]] bool is_contact_problem(const StepProblem& problem);

/// Solves such a step (contract) as a problem::FrictionContact of two dimensions,
///   u = W r + b,   b = b of the step with the shifts added,
/// by the solvers of that class, which take hundreds of contacts; Lemke's method on the dense LCP
/// of step_laws is exact and of use for some dozens. Certified by its natural map.
/// @param guess impulses to start from, rows as in the problem; or empty.
[[nodiscard]] StepImpulses solve_contacts(const StepProblem& problem,
                                          const driver::Options& options, const VecX& guess);

}  // namespace talus::stepping::detail
