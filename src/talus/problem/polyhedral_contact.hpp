#pragma once

#include <vector>

#include <talus/problem/friction_contact.hpp>
#include <talus/problem/mlcp.hpp>

namespace talus::problem {

/// Bilateral constraints, contacts with polygonal friction and joints with friction of given bounds
/// in one problem (Stewart & Trinkle 1996, sections 3.1 and 3.5, key `stewart_1996`).
///
/// With row velocities u = W r + b,
///   constraint:  u = 0;
///   contact:     r_T = D β,  0 ≤ β ⟂ Dᵀ u_T + λ e ≥ 0,  0 ≤ r_N ⟂ u_N ≥ 0,
///                0 ≤ λ ⟂ μ r_N − eᵀβ ≥ 0;
///   joint:       r_T = D β,  0 ≤ β ⟂ Dᵀ u_T + λ e ≥ 0,  0 ≤ λ ⟂ bound − eᵀβ ≥ 0.
/// The columns of D are friction directions in terms of the tangent rows. Rows: the constraints,
/// then normal and tangents of every contact, then the tangents of every joint.
struct PolyhedralContact {
  SparseMatrix W;                        ///< rows × rows
  VecX b;                                ///< free row velocities
  Index bilateral_count = 0;             ///< constraints
  std::vector<MatX> contact_directions;  ///< D per contact, tangents × k; 0×0 without friction
  VecX friction;                         ///< μ ≥ 0 per contact
  std::vector<MatX> joint_directions;    ///< D per joint
  VecX bound;                            ///< largest impulse per joint, ≥ 0
  [[nodiscard]] Index contact_count() const { return friction.size(); }
  [[nodiscard]] Index joint_count() const { return bound.size(); }
};

/// The same problem as a mixed LCP in x = impulses of the constraints and
/// z = (β of contacts, β of joints, r_N, λ of contacts, λ of joints), eqs. (17) and (29).
struct PolyhedralMlcp {
  Mlcp mlcp;
  SparseMatrix impulse;      ///< rows after the constraints: r = impulse · z
  std::vector<Index> owner;  ///< of every z: its contact, or contact_count + its joint
};

/// Directions of friction in terms of t tangent rows: + and − where t = 1; k unit vectors at equal
/// angles, the first along the first tangent, where t = 2.
/// @param directions k, even, ≥ 2; used where t = 2.
[[nodiscard]] MatX friction_directions(Index tangents, Index directions);

/// @param problem shapes that agree (contract). Cost: dense memory (Σ(k+2))², time O(rows · Σk).
[[nodiscard]] PolyhedralMlcp to_mlcp(const PolyhedralContact& problem);

/// How far impulses leave the polygons of friction: the largest of 0, −r_N, −β and eᵀβ minus μ r_N
/// or the bound [N·s], for the z of a solution.
[[nodiscard]] Real cone_violation(const PolyhedralContact& problem, const VecX& z);

}  // namespace talus::problem
