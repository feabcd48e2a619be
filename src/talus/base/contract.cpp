#include <talus/base/contract.hpp>

#include <cstdio>
#include <cstdlib>

namespace talus::detail {

void contract_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: broken contract: %s\n", file, line, condition);
  std::abort();
}

}  // namespace talus::detail
