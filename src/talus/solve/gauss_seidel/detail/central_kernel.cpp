#include <talus/solve/gauss_seidel/detail/central_kernel.hpp>

namespace talus::solve::detail {

extern const CentralKernels kCentralKernels_baseline, kCentralKernels_avx2, kCentralKernels_avx512;

const CentralKernels& central_kernels(Simd simd) { return TALUS_KERNEL_FOR(simd, kCentralKernels); }

}  // namespace talus::solve::detail
