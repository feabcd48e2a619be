#pragma once

#include <string>
#include <vector>

#include <talus/model/model.hpp>
#include <talus/model/time_law.hpp>

namespace talus::sim {

/// What a program sets between steps in place of a law of time that the scene gives.
enum class CommandKind : unsigned char {
  position,  ///< target of a motor: its coordinate, at rest there [m, rad]
  velocity,  ///< target of a motor, or rate of a drive [m/s, rad/s]
  effort,    ///< of a motor, a drive or a force element [N, N m]
};

/// A law of time of a model that can be commanded, by name.
struct Command {
  std::string name;  ///< of the joint ("hip"; "hip/slide_x" where motors act on several of its
                     ///< axes), the drive or the force element
  CommandKind kind = CommandKind::effort;
  model::TimeLaw* law = nullptr;  ///< in the model
  Real* start = nullptr;  ///< of a drive with a given rate: its coordinate at t = 0 [m, rad]

  /// Holds a value from a time on. A drive continues from where it is.
  void hold(Real value, Real time) const;
  /// What the law says now.
  [[nodiscard]] Real value(Real time) const { return evaluate(*law, time).value; }
};

/// All of a model: motors in the order of its joints, drives by their rate, force elements. Drives
/// with a given coordinate are none: their motion is exact, and must not jump. O(joints + drives +
/// forces). @param model gets machines of its own, which it shares with no other model; it outlives
/// the commands.
[[nodiscard]] std::vector<Command> commands_of(model::Model& model);

}  // namespace talus::sim
