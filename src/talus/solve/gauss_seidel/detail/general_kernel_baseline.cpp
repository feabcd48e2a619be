#include <talus/solve/gauss_seidel/detail/general_kernel.inl>

namespace talus::solve::detail {

extern const GeneralKernelsOf kGeneralKernels_baseline;
const GeneralKernelsOf kGeneralKernels_baseline = all_kernels();

}  // namespace talus::solve::detail
