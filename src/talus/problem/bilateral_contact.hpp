#pragma once

#include <talus/problem/friction_contact.hpp>

namespace talus::problem {

/// Bilateral constraints together with frictional contacts, local form. The first equality_count
/// rows are constraints, the rest contacts as in FrictionContact:
///
///   u = W r + b,   u = 0 on the constraints (their r is free),
///   Coulomb's exact law between r and u on the contacts.
/// FCLIB's letters (`acary_2014`): W = [R Vᵀ; V W], b = (s, q), r = (λ, r).
struct BilateralContact {
  Index dimension = 3;       ///< d of the contacts, 2 or 3
  Index equality_count = 0;  ///< p ≥ 0
  SparseMatrix W;            ///< (p+dm)×(p+dm)
  VecX b;                    ///< p+dm
  VecX friction;             ///< μ, m, ≥ 0
  [[nodiscard]] Index contact_count() const { return friction.size(); }
};

/// Bilateral constraints together with frictional contacts, global form: the velocities v of the
/// system kept.
///
///   M v = H r + G λ + f,   Gᵀ v + b = 0,   u = Hᵀ v + w,
///   Coulomb's exact law between r and u on the contacts.
/// FCLIB's letters (`acary_2014`). Impulses are stacked as in the local form: (λ, r).
struct GlobalBilateralContact {
  using Local = BilateralContact;

  Index dimension = 3;  ///< d of the contacts, 2 or 3
  SparseMatrix M;       ///< mass matrix, n×n [kg], non-singular
  SparseMatrix H;       ///< transposed contact Jacobian, n×dm
  SparseMatrix G;       ///< transposed constraint Jacobian, n×p
  VecX f;               ///< momentum without contact, n [N·s]
  VecX w;               ///< prescribed relative velocity of the contacts, dm [m/s]
  VecX b;               ///< prescribed velocity of the constraints, p
  VecX friction;        ///< μ, m, ≥ 0
  [[nodiscard]] Index contact_count() const { return friction.size(); }
  [[nodiscard]] Index equality_count() const { return b.size(); }
};

}  // namespace talus::problem
