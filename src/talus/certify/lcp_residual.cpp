#include <talus/certify/lcp_residual.hpp>

#include <algorithm>

#include <talus/base/contract.hpp>
#include <talus/certify/detail/complementary_rows.hpp>
#include <talus/certify/detail/ratio.hpp>
#include <talus/problem/scale.hpp>

namespace talus::certify {

Certificate certify(const problem::Lcp& lcp, const VecX& z) {
  TALUS_DEMAND_EQ(z.size(), lcp.size());
  const VecX w = lcp.M * z + lcp.q;
  Certificate c;
  c.plain = detail::ratio(z.cwiseMin(w).norm(), std::max({lcp.q.norm(), z.norm(), w.norm()}));
  const VecX size = lcp.M.cwiseAbs() * z.cwiseAbs() + lcp.q.cwiseAbs();
  detail::judge(lcp, problem::lcp_scale(lcp), z, w, size, lcp.q, c);
  return c;
}

}  // namespace talus::certify
