#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include <talus/base/disjoint_sets.hpp>
#include <talus/base/random.hpp>
#include <talus/parallel/shared_sets.hpp>

namespace talus::parallel::TALUS_TEST_FILE {
namespace {

// Joins that threads make at once, in any order and some of them twice, leave the sets that one
// after the other makes, with the same names.
TEST(SharedSets, JoinedAtOnceAreThoseJoinedInOrder) {
  constexpr Index kCount = 20000;
  for (const Index joins : {Index{0}, kCount / 2, kCount, 4 * kCount}) {
    Random random(static_cast<std::uint64_t>(joins) + 1);
    const auto draw = [&] { return static_cast<std::uint32_t>(random.uniform(0, kCount)); };
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (Index k = 0; k < joins; ++k) {
      const std::uint32_t a = draw();
      pairs.emplace_back(a, k % 3 == 0 ? draw() : std::min<std::uint32_t>(a + 1, kCount - 1));
    }
    DisjointSets expected(kCount);
    for (const auto& [a, b] : pairs) expected.join(a, b);
    for (const int threads : {1, 2, 8}) {
      set_thread_count(threads);
      SharedSets sets(kCount);
      for_ranges(joins, 64, [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k) sets.join(pairs[k].first, pairs[k].second);
      });
      for (Index i = 0; i < kCount; ++i)
        ASSERT_EQ(Index{sets.root(static_cast<std::uint32_t>(i))}, expected.root(i))
            << threads << " threads, " << joins << " joins";
    }
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace talus::parallel::TALUS_TEST_FILE
