#pragma once

#include <string>
#include <string_view>

namespace talus {

/// A text as a terminal may show it: titles and names come from files, and a terminal obeys control
/// characters. All but line breaks and tabs become a backslash, x and two digits, those of two
/// bytes (U+0080 to U+009F) too.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace talus
