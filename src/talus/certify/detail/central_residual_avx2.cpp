#include <talus/certify/detail/central_residual.inl>

namespace talus::certify::detail {

extern const CentralResidualKernels kCentralResidual_avx2;
const CentralResidualKernels kCentralResidual_avx2 = {
    demand_tile, add_tile,   residual_tile<false>, residual_tile<true>,
    sum_demands, sum_errors, find_scales,          find_motions};

}  // namespace talus::certify::detail
