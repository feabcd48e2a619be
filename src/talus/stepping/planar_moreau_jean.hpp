#pragma once

#include <memory>

#include <talus/model/machine.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping {

/// Moreau's midpoint time stepping (key `moreau_1988`) of planar models (dimension 2), with
/// Newton's restitution in the normal and the tangential direction (key `pfeiffer_1996`).
///
///   q_M = q + h/2 v,   M (v' − v) = h Q(q_M, v) + Φ_qᵀ Λ + W_N Λ_N + W_T Λ_T,   q' = q_M + h/2 v',
///   0 = Φ_q (v + v')/2 + Φ_t,   γ' = Wᵀ v' + c,   c = Wᵀ v − γ,
///   0 ≤ Λ_N ⟂ γ_N' + s ≥ 0,   −Λ_T ∈ μ Λ_N Sgn(γ_T' + ε_T γ_T),
/// as the scheme of that name in space (moreau_jean.hpp): rows W at q_M, γ of the start, c what the
/// rows turn by, s as dynamics::contact_bias with θ = 1/2 and the gap of the start, no less than 0.
/// Where impulses of such rows raise the energy c = 0 and γ = Wᵀ v: Moreau's own rule. Bodies that
/// strike go into each other by up to h γ_N/2 and are moved out on the side where they were. All
/// other laws of surfaces and of joint friction are met implicitly in the same step
/// (laws/step_laws): compliant normal forces by the midpoint rule (second order), friction that
/// is a function of the velocity at the end of the step (first order, however stiff), joint
/// friction under the reactions of the step, those of impacts included. Dahl's forces, who stuck,
/// and how fast compliant contacts began are in State::internal beside the angles, where a law
/// needs them. Bilateral constraints are eliminated first (dynamics::ConstraintFactor), redundant
/// ones with the smallest impulses; the midpoint of the velocities keeps them, which is of second
/// order, and q' and v' are projected on them (no part of the reactions). Prescribed bodies are
/// where and as fast as they are told at the middle of the step. Several bounces within one step
/// are one.
[[nodiscard]] std::unique_ptr<Scheme> make_planar_moreau_midpoint(const model::Model& model,
                                                                  const SchemeOptions& options);

/// Moreau–Jean's θ-scheme (keys `moreau_1988`, `jean_1999`) of planar models, with the law of gaps
/// of the scheme of that name in 3-D (moreau_jean.hpp): a ball on a plane moves as a disc does
/// (models of many discs alone are stepped by that one, planar_grains.hpp).
///
///   q_θ = q + (1 − θ) h v,   M (v' − v) = h Q(q_θ, v) + Φ_qᵀ Λ + W_N Λ_N + W_T Λ_T,
///   q' = q_θ + θ h v',   0 = Φ_q v' + Φ_t at q + h v, t + h,
///   0 ≤ Λ_N ⟂ γ_N' + s ≥ 0,   s as dynamics::contact_bias with g̃ = g(q_θ),
/// gaps and rows at q_θ; contacts that are open take part if the shapes come together in the step,
/// and the step is solved again with those that come about within it. Tangential restitution
/// acts in steps in which the contact closes. Everything else, all surface laws and joint friction
/// too, is as in the midpoint scheme, but for compliant normal forces, taken at q + θ h v̄ with
/// v̄ = θ v' + (1 − θ) v: with θ = 1 they raise no energy however stiff. First order; gaps of rigid
/// contacts are kept to O(h²), and penetration is taken back by the share error_reduction of what
/// exceeds slop times the smaller body's size. With the solver auto, steps of more than 24 contacts
/// that are rigid with one coefficient of friction are solved by the contact solvers to
/// options.solver.tolerance, warm started, in both schemes; all others exactly. Cost: the broad
/// phase; numbers per contact of all pairs, bodies²; few contacts one dense LCP, many n² for G and
/// the sweeps.
[[nodiscard]] std::unique_ptr<Scheme> make_planar_moreau_jean(const model::Model& model,
                                                              const SchemeOptions& options);

}  // namespace talus::stepping
