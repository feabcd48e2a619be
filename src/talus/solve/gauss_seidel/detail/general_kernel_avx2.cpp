#include <talus/solve/gauss_seidel/detail/general_kernel.inl>

namespace talus::solve::detail {

extern const GeneralKernelsOf kGeneralKernels_avx2;
const GeneralKernelsOf kGeneralKernels_avx2 = all_kernels();

}  // namespace talus::solve::detail
