#pragma once

#include <span>
#include <string>
#include <string_view>

namespace talus {

/// The candidate nearest to a misspelt word by edit distance, or "" if none is near (more than half
/// the word differs). Ties go to the first candidate. Cost O(|word|·Σ|candidate|).
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       std::span<const std::string_view> candidates);

/// "a, b or c"; empty list gives "".
[[nodiscard]] std::string join_choices(std::span<const std::string_view> choices);

}  // namespace talus
