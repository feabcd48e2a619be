#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace talus {

/// Leaves new items of plain types as they are in memory.
template <class T>
struct UnwrittenAllocator : std::allocator<T> {
  UnwrittenAllocator() = default;
  template <class U>
  explicit(false) UnwrittenAllocator(const UnwrittenAllocator<U>&) noexcept {}
  template <class U>
  struct rebind {
    using other = UnwrittenAllocator<U>;
  };
  template <class U>
  void construct(U* item) noexcept {
    ::new (static_cast<void*>(item)) U;
  }
  template <class U, class... Arguments>
  void construct(U* item, Arguments&&... arguments) {
    ::new (static_cast<void*>(item)) U(std::forward<Arguments>(arguments)...);
  }
};

/// A list whose new items are not written: what of it is never written takes up no memory, however
/// long it is. So lists with the numbers of all contacts are as large on each of several ranks as
/// what the rank writes. @tparam T without initializers.
template <class T>
using UnwrittenList = std::vector<T, UnwrittenAllocator<T>>;

/// Makes such a list so long; what is in it is lost.
template <class T>
void resize_unwritten(UnwrittenList<T>& list, std::size_t size) {
  list.clear();
  if (list.capacity() < size) list = {};  // nothing is copied
  list.resize(size);
}

}  // namespace talus
