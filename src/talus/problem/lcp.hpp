#pragma once

#include <talus/math/vector.hpp>

namespace talus::problem {

/// Linear complementarity problem: find z with 0 ≤ z ⟂ w = M z + q ≥ 0.
struct Lcp {
  MatX M;  ///< n×n, any real matrix, kept as given (not symmetrised)
  VecX q;  ///< n
  [[nodiscard]] Index size() const { return q.size(); }
};

}  // namespace talus::problem
