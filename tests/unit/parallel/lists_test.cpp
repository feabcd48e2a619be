#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include <talus/parallel/lists.hpp>

namespace talus::parallel::TALUS_TEST_FILE {
namespace {

// Lists that are made piece by piece and put together are the list that one loop makes, whatever
// the number of threads and where the pieces end.
TEST(Lists, PiecesTogetherAreWhatOneLoopMakes) {
  const Index count = 10000;
  std::vector<Index> alone;
  for (Index i = 0; i < count; ++i)
    if (i * i % 7 == 2) alone.push_back(i);
  std::vector<std::vector<Index>> pieces;
  std::vector<Index> together = {1, 2, 3};  // what was there is lost
  for (const int threads : {1, 2, 5}) {
    set_thread_count(threads);
    for (const Index grain : {1, 3, 4096, 20000}) {
      const auto lists = list_pieces(count, grain, pieces, [](Index i, std::vector<Index>& list) {
        if (i * i % 7 == 2) list.push_back(i);
      });
      EXPECT_EQ(std::ssize(lists), (count + grain - 1) / grain);
      concatenate(lists, together);
      EXPECT_EQ(together, alone) << threads << " threads, grain " << grain;
    }
  }
  const auto none = list_pieces(0, 4, pieces, [](Index, std::vector<Index>&) {});
  concatenate(none, together);
  EXPECT_TRUE(none.empty() && together.empty());
  set_thread_count(0);
}

// A copy is as long as what it is of, and a filled list holds one value, also beyond one task's
// share of memory.
TEST(Lists, CopiesAndFills) {
  set_thread_count(3);
  std::vector<double> numbers(5 * kItemsPerTask<double> / 2), copy(3, -1.0);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  assign(std::span<const double>(numbers), copy);
  EXPECT_EQ(copy, numbers);
  fill(copy, 4.0);
  EXPECT_EQ(copy, std::vector<double>(numbers.size(), 4.0));
  set_thread_count(0);
}

// Something is so for all numbers exactly if no number is found for which it is not.
TEST(Lists, AllOf) {
  for (const int threads : {1, 4}) {
    set_thread_count(threads);
    for (const Index odd : {0, 17, 999}) {
      EXPECT_TRUE(all_of(1000, 64, [](Index i) { return i < 1000; }));
      EXPECT_FALSE(all_of(1000, 64, [&](Index i) { return i != odd; }));
    }
    EXPECT_TRUE(all_of(0, 64, [](Index) { return false; }));
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace talus::parallel::TALUS_TEST_FILE
