#pragma once

#include <array>
#include <string>
#include <string_view>

#include <talus/base/types.hpp>

namespace talus::scene {

/// What a number of a scene measures.
enum class Quantity : unsigned char {
  ratio,
  length,
  mass,
  time,
  angle,
  velocity,
  angular_velocity,
  acceleration,
  density,
  inertia,
  rate,
  mass_rate,
  angular_acceleration,
  force,
  force_rate,
  torque,
  torque_rate,
  stiffness,
  damping,
  contact_damping,
  angular_stiffness,
  angular_damping,
};

/// Exponents of m, kg, s and rad. The radian counts, so that an angle is not mistaken for a ratio.
using Dimension = std::array<signed char, 4>;

/// Squares and products of a few such numbers stay finite.
inline constexpr Real kLargestNumber = 1e30;

/// How people speak of a quantity.
struct QuantityInfo {
  Quantity quantity;
  std::string_view name;      ///< "length"
  std::string_view article;   ///< "a"
  std::string_view plural;    ///< "lengths"
  std::string_view unit;      ///< SI unit, "m"; empty for a ratio
  std::string_view examples;  ///< as written in a scene: `0.5, "2 mm"`
  Dimension dimension;
  Real largest = kLargestNumber;  ///< magnitude that a scene may have [SI]; of ratios no bound
};

[[nodiscard]] const QuantityInfo& info(Quantity quantity);

/// A number with a unit, read from a text such as `2.5e3 kg/m^3`.
struct ParsedNumber {
  enum class Status : unsigned char { ok, not_a_number, not_finite, unknown_unit };
  Status status = Status::not_a_number;
  Real value = 0;  ///< in SI units; of .inf and .nan (not_finite) what they say
  bool has_unit = false;
  Dimension dimension{};
  std::string_view unknown;  ///< the part of the text that is no unit
};

/// Reads `number [unit]`. A unit is a product of factors: `m/s^2`, `kg m^2`, `rad/s`, `%`; powers
/// as ^2, ² or 2. Cost O(length).
[[nodiscard]] ParsedNumber parse_number(std::string_view text);

/// Why a number that was read cannot stand for a quantity, and what to write instead; "" if it can.
/// @param text what it was read from
[[nodiscard]] std::string mistake_in(const ParsedNumber& number, std::string_view text,
                                     Quantity quantity);

/// Why a number in SI units is too large for a quantity; "" if it is not.
[[nodiscard]] std::string mistake_in_size(Real value, Quantity quantity);

/// "a mass", "an acceleration", or the SI form of a dimension that has no name here ("m^2").
[[nodiscard]] std::string dimension_text(const Dimension& dimension);

/// Every unit of the parser, and every quantity's largest magnitude, for the reference page.
[[nodiscard]] std::string known_units();
[[nodiscard]] std::string known_bounds();

}  // namespace talus::scene
