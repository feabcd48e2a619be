#include <talus/solve/gauss_seidel/detail/general_kernel.hpp>

namespace talus::solve::detail {

extern const GeneralKernelsOf kGeneralKernels_baseline, kGeneralKernels_avx2,
    kGeneralKernels_avx512;

const GeneralKernelsOf& general_kernels(Simd simd) {
  return TALUS_KERNEL_FOR(simd, kGeneralKernels);
}

SingleGeneralSweep single_general_sweep(Simd simd) {
  const SingleGeneralSweep own = general_kernels(simd).momentum_single;
  return own != nullptr ? own : general_kernels(Simd::avx2).momentum_single;
}

}  // namespace talus::solve::detail
