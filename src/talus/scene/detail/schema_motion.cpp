#include <talus/scene/detail/spec.hpp>

// How a prescribed motion is written.

namespace talus::scene::detail {
namespace {

const char* const kAxis = "Axis in the world frame, any length but zero.";
const char* const kThrough = "A point on the axis.";

Typed<RotationSpec> rotation_type() {
  return Object<RotationSpec>("rotation",
                              "Rotation at a constant rate about an axis: a drum, a mixer.")
      .field("axis", &RotationSpec::axis, vector3(Quantity::ratio), required(), kAxis)
      .field("through", &RotationSpec::through, vector3(Quantity::length),
             with_default("[0, 0, 0]"), kThrough)
      .field("speed", &RotationSpec::speed, number(Quantity::angular_velocity), required(),
             "Angular velocity about the axis, right-handed.")
      .done();
}

Typed<SwingSpec> swing_type() {
  return Object<SwingSpec>("swing", "Harmonic rotation, by the angle amplitude · sin(2π f t + φ).")
      .field("axis", &SwingSpec::axis, vector3(Quantity::ratio), required(), kAxis)
      .field("through", &SwingSpec::through, vector3(Quantity::length), with_default("[0, 0, 0]"),
             kThrough)
      .field("amplitude", &SwingSpec::amplitude, number(Quantity::angle), required(),
             "Largest angle.")
      .field("frequency", &SwingSpec::frequency, number(Quantity::rate, kPositive), required(),
             "Swings per second f.")
      .field("phase", &SwingSpec::phase, number(Quantity::angle), with_default("0"), "Phase φ.")
      .done();
}

Typed<ShakeSpec> shake_type() {
  return Object<ShakeSpec>("shake",
                           "Moving to and fro along a line, by amplitude · sin(2π f t + φ).")
      .field("amplitude", &ShakeSpec::amplitude, vector3(Quantity::length), required(),
             "Largest displacement.")
      .field("frequency", &ShakeSpec::frequency, number(Quantity::rate, kPositive), required(),
             "Oscillations per second f.")
      .field("phase", &ShakeSpec::phase, number(Quantity::angle), with_default("0"), "Phase φ.")
      .done();
}

Typed<TableSpec> table_type() {
  constexpr std::size_t kMostRows = 100'000;
  return Object<TableSpec>(
             "motion table",
             "Displacement and angle over time, linear in between and constant outside: a gate "
             "that "
             "opens, a piston. The body turns by the angle first and is then displaced.")
      .field("times", &TableSpec::times, list(number(Quantity::time), 1, kMostRows), required(),
             "Times, increasing.")
      .field("displacements", &TableSpec::displacements,
             list(vector3(Quantity::length), 1, kMostRows), optional(),
             "Displacement from where the body is written to be, one per time.")
      .field("angles", &TableSpec::angles, list(number(Quantity::angle), 1, kMostRows), optional(),
             "Angle from how the body is written to be turned, one per time.")
      .field("axis", &TableSpec::axis, vector3(Quantity::ratio), with_default("[0, 0, 1]"), kAxis)
      .field("through", &TableSpec::through, vector3(Quantity::length), with_default("[0, 0, 0]"),
             kThrough)
      .needs("axis", {"angles"})
      .needs("through", {"angles"})
      .done();
}

}  // namespace

Typed<MotionSpec> motion_type() {
  using model::BodyKind;
  return Object<MotionSpec>(
             "motion",
             "How a body moves: a word, or laws that prescribe its pose as a function of time "
             "(exactly: nothing adds up over the steps). Several laws act one after another: "
             "rotation, swing, table, shake.")
      .field("kind", &MotionSpec::kind,
             choice<BodyKind>({{"dynamic", BodyKind::dynamic},
                               {"fixed", BodyKind::fixed},
                               {"kinematic", BodyKind::kinematic}}),
             optional(),
             "dynamic: by forces; fixed: not at all; kinematic: with its velocity and angular "
             "velocity for ever.")
      .field("rotation", &MotionSpec::rotation, rotation_type(), optional(),
             "Rotation at a constant rate.")
      .field("swing", &MotionSpec::swing, swing_type(), optional(), "Harmonic rotation.")
      .field("table", &MotionSpec::table, table_type(), optional(), "A table over time.")
      .field("shake", &MotionSpec::shake, shake_type(), optional(), "Moving to and fro.")
      .at_most_one({"kind", "rotation"})
      .at_most_one({"kind", "swing"})
      .at_most_one({"kind", "table"})
      .at_most_one({"kind", "shake"})
      .shorthand("kind")
      .done();
}

}  // namespace talus::scene::detail
