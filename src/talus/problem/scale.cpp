#include <talus/problem/scale.hpp>

#include <algorithm>
#include <cmath>

namespace talus::problem {

VecX lcp_scale(const Lcp& lcp) {
  const MatX& M = lcp.M;
  VecX scale(lcp.size());
  for (Index i = 0; i < lcp.size(); ++i) {
    Real stiffness = std::abs(M(i, i));
    if (stiffness == 0)
      for (Index j = 0; j < lcp.size(); ++j)
        if (M(j, j) != 0)
          stiffness =
              std::max(stiffness, std::abs(M(i, j)) * std::abs(M(j, i)) / std::abs(M(j, j)));
    scale[i] = stiffness > 0 ? 1 / stiffness : 1;
  }
  return scale;
}

}  // namespace talus::problem
