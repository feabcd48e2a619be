#pragma once

// Broken contracts inside Talus: a programming error, never a user's input and never a numerical
// outcome. TALUS_DEMAND is always checked (O(1) conditions); TALUS_ASSERT only where NDEBUG is not
// defined.

namespace talus::detail {
[[noreturn]] void contract_failed(const char* condition, const char* file, int line) noexcept;
}

#define TALUS_DEMAND(condition) \
  ((condition) ? void(0) : ::talus::detail::contract_failed(#condition, __FILE__, __LINE__))

#ifdef NDEBUG
#define TALUS_ASSERT(condition) void(0)
#else
#define TALUS_ASSERT(condition) TALUS_DEMAND(condition)
#endif
