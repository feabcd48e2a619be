#pragma once

#include <vector>

#include <talus/problem/rigid_contact.hpp>

namespace talus::certify::detail {

/// What the certificate of rows takes from the problem alone, computed by itself.
struct KeptRows {
  /// Of a part: what a unit impulse of its row does to its body.
  struct Part {
    Real push_size = 0, turn_size = 0;  ///< m⁻¹ ‖part.head‖, ‖I⁻¹ part.tail‖
    Real norm = 0;                      ///< ‖part‖
  };
  std::vector<Real> free_rate;  ///< w of every row without impulses [m/s]
  std::vector<Real> rho;  ///< ρ = 1/(C + Σ partᵀ M⁻¹ part) [kg]; 0 where nothing moves it
  std::vector<Part> parts;

  explicit KeptRows(const problem::RigidContact& problem);

  /// How far an impulse of 0 is from a row's law, at a rate [m/s]: |P(−ρ w)|/ρ.
  [[nodiscard]] Real demand(const problem::BoundedRows& rows, Index row, Real rate) const;
};

}  // namespace talus::certify::detail
