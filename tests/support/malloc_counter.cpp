#include "support/malloc_counter.hpp"

#include <cstdlib>

#include "support/sanitized.hpp"

#if defined(__GLIBC__) && !TALUS_IS_SANITIZED
#define TALUS_COUNTS_MALLOC 1
#else
#define TALUS_COUNTS_MALLOC 0
#endif

namespace talus::test {
std::atomic<long> malloc_count = 0;
bool malloc_is_counted() { return TALUS_COUNTS_MALLOC == 1; }
}  // namespace talus::test

#if TALUS_COUNTS_MALLOC
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++talus::test::malloc_count;
  return __libc_malloc(size);
}
#endif
