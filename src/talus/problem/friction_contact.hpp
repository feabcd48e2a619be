#pragma once

#include <Eigen/SparseCore>

#include <talus/math/vector.hpp>
#include <talus/problem/friction_law.hpp>

namespace talus::problem {

using SparseMatrix = Eigen::SparseMatrix<Real, Eigen::RowMajor>;

/// Frictional contact problem in local form, in 2-D or 3-D; exact Coulomb friction unless `law`
/// says otherwise.
///
/// Find impulses r and relative velocities u with, for every contact i,
///   u = W r + b,   K_μᵢ ∋ rᵢ ⟂ ûᵢ ∈ K_μᵢ*,   ûᵢ = uᵢ + μᵢ‖u_Tᵢ‖ n      (De Saxcé & Feng 1998).
/// Other laws: problem/friction_law.hpp. Contact components normal first: d = dimension numbers per
/// contact, (N, T) or (N, T1, T2).
struct FrictionContact {
  Index dimension = 3;  ///< d, 2 or 3
  SparseMatrix W;  ///< Delassus matrix, dm×dm [1/kg]; may be rank-deficient. Solvers take it as
                   ///< symmetric (problem/symmetry); kept as given
  VecX b;          ///< free relative velocity, dm [m/s]
  VecX friction;   ///< μ, m, ≥ 0
  FrictionLaw law = FrictionLaw::coulomb;
  Index directions = 8;  ///< corners of the polygon of the polyhedral law in 3-D: even, ≥ 4
  Real force_speed = 0;  ///< RigidContact::force_speed where it is known: scales errors, no more
  [[nodiscard]] Index contact_count() const { return friction.size(); }
};

/// Frictional contact problem in global form: the same law with the velocities v of the system
/// kept.
///
///   M v = H r + f,   u = Hᵀ v + w,   and the law between r and u as in FrictionContact.
/// FCLIB's letters: H = Jᵀ, n×dm.
struct GlobalFrictionContact {
  using Local = FrictionContact;

  Index dimension = 3;  ///< d, 2 or 3
  SparseMatrix M;       ///< mass matrix, n×n [kg], non-singular
  SparseMatrix H;       ///< transposed contact Jacobian, n×dm
  VecX f;               ///< momentum without contact, n [N·s]
  VecX w;               ///< prescribed relative velocity, dm [m/s]
  VecX friction;        ///< μ, m, ≥ 0
  FrictionLaw law = FrictionLaw::coulomb;
  Index directions = 8;  ///< as in FrictionContact
  [[nodiscard]] Index contact_count() const { return friction.size(); }
};

}  // namespace talus::problem
