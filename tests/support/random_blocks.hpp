#pragma once

#include <talus/base/random.hpp>
#include <talus/math/vector.hpp>

namespace talus::test {

/// Entries between −1 and 1.
template <int N>
Eigen::Matrix<Real, N, 1> random_vector(Random& random) {
  Eigen::Matrix<Real, N, 1> v;
  for (int i = 0; i < N; ++i) v[i] = random.uniform(-1, 1);
  return v;
}

/// Symmetric positive definite n×n block with eigenvalues 1 … 1/condition and random axes.
MatX random_spd(Random& random, Index n, Real condition);

template <int N>
Eigen::Matrix<Real, N, N> random_spd(Random& random, Real condition) {
  return random_spd(random, N, condition);
}

}  // namespace talus::test
