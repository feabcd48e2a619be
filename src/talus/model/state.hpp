#pragma once

#include <cstdint>
#include <vector>

#include <talus/math/spatial.hpp>

namespace talus::model {

/// Everything that changes in time; one entry per body, in the model's order. World frame, SI.
struct State {
  Real time = 0;                       ///< [s]
  std::vector<Vec3> position;          ///< p_WB of the centre of mass [m]
  std::vector<Quat> orientation;       ///< R_WB, unit
  std::vector<Vec3> velocity;          ///< of the centre of mass [m/s]
  std::vector<Vec3> angular_velocity;  ///< ω [rad/s]

  void resize(Index body_count);
  [[nodiscard]] Index body_count() const { return static_cast<Index>(position.size()); }
  [[nodiscard]] Pose pose(Index body) const { return {position[body], orientation[body]}; }
  /// Hash of every bit of the state, time included.
  [[nodiscard]] std::uint64_t hash() const;
  [[nodiscard]] bool is_finite() const;
};

}  // namespace talus::model
