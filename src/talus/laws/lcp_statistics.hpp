#pragma once

#include <memory>

#include <talus/base/types.hpp>

namespace talus::problem {
struct Lcp;
}

namespace talus::laws {

/// Numbers of the LCPs of a step (or of many).
struct LcpStatistics {
  Index count = 0;          ///< LCPs solved
  Index largest = 0;        ///< unknowns of the largest
  Index most_pivots = 0;    ///< pivots of the one that took most, retries included
  Index pivots = 0;         ///< of all together
  Real residual = 0;        ///< largest ‖min(z, Mz+q)‖₂ / (1 + ‖q‖₂)
  Real cone_violation = 0;  ///< largest problem::cone_violation [N·s]
  std::shared_ptr<const problem::Lcp> unsolved;  ///< the first without a certified answer
  void add(const LcpStatistics& other);
};

}  // namespace talus::laws
