#pragma once

#include <talus/math/vector.hpp>

namespace talus {

/// The nearest whole number of |x| < 2⁵¹, ties to even, in the default rounding mode:
/// adding 1.5·2⁵² leaves no bits below 1. Unlike std::nearbyint it is vectorised on every machine.
[[nodiscard]] inline Real nearest_whole(Real x) {
  constexpr Real kNoFraction = 6755399441055744.0;
  return (x + kNoFraction) - kNoFraction;
}

/// A box whose faces are joined along some of the world's axes: what leaves through one of a pair
/// of faces enters through the other, and every body stands for its images at distances of whole
/// lengths.
///
/// Positions are never wrapped where they are kept; where two positions are compared, one of them
/// is taken from its image nearest to the other:
///   nearest(d)_k = d_k − L_k round(d_k/L_k) along periodic axes, d_k along others.
/// Without periodic axes everything here gives back its argument, bit for bit.
class PeriodicCell {
 public:
  PeriodicCell() = default;
  /// @param low of the cell [m]; ignored along axes that are not periodic.
  /// @param length of the cell [m] ≥ 0, finite (contract); 0: the axis is not periodic.
  PeriodicCell(const Vec3& low, const Vec3& length) {
    for (int k = 0; k < 3; ++k) {
      if (length[k] == 0) continue;
      low_[k] = low[k];
      length_[k] = length[k];
      inverse_length_[k] = 1 / length[k];
      is_periodic_ = true;
    }
  }

  [[nodiscard]] bool is_periodic() const { return is_periodic_; }
  [[nodiscard]] bool is_periodic(int axis) const { return length_[axis] > 0; }
  /// 0 along axes that are not periodic.
  [[nodiscard]] const Vec3& low() const { return low_; }
  [[nodiscard]] const Vec3& length() const { return length_; }
  /// 1/L; 0 along axes that are not periodic.
  [[nodiscard]] const Vec3& inverse_length() const { return inverse_length_; }

  /// The shortest image of a difference of two positions [m].
  [[nodiscard]] Vec3 nearest(const Vec3& difference) const {
    if (!is_periodic_) return difference;
    Vec3 image = difference;
    for (int k = 0; k < 3; ++k)
      image[k] -= length_[k] * nearest_whole(difference[k] * inverse_length_[k]);
    return image;
  }
  /// The image of a point [m] nearest to another one.
  [[nodiscard]] Vec3 beside(const Vec3& other, const Vec3& point) const {
    return is_periodic_ ? Vec3(other + nearest(point - other)) : point;
  }
  /// The image of a point whose periodic coordinates lie in [low, low + L). Where `low` is not
  /// finite the coordinate is left alone.
  [[nodiscard]] Vec3 above(const Vec3& low, const Vec3& point) const;
  /// The image of a point in this cell.
  [[nodiscard]] Vec3 wrap(const Vec3& point) const { return above(low_, point); }
  /// A point [m] that all images of this one share, no farther from that of another point than the
  /// nearest images of the two are from each other: periodic coordinates become the distance from
  /// the middle of the cell. For sorting by place.
  [[nodiscard]] Vec3 fold(const Vec3& point) const;

 private:
  bool is_periodic_ = false;
  Vec3 low_ = Vec3::Zero(), length_ = Vec3::Zero(), inverse_length_ = Vec3::Zero();
};

/// Calls a function with a point and the images of it next to it: 3 along every periodic axis.
template <class Visit>
void for_each_image(const PeriodicCell& cell, const Vec3& point, Visit visit) {
  const Vec3 last(cell.is_periodic(0) ? 1 : 0, cell.is_periodic(1) ? 1 : 0,
                  cell.is_periodic(2) ? 1 : 0);
  Vec3 step;
  for (step.x() = -last.x(); step.x() <= last.x(); ++step.x())
    for (step.y() = -last.y(); step.y() <= last.y(); ++step.y())
      for (step.z() = -last.z(); step.z() <= last.z(); ++step.z())
        visit(Vec3(point + step.cwiseProduct(cell.length())));
}

}  // namespace talus
