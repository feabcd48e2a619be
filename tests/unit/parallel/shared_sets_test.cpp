#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
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

// No join is lost where threads hang the same root at once: a hub that each of two threads joins to
// a number of its own is one set with both of them.
TEST(SharedSets, NoJoinIsLost) {
  constexpr std::uint32_t kHubs = 100000, kThreads = 2;
  set_thread_count(static_cast<int>(kThreads));
  for (int repeat = 0; repeat < 20; ++repeat) {
    SharedSets sets((kThreads + 1) * kHubs);
    std::atomic<std::uint32_t> come = 0;
    for_each(kThreads, [&](Index thread) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
      for (++come; come < kThreads && std::chrono::steady_clock::now() < end;)
        std::this_thread::yield();
      for (std::uint32_t hub = 0; hub < kHubs; ++hub)
        sets.join(kThreads * kHubs + hub, kThreads * hub + static_cast<std::uint32_t>(thread));
    });
    for (std::uint32_t k = 0; k < kThreads * kHubs; ++k) {
      ASSERT_EQ(sets.root(k), k - k % kThreads);
      ASSERT_EQ(sets.root(kThreads * kHubs + k / kThreads), k - k % kThreads);
    }
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace talus::parallel::TALUS_TEST_FILE
