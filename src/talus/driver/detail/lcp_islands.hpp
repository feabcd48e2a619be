#pragma once

#include <talus/driver/options.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/solution.hpp>

namespace talus::driver::detail {

/// Solves an LCP by a solver by name, islands one by one, as the certificate judges them (docs/adr/
/// 0019): rows that M couples, in either direction. Those whose start is certified are left.
///
/// The report has sums, the stages of all islands, and their histories one after another; status,
/// detail and ray, which is 0 outside its island, are of the first that is not solved, or of that
/// in which it was interrupted; max_iterations is for all together. Where the solver does not take
/// an island z is the start.
/// @param z in: start, n numbers; out: the answer.
[[nodiscard]] problem::SolveReport solve_lcp_by_islands(const problem::Lcp& lcp,
                                                        const Options& options, VecX& z);

}  // namespace talus::driver::detail
