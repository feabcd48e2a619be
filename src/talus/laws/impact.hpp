#pragma once

#include <memory>
#include <string>
#include <vector>

#include <talus/laws/joint_lcp.hpp>

namespace talus::laws {

/// A normal of an impact: rows 0 … k − 1 of the Delassus matrix.
struct ImpactNormal {
  Real restitution = 0;  ///< ε_N in [0, 1]
};

/// A friction of an impact: the rows after the normals.
struct ImpactFriction {
  Index normal = 0;   ///< whose impulse presses; −1: the reactions of a joint (presses), or none
  Real friction = 0;  ///< μ ≥ 0
  Real restitution = 0;  ///< ε_T in [0, 1]
  Real bound = 0;        ///< |Λ_T| is at most this much more, ≥ 0 [N·s]
};

/// Closed contacts at the instant of an impact, bilateral constraints eliminated from G.
struct ImpactProblem {
  MatX G;     ///< rates from impulses [1/kg]
  VecX rate;  ///< before the impact: ġ of the normals, then the slip velocities [m/s]
  std::vector<ImpactNormal> normals;
  std::vector<ImpactFriction> frictions;
  std::vector<JointNormalForce>
      joint_normals;        ///< of frictions in joints: −μ and μ, no free reactions
  bool is_poisson = false;  ///< Poisson's hypothesis instead of Newton's
};

struct ImpactAnswer {
  VecX impulse;  ///< [N·s], rows as in the problem
  VecX rate;     ///< after the impact
  Real energy = 0;  ///< change of the kinetic energy, ½ Λ·(u⁻ + u⁺) [J]; friction and restitution
                    ///< should not raise it, but laws may: a caller reports it
  problem::SolveStatus status = problem::SolveStatus::not_run;
  certify::Certificate certificate;  ///< the worst of the LCPs solved
  std::string detail;
  std::shared_ptr<const problem::Lcp> unsolved;  ///< ContactForces::unsolved, of the last LCP
  Index solves = 0;
  Real restitution_factor = 1;  ///< of the restitutions asked for: bounded_impact()
};

/// All contacts at once. Friction in clearance-free joints also acts during impacts, with μ times
/// the impulse that goes through them.
///
/// Newton: 0 ≤ ġ⁺ + ε_N ġ⁻ ⟂ Λ_N ≥ 0 and −Λ_T ∈ μ Λ_N Sgn(γ⁺ + ε_T γ⁻), one LCP; contacts that
/// separate before the impact have no restitution (`moreau_1988`).
/// Poisson: compression, 0 ≤ ġ_C ⟂ Λ_NC ≥ 0 with Coulomb friction, and expansion, Λ_NE ≥ ε_N Λ_NC,
/// 0 ≤ ġ_E ⟂ Λ_NE − ε_N Λ_NC ≥ 0 with friction up to μ Λ_NE that gives back at least ε_N ε_T Λ_TC
/// (`pfeiffer_1996` §8): two LCPs.
[[nodiscard]] ImpactAnswer simultaneous_impact(const ImpactProblem& problem);

/// One contact after another, the one that approaches fastest first, until none approaches: each is
/// an impact of its own. When all approach with less than 1e-6 of the fastest speed at the start,
/// one inelastic impact of all together ends the sequence. `stalled` after 10⁴ impacts.
[[nodiscard]] ImpactAnswer sequential_impact(const ImpactProblem& problem);

/// Either of them, with restitution that raises no energy.
///
/// With friction, joints or several contacts the laws of Newton and of Poisson may raise the
/// kinetic energy, or have no solution where a contact is jammed (`stronge_1990`). Then all ε_N and
/// ε_T of this impact are taken smaller by one restitution_factor, the largest in [0, 1] (to 1e-9,
/// by bisection; below 1e-6: 0) whose answer does not raise it. The inelastic law,
/// restitution_factor = 0, always has a solution and never raises it: ½ Λ·(u⁻ + u⁺) = Λ·u⁺ − ½ Λ·GΛ
/// ≤ 0.
/// @param is_sequential one contact after another. Cost: as the law, or some 30 times as much.
[[nodiscard]] ImpactAnswer bounded_impact(const ImpactProblem& problem, bool is_sequential);

/// Whether an answer raises the kinetic energy, beyond round-off of its parts.
[[nodiscard]] bool raises_energy(const ImpactProblem& problem, const ImpactAnswer& answer);

}  // namespace talus::laws
