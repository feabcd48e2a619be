#pragma once

#include <talus/base/types.hpp>

namespace talus::solve::detail {

/// How a sweep goes.
struct SweepPace {
  bool momentum = false;  ///< impulses and velocities are extrapolated before
  Real beta = 0;          ///< its weight
  Real relaxation = 1;    ///< ω of the impulse update
};

/// What a sweep has changed.
struct SweepStep {
  Real change = 0;  ///< ‖Δr‖²
  Real size = 0;    ///< ‖r‖²

  SweepStep& operator+=(const SweepStep& other) {
    change += other.change;
    size += other.size;
    return *this;
  }
};

}  // namespace talus::solve::detail
