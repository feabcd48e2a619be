#include <talus/solve/gauss_seidel/detail/central_kernel.inl>

namespace talus::solve::detail {

extern const CentralKernels kCentralKernels_avx2;
const CentralKernels kCentralKernels_avx2 = {
    sweep_tile<false, false>, sweep_tile<true, false>,        sweep_tile<false, true>, begin_tile,
    extrapolate_rows<double>, sweep_tile<true, false, float>, extrapolate_rows<float>};

}  // namespace talus::solve::detail
