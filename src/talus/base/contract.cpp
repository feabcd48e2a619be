#include <talus/base/contract.hpp>

#include <cstdio>
#include <cstdlib>

namespace talus::detail {

void contract_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: broken contract: %s\n", file, line, condition);
  std::abort();
}

void values_differ(const char* condition, const char* file, int line, long long a,
                   long long b) noexcept {
  std::fprintf(stderr, "%s:%d: broken contract: %s: %lld and %lld\n", file, line, condition, a, b);
  std::abort();
}

void values_differ(const char* condition, const char* file, int line, double a, double b) noexcept {
  std::fprintf(stderr, "%s:%d: broken contract: %s: %.17g and %.17g\n", file, line, condition, a,
               b);
  std::abort();
}

void values_differ(const char* condition, const char* file, int line, std::string_view a,
                   std::string_view b) noexcept {
  std::fprintf(stderr, "%s:%d: broken contract: %s: \"%.*s\" and \"%.*s\"\n", file, line, condition,
               static_cast<int>(a.size()), a.data(), static_cast<int>(b.size()), b.data());
  std::abort();
}

}  // namespace talus::detail
