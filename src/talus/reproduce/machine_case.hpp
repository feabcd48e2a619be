#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <talus/math/vector.hpp>
#include <talus/scene/scene.hpp>

namespace talus::reproduce {

/// A number of a machine, after every step.
struct Signal {
  enum class Kind : unsigned char {
    position,        ///< of a point of a body: x, y or angle (whole turns counted)
    velocity,        ///< x, y or angle
    normal_force,    ///< F_N of a contact of two bodies, or of all of theirs together
    friction_force,  ///< F_T likewise
    mean_force,      ///< F_N likewise, averaged over the step: its impulse over its length
    slip,  ///< its slip velocity; of several that touch the one with the least modulus, 0 if none
    gap,   ///< likewise the least
    friction_use,  ///< |F_T|/F_N of a contact; no number where nothing presses
    slipping_use,  ///< the same while it slips at more than 1e-6 m/s; no number otherwise
    joint_force,   ///< ‖λ‖ of a joint, or its component x, y (rows 0, 1), moment (row 2)
    joint_error,   ///< ‖Φ‖ of a joint
    drive_force,   ///< λ of a drive: force or torque
    drive_error,   ///< Φ of a drive
    energy,        ///< total
    enumeration,   ///< how far Lemke's method is from trial and error (enumeration_difference)
  };
  std::string name;
  Kind kind = Kind::position;
  std::string of, against;    ///< body, joint or drive; of a contact the two bodies
  std::string component;      ///< x, y, angle, …
  Vec2 point = Vec2::Zero();  ///< of a body's frame [m]
  Index number =
      -1;  ///< which of the contacts of these two bodies, in the machine's order; −1: all
};

/// Shooting for a periodic orbit: see sim::MachineOrbit.
struct OrbitSpec {
  Real period = 0;  ///< [s]
  Index steps = 1000;
  std::vector<Vec2> drift;
  Index settle = 0;  ///< periods that are run from the scene's start before the search
  Real tolerance = 1e-9, perturbation = 1e-6;
};

/// One scene of a machine, run once, or once per value of a parameter.
struct MachineCase {
  std::string name;
  std::filesystem::path scene;
  std::vector<scene::Setting> set;
  bool needs_full = false;
  bool is_projected = false;  ///< coordinates and velocities start on the constraints
  Real end = 0;               ///< [s] instead of the scene's end; 0: as the scene says
  Index every = 1;            ///< steps between two samples
  std::vector<Signal> signals;
  std::vector<std::string> paths;   ///< of the scene that the parameter is put at
  std::vector<std::string> values;  ///< of the parameter, YAML
  std::optional<OrbitSpec> orbit;   ///< then one period of it is what is measured

  /// Runs that there are: one per value, or one.
  [[nodiscard]] Index value_count() const {
    return values.empty() ? 1 : static_cast<Index>(values.size());
  }
};

/// A number of a machine's run.
struct MachineMeasure {
  std::string machine;        ///< name of the case; empty: not such a row
  std::string signal;         ///< where the measure has one
  std::string event, until;   ///< kinds of events, where it is about some
  Index contact = -1;         ///< of the event; −1: any
  Index number = 1;           ///< which event, counted from 1
  Real from = 0, to = 0;      ///< window of time [s]; to = 0: the end
  Real factor = 1;            ///< multiplies the value
  Index value = 0;            ///< which value of the parameter, counted from 0
  std::optional<Real> limit;  ///< what is not to be exceeded, or what the values tend to
  std::string of;             ///< of measures of order: the measure that converges
};

}  // namespace talus::reproduce
