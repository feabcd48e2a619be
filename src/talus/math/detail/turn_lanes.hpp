#pragma once

namespace talus::detail {

/// Columns of numbers, one per rotation, each aligned to 64 bytes and padded to eight.
struct TurnColumns {
  const double* angular_velocity;  ///< x, y, z [rad/s]
  double* orientation;             ///< x, y, z, w
  int stride;                      ///< from one column to the next
  int count;
  double duration;  ///< [s]
};

/// Turns them, for one instruction set.
using TurnLanes = void (*)(const TurnColumns&);

}  // namespace talus::detail
