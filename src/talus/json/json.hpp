#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace talus {

/// A JSON value; objects keep the order in which keys were added.
using Json = nlohmann::ordered_json;

/// A value as text, in one line or, with an indentation ≥ 0, in many. Numbers are written with as
/// many digits as tell them apart, infinite ones and NaN as null; bytes that are not UTF-8 become
/// U+FFFD.
[[nodiscard]] std::string json_text(const Json& value, int indentation = -1);

/// The value of a text; `is_discarded()` if the text is not JSON.
[[nodiscard]] Json parse_json(std::string_view text);

}  // namespace talus
