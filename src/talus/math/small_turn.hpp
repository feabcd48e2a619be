#pragma once

namespace talus {

/// ‖φ‖² below which rotation_exp(φ) is found by its series, to round-off [rad²].
inline constexpr double kSmallTurn2 = 1e-3;

}  // namespace talus
