#include <talus/laws/lcp_statistics.hpp>

#include <algorithm>

namespace talus::laws {

void LcpStatistics::add(const LcpStatistics& other) {
  count += other.count;
  largest = std::max(largest, other.largest);
  most_pivots = std::max(most_pivots, other.most_pivots);
  pivots += other.pivots;
  residual = std::max(residual, other.residual);
  cone_violation = std::max(cone_violation, other.cone_violation);
  if (!unsolved) unsolved = other.unsolved;
}

}  // namespace talus::laws
