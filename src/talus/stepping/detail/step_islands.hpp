#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <talus/driver/options.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/laws/step_laws.hpp>
#include <talus/model/model.hpp>

namespace talus::stepping::detail {

/// Solves a step island by island: rows are of one island where an impulse of one changes the rate
/// of the other, or a reaction that presses at it. Few contacts, and laws that are more than
/// Coulomb's, make one LCP; more than 24 are solved by the contact solvers (solver: auto), and so
/// are fewer where Lemke's method finds nothing though there is no Squeeze. What remains without an
/// answer (StepImpulses::unanswered) changes nothing in the other islands.
/// @param options of the contact solvers. @param guess impulses that they start from; or empty.
[[nodiscard]] laws::StepImpulses solve_islands(const laws::StepProblem& problem,
                                               const driver::Options& options,
                                               const VecX& guess = {});

/// Rigid contacts in balance with each other between bodies that approach all the same: impulses
/// Λ_N ≥ 0 that move nothing, G_NN Λ_N = 0, with Λ_N · (b + s) < 0. No velocities keep these bodies
/// apart (Farkas), whatever the impulses and the friction are: prescribed bodies press others
/// against what does not give way.
struct Squeeze {
  std::vector<Index> normals;  ///< with Λ_N > 0, rising
  Real speed = 0;              ///< −Λ_N · (b + s)/Σ Λ_N [m/s]: the mean approach that is left
};
/// @param rows looked at: whole islands. @return nothing where their normals alone have an answer,
/// and of more than 400 of them. Cost: Lemke's method on the normals.
[[nodiscard]] std::optional<Squeeze> find_squeeze(const laws::StepProblem& problem,
                                                  const std::vector<Index>& rows);

/// Why a step has no answer, in words: which bodies are squeezed, or are held by friction.
/// @param bodies of each normal.
[[nodiscard]] std::string why_unanswered(const laws::StepProblem& problem,
                                         const laws::StepImpulses& answer,
                                         std::span<const dynamics::BodyPair> bodies,
                                         const model::Model& model);

}  // namespace talus::stepping::detail
