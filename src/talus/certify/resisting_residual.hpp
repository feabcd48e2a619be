#pragma once

#include <talus/certify/law_residual.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::certify {

/// One contact that resists more than slip, as its certificate sees it: world vectors.
struct ResistingContact {
  Vec3 impulse, moment;              ///< r [N·s] and m [N·s·m], on B
  Vec3 velocity, angular_velocity;   ///< u [m/s] and w [rad/s] with all impulses
  Vec3 free_velocity, free_angular;  ///< the same without any
  Mat3 block;                        ///< of r alone, ∂u/∂r [1/kg]
  Real moment_trace = 0;             ///< tr ∂w/∂m [1/(kg m²)]
};

/// Its errors in six rows (N, T1, T2, R1, R2, S), all in N·s: moments and angular velocities are
/// scaled by λ = √(tr ∂w/∂m / tr ∂u/∂r) [1/m], so that nothing is added up that has another unit.
struct ResistingErrors {
  Vec6 natural = Vec6::Zero(), plain = Vec6::Zero(), primal = Vec6::Zero(), dual = Vec6::Zero(),
       free = Vec6::Zero();  ///< as in ContactErrors
  Real power = 0;            ///< |p·û| [J]
  Real normal = 0;           ///< signorini_error of p_N and u_N [m/s]; 0 with rolling or torsion,
                             ///< whose natural map has it
  Real impulse2 = 0;         ///< ‖r‖² + λ²‖m‖²
  Real velocity2 = 0;        ///< ‖u‖² + ‖w‖²/λ²
  Real free2 = 0;            ///< the same without any impulses
};

/// The errors of the law of RigidContact with resistance.
///
/// Without rolling and torsion those of law_errors after p = r + c n and the change of variables
/// that makes an ellipse a disc, p' = S⁻¹p, u' = S u, S = diag(1, μ₁/μ, μ₂/μ); a moment is an error
/// as it stands. Otherwise, in the same variables,
///   natural = (p_N − [p_N − ρ u_N]₊, r_T − P_{μ p_N}(r_T − ρ u_T), the same of m_R, w_R and m_S,
///   w_S)
/// (Alart & Curnier 1991, key `alart_1991`), zero where the law holds and only there; primal: how
/// far outside its disc each part is; dual: ρ[−u_N]₊; û_N = u_N + μ‖u_T‖ + μ_r‖w_R‖ + μ_s|w_S|.
/// @param rho of the natural map [kg].
[[nodiscard]] ResistingErrors resisting_errors(const CertifiedLaw& law,
                                               const problem::GeneralContact& contact,
                                               const problem::Resistance& resistance,
                                               const ResistingContact& seen, Real rho);

}  // namespace talus::certify
