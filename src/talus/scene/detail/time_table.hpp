#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <talus/base/types.hpp>
#include <talus/scene/detail/document.hpp>
#include <talus/scene/quantity.hpp>

namespace talus::scene::detail {

/// Values at increasing times [s], SI units, one per time.
struct TimeTable {
  std::vector<Real> times, values;
};

/// Reads one column over time from a CSV text, whose first line that is no comment names the
/// columns: `NAME` or `NAME [UNIT]`; without a unit numbers are in SI units. Times are in the
/// column `time`, otherwise in the first one. Other columns may hold anything. Mistakes go to the
/// problems with their line and column; then the table is empty. O(bytes).
/// @param column where the values are, by its name or its whole heading; without it in the only
/// other column. @param value what they are.
[[nodiscard]] TimeTable parse_time_table(const std::filesystem::path& path, std::string_view text,
                                         const std::optional<std::string>& column, Quantity value,
                                         Problems& problems);

}  // namespace talus::scene::detail
