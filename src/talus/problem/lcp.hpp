#pragma once

#include <talus/math/vector.hpp>

namespace talus::problem {

/// Linear complementarity problem: find z with 0 ≤ z ⟂ w = M z + q ≥ 0.
struct Lcp {
  MatX M;  ///< n×n, any real matrix, kept as given (not symmetrised)
  VecX q;  ///< n
  [[nodiscard]] Index size() const { return q.size(); }
};

/// A secondary ray: where Lemke's method ends if it ends without a solution. For every t ≥ 0
///   z(t) = z + t·direction ≥ 0  ⟂  M z(t) + q + covering·(z0 + t·direction0) ≥ 0,
/// and z0 > 0 all along (Cottle, Pang & Stone 2009, key `cottle_2009`, §4.4). It proves that no
/// solution exists if M is copositive-plus; otherwise only where proves_infeasible says so.
struct LcpRay {
  VecX z, direction;  ///< n, in the units of the unknowns
  Real z0 = 0, direction0 = 0;
  VecX covering;       ///< n, in the units of w
  Real violation = 0;  ///< of the conditions above in scaled unknowns, largest direction 1 [-]
  /// direction ≥ 0, Mᵀ·direction ≤ 0 and q·direction < 0: no z ≥ 0 has M z + q ≥ 0, but perhaps for
  /// numbers 10⁹ times larger than the scaled data.
  bool proves_infeasible = false;
};

}  // namespace talus::problem
