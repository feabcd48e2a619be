#include <talus/certify/detail/central_residual.hpp>

namespace talus::certify::detail {

extern const CentralResidualKernels kCentralResidual_baseline, kCentralResidual_avx2,
    kCentralResidual_avx512;

const CentralResidualKernels& central_residual_kernels([[maybe_unused]] Simd simd) {
#if defined(TALUS_X86)
  if (simd == Simd::avx512) return kCentralResidual_avx512;
  if (simd == Simd::avx2) return kCentralResidual_avx2;
#endif
  return kCentralResidual_baseline;
}

}  // namespace talus::certify::detail
