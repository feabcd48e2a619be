#include <talus/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <numeric>
#include <vector>

namespace talus {
namespace {

bool is_same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Levenshtein distance, whatever the case, one row of the table at a time.
/// @param to_beginning the least distance to what b begins with instead, whatever follows in b.
std::size_t edit_distance(std::string_view a, std::string_view b, bool to_beginning = false) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (is_same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return to_beginning ? *std::min_element(row.begin(), row.end()) : row[b.size()];
}

template <class T>
std::string joined(std::span<const T> items, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i)
    append(text, "{}{}", i > 0 ? separator : std::string_view(), items[i]);
  return text;
}

}  // namespace

std::string join(std::span<const std::string> words, std::string_view separator) {
  return joined(words, separator);
}
std::string join(std::span<const std::string_view> words, std::string_view separator) {
  return joined(words, separator);
}
std::string join(std::span<const Index> numbers, std::string_view separator) {
  return joined(numbers, separator);
}

void append_formatted(std::string& text, fmt::string_view format, fmt::format_args arguments) {
  fmt::vformat_to(std::back_inserter(text), format, arguments);
}

std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  if (word.size() < 2) return "";  // every other letter would be near
  std::size_t best_distance = std::min<std::size_t>(word.size() / 2, 5) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (!best.empty() || word.size() < 4) return std::string(best);
  best_distance = word.size() / 4 + 1;  // "moreu" may be the beginning of moreau_jean
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate, true);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return std::string(best);
}

std::string join_choices(std::span<const std::string_view> choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += choices[i];
  }
  return text;
}

std::string shell_word(const std::string& word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("._-/+,:@%=").find(c) != std::string::npos;
  });
  if (is_plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace talus
