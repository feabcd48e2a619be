#include <talus/certify/detail/velocity_scale.hpp>

namespace talus::certify::detail {

std::vector<Real> velocity_scales(Index islands, std::span<const Demand> demands) {
  std::vector<IslandDemand> sums(islands);
  for (const Demand& demand : demands)
    sums[demand.island].add(demand.approach, demand.speed * demand.speed, demand.rho);
  std::vector<Real> scales;
  scales.reserve(demands.size());
  for (const Demand& demand : demands)
    scales.push_back(std::max(demand.approach, sums[demand.island].least_scale(demand.forced)));
  return scales;
}

}  // namespace talus::certify::detail
