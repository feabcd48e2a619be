#pragma once

#include <functional>
#include <limits>
#include <string>

#include <talus/base/types.hpp>

namespace talus::driver {

/// The settings of a solve. Never modified by it.
struct Options {
  std::string solver = "auto";  ///< a registry name (solver_names()); "auto": a cascade of them
  Real tolerance = 1e-8;  ///< on the certificate's residuals that are free of units, in (0, 1)
  /// On its plain residual, > 0, for LCPs and contacts in local or global form. Not asked unless
  /// set: what it means depends on the units of the problem.
  Real plain_tolerance = std::numeric_limits<Real>::infinity();
  Index max_iterations = 10000;  ///< sweeps, factorisations or pivots, ≥ 1
  Real relaxation = 1.0;         ///< over-relaxation ω of Gauss–Seidel, in (0, 2)
  Index directions =
      8;  ///< k of the polyhedral cone where a solver needs one (Lemke in 3-D): even, ≥ 4
  bool keep_history = false;  ///< the reports hold the residual after every iteration
  std::function<bool()>
      should_stop;  ///< a time limit or an interrupt, polled between iterations and within long
                    ///< factorisations; once true it must stay true; empty = never
};

}  // namespace talus::driver
