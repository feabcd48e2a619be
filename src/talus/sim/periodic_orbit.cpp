#include <talus/sim/periodic_orbit.hpp>

#include <algorithm>

#include <talus/base/contract.hpp>
#include <talus/linalg/dense.hpp>

namespace talus::sim {
namespace {

constexpr Index kMostHalvings = 12;

/// P(x) − x in the chart at x; empty where there is no return.
VecX residual_at(const ReturnMap& map, const VecX& state) {
  const VecX next = map.after(state);
  return next.size() == 0 ? VecX() : map.difference(next, state);
}

Real size_of(const VecX& residual) { return residual.lpNorm<Eigen::Infinity>(); }

/// ∂P/∂x in the chart at x; empty where a neighbour does not return.
MatX jacobian_at(const ReturnMap& map, const VecX& state, Real perturbation) {
  MatX jacobian(map.dimension, map.dimension);
  for (Index i = 0; i < map.dimension; ++i) {
    VecX column = VecX::Zero(map.dimension);
    for (const Real side : {1.0, -1.0}) {
      const VecX step = side * perturbation * VecX::Unit(map.dimension, i);
      const VecX next = map.after(map.move(state, step));
      if (next.size() == 0) return {};
      column += side * map.difference(next, state);
    }
    jacobian.col(i) = column / (2 * perturbation);
  }
  return jacobian;
}

std::vector<std::complex<Real>> multipliers_of(const MatX& jacobian) {
  std::vector<std::complex<Real>> values = linalg::eigenvalues(jacobian);
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  return values;
}

}  // namespace

std::string to_string(PeriodicOrbit::Status status) {
  switch (status) {
    case PeriodicOrbit::Status::found:
      return "found";
    case PeriodicOrbit::Status::not_converged:
      return "not_converged";
    case PeriodicOrbit::Status::no_return:
      return "no_return";
    case PeriodicOrbit::Status::interrupted:
      return "interrupted";
  }
  return "";
}

PeriodicOrbit find_periodic_orbit(const ReturnMap& map, const VecX& start,
                                  const ShootingOptions& options) {
  TALUS_DEMAND(map.dimension > 0 && options.perturbation > 0);
  using Status = PeriodicOrbit::Status;
  PeriodicOrbit orbit;
  orbit.state = start;
  const auto end = [&](Status status) {
    orbit.status = status;
    return orbit;
  };
  VecX residual = residual_at(map, orbit.state);
  if (residual.size() == 0) return end(Status::no_return);
  for (;; ++orbit.iterations) {
    orbit.residual = size_of(residual);
    if (options.should_stop && options.should_stop()) return end(Status::interrupted);
    orbit.jacobian = jacobian_at(map, orbit.state, options.perturbation);
    if (orbit.jacobian.size() == 0) return end(Status::no_return);
    orbit.multipliers = multipliers_of(orbit.jacobian);
    if (orbit.residual <= options.tolerance) return end(Status::found);
    if (orbit.iterations == options.max_iterations) return end(Status::not_converged);
    const MatX matrix = orbit.jacobian - MatX::Identity(map.dimension, map.dimension);
    VecX step = -linalg::FullPivLu(matrix).solve(residual);
    Index halvings = 0;
    for (;; step /= 2, ++halvings) {
      if (halvings == kMostHalvings || !step.allFinite()) return end(Status::not_converged);
      const VecX candidate = map.move(orbit.state, step);
      const VecX left = residual_at(map, candidate);
      if (left.size() == 0 || !(size_of(left) < orbit.residual)) continue;
      orbit.state = candidate;
      residual = left;
      break;
    }
  }
}

}  // namespace talus::sim
