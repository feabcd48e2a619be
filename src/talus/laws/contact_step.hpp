#pragma once

#include <talus/driver/options.hpp>
#include <talus/laws/step_laws.hpp>

namespace talus::laws {

/// Whether a step is a frictional contact problem and no more: rigid contacts, each with one
/// coefficient of friction (μ₀ = μ, no viscous part), no rolling, no friction in joints.
[[nodiscard]] bool is_contact_problem(const StepProblem& problem);

/// Solves such a step (contract) where no constraint acts as a problem::RigidContact, by sweeps
/// over its bodies: planar bodies are bodies in space that nothing moves out of the plane z = 0,
/// where the disc of friction has the two ends of the interval alone. What that leaves, and steps
/// with constraints, as a problem::FrictionContact of two dimensions,
///   u = W r + b,   b = b of the step with the shifts added,
/// by the solvers of that class. Both take thousands of contacts; Lemke's method on the dense LCP
/// of step_laws is exact and of use for some dozens. Certified by the certificate of their class.
/// @param guess impulses to start from, rows as in the problem; or empty.
[[nodiscard]] StepImpulses solve_contacts(const StepProblem& problem,
                                          const driver::Options& options, const VecX& guess);

}  // namespace talus::laws
