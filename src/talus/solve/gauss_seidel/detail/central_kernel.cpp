#include <talus/solve/gauss_seidel/detail/central_kernel.hpp>

namespace talus::solve::detail {

extern const CentralKernels kCentralKernels_baseline, kCentralKernels_avx2, kCentralKernels_avx512;

const CentralKernels& central_kernels([[maybe_unused]] Simd simd) {
#if defined(TALUS_X86)
  if (simd == Simd::avx512) return kCentralKernels_avx512;
  if (simd == Simd::avx2) return kCentralKernels_avx2;
#endif
  return kCentralKernels_baseline;
}

}  // namespace talus::solve::detail
