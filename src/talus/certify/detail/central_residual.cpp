#include <talus/certify/detail/central_residual.hpp>

namespace talus::certify::detail {

extern const CentralResidualKernels kCentralResidual_baseline, kCentralResidual_avx2,
    kCentralResidual_avx512;

const CentralResidualKernels& central_residual_kernels(Simd simd) {
  return TALUS_KERNEL_FOR(simd, kCentralResidual);
}

}  // namespace talus::certify::detail
