#pragma once

#include <limits>

#include <talus/math/vector.hpp>

namespace talus::model {

/// A box along the world's axes, without end where it is not bounded.
struct Region {
  Vec3 min = Vec3::Constant(-std::numeric_limits<Real>::infinity());  ///< [m]
  Vec3 max = Vec3::Constant(std::numeric_limits<Real>::infinity());   ///< [m]
  [[nodiscard]] bool contains(const Vec3& point) const {
    return (point.array() >= min.array()).all() && (point.array() < max.array()).all();
  }
  [[nodiscard]] Real volume() const { return (max - min).prod(); }
};

}  // namespace talus::model
