#include <talus/scene/quantity.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>

namespace talus::scene {
namespace {

constexpr Real kPi = std::numbers::pi;

constexpr std::array kQuantities = {
    QuantityInfo{Quantity::ratio, "number", "a", "numbers", "", "0.5, 10 %", {0, 0, 0, 0}},
    QuantityInfo{
        Quantity::length, "length", "a", "lengths", "m", "0.5, 2 mm, 20 cm", {1, 0, 0, 0}, 1e12},
    QuantityInfo{Quantity::mass, "mass", "a", "masses", "kg", "3, 3 kg, 250 g", {0, 1, 0, 0}},
    QuantityInfo{
        Quantity::time, "time", "a", "times", "s", "0.001, 1 ms, 2 min", {0, 0, 1, 0}, 1e12},
    QuantityInfo{Quantity::angle, "angle", "an", "angles", "rad", "0.5, 35 deg", {0, 0, 0, 1}, 1e9},
    QuantityInfo{Quantity::velocity,
                 "velocity",
                 "a",
                 "velocities",
                 "m/s",
                 "1.5, 20 cm/s, 3.6 km/h",
                 {1, 0, -1, 0},
                 3e8},
    QuantityInfo{Quantity::angular_velocity,
                 "angular velocity",
                 "an",
                 "angular velocities",
                 "rad/s",
                 "3, 90 deg/s, 60 rpm",
                 {0, 0, -1, 1},
                 1e9},
    QuantityInfo{Quantity::acceleration,
                 "acceleration",
                 "an",
                 "accelerations",
                 "m/s^2",
                 "-9.81, 9.81 m/s^2",
                 {1, 0, -2, 0},
                 1e9},
    QuantityInfo{Quantity::density,
                 "density",
                 "a",
                 "densities",
                 "kg/m^3",
                 "7800, 2.5 g/cm^3",
                 {-3, 1, 0, 0}},
    QuantityInfo{Quantity::inertia,
                 "moment of inertia",
                 "a",
                 "moments of inertia",
                 "kg m^2",
                 "0.4, 12 g cm^2",
                 {2, 1, 0, 0}},
    QuantityInfo{Quantity::rate, "rate", "a", "rates", "1/s", "0.5, 2 Hz", {0, 0, -1, 0}},
    QuantityInfo{Quantity::mass_rate,
                 "mass rate",
                 "a",
                 "mass rates",
                 "kg/s",
                 "0.5, 50 g/s, 3 t/h",
                 {0, 1, -1, 0}},
    QuantityInfo{Quantity::angular_acceleration,
                 "angular acceleration",
                 "an",
                 "angular accelerations",
                 "rad/s^2",
                 "2, 90 deg/s^2",
                 {0, 0, -2, 1}},
    QuantityInfo{Quantity::force, "force", "a", "forces", "N", "5, 5 N, 2 kN", {1, 1, -2, 0}},
    QuantityInfo{Quantity::force_rate,
                 "rate of a force",
                 "a",
                 "rates of a force",
                 "N/s",
                 "5, 2 kN/s",
                 {1, 1, -3, 0}},
    QuantityInfo{Quantity::torque, "torque", "a", "torques", "N m", "0.5, 3 N m", {2, 1, -2, 0}},
    QuantityInfo{Quantity::torque_rate,
                 "rate of a torque",
                 "a",
                 "rates of a torque",
                 "N m/s",
                 "0.5, 3 N m/s",
                 {2, 1, -3, 0}},
    QuantityInfo{
        Quantity::stiffness, "stiffness", "a", "stiffnesses", "N/m", "100, 2 N/mm", {0, 1, -2, 0}},
    QuantityInfo{Quantity::damping,
                 "damping coefficient",
                 "a",
                 "damping coefficients",
                 "N s/m",
                 "3, 3 N s/m",
                 {0, 1, -1, 0}},
    QuantityInfo{Quantity::contact_damping,
                 "damping per length",
                 "a",
                 "dampings per length",
                 "N s/m^2",
                 "2.3e4, 23 kN s/m^2",
                 {-1, 1, -1, 0}},
    QuantityInfo{Quantity::angular_stiffness,
                 "torsional stiffness",
                 "a",
                 "torsional stiffnesses",
                 "N m/rad",
                 "5, 5 N m/rad",
                 {2, 1, -2, -1}},
    QuantityInfo{Quantity::angular_damping,
                 "torsional damping",
                 "a",
                 "torsional dampings",
                 "N m s/rad",
                 "0.1, 0.1 N m s/rad",
                 {2, 1, -1, -1}},
};

struct Unit {
  std::string_view name;
  Real factor;
  Dimension dimension;
};

constexpr std::array kUnits = {
    Unit{"m", 1, {1, 0, 0, 0}},
    Unit{"km", 1e3, {1, 0, 0, 0}},
    Unit{"dm", 1e-1, {1, 0, 0, 0}},
    Unit{"cm", 1e-2, {1, 0, 0, 0}},
    Unit{"mm", 1e-3, {1, 0, 0, 0}},
    Unit{"um", 1e-6, {1, 0, 0, 0}},
    Unit{"µm", 1e-6, {1, 0, 0, 0}},
    Unit{"nm", 1e-9, {1, 0, 0, 0}},
    Unit{"kg", 1, {0, 1, 0, 0}},
    Unit{"g", 1e-3, {0, 1, 0, 0}},
    Unit{"mg", 1e-6, {0, 1, 0, 0}},
    Unit{"t", 1e3, {0, 1, 0, 0}},
    Unit{"s", 1, {0, 0, 1, 0}},
    Unit{"ms", 1e-3, {0, 0, 1, 0}},
    Unit{"us", 1e-6, {0, 0, 1, 0}},
    Unit{"µs", 1e-6, {0, 0, 1, 0}},
    Unit{"ns", 1e-9, {0, 0, 1, 0}},
    Unit{"min", 60, {0, 0, 1, 0}},
    Unit{"h", 3600, {0, 0, 1, 0}},
    Unit{"rad", 1, {0, 0, 0, 1}},
    Unit{"mrad", 1e-3, {0, 0, 0, 1}},
    Unit{"deg", kPi / 180, {0, 0, 0, 1}},
    Unit{"°", kPi / 180, {0, 0, 0, 1}},
    Unit{"rev", 2 * kPi, {0, 0, 0, 1}},
    Unit{"rpm", 2 * kPi / 60, {0, 0, -1, 1}},
    Unit{"Hz", 1, {0, 0, -1, 0}},
    Unit{"N", 1, {1, 1, -2, 0}},
    Unit{"kN", 1e3, {1, 1, -2, 0}},
    Unit{"mN", 1e-3, {1, 1, -2, 0}},
    Unit{"Nm", 1, {2, 1, -2, 0}},
    Unit{"J", 1, {2, 1, -2, 0}},
    Unit{"%", 1e-2, {0, 0, 0, 0}},
};

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

bool is_unit_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || (c & 0x80) != 0;
}

/// The name at the start of the text; ² and ³ and · end it.
std::string_view take_name(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_unit_byte(text[length])) {
    const std::string_view rest = text.substr(length);
    if (rest.starts_with("²") || rest.starts_with("³") || rest.starts_with("·")) break;
    ++length;
  }
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  return name;
}

