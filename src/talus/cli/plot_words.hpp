#pragma once

#include <string>
#include <vector>

namespace talus::cli {

/// A series' name as people say it: "kinetic energy" for energies/kinetic, "speed of crate" for
/// body.crate.speed, "linear momentum x" for momentum/linear.x.
[[nodiscard]] std::string readable(const std::string& series);

/// A unit with raised numbers: "kg m²/s" for "kg m^2/s"; "" for "1".
[[nodiscard]] std::string readable_unit(const std::string& unit);

/// What curves of one unit have in common: their name if there is one only, else what is measured
/// in that unit ("energy" for J; "" if that is not known).
[[nodiscard]] std::string quantity_of(const std::vector<std::string>& names,
                                      const std::string& unit);

}  // namespace talus::cli
