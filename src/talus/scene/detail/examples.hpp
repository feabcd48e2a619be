#pragma once

#include <string_view>

namespace talus::scene::detail {

/// An example of an object of the schema, by its title, for the reference page: a part of a scene,
/// from its top; "" where there is none. The tests load each one.
[[nodiscard]] std::string_view example_of(std::string_view title);

}  // namespace talus::scene::detail
