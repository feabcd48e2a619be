#pragma once

#include <memory>
#include <string>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/laws/contact_modes.hpp>
#include <talus/laws/lcp_statistics.hpp>
#include <talus/model/interface_law.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/solution.hpp>

namespace talus::laws {

/// A normal of a step: what is known of it before the impulses are.
struct StepNormal {
  const model::NormalLaw* law = nullptr;  ///< rigid or compliant
  Real before = 0;                        ///< ġ before the step [m/s]
  Real shift = 0;  ///< s of a rigid one [m/s]: ε_N γ, or what is left of its gap over the step
  Real penetration = 0;  ///< δ at q + θ h v, where ġ has been kept [m], of a compliant one
  Real impact_rate = 0;  ///< δ̇ where the contact began [m/s]
  Real restitution = 0;  ///< of its surface
};

/// A friction of a step.
struct StepFriction {
  const FrictionElement* element = nullptr;
  Index normal = -1;          ///< whose impulse presses; −1: the reactions of a joint
  Index first_reaction = -1;  ///< of that joint: two; −1: its preload alone presses
  Real before = 0;            ///< slip velocity before the step
  Real restitution = 0;       ///< ε_T
  bool is_held = false;       ///< it stuck when the step began: μ₀ bears, not μ
  Real dahl = 0;              ///< Dahl's force [N] when the step began
};

/// The bodies behind G, where no constraint acts: G = W M⁻¹ Wᵀ, b = W v_free and what rows have
/// besides.
struct StepBodies {
  std::vector<dynamics::JacobianRow> rows;       ///< W; empty where there are constraints
  const dynamics::MassMatrix* mass = nullptr;    ///< of all bodies
  const VecX *place = nullptr, *free = nullptr;  ///< (x, y, θ), and v_free, of all bodies
  Real force_speed = 0;                          ///< by how much forces change velocities [m/s]
};

/// The impulses of a step under the laws of surfaces. Rows: normals, then frictions; bilateral
/// constraints are eliminated from G, and their impulses are λ + L Λ.
///
///   γ' = G Λ + b
///   rigid:        0 ≤ Λ_N ⟂ γ' + s ≥ 0
///   compliant:    Λ_N = h F_N(δ̄, δ̄'),  δ̄ = δ − θ² h (γ' − γ), δ̄' = −(θ γ' + (1 − θ) γ): where the
///                 bodies are in the mean, q + θ h v̄ with v̄ = θ v' + (1 − θ) v; θ = 1/2: midpoint
///                 rule
///   set-valued:   −Λ_T ∈ μ Λ_N Sgn(γ' + ε_T γ) + λ h c γ', μ₀ instead of μ where it was held, or
///                 turns round in the step;
///                 Stribeck's μ is that of γ
///   viscous:      λ = 1 where Λ_N > 0, 0 where the contact opens, any share between where it does
///                 neither (drag_share.hpp), under every law of friction; 1 in joints
///   regularised:  Λ_T = h F_T(γ', Λ_N/h), implicit: however stiff
///   Dahl:         Λ_T = −h (F + λ c γ'), F the state after a slip of h γ'
///   joints:       Λ_N is h times joint_normal_force() of their reactions
struct StepProblem {
  Real h = 0;
  Real theta = 0.5;          ///< of the positions, and of compliant forces
  bool is_midpoint = false;  ///< forces do the work of the mean velocity
  problem::SparseMatrix G;   ///< row by row
  VecX b;
  VecX turn;   ///< of b: what rows have besides J v (planar_step_contact.hpp)
  VecX start;  ///< J v with the velocities before the step
  std::vector<StepNormal> normals;
  std::vector<StepFriction> frictions;
  VecX lambda;  ///< impulses of the constraints without Λ
  MatX L;       ///< their change by Λ
  StepBodies bodies;
};

struct StepImpulses {
  VecX impulse, rate;
  VecX lambda;  ///< of the constraints, all included
  VecX memory;  ///< per friction: Dahl's force after the step; 1 where it sticks, else 0
  problem::SolveStatus status = problem::SolveStatus::not_run;
  certify::Certificate certificate;  ///< of the last LCP, with the miss of the laws that are
                                     ///< functions; worst_contact: a normal, or −1
  std::string detail;
  std::shared_ptr<const problem::Lcp> unsolved;  ///< the last LCP, where it has no answer
  std::vector<Index> unanswered;  ///< rows of the islands without an answer, rising; empty where
                                  ///< the status is converged
  bool is_iterated = false;       ///< an island's by the contact solvers, to their tolerance
  Index pivots = 0, solves = 0, largest = 0;
};

/// Laws that are functions (compliant, regularised, viscous, Dahl) are linearised about the last
/// impulses and put into one LCP with the others, until they hold: Newton's method, with secants
/// through γ' = 0 (which converge always, if slowly, for laws that bend down) where it does not
/// gain. A friction that was held and slips falls from μ₀ to μ, and all is solved again. A contact
/// that all of its viscous force opens and none of it lets close has the drag itself as unknown.
/// Statuses: converged; what the LCP says; stalled where the laws are not met after 400 rounds.
[[nodiscard]] StepImpulses solve(const StepProblem& problem);

/// 0, 1, … count − 1: all rows of a step.
[[nodiscard]] std::vector<Index> rising(Index count);

/// The numbers of the LCPs of an answer.
[[nodiscard]] LcpStatistics statistics(const StepImpulses& answer);

}  // namespace talus::laws
