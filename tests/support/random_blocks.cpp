#include "support/random_blocks.hpp"

#include <cmath>

#include <talus/linalg/dense.hpp>

namespace talus::test {

MatX random_spd(Random& random, Index n, Real condition) {
  MatX g(n, n);
  for (Index i = 0; i < n * n; ++i) g.data()[i] = random.uniform(-1, 1);
  const MatX q = linalg::orthogonal_factor(g);
  VecX d(n);
  for (Index i = 0; i < n; ++i) d[i] = std::pow(condition, -random.uniform());
  d[0] = 1;
  d[n - 1] = 1 / condition;
  const MatX a = linalg::weighted_product(q.transpose(), d, q.transpose());
  return (a + a.transpose()) / 2;
}

}  // namespace talus::test
