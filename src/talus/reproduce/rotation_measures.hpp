#pragma once

#include <string>
#include <utility>
#include <vector>

#include <talus/math/rotation.hpp>
#include <talus/reproduce/runs.hpp>

namespace talus::reproduce {

using Mat34 = Eigen::Matrix<Real, 3, 4>;

/// E = [−e_v, ẽ_v + e₀ I] and G = [−e_v, −ẽ_v + e₀ I] of a unit quaternion e = (e₀, e_v)
/// (`pospisil_2014`): R = E Gᵀ, ė = ½ Eᵀ ω = ½ Gᵀ ω_body.
[[nodiscard]] Mat34 matrix_e(const Quat& q);
[[nodiscard]] Mat34 matrix_g(const Quat& q);

// Measures of the orientations of all bodies that move, the largest over the states:
//   rotation_units    entries of EEᵀ − I, GGᵀ − I, EᵀE − (I − eeᵀ)
//   rotation_product  entries of EGᵀ − R, R the rotation that Talus takes the quaternion for
//   rotation_r33      R₃₃ − (e₀² − e₁² − e₂² + e₃²), misprinted in the slides
//   rotation_rate     ‖ė − ½Eᵀω‖ and ‖ė − ½Gᵀω_body‖ over ‖ω‖, ė by central differences of
//                     integrate_rotation over an angle of 2e-5

using RotationMeasure = Real (*)(const History& run);
[[nodiscard]] const std::vector<std::pair<std::string, RotationMeasure>>& rotation_measures();

}  // namespace talus::reproduce
