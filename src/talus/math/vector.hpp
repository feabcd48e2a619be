#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <talus/base/types.hpp>

namespace talus {

using Vec2 = Eigen::Matrix<Real, 2, 1>;
using Vec3 = Eigen::Matrix<Real, 3, 1>;
using Vec5 = Eigen::Matrix<Real, 5, 1>;
using Vec6 = Eigen::Matrix<Real, 6, 1>;
using Mat2 = Eigen::Matrix<Real, 2, 2>;
using Mat3 = Eigen::Matrix<Real, 3, 3>;
using Mat6 = Eigen::Matrix<Real, 6, 6>;
using VecX = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using MatX = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// The matrix of the cross product: cross_matrix(a) b = a × b.
[[nodiscard]] inline Mat3 cross_matrix(const Vec3& a) {
  Mat3 m;
  m.col(0) = Vec3(0, a.z(), -a.y());
  m.col(1) = Vec3(-a.z(), 0, a.x());
  m.col(2) = Vec3(a.y(), -a.x(), 0);
  return m;
}

}  // namespace talus
