#pragma once

#include <optional>
#include <string>
#include <vector>

#include <talus/record/reader.hpp>

namespace talus::record {

/// A number that a record follows through time, by name.
struct SeriesName {
  std::string name;
  std::string unit;  ///< "1" where there is none
  std::string meaning;
};

/// Its numbers: value[i] at time[i] [s].
struct SeriesData {
  std::string name;
  std::string unit;
  std::vector<Real> time, value;
  std::string clock = {};  ///< group whose step and time its rows have: steps, frames, probes/NAME
};

/// Every name of read_series, but for those of bodies: datasets that have a number per
/// step, frame or sample ("energies/kinetic"), components ("probes/force/mean.x"), and momentum,
/// which is made from the frames ("momentum/linear.x").
[[nodiscard]] std::vector<SeriesName> series_names(const RecordReader& record);

/// Components of "body.NAME.": x, y, z, vx, vy, vz, speed, wx, wy, wz, spin.
[[nodiscard]] std::vector<SeriesName> body_series_names();

/// The second name of a dataset of a joint or a sensor: joint.NAME.angle of joints/NAME/angle,
/// joint.NAME.force of reactions/NAME/force, sensor.NAME of sensors/NAME; empty of all others.
[[nodiscard]] std::string second_series_name(const std::string& path);

/// Which component of a dataset a name means: "x" for sensor.imu.x of sensors/imu; "" where it
/// means all of it, by its path, by its second name, or by a group of either; nothing where it
/// means another one.
/// @param labels of the dataset's components.
[[nodiscard]] std::optional<std::string> component_of(const std::string& name,
                                                      const std::string& path,
                                                      const std::vector<std::string>& labels);

/// What a name that no series has can be mended by: the components, where the name begins with that
/// of a dataset that has some; the nearest name; "" if there is neither.
[[nodiscard]] std::string series_hint(const RecordReader& record, const std::string& name);

/// Whether read_series has a name; of "body.NAME" and its components that it begins with "body.".
[[nodiscard]] bool has_series(const RecordReader& record, const std::string& name);

/// The series of a name: one of series_names, "body.NAME.COMPONENT", "joint.NAME.angle" for
/// joints/NAME/angle, "joint.NAME.force.x" for reactions/NAME/force.x and "sensor.NAME.x", or what
/// stands for several: a group ("energies", "certificates"), a dataset with components
/// ("momentum/linear"), "body.NAME" (x, y, z), "joint.NAME" (all of a joint).
/// @throws InputError if the record has no such series, with the nearest name.
/// Cost: one row per step; momentum reads all velocities.
[[nodiscard]] std::vector<SeriesData> read_series(const RecordReader& record,
                                                  const std::string& name);

}  // namespace talus::record