/// A power after a unit's name, 1 if there is none; nothing if it is malformed.
std::optional<int> take_power(std::string_view& text) {
  if (take(text, "²")) return 2;
  if (take(text, "³")) return 3;
  const bool is_marked = take(text, "^") || take(text, "**");
  int power = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), power);
  if (error == std::errc{} && (is_marked || text.front() != '-')) {
    text.remove_prefix(end - text.data());
    return power != 0 && std::abs(power) <= 9 ? std::optional(power) : std::nullopt;
  }
  return is_marked ? std::nullopt : std::optional(1);
}

}  // namespace

const QuantityInfo& info(Quantity quantity) {
  return kQuantities[static_cast<std::size_t>(quantity)];
}

ParsedNumber parse_number(std::string_view text) {
  using Status = ParsedNumber::Status;
  ParsedNumber result;
  skip_spaces(text);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.starts_with("+") && !text.starts_with("+-")) text.remove_prefix(1);
  std::string_view magnitude = text;
  take(magnitude, "-");
  for (const std::string_view word : {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN", "inf", "nan",
                                      "Infinity", "infinity", "NaN"}) {
    if (magnitude == word) {
      result.status = Status::not_finite;
      const bool is_infinite = word.ends_with('f') || word.ends_with('F') || word.ends_with('y');
      result.value = !is_infinite                     ? std::numeric_limits<Real>::quiet_NaN()
                     : magnitude.size() < text.size() ? -std::numeric_limits<Real>::infinity()
                                                      : std::numeric_limits<Real>::infinity();
      return result;
    }
  }
  if (magnitude.empty() ||
      !(magnitude.front() == '.' || (magnitude.front() >= '0' && magnitude.front() <= '9')))
    return result;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.value);
  if (error == std::errc::result_out_of_range) result.status = Status::not_finite;
  if (error != std::errc{}) return result;
  text.remove_prefix(end - text.data());
  skip_spaces(text);

  result.has_unit = !text.empty();
  const bool is_reciprocal = text.size() > 2 && take(text, "1/");  // as in 1/s
  int sign = is_reciprocal ? -1 : 1;
  while (!text.empty()) {
    const std::string_view rest = text;
    const std::string_view name = take_name(text);
    const Unit* unit = find_unit(name);
    const std::optional<int> power = unit != nullptr ? take_power(text) : std::nullopt;
    if (!power) {
      result.status = Status::unknown_unit;
      result.unknown = unit == nullptr && !name.empty() ? name : rest;
      return result;
    }
    result.value *= std::pow(unit->factor, sign * *power);
    for (std::size_t i = 0; i < result.dimension.size(); ++i) {
      const int exponent = result.dimension[i] + sign * *power * unit->dimension[i];
      result.dimension[i] = static_cast<signed char>(std::abs(exponent) < 100 ? exponent : 100);
    }
    skip_spaces(text);
    if (take(text, "/")) {
      sign = -1;
    } else if (take(text, "·") || take(text, "*")) {
      sign = 1;
    } else {
      continue;  // `kg m^2`: a blank multiplies and keeps the side of the fraction
    }
    skip_spaces(text);
    if (text.empty()) {
      result.status = Status::unknown_unit;
      result.unknown = rest;
      return result;
    }
  }
  result.status = std::isfinite(result.value) ? Status::ok : Status::not_finite;
  return result;
}

