#pragma once

#include <span>
#include <string>
#include <string_view>

namespace talus::scene::detail {

/// What a user meant who wrote a word that is not allowed.
struct Meant {
  std::string word;  ///< of those that are allowed; "" if none is near
  std::string hint;  ///< "did you mean …?", or how it is written here; "" if none is near
};

/// The allowed word that other programs and books call by this name, or else the nearest one in
/// spelling. A three-link arm as a newcomer writes it (hinge, parent, dt) gets one line per word.
[[nodiscard]] Meant meant_by(std::string_view word, std::span<const std::string_view> allowed);

/// How to write in a scene of a dimension, 2 or 3, what a key of the other one says; "" where there
/// is nothing like it.
[[nodiscard]] Meant counterpart(std::string_view key, int dimension);

}  // namespace talus::scene::detail
