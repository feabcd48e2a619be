#include "support/contact_problems.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include <talus/linalg/dense.hpp>
#include <talus/problem/rolling_contact.hpp>

namespace talus::test {

problem::SparseMatrix to_sparse(const MatX& dense) { return dense.sparseView(); }

problem::GlobalFrictionContact random_global(Random& random, Index d, Index bodies, Index contacts,
                                             Real largest_friction) {
  const Index per_body = 2 * d, n = per_body * bodies;
  problem::GlobalFrictionContact problem;
  problem.dimension = d;
  MatX M = MatX::Zero(n, n), H = MatX::Zero(n, d * contacts);
  for (Index i = 0; i < n; ++i) M(i, i) = random.uniform(0.5, 2);
  for (Index body = 0; body < bodies; ++body)  // coupled inertia
    M(per_body * body, per_body * body + 1) = M(per_body * body + 1, per_body * body) = 0.2;
  for (Index c = 0; c < contacts; ++c) {
    const Index a = c % bodies, b = (c + 1) % bodies;
    for (Index j = 0; j < d; ++j)
      for (Index k = 0; k < per_body; ++k) {
        H(per_body * a + k, d * c + j) = random.uniform(-1, 1);
        if (c > 0 && bodies > 1) H(per_body * b + k, d * c + j) = random.uniform(-1, 1);
      }
  }
  problem.M = to_sparse(M);
  problem.H = to_sparse(H);
  problem.f = VecX(n);
  for (Index i = 0; i < n; ++i) problem.f[i] = random.uniform(-2, 2);
  problem.w = VecX(d * contacts);
  for (Index i = 0; i < d * contacts; ++i)  // most contacts close
    problem.w[i] = i % d == 0 ? random.uniform(-3, 0.5) : random.uniform(-1, 1);
  problem.friction = VecX(contacts);
  for (Index i = 0; i < contacts; ++i) problem.friction[i] = random.uniform(0, largest_friction);
  return problem;
}

problem::FrictionContact dense_local(const problem::GlobalFrictionContact& global) {
  const MatX M = global.M, H = global.H;
  problem::FrictionContact local;
  local.dimension = global.dimension;
  const Eigen::ColPivHouseholderQR<MatX> qr(M);
  const MatX moved = qr.solve(H);
  const VecX free = qr.solve(global.f);
  local.W = to_sparse(linalg::product(H.transpose(), moved));
  local.b = H.transpose() * free + global.w;
  local.friction = global.friction;
  return local;
}

problem::FrictionContact random_local(Random& random, Index d, Index bodies, Index contacts,
                                      Real largest_friction) {
  return dense_local(random_global(random, d, bodies, contacts, largest_friction));
}

problem::FrictionContact permuted(const problem::FrictionContact& problem,
                                  const std::vector<Index>& order) {
  const Index d = problem.dimension;
  const MatX W = problem.W;
  MatX V(W.rows(), W.cols());
  problem::FrictionContact other = problem;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto at = static_cast<Index>(i);
    other.b.segment(d * at, d) = problem.b.segment(d * order[i], d);
    other.friction[at] = problem.friction[order[i]];
    for (std::size_t j = 0; j < order.size(); ++j)
      V.block(d * at, d * static_cast<Index>(j), d, d) = W.block(d * order[i], d * order[j], d, d);
  }
  other.W = to_sparse(V);
  return other;
}

std::vector<Index> random_order(Random& random, Index count) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1],
              order[static_cast<std::size_t>(random.uniform() * static_cast<Real>(k))]);
  return order;
}

MatX tangent_rotation(Random& random, Index d, Index contacts) {
  MatX R = MatX::Identity(d * contacts, d * contacts);
  for (Index c = 0; c < contacts; ++c) {
    const Real angle = random.uniform(0, 2 * M_PI);
    if (d == 2)
      R(2 * c + 1, 2 * c + 1) = angle < M_PI ? 1 : -1;
    else
      R.block(3 * c + 1, 3 * c + 1, 2, 2) << std::cos(angle), -std::sin(angle), std::sin(angle),
          std::cos(angle);
  }
  return R;
}
problem::SparseMatrix congruent(const MatX& T, const problem::SparseMatrix& W) {
  return to_sparse(linalg::product(linalg::product(T, W), T.transpose()));
}

template <class LocalProblem>
LocalProblem transformed(const LocalProblem& problem, const MatX& T) {
  LocalProblem other = problem;
  other.W = congruent(T, problem.W);
  other.b = T * problem.b;
  return other;
}
template problem::FrictionContact transformed(const problem::FrictionContact&, const MatX&);
template problem::RollingFrictionContact transformed(const problem::RollingFrictionContact&,
                                                     const MatX&);

}  // namespace talus::test
