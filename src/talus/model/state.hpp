#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <talus/math/spatial.hpp>
#include <talus/model/internal_variables.hpp>

namespace talus::distribute {
class Deal;
}

namespace talus::model {

/// Whether a body is there: it waits to come in, or it has been taken out, for good.
enum class Presence : unsigned char { present, waiting, removed };

/// Everything that changes in time; one entry per body, in the model's order. World frame, SI.
struct State {
  Real time = 0;                       ///< [s]
  std::vector<Vec3> position;          ///< p_WB of the centre of mass [m]
  std::vector<Quat> orientation;       ///< R_WB, unit
  std::vector<Vec3> velocity;          ///< of the centre of mass [m/s]
  std::vector<Vec3> angular_velocity;  ///< ω [rad/s]

  /// Who is there; empty: everybody, always. A body that is not there keeps its pose, has no
  /// velocity and takes part in nothing: no contact, no energy, no momentum, no measurement.
  std::vector<Presence> presence;

  [[nodiscard]] bool is_present(Index body) const {
    return presence.empty() || presence[body] == Presence::present;
  }
  /// What else changes in time; empty for most models. The values are part of the hash.
  InternalVariables internal;
  /// Which bodies' entries are right on this rank: those that the deal has here, the others are out
  /// of date; null: all.
  std::shared_ptr<const distribute::Deal> deal;
  /// Makes all entries right. Collective where there is a deal.
  void complete();

  void resize(Index body_count);
  [[nodiscard]] Index body_count() const { return static_cast<Index>(position.size()); }
  [[nodiscard]] Pose pose(Index body) const { return {position[body], orientation[body]}; }
  /// Hash of every bit of the state, which is right for all bodies (contract), time and presence
  /// included.
  [[nodiscard]] std::uint64_t hash() const;
  [[nodiscard]] bool is_finite() const;
};

}  // namespace talus::model
