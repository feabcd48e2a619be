#pragma once

#include <optional>
#include <string>

#include <talus/model/model.hpp>
#include <talus/scene/detail/read.hpp>

namespace talus::scene::detail {

/// The colour that a text names, "#rrggbb" or a word; kNoColour for no text. What is neither is a
/// problem at its place.
[[nodiscard]] model::Colour colour_of(const std::optional<std::string>& text, const Place& place,
                                      Problems& problems);

}  // namespace talus::scene::detail
