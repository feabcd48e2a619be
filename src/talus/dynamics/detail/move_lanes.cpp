#include <talus/dynamics/detail/move_lanes.hpp>

namespace talus::dynamics::detail {

extern const MoveBalls kMoveBalls_baseline, kMoveBalls_avx2, kMoveBalls_avx512;

MoveBalls move_balls(Simd simd) { return TALUS_KERNEL_FOR(simd, kMoveBalls); }

}  // namespace talus::dynamics::detail
