#pragma once

#include <string>
#include <string_view>

namespace talus {

/// A text as a cell of a CSV line (RFC 4180): itself, or in double quotes where it has commas,
/// double quotes or line breaks.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace talus
