#include <talus/linalg/anderson_memory.hpp>

#include <Eigen/Cholesky>

#include <algorithm>

#include <talus/base/contract.hpp>

namespace talus::linalg {

void AndersonMemory::reset(Index rows, Index columns) {
  TALUS_DEMAND(columns >= 1 && columns <= kMost);
  F_.resize(rows, columns);
  G_.resize(rows, columns);
  gram_.setZero(columns, columns);
  clear();
}

void AndersonMemory::push(const VecX& f, const VecX& last_f, const VecX& g, const VecX& last_g) {
  F_.col(next_) = f - last_f;
  G_.col(next_) = g - last_g;
  used_ = std::min(used_ + 1, F_.cols());
  for (Index j = 0; j < used_; ++j)
    gram_(next_, j) = gram_(j, next_) = F_.col(next_).dot(F_.col(j));
  next_ = (next_ + 1) % F_.cols();
}

void AndersonMemory::extrapolate(const VecX& f, const VecX& g, VecX& x) const {
  x = g;
  if (used_ == 0) return;
  Small A = gram_.topLeftCorner(used_, used_);
  A.diagonal().array() += 1e-14 * A.diagonal().maxCoeff();
  Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, kMost, 1> gamma(used_);
  for (Index j = 0; j < used_; ++j) gamma[j] = F_.col(j).dot(f);
  gamma = Eigen::LDLT<Small>(A).solve(gamma).eval();
  if (!gamma.allFinite()) return;
  for (Index j = 0; j < used_; ++j) x -= gamma[j] * G_.col(j);
}

}  // namespace talus::linalg
