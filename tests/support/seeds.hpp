#pragma once

#include <cstdint>
#include <cstdlib>

namespace talus::test {

/// Seeds from a first one to a last one.
struct Seeds {
  std::uint64_t first = 1, last = 1;
  [[nodiscard]] std::uint64_t count() const { return last - first + 1; }
};

/// The seeds that a test is to try: an environment variable gives how many, counted from the first
/// of those for every day, or the first and the last, A-B; without it those for every day.
[[nodiscard]] inline Seeds seeds_of(const char* variable, Seeds daily) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return daily;
  char* rest = nullptr;
  const std::uint64_t number = std::strtoull(text, &rest, 10);
  if (*rest == '-') return {number, std::strtoull(rest + 1, nullptr, 10)};
  return {daily.first, daily.first + number - 1};
}

}  // namespace talus::test
