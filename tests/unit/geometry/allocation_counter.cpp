#include <atomic>
#include <cstdlib>
#include <new>

// Counts every allocation of this program. Apart from the test, so that the compiler does not pair
// the library's operator new with the free() of this one.
std::atomic<long> allocation_count = 0;

void* operator new(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
