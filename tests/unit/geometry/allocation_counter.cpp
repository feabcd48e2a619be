#include <atomic>
#include <cstdlib>
#include <new>

// Counts every allocation of this program. Apart from the test, so that the compiler does not pair
// the library's operator new with the free() of this one. Every form that takes or frees memory
// itself is replaced, so that no block crosses from one allocator to the other: the library may
// take a block by the nothrow form and free it by the plain one.
std::atomic<long> allocation_count = 0;

namespace {

void* take(std::size_t size) noexcept {
  ++allocation_count;
  return std::malloc(size > 0 ? size : 1);
}

void* take_aligned(std::size_t size, std::align_val_t alignment) noexcept {
  ++allocation_count;
  const auto a = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(a, (size + a - 1) / a * a);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t n) { return or_throw(take(n)); }
void* operator new[](std::size_t n) { return or_throw(take(n)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return take(n); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return take(n); }
void* operator new(std::size_t n, std::align_val_t a) { return or_throw(take_aligned(n, a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return or_throw(take_aligned(n, a)); }

// Not inlined: g++ 12 takes free where it sees new for a mismatch.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
