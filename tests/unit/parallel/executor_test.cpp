#include <chrono>
#include <talus/parallel/executor.hpp>
#include <thread>

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace talus::parallel::TALUS_TEST_FILE {
namespace {

// Every number is visited once, and only after all numbers of the phases before it, whatever the
// number of threads; phases may be empty, and the first may begin anywhere.
TEST(Executor, PhasesFollowEachOther) {
  std::vector<std::uint32_t> bounds = {3};
  for (std::uint32_t p = 0; p < 40; ++p) bounds.push_back(bounds.back() + (p * 7) % 5);
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::vector<int> visits(
          bounds.back());  // plain: of one phase to the next the executor sees to it
      std::atomic<int> early = 0;
      for_phases(bounds, [&](Index i) {
        std::size_t phase = 0;
        while (bounds[phase + 1] <= static_cast<std::uint32_t>(i)) ++phase;
        for (std::uint32_t before = bounds.front(); before < bounds[phase]; ++before)
          if (visits[before] != 1) ++early;
        ++visits[static_cast<std::size_t>(i)];
      });
      ASSERT_EQ(early, 0) << threads << " threads";
      for (std::uint32_t i = 0; i < bounds.back(); ++i)
        ASSERT_EQ(visits[i], i < bounds.front() ? 0 : 1) << "number " << i;
    }
  }
  set_thread_count(0);
}

// A list without phases is no work.
TEST(Executor, NoPhases) {
  int calls = 0;
  for_phases({}, [&](Index) { ++calls; });
  for_phases(std::vector<std::uint32_t>{5}, [&](Index) { ++calls; });
  EXPECT_EQ(calls, 0);
}

// A loop inside a loop, and one after another on the same data, see to all numbers once; what a
// body throws comes out of the loop, and the next loop is not touched by it.
TEST(Executor, LoopsInLoopsAndErrors) {
  for (const int threads : {1, 2, 5}) {
    set_thread_count(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<std::vector<int>> visits(7, std::vector<int>(30));
      for_each(7, [&](Index i) {
        for_each(30, [&](Index k) { ++visits[static_cast<std::size_t>(i)][k]; });
        for_each(30, [&](Index k) { ++visits[static_cast<std::size_t>(i)][k]; });
      });
      for (const std::vector<int>& row : visits) ASSERT_EQ(row, std::vector<int>(30, 2));
      EXPECT_THROW(for_each(20,
                            [](Index i) {
                              if (i == 13) throw std::runtime_error("thirteen");
                            }),
                   std::runtime_error);
    }
  }
  set_thread_count(0);
}

// More threads than processors, all but one of which are away most of the time: every piece is
// done, by whoever is there, and nobody waits for one that holds none.
TEST(Executor, ManyMoreThreadsThanProcessors) {
  set_thread_count(64);
  std::vector<std::uint32_t> bounds = {0};
  for (std::uint32_t p = 0; p < 9; ++p) bounds.push_back(bounds.back() + 20);
  std::vector<int> visits(bounds.back());
  for (int repeat = 0; repeat < 500; ++repeat)
    for_phases(bounds, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
  EXPECT_EQ(visits, std::vector<int>(bounds.back(), 500));
  set_thread_count(0);
}

// A thread without work at the end of a loop takes part in the loops within what others still do:
// the two pieces of an inner loop are under way at the same time, one on the thread that had the
// other piece of the outer loop.
TEST(Executor, WhoeverIsDoneHelpsWithinTheRest) {
  set_thread_count(2);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> is_caller_in{false}, is_other_done{false};
  std::atomic<int> inside{0};
  std::atomic<bool> is_together{false};
  const auto wait_for = [](const auto& is_so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_so() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  };
  for_each(2, [&](Index) {
    if (std::this_thread::get_id() != caller) {
      wait_for([&] { return is_caller_in.load(); });
      is_other_done = true;
      return;
    }
    is_caller_in = true;
    wait_for([&] { return is_other_done.load(); });
    for_each(2, [&](Index) {
      if (++inside > 1) return;
      wait_for([&] { return inside == 2; });
      is_together = inside == 2;
    });
  });
  EXPECT_TRUE(is_together);
  set_thread_count(0);
}

}  // namespace
}  // namespace talus::parallel::TALUS_TEST_FILE
