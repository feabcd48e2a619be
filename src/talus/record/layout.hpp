#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <talus/base/types.hpp>

namespace talus::record {

inline constexpr std::string_view kFormat = "talus-record";
inline constexpr std::string_view kStateFormat = "talus-state";
inline constexpr int kRecordVersion = 2;

/// What a series counts: one row per frame (F), per frame and one more (F + 1), per contact of a
/// frame (C), per step (S), per sample of a probe, or per event (E).
enum class Clock : unsigned char { frame, frame_edge, contact, step, sample, event };

enum class Element : unsigned char { real64, real32, int64, int32, uint8 };

/// Attributes of the root: what frames are kept in, and the steps from a frame with contacts to the
/// next (0: none has them). Records of before have neither: double, and every frame.
inline constexpr const char* kPrecisionAttribute = "frame_precision";
inline constexpr const char* kContactsAttribute = "contacts_every";
enum class Precision : unsigned char { double_precision, single_precision };

/// One dataset that grows during a run. The recorder, the reader, the CSV export and
/// docs/reference/record.md follow from the tables below; what probes measure is added to them.
struct Series {
  std::string_view path;  ///< group/dataset
  Clock clock;
  Element element;
  bool is_per_body;       ///< rows have a first axis over the bodies
  Index components;       ///< 1: a number per entry; otherwise the length of the last axis
  std::string_view unit;  ///< "1" where there is none
  std::string_view meaning;
  std::string_view labels = {};  ///< names of the components, separated by spaces
};

inline constexpr auto kSeries = [] {
  using enum Clock;
  using enum Element;
  return std::to_array<Series>({
      {"frames/step", frame, int64, false, 1, "1", "steps done before this frame; 0 is the start"},
      {"frames/time", frame, real64, false, 1, "s", "simulated time of this frame"},
      {"poses/position", frame, real64, true, 3, "m", "centre of mass, world frame"},
      {"poses/orientation", frame, real64, true, 4, "1",
       "unit quaternion w, x, y, z: body frame to world frame"},
      {"velocities/linear", frame, real64, true, 3, "m/s",
       "velocity of the centre of mass, world frame"},
      {"velocities/angular", frame, real64, true, 3, "rad/s", "angular velocity, world frame"},
      {"contacts/offset", frame_edge, int64, false, 1, "1",
       "contacts of frame k are rows offset[k] to offset[k+1]-1 of the other arrays: those of the "
       "step that ended there"},
      {"contacts/body_a", contact, int32, false, 1, "1", "index of body A in /bodies"},
      {"contacts/body_b", contact, int32, false, 1, "1", "index of body B in /bodies"},
      {"contacts/position", contact, real64, false, 3, "m",
       "contact point at the start of the step, world frame"},
      {"contacts/normal", contact, real64, false, 3, "1", "unit normal from A to B, world frame"},
      {"contacts/gap", contact, real64, false, 1, "m",
       "signed distance at the start of the step; negative: penetration"},
      {"contacts/impulse", contact, real64, false, 3, "N s",
       "impulse of the step, or of its last part where it was cut, on B (its reverse on A), world "
       "frame"},
      {"contacts/feature", contact, int64, false, 1, "1",
       "features of the two shapes that touch: with body_a and body_b the contact's name"},
      {"steps/step", step, int64, false, 1, "1", "number of the step, from 1"},
      {"steps/time", step, real64, false, 1, "s", "simulated time after the step"},
      {"steps/contact_count", step, int64, false, 1, "1", "contacts in the step's problem"},
      {"steps/max_penetration", step, real64, false, 1, "m",
       "deepest penetration that the step saw, at its start or after it; 0 if none"},
      {"energies/kinetic", step, real64, false, 1, "J",
       "of the dynamic bodies and of armatures, after the step"},
      {"energies/potential", step, real64, false, 1, "J",
       "of the dynamic bodies in gravity, zero at the world's origin, and of springs"},
      {"energies/total", step, real64, false, 1, "J", "kinetic + potential"},
      {"certificates/natural_map", step, real64, false, 1, "1",
       "scaled natural map, the headline residual"},
      {"certificates/violation", step, real64, false, 1, "1",
       "largest miss of a contact over its own speed; NaN where it is not measured"},
      {"certificates/work", step, real64, false, 1, "1",
       "work that contacts should not do over the energy at stake; NaN as above"},
      {"certificates/excess", step, real64, false, 1, "1",
       "the residual that decides over what it may be; certified steps have 1 at most"},
      {"certificates/plain", step, real64, false, 1, "1",
       "plain relative natural map, as other libraries print it; NaN in certified steps of rigid "
       "bodies without a frame"},
      {"certificates/primal", step, real64, false, 1, "1",
       "how far the impulses are outside the cone; NaN as plain"},
      {"certificates/dual", step, real64, false, 1, "1",
       "how far the corrected velocities are outside the dual cone; NaN as plain"},
      {"certificates/complementarity", step, real64, false, 1, "1",
       "impulse times corrected velocity, scaled; NaN as plain"},
      {"certificates/equation_of_motion", step, real64, false, 1, "1",
       "residual of M v = H r + f, relative"},
      {"certificates/worst_velocity", step, real64, false, 1, "m/s",
       "largest violation of one contact as a velocity"},
      {"certificates/worst_contact", step, int64, false, 1, "1",
       "contact that misses its law most, -1 if none"},
      {"certificates/worst_share", step, real64, false, 1, "1",
       "its share of the squared natural map, 0 to 1"},
      {"certificates/worst_body_a", step, int32, false, 1, "1",
       "body A of that contact, -1 if none"},
      {"certificates/worst_body_b", step, int32, false, 1, "1",
       "body B of that contact, -1 if none"},
      {"certificates/is_finite", step, uint8, false, 1, "1",
       "1 if every number above that was measured is finite"},
      {"certificates/is_certified", step, uint8, false, 1, "1",
       "1 if the step met the tolerance that was asked"},
      {"solver/status", step, uint8, false, 1, "1",
       "how the solve ended; names in the group's attribute 'values', in order from 0"},
      {"solver/iterations", step, int64, false, 1, "1", "sweeps or pivots, as the solver counts"},
      {"timings/step", step, real64, false, 1, "s", "wall time of the step, without recording"},
  });
}();

inline constexpr std::size_t kSeriesCount = kSeries.size();

/// The series of scenes with sources or sinks, after those of the table above.
inline constexpr auto kPopulationSeries = [] {
  using enum Clock;
  using enum Element;
  return std::to_array<Series>({
      {"poses/presence", frame, uint8, true, 1, "1",
       "0: the body is there; 1: it waits to come in; 2: it has been taken out"},
      {"population/bodies_in", step, int64, false, 1, "1", "bodies that came in before the step"},
      {"population/mass_in", step, real64, false, 1, "kg", "their mass"},
      {"population/energy_in", step, real64, false, 1, "J", "their energy, kinetic + potential"},
      {"population/bodies_out", step, int64, false, 1, "1", "bodies taken out before the step"},
      {"population/mass_out", step, real64, false, 1, "kg", "their mass"},
      {"population/energy_out", step, real64, false, 1, "J", "their energy, kinetic + potential"},
      {"population/late", step, int64, false, 1, "1",
       "bodies that were due before the step and found no place"},
  });
}();

/// The series of scenes with a machine in space.
inline constexpr auto kJointCertificateSeries = [] {
  using enum Clock;
  using enum Element;
  return std::to_array<Series>({
      {"certificates/joint_rate", step, real64, false, 1, "1",
       "largest rate at which a constraint of a joint, drive or coupling is violated [m/s, of a "
       "turn rad/s]"},
      {"certificates/joint_drift", step, real64, false, 1, "1",
       "largest violation of one after the step: turns [rad], lengths over that of a body"},
      {"certificates/rank", step, int64, false, 1, "1", "independent constraints after the step"},
      {"certificates/constraints", step, int64, false, 1, "1", "of so many"},
  });
}();

/// The series of events, of planar scenes and of those with a machine in space. Coordinates are
/// (x, y, θ) of every body, θ without jumps; in space the places of all bodies and their
/// velocities.
inline constexpr auto kMachineSeries = [] {
  using enum Clock;
  using enum Element;
  return std::to_array<Series>({
      {"events/step", event, int64, false, 1, "1", "number of the step it was in, from 1"},
      {"events/time", event, real64, false, 1, "s", "when it was"},
      {"events/kind", event, uint8, false, 1, "1",
       "what it was; names in the group's attribute 'values', in order from 0"},
      {"events/contact", event, int64, false, 1, "1",
       "contact of the machine, or -1 - i for its joint friction i"},
      {"events/body_a", event, int32, false, 1, "1", "body A of that contact, -1 if none"},
      {"events/body_b", event, int32, false, 1, "1", "body B of that contact, -1 if none"},
      {"events/impulse", event, real64, false, 2, "N s",
       "of an impact: along the normal from A to B and the tangent to its right", "normal tangent"},
      {"events/gap_rate", event, real64, false, 2, "m/s", "rate of the gap", "before after"},
      {"events/slip", event, real64, false, 2, "m/s", "slip velocity", "before after"},
      {"events/energy", event, real64, false, 2, "J", "kinetic + potential", "before after"},
      {"events/coordinates", event, real64, true, 3, "1",
       "x [m], y [m], angle [rad] of each body; in space its place x, y, z [m]", "x y angle"},
      {"events/velocity_before", event, real64, true, 3, "1",
       "their rates [m/s, m/s, rad/s; m/s] before it", "x y angle"},
      {"events/velocity_after", event, real64, true, 3, "1", "and after it", "x y angle"},
  });
}();

/// The same of a machine in space.
inline constexpr auto kMachineSeriesInSpace = [] {
  auto all = kMachineSeries;
  for (Series& series : all)
    if (series.is_per_body) series.labels = "x y z";
  return all;
}();

/// The series of a joint, in the group reactions/NAME, and of a drive, in drives/NAME: per step.
inline constexpr auto kJointSeries = [] {
  using enum Clock;
  using enum Element;
  return std::to_array<Series>({
      {"force", step, real64, false, 2, "N",
       "reaction on the second body, world frame: at the end of the step, or its average", "x y"},
      {"moment", step, real64, false, 1, "N m", "on the second body about the joint's point"},
      {"friction", step, real64, false, 1, "N", "friction force, against slip; 0 without"},
  });
}();
/// The same of joints in space.
inline constexpr auto kSpatialJointSeries = [] {
  using enum Clock;
  using enum Element;
  return std::to_array<Series>({
      {"force", step, real64, false, 3, "N",
       "reaction on the second body, along the axes of the joint's frame on the first: average "
       "over "
       "the step",
       "x y z"},
      {"moment", step, real64, false, 3, "N m",
       "on the second body about the joint's point in it, along the same axes", "x y z"},
  });
}();
/// The series of a coordinate of a joint in space: in the group joints/NAME, and of several in
/// joints/NAME/COORDINATE. An angle or a position; what acts along it where the joint has that.
inline constexpr auto kCoordinateSeries = [] {
  using enum Clock;
  using enum Element;
  return std::to_array<Series>({
      {"angle", step, real64, false, 1, "rad", "with whole turns, after the step"},
      {"position", step, real64, false, 1, "m", "way along the axis, after the step"},
      {"rate", step, real64, false, 1, "rad/s", "its rate, after the step"},  // or m/s
      {"effort", step, real64, false, 1, "N m",                               // or N, as all below
       "of the motor, behind its gear, on the second body: average over the step"},
      {"limit", step, real64, false, 1, "N m",
       "of its limits: positive where the lower one is reached, negative where the upper one is"},
      {"spring", step, real64, false, 1, "N m", "of spring and damper"},
      {"friction", step, real64, false, 1, "N m", "dry friction"},
  });
}();
inline constexpr auto kDriveSeries = [] {
  using enum Clock;
  using enum Element;
  return std::to_array<Series>({
      {"effort", step, real64, false, 1, "N",  // or N m, as the drive
       "torque [N m] of an angle or angular speed, force [N] of a displacement or speed: on the "
       "second body, at the end of the step, or its average"},
  });
}();

/// The series of scenes in which contacts resist rolling or spinning.
inline constexpr Series kMomentSeries = {
    "contacts/moment",
    Clock::contact,
    Element::real64,
    false,
    3,
    "N s m",
    "moment impulse on body B of rolling and torsional friction, world frame"};

/// The series of scenes whose bodies may sleep.
inline constexpr Series kSleepingSeries = {"steps/sleeping",
                                           Clock::step,
                                           Element::int64,
                                           false,
                                           1,
                                           "1",
                                           "bodies that lay still and were left out of the step"};

/// What records of some scenes have besides kSeries; events, joints, sensors and probes apart.
inline constexpr std::array<std::span<const Series>, 4> kOptionalSeries = {
    {kPopulationSeries, kJointCertificateSeries, {&kMomentSeries, 1}, {&kSleepingSeries, 1}}};

/// Index in kSeries of a path; a path that is not there does not compile.
consteval std::size_t series_index(std::string_view path) {
  for (std::size_t i = 0; i < kSeriesCount; ++i)
    if (kSeries[i].path == path) return i;
  throw "no such series";
}

/// Poses, velocities and contacts of frames: what may be kept in single precision, and is noise in
/// its last bits. Times are not.
[[nodiscard]] constexpr bool is_of_frames(const Series& series) {
  const bool is_counted = series.clock == Clock::frame || series.clock == Clock::contact;
  const bool is_real = series.element == Element::real64 || series.element == Element::real32;
  return is_counted && is_real && series.path != "frames/time";
}

/// Deflating frames of many bodies costs more than the steps between them and saves a fifth.
[[nodiscard]] constexpr bool is_compressed(const Series& series, Index body_count) {
  constexpr Index kFewBodies = 100;
  return body_count <= kFewBodies || !is_of_frames(series);
}

[[nodiscard]] constexpr std::size_t size_of(Element element) {
  return element == Element::uint8                                 ? 1
         : element == Element::int32 || element == Element::real32 ? 4
                                                                   : 8;
}

/// Extents of a chunk (rows, then the axes of a row): tens of kilobytes for narrow rows, an equal
/// part of a row where one row is larger than a megabyte.
struct ChunkShape {
  Index rows = 1;
  Index bodies = 1;  ///< 1 for series that are not per body
};
[[nodiscard]] constexpr ChunkShape chunk_shape(const Series& series, Index body_count) {
  constexpr Index kNarrow = 64 * 1024, kWide = 1024 * 1024, kMaxRows = 4096;
  const Index entry = static_cast<Index>(size_of(series.element)) * series.components;
  const Index bodies = series.is_per_body ? (body_count > 0 ? body_count : 1) : 1;
  const Index row = entry * bodies;
  if (row > kWide) {
    const Index most = kWide / entry;
    const Index pieces = (bodies + most - 1) / most;
    return {1, (bodies + pieces - 1) / pieces};
  }
  const Index rows = row > kNarrow ? 1 : kNarrow / row;
  return {rows < kMaxRows ? rows : kMaxRows, bodies};
}

}  // namespace talus::record
