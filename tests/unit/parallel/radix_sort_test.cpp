#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/parallel/radix_sort.hpp>

namespace talus::parallel::TALUS_TEST_FILE {
namespace {

struct Item {
  std::uint64_t key = 0;
  std::uint32_t place = 0;
  bool operator==(const Item&) const = default;
};

/// Numbers of which only the bits of a mask vary, many of them more than once.
std::vector<Item> items(std::size_t count, std::uint64_t mask, std::uint64_t fixed) {
  Random random(count ^ mask);
  std::vector<Item> list(count);
  for (std::size_t i = 0; i < count; ++i)
    list[i] = {(random.bits() & mask) | fixed, static_cast<std::uint32_t>(i)};
  return list;
}

// A stable order is the only one: that of std::stable_sort, for keys with any bits that vary, for
// few items and many, for several pieces, and for any number of threads.
TEST(RadixSort, IsTheStableOrder) {
  std::vector<Item> scratch;
  for (const std::size_t count : {0, 1, 511, 512, 5000, 40000, 700000})
    for (const std::uint64_t mask :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x3f} << 58, std::uint64_t{0x1ffff},
          std::uint64_t{0x0001ffff0000ffff}, std::uint64_t{0x5555}, ~std::uint64_t{0}}) {
      if (count > 40000 && mask != 0x0001ffff0000ffff) continue;  // pieces longer than the least
      const std::vector<Item> start = items(count, mask, ~mask & 0x8000000000000001);
      std::vector<Item> expected = start;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Item& a, const Item& b) { return a.key < b.key; });
      for (const int threads : {1, 2, 7}) {
        set_thread_count(threads);
        std::vector<Item> sorted = start;
        radix_sort_by(sorted, scratch, [](const Item& item) { return item.key; });
        ASSERT_EQ(sorted, expected) << count << " items, " << threads << " threads";
      }
    }
  set_thread_count(0);
}

}  // namespace
}  // namespace talus::parallel::TALUS_TEST_FILE
