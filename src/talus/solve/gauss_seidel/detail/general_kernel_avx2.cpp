#include <talus/solve/gauss_seidel/detail/general_kernel.inl>

namespace talus::solve::detail {

extern const GeneralKernels kGeneralKernels_avx2;
const GeneralKernels kGeneralKernels_avx2 = {sweep_tile<false, false>, sweep_tile<true, false>,
                                             sweep_tile<false, true>, begin_tile};

}  // namespace talus::solve::detail
