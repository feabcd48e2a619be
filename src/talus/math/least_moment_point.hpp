#pragma once

#include <algorithm>
#include <cmath>

#include <talus/math/vector.hpp>

namespace talus {

/// The point c about which lines of action have the least moments, Σ |m − c × f|²/|f|² over forces
/// f ≠ 0 with the moments m about the origin: where a few lines meet it is there. Of several points
/// the one nearest to the origin.
class LeastMomentPoint {
 public:
  /// @param force a pure moment, without a force, has no part in it.
  void add(const Vec3& force, const Vec3& moment) {
    const Real square = force.squaredNorm();
    if (square == 0) return;
    matrix_ += Mat3::Identity() - force * force.transpose() / square;
    right_ += force.cross(moment) / square;
    longest_arm_ = std::max(longest_arm_, moment.norm() / std::sqrt(square));
    ++count_;
  }
  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  [[nodiscard]] Real count() const { return count_; }
  /// The largest |m|/|f| about the origin.
  [[nodiscard]] Real longest_arm() const { return longest_arm_; }
  [[nodiscard]] Vec3 point() const {
    if (is_empty()) return Vec3::Zero();
    // Along lines that are all parallel no point is better than another.
    constexpr Real kNearest = 1e-12;
    const Mat3 matrix = matrix_ + kNearest * count_ * Mat3::Identity();
    return matrix.inverse() * right_;
  }

 private:
  Mat3 matrix_ = Mat3::Zero();
  Vec3 right_ = Vec3::Zero();
  Real longest_arm_ = 0, count_ = 0;
};

}  // namespace talus
