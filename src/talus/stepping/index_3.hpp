#pragma once

#include <memory>
#include <string>

#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping {

/// Implicit integration of joints and drives at the level of positions, for comparison with
/// Baumgarte's stabilisation and projection: the generalised-α method (`chung_1993`) on the
/// equations of index 3 (`arnold_2007`), ρ_∞ = 0.8. At the end of every step, all unknowns
/// together,
///   M a₁ = Q(t₁, q₁, v₁) + Φ_qᵀ λ₁,   Φ(q₁, t₁) = 0,
///   (1 − α_m) A₁ + α_m A₀ = (1 − α_f) a₁ + α_f a₀,
///   q₁ = q₀ + h v₀ + h² ((½ − β) A₀ + β A₁),   v₁ = v₀ + h ((1 − γ) A₀ + γ A₁)
/// by Newton's method with a matrix of differences. Second order in q, v and λ. Φ is kept to the
/// tolerance of Newton's method, 1e-13 of the coordinates, and does not drift; Φ̇ is of second
/// order. Redundant constraints get the smallest multipliers, with what each does to its bodies by
/// itself as the measure, Σ (Φ_q M⁻¹ Φ_qᵀ)ᵢᵢ λᵢ². No unit has a part in a step: in powers of two of
/// the units a machine moves alike in every bit. a₀ and A₀ are in State::internal
/// behind the angles. Certified where Newton's method has converged; equation_of_motion is what it
/// left.
///
/// In space q₁ = q₀ ∘ exp(x) with x the same sum, angular velocities and rotation vectors in the
/// bodies' frames (`bruls_2010`, detail/smooth_system.hpp), on joints, couplings, drives, springs,
/// dampers, armatures, motors by effort or position, and force elements. Cost O((bodies +
/// constraints)³) a step.
[[nodiscard]] std::unique_ptr<Scheme> make_index_three(const model::Model& model,
                                                       const SchemeOptions& options);

}  // namespace talus::stepping
