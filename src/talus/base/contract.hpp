#pragma once

#include <concepts>
#include <string_view>

// Broken contracts inside Talus: a programming error, never a user's input and never a numerical
// outcome. TALUS_DEMAND and TALUS_DEMAND_EQ are always checked (O(1) conditions); TALUS_ASSERT only
// where NDEBUG is not defined.

namespace talus::detail {

[[noreturn]] void contract_failed(const char* condition, const char* file, int line) noexcept;
/// The same, with the two values that had to be equal.
[[noreturn]] void values_differ(const char* condition, const char* file, int line, long long a,
                                long long b) noexcept;
[[noreturn]] void values_differ(const char* condition, const char* file, int line, double a,
                                double b) noexcept;
[[noreturn]] void values_differ(const char* condition, const char* file, int line,
                                std::string_view a, std::string_view b) noexcept;

/// Integers of any type are compared by value: −1 is not the largest unsigned number.
template <class A, class B>
void demand_equal(const A& a, const B& b, const char* condition, const char* file, int line) {
  if constexpr (std::integral<A> && std::integral<B>) {
    const bool is_equal = static_cast<long long>(a) == static_cast<long long>(b);
    if (!is_equal)
      values_differ(condition, file, line, static_cast<long long>(a), static_cast<long long>(b));
  } else if (!(a == b)) {
    values_differ(condition, file, line, a, b);
  }
}

}  // namespace talus::detail

#define TALUS_DEMAND(condition) \
  ((condition) ? void(0) : ::talus::detail::contract_failed(#condition, __FILE__, __LINE__))

/// Two integers, two floating-point numbers or two texts are equal; the message gives both.
#define TALUS_DEMAND_EQ(a, b) \
  ::talus::detail::demand_equal((a), (b), #a " == " #b, __FILE__, __LINE__)

#ifdef NDEBUG
#define TALUS_ASSERT(condition) void(0)
#else
#define TALUS_ASSERT(condition) TALUS_DEMAND(condition)
#endif
