#include "support/malloc_counter.hpp"

#include <cstdlib>

// Sanitizers have a malloc of their own, which must not be replaced.
#if defined(__has_feature)  // of clang; g++ defines __SANITIZE_ADDRESS__, __SANITIZE_THREAD__
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TALUS_IS_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TALUS_IS_SANITIZED 1
#endif
#if defined(__GLIBC__) && !defined(TALUS_IS_SANITIZED)
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
