#include <talus/distribute/hand_overs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "support/thread_ranks.hpp"

namespace talus::distribute::TALUS_TEST_FILE {
namespace {

/// A row of bodies, each in contact with the next one; tile t has contact t, odd tiles are the
/// second phase.
SweepPlan chain(std::uint32_t contacts) {
  SweepPlan plan;
  plan.clear();
  plan.is_movable.assign(contacts + 1, 1);
  for (const std::uint32_t parity : {0u, 1u}) {
    for (std::uint32_t c = parity; c < contacts; c += 2) {
      plan.bodies.insert(plan.bodies.end(), {c, c + 1});
      plan.add_tile(1);
    }
    plan.phases.push_back(static_cast<std::uint32_t>(plan.weight.size()));
  }
  return plan;
}

using Row = std::array<Real, 8>;

/// Something that notices every change of order.
void visit(const SweepPlan& plan, Index tile, std::vector<Row>& rows) {
  Row& a = rows[plan.bodies[plan.first[tile]]];
  Row& b = rows[plan.bodies[plan.first[tile] + 1]];
  for (const std::size_t k : {0, 1, 2, 4, 5, 6}) {
    const Real mean = (a[k] + 2 * b[k]) / 3;
    a[k] = mean + 0.25 * b[k];
    b[k] = mean - 0.125 * a[k];
  }
}

std::vector<Row> start_rows(std::size_t count) {
  std::vector<Row> rows(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 8; ++k) rows[i][k] = 1 / static_cast<Real>(3 + 8 * i + k);
  return rows;
}

std::vector<Row> swept_alone(const SweepPlan& plan, int passes) {
  std::vector<Row> rows = start_rows(plan.is_movable.size() + 1);
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t t = 0; t < plan.tile_count(); ++t) visit(plan, static_cast<Index>(t), rows);
  return rows;
}

struct Swept {
  std::vector<Row> rows;
  Work work;
};

/// The rows that every rank has in the end, and what was sent.
std::vector<Swept> swept(const SweepPlan& plan, int passes, int count, int left_out = -2) {
  std::vector<Vec3> place;
  for (std::size_t i = 0; i < plan.is_movable.size(); ++i) place.emplace_back(i, 0, 0);
  std::vector<Swept> ends(static_cast<std::size_t>(count));
  test::ThreadRanks all(count);
  all.run([&](int rank) {
    std::vector<Row> rows = start_rows(plan.is_movable.size() + 1);
    HandOvers hand_overs;
    hand_overs.share(*ranks(), plan, place);
    hand_overs.leave_out(left_out);
    for (int pass = 0; pass < passes; ++pass) {
      hand_overs.begin_pass(rows[0].data(), pass > 0);
      hand_overs.for_phases(rows[0].data(), [&](Index tile) { visit(plan, tile, rows); });
      hand_overs.end_pass();
    }
    hand_overs.settle(rows[0].data());
    ends[static_cast<std::size_t>(rank)] = {rows, ranks()->work()};
  });
  return ends;
}

/// Sets a variable of the environment for the time of its life.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

// Any number of ranks has the bits of one, on every rank, however tiles are dealt out; as much is
// sent as the lists say.
TEST(HandOvers, SweepIsThatOfOneRank) {
  const SweepPlan plan = chain(40);
  const std::vector<Row> alone = swept_alone(plan, 5);
  for (const char* map : {"curve", "slab", "random"}) {
    const Variable variable("TALUS_RANK_MAP", map);
    for (const int count : {1, 2, 3, 5, 8, 50}) {
      Work sum;
      const std::vector<Swept> ends = swept(plan, 5, count);
      for (const Swept& end : ends) {
        EXPECT_EQ(end.rows, alone) << map << ", " << count << " ranks";
        sum.sent_messages += end.work.sent_messages;
        sum.sent_bytes += end.work.sent_bytes;
      }
      EXPECT_EQ(ends[0].work.messages, sum.sent_messages);
      EXPECT_EQ(ends[0].work.bytes, sum.sent_bytes);
      EXPECT_EQ(ends[0].work.sweeps, 4);
    }
  }
}

// A row of bodies cut into two halves has one body at the border: it is handed over once within a
// pass, and once from pass to pass, 48 bytes each.
TEST(HandOvers, BorderBodyIsHandedOverTwice) {
  const std::vector<Swept> ends = swept(chain(40), 5, 2);
  const Work& work = ends[0].work;
  EXPECT_EQ(work.messages, 5 + 4);
  EXPECT_EQ(work.bytes, 48 * 9);
  EXPECT_EQ(work.imbalance, work.sweeps);
  EXPECT_NEAR(work.border_share, 4 * 1.0 / 41, 1e-15);
}

// A hand-over that is left out changes the result.
TEST(HandOvers, EachIsNeeded) {
  const SweepPlan plan = chain(40);
  const std::vector<Row> alone = swept_alone(plan, 5);
  for (const int phase : {-1, 0}) EXPECT_NE(swept(plan, 5, 2, phase)[0].rows, alone) << phase;
}

// What tiles have found becomes known to all ranks in rounds, here several of them: each rank then
// has the items of all tiles, and what belongs to no tile stays its own.
TEST(HandOvers, CollectsInRounds) {
  static constexpr std::size_t kItem = std::size_t{1}
                                       << 15;  // numbers: 256 kB a tile, 10 MB in all
  const SweepPlan plan = chain(40);
  test::ThreadRanks all(3);
  all.run([&](int rank) {
    std::vector<Real> items(40 * kItem + 1, -1 - rank);
    HandOvers hand_overs;
    hand_overs.share(*ranks(), plan, {});
    const auto begin_of = [](Index tile) { return tile * static_cast<Index>(kItem); };
    hand_overs.for_each_own([&](Index tile) {
      std::fill_n(items.begin() + begin_of(tile), kItem, static_cast<Real>(tile));
    });
    hand_overs.deal().collect(std::span(items), [&](Index tile, const auto& add) {
      add(begin_of(tile), begin_of(tile) + 100);
      add(begin_of(tile) + 100, begin_of(tile + 1));
    });
    for (std::size_t i = 0; i < 40 * kItem; ++i)
      ASSERT_EQ(items[i], static_cast<Real>(i / kItem)) << "rank " << rank << ", " << i;
    EXPECT_EQ(items.back(), -1 - rank);
  });
}

// Lists of messages stay while the layout does, and are made anew with another one, or where other
// bodies move: as those of a plan that is dealt out for the first time.
TEST(HandOvers, AreSharedAgainWithTheSameLayout) {
  test::ThreadRanks all(2);
  all.run([&](int) {
    SweepPlan plan = chain(40);
    plan.layout = 7;
    SweepPlan light = plan;
    light.first = {0};
    light.bodies.clear();
    light.weight.clear();
    HandOvers hand_overs;
    EXPECT_FALSE(hand_overs.share_again(*ranks(), light));
    hand_overs.share(*ranks(), plan, {});
    const Index messages = hand_overs.traffic(true).messages;
    EXPECT_GT(messages, 0);
    hand_overs.stop();
    EXPECT_TRUE(hand_overs.share_again(*ranks(), light));
    EXPECT_TRUE(hand_overs.is_shared());
    EXPECT_EQ(hand_overs.traffic(true).messages, messages);
    light.layout = 8;
    EXPECT_FALSE(hand_overs.share_again(*ranks(), light));
    light.layout = 7;
    light.is_movable[20] = 0;
    EXPECT_FALSE(hand_overs.share_again(*ranks(), light));
    light.is_movable[20] = 1;
    light.phases.pop_back();
    EXPECT_FALSE(hand_overs.share_again(*ranks(), light));
    light.layout = 0;
    EXPECT_FALSE(hand_overs.share_again(*ranks(), light));
  });
}

// A body that no force moves is touched by tiles of any rank and never handed over; one that
// nothing touches is held by all.
TEST(HandOvers, OthersStay) {
  SweepPlan plan = chain(3);
  plan.is_movable[1] = plan.is_movable[2] = 0;
  plan.is_movable.push_back(1);
  test::ThreadRanks all(3);
  all.run([&](int) {
    HandOvers hand_overs;
    hand_overs.share(*ranks(), plan, {});
    EXPECT_EQ(hand_overs.traffic(true).messages, 0);
    EXPECT_EQ(hand_overs.held().back().end, 6);  // with the row for empty lanes
  });
}

}  // namespace
}  // namespace talus::distribute::TALUS_TEST_FILE
