#pragma once

#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>

#include <talus/base/types.hpp>

namespace talus {

/// The words with a separator between each two.
[[nodiscard]] std::string join(std::span<const std::string> words, std::string_view separator);
[[nodiscard]] std::string join(std::span<const std::string_view> words, std::string_view separator);
[[nodiscard]] std::string join(std::span<const Index> numbers, std::string_view separator);

/// text += fmt::format(format, arguments), without the text in between. The work is done by one
/// function for all types (fmt's own format_to is compiled anew by every file that has one).
void append_formatted(std::string& text, fmt::string_view format, fmt::format_args arguments);
template <class... T>
void append(std::string& text, fmt::format_string<T...> format, const T&... arguments) {
  append_formatted(text, format, fmt::make_format_args(arguments...));
}

/// The candidate nearest to a misspelt word by edit distance, or "" if none is near (more than a
/// third of the word differs, or it is a single letter). Ties go to the first candidate. Cost
/// O(|word|·Σ|candidate|).
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       std::span<const std::string_view> candidates);

/// "a, b or c"; empty list gives "".
[[nodiscard]] std::string join_choices(std::span<const std::string_view> choices);

/// A word as a POSIX shell takes it: itself, or in single quotes where it has other characters than
/// letters, digits and ._-/+,:@%=.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace talus
