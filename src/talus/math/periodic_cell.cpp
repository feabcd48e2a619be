#include <talus/math/periodic_cell.hpp>

#include <cmath>

namespace talus {

Vec3 PeriodicCell::above(const Vec3& low, const Vec3& point) const {
  if (!is_periodic_) return point;
  Vec3 image = point;
  for (int k = 0; k < 3; ++k) {
    if (length_[k] == 0 || !std::isfinite(low[k])) continue;
    image[k] -= length_[k] * std::floor((point[k] - low[k]) * inverse_length_[k]);
    // Rounding may leave it just outside.
    if (image[k] < low[k]) image[k] += length_[k];
    if (image[k] >= low[k] + length_[k]) image[k] = low[k];
  }
  return image;
}

Vec3 PeriodicCell::fold(const Vec3& point) const {
  if (!is_periodic_) return point;
  const Vec3 image = wrap(point);
  Vec3 folded = point;
  for (int k = 0; k < 3; ++k)
    if (length_[k] > 0) folded[k] = std::abs(image[k] - low_[k] - length_[k] / 2);
  return folded;
}

}  // namespace talus
