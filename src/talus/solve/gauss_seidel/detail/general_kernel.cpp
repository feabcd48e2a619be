#include <talus/solve/gauss_seidel/detail/general_kernel.hpp>

namespace talus::solve::detail {

extern const GeneralKernelsOf kGeneralKernels_baseline, kGeneralKernels_avx2,
    kGeneralKernels_avx512;

const GeneralKernelsOf& general_kernels([[maybe_unused]] Simd simd) {
#if defined(TALUS_X86)
  if (simd == Simd::avx512) return kGeneralKernels_avx512;
  if (simd == Simd::avx2) return kGeneralKernels_avx2;
#endif
  return kGeneralKernels_baseline;
}

}  // namespace talus::solve::detail
