#include <talus/scene/detail/schema_machine.hpp>

// How functions of time and coordinates of joints are written.

namespace talus::scene::detail {

Typed<TimeLawSpec> law_type(const char* title, Quantity value, Quantity slope) {
  constexpr std::size_t kMostRows = 100'000;
  return Object<TimeLawSpec>(title,
                             "A function of time: constant; ramp, start + slope · t; harmonic, "
                             "mean + amplitude · sin(2π frequency · t + phase); or table, values "
                             "at times, here or in a file, straight lines or a smooth curve "
                             "(natural cubic spline) between, constant outside.")
      .field("constant", &TimeLawSpec::constant, number(value), optional(), "The same always.")
      .field("slope", &TimeLawSpec::slope, number(slope), optional(), "Of a ramp.")
      .field("start", &TimeLawSpec::start, number(value), with_default("0"),
             "Of a ramp, at the time zero.")
      .field("amplitude", &TimeLawSpec::amplitude, number(value), optional(), "Of a harmonic.")
      .field("mean", &TimeLawSpec::mean, number(value), with_default("0"), "Of a harmonic.")
      .field("frequency", &TimeLawSpec::frequency, number(Quantity::rate, kPositive), optional(),
             "Of a harmonic: oscillations per second.")
      .field("phase", &TimeLawSpec::phase, number(Quantity::angle), with_default("0"),
             "Of a harmonic.")
      .field("times", &TimeLawSpec::times, list(number(Quantity::time), 1, kMostRows), optional(),
             "Of a table: increasing.")
      .field("values", &TimeLawSpec::values, list(number(value), 1, kMostRows), optional(),
             "Of a table: one per time.")
      .field("table", &TimeLawSpec::table, text(), optional(),
             "CSV file with a table, relative to this file. Its first line names the columns, with "
             "units as in `angle [deg]`, without one SI; times are in the column `time`, otherwise "
             "in the first one.")
      .field("column", &TimeLawSpec::column, text(), optional(),
             "Where the values are in a file; without it in the only other column.")
      .field("smooth", &TimeLawSpec::smooth, boolean(), with_default("false"),
             "Whether a table is a smooth curve.")
      .exactly_one({"constant", "slope", "amplitude", "times", "table"})
      .needs("start", {"slope"})
      .needs("mean", {"amplitude"})
      .needs("frequency", {"amplitude"})
      .needs("amplitude", {"frequency"})
      .needs("phase", {"amplitude"})
      .needs("values", {"times"})
      .needs("times", {"values"})
      .needs("column", {"table"})
      .needs("smooth", {"times", "table"})
      .shorthand("constant")
      .done();
}

Typed<TimeLawSpec> angle_law_type() {
  return law_type("angle law", Quantity::angle, Quantity::angular_velocity);
}
Typed<TimeLawSpec> angular_speed_law_type() {
  return law_type("angular speed law", Quantity::angular_velocity, Quantity::angular_acceleration);
}
Typed<TimeLawSpec> displacement_law_type() {
  return law_type("displacement law", Quantity::length, Quantity::velocity);
}
Typed<TimeLawSpec> speed_law_type() {
  return law_type("speed law", Quantity::velocity, Quantity::acceleration);
}
Typed<TimeLawSpec> force_law_type() {
  return law_type("force law", Quantity::force, Quantity::force_rate);
}
Typed<TimeLawSpec> torque_law_type() {
  return law_type("torque law", Quantity::torque, Quantity::torque_rate);
}

Typed<std::string> coordinate_type() {
  return choice(
      {"turn", "second_turn", "turn_x", "turn_y", "turn_z", "slide", "slide_x", "slide_y"});
}

}  // namespace talus::scene::detail
