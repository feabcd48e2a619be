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

/// A word as a POSIX shell takes it: itself, or in single quotes where it has other characters than
/// letters, digits and ._-/+,:@%=.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace talus
