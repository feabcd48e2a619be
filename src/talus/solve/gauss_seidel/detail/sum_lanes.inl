// Sums over contacts, W at once; included by the kernels.

#include <talus/math/lanes.hpp>

namespace talus::solve::detail {
namespace {

/// Adds lanes that begin at the first-th of a batch to sums of eight, which are of double precision
/// whatever they are: lane l to sum l mod 8.
inline void add_lanes(Lanes x, int first, Lanes* sums) { sums[first / kWidth] += x; }
inline void add_lanes(Singles x, int first, Lanes* sums) {
  for (int h = 0; h < 2; ++h) sums[(first / kWidth + h) % kChunks] += half_of(x, h);
}

}  // namespace
}  // namespace talus::solve::detail
