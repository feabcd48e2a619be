#pragma once

#include <talus/problem/friction_contact.hpp>

namespace talus::problem {

/// Frictional contact with rolling resistance, local form: five rows per contact, (N, T1, T2, R1,
/// R2), where R is the relative angular velocity about the two tangents and its moment.
///
/// Find r and u with u = W r + b and, for every contact (Acary & Bourrier 2021, key `acary_2021`),
///   K ∋ r ⟂ û ∈ K*,   û = u + (μ‖u_T‖ + μ_r‖u_R‖) n,
///   K = {‖r_T‖ ≤ μ r_N, ‖r_R‖ ≤ μ_r r_N},   K* = {μ‖u_T‖ + μ_r‖u_R‖ ≤ u_N}:
/// 0 ≤ u_N ⟂ r_N ≥ 0; r_T opposes u_T with ‖r_T‖ = μ r_N where it slides; r_R opposes u_R with
/// ‖r_R‖ = μ_r r_N where it rolls. Rows R carry other units than rows N and T, r_R in N·m·s.
struct RollingFrictionContact {
  static constexpr Index dimension = 5;

  SparseMatrix W;  ///< 5m×5m; may be rank-deficient or slightly unsymmetric, kept as given
  VecX b;          ///< free relative velocity, 5m [m/s, rad/s]
  VecX friction;   ///< μ, m, ≥ 0 [-]
  VecX rolling;    ///< μ_r, m, ≥ 0 [m]
  [[nodiscard]] Index contact_count() const { return friction.size(); }
};

/// Frictional contact with rolling resistance, global form: the same law with the velocities v of
/// the system kept.
///
///   M v = H r + f,   u = Hᵀ v + w,   and the law of RollingFrictionContact between r and u.
struct GlobalRollingFrictionContact {
  using Local = RollingFrictionContact;
  static constexpr Index dimension = 5;

  SparseMatrix M;  ///< mass matrix, n×n, non-singular
  SparseMatrix H;  ///< transposed contact Jacobian, n×5m
  VecX f;          ///< momentum without contact, n
  VecX w;          ///< prescribed relative velocity, 5m [m/s, rad/s]
  VecX friction;   ///< μ, m, ≥ 0 [-]
  VecX rolling;    ///< μ_r, m, ≥ 0 [m]
  [[nodiscard]] Index contact_count() const { return friction.size(); }
};

}  // namespace talus::problem
