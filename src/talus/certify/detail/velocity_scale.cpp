#include <talus/certify/detail/velocity_scale.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::certify::detail {

std::vector<Real> velocity_scales(Index islands, std::span<const Demand> demands) {
  struct Sums {
    Real approach = 0, approaching = 0, speed = 0, all = 0;  // Σ ρ d², Σ ρ (d > 0), Σ ρ b², Σ ρ
  };
  std::vector<Sums> sums(islands);
  for (const Demand& demand : demands) {
    Sums& sum = sums[demand.island];
    sum.approach += demand.rho * demand.approach * demand.approach;
    if (demand.approach > 0) sum.approaching += demand.rho;
    sum.speed += demand.rho * demand.speed * demand.speed;
    sum.all += demand.rho;
  }
  std::vector<Real> scales;
  scales.reserve(demands.size());
  for (const Demand& demand : demands) {
    const Sums& sum = sums[demand.island];
    const Real mean = sum.approaching > 0 ? std::sqrt(sum.approach / sum.approaching)
                                          : std::sqrt(sum.speed / sum.all);
    // A mean whose squares underflow is 0; one of no masses is not a number.
    scales.push_back(std::max({demand.approach, demand.forced, mean > 0 ? mean : Real(0),
                               std::numeric_limits<Real>::min()}));
  }
  return scales;
}

}  // namespace talus::certify::detail
