#pragma once

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::sim {

/// A return map P of a system whose states are points of a manifold: what happens in one period.
struct ReturnMap {
  Index dimension = 0;  ///< of the tangent space, d
  /// The state after a period; empty where the system cannot get there.
  std::function<VecX(const VecX& state)> after;
  /// A state near another one: the chart at `base`, d coordinates → state, 0 → base.
  std::function<VecX(const VecX& base, const VecX& coordinates)> move;
  /// Its inverse to first order: coordinates of a state in the chart at `base`, what is allowed to
  /// drift left out.
  std::function<VecX(const VecX& state, const VecX& base)> difference;
};

struct ShootingOptions {
  Real tolerance = 1e-10;  ///< of the largest coordinate of P(x) − x
  Index max_iterations = 20;
  Real perturbation = 1e-6;  ///< of a coordinate, for central differences
  std::function<bool()> should_stop = {};
};

/// A state that comes back to itself, with the multipliers of its stability.
struct PeriodicOrbit {
  enum class Status : unsigned char { found, not_converged, no_return, interrupted };
  Status status = Status::not_converged;
  VecX state;
  Real residual = 0;                            ///< largest coordinate of P(x) − x
  Index iterations = 0;                         ///< of Newton's method
  MatX jacobian;                                ///< ∂P/∂x in the chart at the state, d × d
  std::vector<std::complex<Real>> multipliers;  ///< its eigenvalues, the largest first
  /// All multipliers inside of the unit circle: neighbours come back.
  [[nodiscard]] bool is_stable() const {
    return !multipliers.empty() && std::abs(multipliers.front()) < 1;
  }
};
[[nodiscard]] std::string to_string(PeriodicOrbit::Status status);

/// Newton's method on P(x) − x = 0 with ∂P/∂x by central differences, steps halved while they do
/// not make the residual smaller. `jacobian` and `multipliers` belong to the answer.
/// P need not be smooth where events graze; there the method may end `not_converged`.
/// @param start near the orbit. Cost 2d + 1 periods per iteration.
[[nodiscard]] PeriodicOrbit find_periodic_orbit(const ReturnMap& map, const VecX& start,
                                                const ShootingOptions& options = {});

}  // namespace talus::sim
