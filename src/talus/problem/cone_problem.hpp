#pragma once

#include <vector>

#include <talus/problem/friction_contact.hpp>

namespace talus::problem {

/// The closed convex set of one block of unknowns. Every one but box is a cone.
enum class ConeKind : unsigned char {
  free,         ///< ℝⁿ: bilateral constraints, u = 0
  nonnegative,  ///< r ≥ 0, each component
  box,          ///< lower ≤ r ≤ upper, each component (bounds may be infinite)
  friction,     ///< ‖r_T‖ ≤ μ r_N, (N, T) or (N, T1, T2)
  rolling       ///< ‖r_T‖ ≤ μ r_N and ‖r_R‖ ≤ μ_r r_N, (N, T1, T2, R1, R2)
};

/// One block of a cone problem: rows first … first+size−1.
struct Cone {
  ConeKind kind = ConeKind::nonnegative;
  Index first = 0;
  Index size = 1;     ///< ≥ 1; friction: 2 or 3; rolling: 5
  Real friction = 0;  ///< μ ≥ 0, friction and rolling [-]
  Real rolling = 0;   ///< μ_r ≥ 0, rolling only [m]
};

/// Complementarity over a product of convex sets, the class that first-order methods take.
///
///   Find r ∈ K with u = W r + b and (s − r)·u ≥ 0 for all s ∈ K;
/// for cones: K ∋ r ⟂ u ∈ K*. With W symmetric positive semidefinite these are the optimality
/// conditions of min ½ rᵀW r + bᵀr over K. Holds without conversion of the numbers: a symmetric
/// (mixed) LCP, a bound-constrained QP, cone complementarity (the associated law: Coulomb's law
/// without the De Saxcé term, a relaxation that dilates), rolling friction, and bilateral
/// constraints together with any of these.
struct ConeProblem {
  SparseMatrix W;           ///< n×n
  VecX b;                   ///< n
  std::vector<Cone> cones;  ///< in order, covering the n rows once
  VecX lower, upper;        ///< n each where a cone is a box, else empty

  [[nodiscard]] Index size() const { return b.size(); }
};

}  // namespace talus::problem