std::string dimension_text(const Dimension& dimension) {
  for (const QuantityInfo& quantity : kQuantities)
    if (quantity.dimension == dimension)
      return quantity.quantity == Quantity::ratio
                 ? "a number without a dimension"
                 : fmt::format("{} {}", quantity.article, quantity.name);
  constexpr std::array<std::string_view, 4> kSymbols = {"m", "kg", "s", "rad"};
  std::string text;
  for (std::size_t i = 0; i < dimension.size(); ++i) {
    if (dimension[i] == 0) continue;
    if (!text.empty()) text += ' ';
    text += kSymbols[i];
    if (dimension[i] != 1) text += fmt::format("^{}", dimension[i]);
  }
  return "a quantity in " + text;
}

std::string mistake_in(const ParsedNumber& number, std::string_view text, Quantity quantity) {
  const QuantityInfo& meant = info(quantity);
  const std::string advice =
      meant.unit.empty()
          ? fmt::format("write it as {}", meant.examples)
          : fmt::format("a bare number is in {}; write it as {}", meant.unit, meant.examples);
  switch (number.status) {
    case ParsedNumber::Status::not_a_number:
      return advice;
    case ParsedNumber::Status::not_finite:
      return "numbers must be finite";
    case ParsedNumber::Status::unknown_unit:
      return fmt::format("\"{}\" is not a unit that is known here; {}", number.unknown, advice);
    case ParsedNumber::Status::ok:
      break;
  }
  if (number.has_unit && number.dimension != meant.dimension)
    return fmt::format("\"{}\" is {}; {}", text, dimension_text(number.dimension), advice);
  return mistake_in_size(number.value, quantity);
}

std::string mistake_in_size(Real value, Quantity quantity) {
  const QuantityInfo& meant = info(quantity);
  if (quantity == Quantity::ratio || std::abs(value) <= meant.largest) return "";
  return fmt::format("the largest {} is {:g} {}", meant.name, meant.largest, meant.unit);
}

std::string known_bounds() {
  std::string text;
  for (const QuantityInfo& one : kQuantities)
    if (one.largest < kLargestNumber)
      text +=
          fmt::format("{}{} {:g} {}", text.empty() ? "" : ", ", one.plural, one.largest, one.unit);
  return text + fmt::format("; whatever else has a unit {:g}", kLargestNumber);
}

std::string known_units() {
  std::string text;
  for (const Unit& unit : kUnits)
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", unit.name);
  return text;
}

}  // namespace talus::scene
