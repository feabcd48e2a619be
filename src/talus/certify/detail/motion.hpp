#pragma once

#include <Eigen/SparseCore>

#include <talus/problem/friction_contact.hpp>

namespace talus::certify::detail {

/// What the certificate of a global form takes from M v = H r + f and u = Hᵀ v + w: the local form
/// but for the coupling of contacts, from a factorisation of its own.
struct Motion {
  Real defect = 0;          ///< ‖M v − H r − f‖ / max(‖M v‖, ‖H r‖, ‖f‖)
  VecX u;                   ///< Hᵀ v + w
  VecX b;                   ///< Hᵀ M⁻¹ f + w
  VecX diagonal;            ///< of Hᵀ M⁻¹ H
  MatX blocks;              ///< d×dm, its diagonal blocks side by side; empty unless asked for
  bool is_regular = false;  ///< false: M is singular, b and diagonal are empty
};

/// @param d size of the blocks; 0: none wanted. Cost: one sparse LU and a solve per column of H.
[[nodiscard]] Motion motion_of(const problem::SparseMatrix& M,
                               const Eigen::SparseMatrix<Real, Eigen::ColMajor>& H, const VecX& f,
                               const VecX& w, const VecX& impulse, const VecX& velocity,
                               Index d = 0);

}  // namespace talus::certify::detail
