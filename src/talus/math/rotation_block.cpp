#include <talus/math/rotation_block.hpp>

#include <talus/math/detail/turn_lanes.hpp>

namespace talus {
namespace detail {

extern const TurnLanes kTurnLanes_baseline, kTurnLanes_avx2, kTurnLanes_avx512;

}  // namespace detail

void RotationBlock::integrate(Real duration, [[maybe_unused]] Simd simd) {
  detail::TurnLanes turn = detail::kTurnLanes_baseline;
#if defined(TALUS_X86)
  if (simd == Simd::avx2) turn = detail::kTurnLanes_avx2;
  if (simd == Simd::avx512) turn = detail::kTurnLanes_avx512;
#endif
  turn({angular_velocity_[0], orientation_[0], kSize, count_, duration});
}

}  // namespace talus
