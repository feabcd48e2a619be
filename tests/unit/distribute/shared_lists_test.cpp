#include <talus/distribute/shared_lists.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include <talus/base/random.hpp>

#include "support/thread_ranks.hpp"

namespace talus::distribute::TALUS_TEST_FILE {
namespace {

using Lists = std::vector<std::vector<Index>>;

/// Lists of unequal lengths, some of them empty: all divisors of the numbers that 3 does not
/// divide.
void add_divisors(Index i, std::vector<Index>& list) {
  if (i % 3 == 0) return;
  for (Index d = 1; d <= i; ++d)
    if (i % d == 0) list.push_back(d);
}

// A list of pieces is the same whoever makes which piece: it depends on the piece alone. Each piece
// is made once.
TEST(SharedLists, AreThoseOfOneRank) {
  constexpr Index kCount = 101;
  for (const Index grain : {Index{1}, Index{7}, Index{60}}) {
    Lists kept;
    const auto alone = parallel::list_pieces(kCount, grain, kept, add_divisors);
    for (const int count : {1, 2, 3, 5, 16}) {
      std::atomic<Index> visits = 0;
      test::ThreadRanks all(count);
      all.run([&](int rank) {
        Lists own(200, {99, 98});  // what was there before is lost
        const auto shared = list_pieces(kCount, grain, own, [&](Index i, std::vector<Index>& list) {
          ++visits;
          add_divisors(i, list);
        });
        ASSERT_EQ(shared.size(), alone.size());
        for (std::size_t k = 0; k < alone.size(); ++k)
          EXPECT_EQ(shared[k], alone[k]) << "rank " << rank << " of " << count << ", piece " << k;
      });
      EXPECT_EQ(visits, kCount) << count << " ranks, pieces of " << grain;
    }
  }
}

// One piece is made by every rank: there is nothing to share. So it is on a thread that works
// alone, whatever others do.
TEST(SharedLists, OnePieceAndAlone) {
  std::atomic<Index> visits = 0;
  const auto count = [&](Index, std::vector<Index>&) { ++visits; };
  test::ThreadRanks all(3);
  all.run([&](int rank) {
    Lists kept;
    static_cast<void>(list_pieces(10, 10, kept, count));
    if (rank != 1) return;
    const Alone alone;
    static_cast<void>(list_pieces(10, 1, kept, count));
  });
  EXPECT_EQ(visits, 4 * 10);
}

// Items that ranks write are those that one writes; no more than one piece is written by all.
TEST(SharedLists, ItemsAreThoseOfOneRank) {
  for (const std::size_t count : {0u, 5u, 64u, 65u, 1000u})
    for (const int number : {1, 2, 3, 7}) {
      std::atomic<Index> visits = 0;
      test::ThreadRanks all(number);
      all.run([&](int rank) {
        std::vector<Index> items(count, -1);
        write_items(std::span(items), 64, [&](Index begin, Index end) {
          EXPECT_LE(end - begin, 64);
          visits += end - begin;
          for (Index i = begin; i < end; ++i) items[i] = i * i;
        });
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_EQ(items[i], static_cast<Index>(i * i)) << "rank " << rank << " of " << number;
      });
      EXPECT_EQ(visits, static_cast<Index>(count) * (count > 64 ? 1 : number));
    }
}

// What is so for all numbers is so for all parts: one number of which it is not, wherever it is, is
// known to all ranks, and every number is looked at by one of them.
TEST(SharedLists, AllOfIsThatOfOneRank) {
  constexpr Index kCount = 100;
  for (const int number : {1, 2, 3, 7})
    for (const Index odd : {Index{-1}, Index{0}, Index{49}, Index{50}, kCount - 1}) {
      std::atomic<Index> visits = 0;
      test::ThreadRanks all(number);
      all.run([&](int rank) {
        const bool is_so = all_of(kCount, 10, [&](Index i) {
          ++visits;
          return i != odd;
        });
        EXPECT_EQ(is_so, odd < 0) << odd << ", rank " << rank << " of " << number;
      });
      EXPECT_TRUE(odd >= 0 || visits == kCount);
    }
}

// Items are sorted as one rank does it, equal ones in the order that they had: wherever values lie,
// and where there are fewer values than ranks.
TEST(SharedLists, SortedAreThoseOfOneRank) {
  struct Item {
    std::uint64_t value = 0, place = 0;
    bool operator==(const Item&) const = default;
  };
  const auto value_of = [](const Item& item) { return item.value; };
  for (const std::uint64_t values : {1u, 3u, 1000u, 0u})  // 0: any
    for (const std::size_t count : {10u, 4096u, 4097u, 30000u}) {
      Random random(values + count);
      std::vector<Item> items;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t any = random.bits();
        items.push_back({values == 0 ? any : any % values << 40, i});
      }
      std::vector<Item> alone = items, scratch;
      std::stable_sort(alone.begin(), alone.end(),
                       [](const Item& a, const Item& b) { return a.value < b.value; });
      for (const int number : {1, 2, 3, 7}) {
        test::ThreadRanks all(number);
        all.run([&](int rank) {
          std::vector<Item> shared = items, own_scratch;
          sort_by(shared, own_scratch, value_of);
          EXPECT_TRUE(shared == alone) << count << ", rank " << rank << " of " << number;
        });
      }
    }
}

// Numbers that ranks raise are the largest that one would make them, and each does its part.
TEST(SharedLists, RaisedNumbersAreTheLargest) {
  constexpr Index kCount = 1000;
  for (const int number : {1, 2, 3, 7}) {
    std::atomic<Index> visits = 0;
    test::ThreadRanks all(number);
    all.run([&](int rank) {
      std::vector<Real> largest(50, 3);
      raise_all(kCount, 64, std::span(largest), [&](Index i) {
        ++visits;
        Real& own = largest[static_cast<std::size_t>(i % 50)];
        own = std::max(own, static_cast<Real>(i % 50 == 7 ? 0 : i));
      });
      for (Index k = 0; k < 50; ++k)
        EXPECT_EQ(largest[static_cast<std::size_t>(k)],
                  k == 7 ? Real(3) : static_cast<Real>(kCount - 50 + k))
            << "rank " << rank << " of " << number;
    });
    EXPECT_EQ(visits, kCount);
  }
}

TEST(SharedLists, PartsOfRanksAreEqual) {
  EXPECT_EQ(deal_out_lists(5, 2, DealBy::in_a_row).order,
            (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(deal_out_lists(5, 2, DealBy::in_turn).order, (std::vector<std::size_t>{0, 2, 4, 1, 3}));
  EXPECT_EQ(deal_out_lists(5, 2, DealBy::in_turn).first, (std::vector<std::size_t>{0, 3, 5}));
  EXPECT_EQ(deal_out_lists(1, 3, DealBy::in_turn).first, (std::vector<std::size_t>{0, 1, 1, 1}));
  EXPECT_EQ(begins_of_ranks(10, 4), (std::vector<std::size_t>{0, 2, 5, 7, 10}));
  EXPECT_EQ(begins_of_ranks(1, 3), (std::vector<std::size_t>{0, 0, 0, 1}));
}

}  // namespace
}  // namespace talus::distribute::TALUS_TEST_FILE
