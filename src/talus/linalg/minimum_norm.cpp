#include <talus/linalg/minimum_norm.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus::linalg {

void MinimumNorm::reserve(Index size) {
  if (matrix_.rows() >= size) return;
  matrix_.resize(size, size);
  normal_.resize(size, size);
  right_.resize(size);
  shared_.resize(size);
  row_.resize(static_cast<std::size_t>(size));
  column_.resize(static_cast<std::size_t>(size));
}

void MinimumNorm::start(Index n) {
  reserve(n);
  size_ = n;
}

Index MinimumNorm::solve(const VecX& scale, const VecX* weight, VecX& x) {
  const Index n = size_;
  for (Index i = 0; i < n; ++i) {
    row_[i] = column_[i] = i;
    right_[i] *= scale[i];
    for (Index j = 0; j < n; ++j) matrix_(i, j) *= scale[i] * scale[j];
  }
  Index rank = 0;
  for (; rank < n; ++rank) {
    Index p = rank, c = rank;
    Real largest = 0;
    for (Index j = rank; j < n; ++j)
      for (Index i = rank; i < n; ++i)
        if (std::abs(matrix_(i, j)) > largest) {
          largest = std::abs(matrix_(i, j));
          p = i;
          c = j;
        }
    if (largest <= least_pivot_) break;
    for (Index j = 0; j < n; ++j) std::swap(matrix_(rank, j), matrix_(p, j));
    std::swap(right_[rank], right_[p]);
    for (Index i = 0; i < n; ++i) std::swap(matrix_(i, rank), matrix_(i, c));
    std::swap(column_[rank], column_[c]);
    const Real pivot = matrix_(rank, rank);
    for (Index j = rank; j < n; ++j) matrix_(rank, j) /= pivot;
    right_[rank] /= pivot;
    for (Index i = 0; i < n; ++i) {
      const Real factor = matrix_(i, rank);
      if (i == rank || factor == 0) continue;
      for (Index j = rank; j < n; ++j) matrix_(i, j) -= factor * matrix_(rank, j);
      right_[i] -= factor * right_[rank];
    }
  }
  inconsistency_ = 0;
  for (Index i = rank; i < n; ++i) inconsistency_ = std::max(inconsistency_, std::abs(right_[i]));
  for (Index i = rank; i < n; ++i) right_[i] = 0;
  if (rank < n) share(rank, scale, weight);
  for (Index i = 0; i < n; ++i) x[column_[i]] = right_[i] * scale[column_[i]];
  return rank;
}

/// Moves along the null space to the least norm; unknowns are x̃ = x/s there, weights w/s².
void MinimumNorm::share(Index rank, const VecX& scale, const VecX* weight) {
  const Index n = size_, free = n - rank;
  const auto inverse_weight = [&](Index i) {
    const Index c = column_[i];
    return weight == nullptr ? 1 : scale[c] * scale[c] / (*weight)[c];
  };
  for (Index a = 0; a < free; ++a) {
    shared_[a] = 0;
    for (Index i = 0; i < rank; ++i)
      shared_[a] += matrix_(i, rank + a) * inverse_weight(i) * right_[i];
    for (Index b = 0; b <= a; ++b) {
      Real sum = a == b ? inverse_weight(rank + a) : 0;
      for (Index i = 0; i < rank; ++i)
        sum += matrix_(i, rank + a) * inverse_weight(i) * matrix_(i, rank + b);
      normal_(a, b) = sum;
    }
  }
  for (Index a = 0; a < free; ++a) {  // Cholesky, in place
    for (Index b = 0; b <= a; ++b) {
      Real sum = normal_(a, b);
      for (Index k = 0; k < b; ++k) sum -= normal_(a, k) * normal_(b, k);
      normal_(a, b) = a == b ? std::sqrt(sum) : sum / normal_(b, b);
    }
    for (Index k = 0; k < a; ++k) shared_[a] -= normal_(a, k) * shared_[k];
    shared_[a] /= normal_(a, a);
  }
  for (Index a = free - 1; a >= 0; --a) {
    for (Index k = a + 1; k < free; ++k) shared_[a] -= normal_(k, a) * shared_[k];
    shared_[a] /= normal_(a, a);
  }
  for (Index a = 0; a < free; ++a) {
    right_[rank + a] = shared_[a];
    for (Index i = 0; i < rank; ++i) right_[i] -= matrix_(i, rank + a) * shared_[a];
  }
}

}  // namespace talus::linalg
