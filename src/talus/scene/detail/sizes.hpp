#pragma once

#include <optional>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Draws the sizes of a set's members, relative to the shape that is given, from their distribution
/// function F: s = F⁻¹(u), one uniform number u per member whatever the distribution is.
///
///   uniform     F linear from min to max
///   normal      F = (Φ((s − mean)/deviation) − Φ_min)/(Φ_max − Φ_min), cut off at min and max
///   log_normal  the same for ln s about ln median
///   table       steps; shares of the mass become shares of the number by s⁻³
class SizeSampler {
 public:
  /// @param sizes a sound specification (check_sizes); without it uniform in [1 − spread,
  /// 1 + spread].
  SizeSampler(const std::optional<SizesSpec>& sizes, Real spread);
  [[nodiscard]] Real draw(Random& random) const;
  [[nodiscard]] Real largest() const { return max_; }
  [[nodiscard]] Real smallest() const { return min_; }

 private:
  enum class Kind : unsigned char { uniform, normal, log_normal, table };
  Kind kind_ = Kind::uniform;
  Real min_ = 1, max_ = 1;
  Real mean_ = 0, deviation_ = 1;  // of s or ln s; of uniform sizes half the width
  std::vector<Real> table_, cumulative_;
};

/// Notes what is wrong with a distribution: bounds that are not in order, shares that do not belong
/// to sizes, a window that the distribution does not reach.
void check_sizes(const SizesSpec& sizes, Problems& problems);

}  // namespace talus::scene::detail
