#include "support/lcp_families.hpp"

#include <cmath>

#include <talus/linalg/dense.hpp>

namespace talus::test {

MatX random_matrix(Random& random, Index rows, Index columns) {
  MatX g(rows, columns);
  for (Index i = 0; i < g.size(); ++i) g.data()[i] = random.uniform(-1, 1);
  return g;
}

problem::Lcp friction_lcp(Random& random, Index contacts, Index k, Index freedoms, Real mu) {
  const MatX normals = random_matrix(random, freedoms, contacts);
  MatX directions(freedoms, contacts * k);
  for (Index c = 0; c < contacts; ++c) {
    const MatX t = random_matrix(random, freedoms, 2);
    for (Index j = 0; j < k; ++j) {
      const Real angle = 2 * M_PI * static_cast<Real>(j) / static_cast<Real>(k);
      directions.col(c * k + j) = std::cos(angle) * t.col(0) + std::sin(angle) * t.col(1);
    }
  }
  VecX velocity(freedoms);
  for (Index i = 0; i < freedoms; ++i) velocity[i] = std::round(2 * random.uniform(-1, 1));
  const Index nb = contacts * k, n = nb + 2 * contacts;
  MatX J(freedoms, nb + contacts);
  J << directions, normals;
  problem::Lcp lcp{MatX::Zero(n, n), VecX::Zero(n)};
  lcp.M.topLeftCorner(nb + contacts, nb + contacts) = linalg::product(J.transpose(), J);
  lcp.q.head(nb + contacts) = J.transpose() * velocity;
  for (Index c = 0; c < contacts; ++c) {
    lcp.M.block(c * k, nb + contacts + c, k, 1).setOnes();
    lcp.M.block(nb + contacts + c, c * k, 1, k).setConstant(-1);
    lcp.M(nb + contacts + c, nb + c) = mu;
  }
  return lcp;
}

VecX feasible_q(Random& random, const MatX& M) {
  VecX z = VecX::Zero(M.rows()), w = z;
  for (Index i = 0; i < z.size(); ++i) {
    const Real draw = random.uniform(0, 3);
    if (draw < 1) z[i] = 1 + draw;
    if (draw > 2) w[i] = draw - 1;
  }
  return w - M * z;
}

}  // namespace talus::test
