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

}  // namespace talus::scene::detail
