#pragma once

#include <vector>

#include <talus/base/types.hpp>

namespace talus::solve {

/// What a solver did, for studies and tests: its options point to one, which it fills.
struct Statistics {
  std::vector<Real> residual;  ///< own scaled residual at the start and after every iteration
  std::vector<Real> energy;    ///< ½ xᵀW̃x + b̃ᵀx likewise, of methods that know it
  Index products = 0;          ///< with W; a Gauss–Seidel sweep counts as one
  Index projections = 0;       ///< of the whole vector
  Index factorisations = 0;
};

}  // namespace talus::solve
