#pragma once

#include <Eigen/QR>

#include <cmath>

#include <talus/base/random.hpp>
#include <talus/math/vector.hpp>

namespace talus::test {

template <int N>
Eigen::Matrix<Real, N, 1> random_vector(Random& random) {
  Eigen::Matrix<Real, N, 1> v;
  for (int i = 0; i < N; ++i) v[i] = random.uniform(-1, 1);
  return v;
}

/// Symmetric positive definite block with eigenvalues 1 … 1/condition and random axes.
template <int N>
Eigen::Matrix<Real, N, N> random_spd(Random& random, Real condition) {
  Eigen::Matrix<Real, N, N> g;
  for (int i = 0; i < N * N; ++i) g.data()[i] = random.uniform(-1, 1);
  const Eigen::Matrix<Real, N, N> q =
      Eigen::HouseholderQR<Eigen::Matrix<Real, N, N>>(g).householderQ();
  Eigen::Matrix<Real, N, 1> d;
  for (int i = 0; i < N; ++i) d[i] = std::pow(condition, -random.uniform());
  d[0] = 1;
  d[N - 1] = 1 / condition;
  Eigen::Matrix<Real, N, N> a = q * d.asDiagonal() * q.transpose();
  return (a + a.transpose()) / 2;
}

}  // namespace talus::test
