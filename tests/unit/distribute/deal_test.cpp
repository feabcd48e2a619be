#include <talus/distribute/deal.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include <talus/base/random.hpp>

#include "support/thread_ranks.hpp"

namespace talus::distribute::TALUS_TEST_FILE {
namespace {

constexpr std::uint32_t kBodies = 9000;  // more than two pieces of them

/// Tiles of up to four bodies near each other in some phases, of which no two of a phase share a
/// movable body; some bodies are in no tile, every fortieth is immovable and in many.
SweepPlan random_plan(std::uint64_t seed) {
  Random random(seed);
  SweepPlan plan;
  plan.clear();
  plan.is_movable.assign(kBodies, 1);
  for (std::uint32_t body = 0; body < kBodies; body += 40) plan.is_movable[body] = 0;
  for (int phase = 0; phase < 4; ++phase) {
    for (std::uint32_t body = static_cast<std::uint32_t>(phase); body + 4 < kBodies; body += 5) {
      if (random.uniform(0, 1) < 0.4) continue;
      for (std::uint32_t k = 0; k < 4; ++k)
        if (random.uniform(0, 1) < 0.8) plan.bodies.push_back(body + k);
      plan.bodies.push_back(40 * (body / 40));
      plan.add_tile(1 + static_cast<std::uint32_t>(random.uniform(0, 5)));
    }
    plan.phases.push_back(static_cast<std::uint32_t>(plan.tile_count()));
  }
  return plan;
}

std::vector<Vec3> places() {
  std::vector<Vec3> place;
  for (std::uint32_t body = 0; body < kBodies; ++body)
    place.emplace_back(body % 30, body / 30 % 30, body / 900);
  return place;
}

/// Which ranks touch each body, by the tiles that they have.
std::vector<std::set<int>> touching(const SweepPlan& plan, const Deal& deal) {
  std::vector<std::set<int>> ranks(kBodies);
  for (std::size_t t = 0; t < plan.tile_count(); ++t)
    for (std::uint32_t k = plan.first[t]; k < plan.first[t + 1]; ++k)
      if (const std::uint32_t body = plan.bodies[k]; plan.is_touched(body))
        ranks[body].insert(deal.rank_of_tile(t));
  return ranks;
}

/// The rank whose tile touches each body in the last phase that does; −1: none.
std::vector<int> last_touching(const SweepPlan& plan, const Deal& deal) {
  std::vector<int> rank(kBodies, -1);
  for (std::size_t t = 0; t < plan.tile_count(); ++t)
    for (std::uint32_t k = plan.first[t]; k < plan.first[t + 1]; ++k)
      if (const std::uint32_t body = plan.bodies[k]; plan.is_touched(body))
        rank[body] = deal.rank_of_tile(t);
  return rank;
}

std::vector<std::uint32_t> in(std::span<const Range> ranges) {
  std::vector<std::uint32_t> list;
  for (const Range range : ranges)
    for (Index i = range.begin; i < range.end; ++i) list.push_back(static_cast<std::uint32_t>(i));
  return list;
}

/// Calls test(plan, deal, rank) on each of some ranks.
template <class Test>
void on_ranks(const Test& test) {
  const SweepPlan plan = random_plan(7);
  const std::vector<Vec3> place = places();
  for (const int count : {1, 2, 3, 5}) {
    test::ThreadRanks all(count);
    all.run([&](int rank) {
      SCOPED_TRACE(testing::Message() << "rank " << rank << " of " << count);
      const Deal deal(*ranks(), plan, place);
      test(plan, deal, rank);
    });
  }
}

// Each tile has one rank, which lists it, phase by phase; the lists of all ranks are all tiles.
TEST(Deal, EachTileIsOfOneRank) {
  on_ranks([](const SweepPlan& plan, const Deal& deal, int rank) {
    std::vector<std::uint32_t> own;
    for (std::size_t p = 0; p + 1 < plan.phases.size(); ++p) {
      EXPECT_EQ(deal.own_first()[p], own.size());
      for (std::uint32_t t = plan.phases[p]; t < plan.phases[p + 1]; ++t)
        if (deal.rank_of_tile(t) == rank) own.push_back(t);
    }
    EXPECT_TRUE(std::ranges::equal(deal.own_tiles(), own));
    std::vector<std::size_t> all = deal.tiles().order;
    std::ranges::sort(all);
    std::vector<std::size_t> expected(plan.tile_count());
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    EXPECT_EQ(all, expected);
    EXPECT_EQ(deal.work(), std::accumulate(plan.weight.begin(), plan.weight.end(), 0.0));
  });
}

// A body is held by the rank that touches it last, and is here where a tile of this rank touches
// it; what no tile touches, and immovable bodies, are held by all.
TEST(Deal, BodiesAreHeldWhereTheyAreTouchedLast) {
  on_ranks([](const SweepPlan& plan, const Deal& deal, int rank) {
    const std::vector<std::set<int>> by = touching(plan, deal);
    const std::vector<int> last = last_touching(plan, deal);
    std::vector<std::uint32_t> here;
    std::set<std::uint32_t> held;
    for (std::uint32_t body = 0; body < kBodies; ++body) {
      EXPECT_EQ(deal.holder(body), last[body]) << body;
      const bool is_here = by[body].empty() || by[body].contains(rank);
      EXPECT_EQ(deal.is_here(body), is_here) << body;
      if (is_here) here.push_back(body);
      if (last[body] < 0 || last[body] == rank) held.insert(body);
      const auto touchers = deal.touchers(body);
      EXPECT_EQ(touchers.size(), by[body].size() > 1 ? by[body].size() : 0) << body;
      for (const int toucher : touchers) EXPECT_TRUE(by[body].contains(toucher)) << body;
    }
    EXPECT_EQ(in(deal.here()), here);
    const std::vector<std::uint32_t> ranges = in(deal.held());
    EXPECT_TRUE(std::ranges::includes(ranges, held));
    EXPECT_EQ(ranges.back(), kBodies);  // the row for empty lanes
  });
}

// Within a pass a body goes to each rank that touches it after another one has, so that it has
// what all before have made of it: followed by its hand-overs it comes back to where it began.
TEST(Deal, HandOversFollowThePhases) {
  on_ranks([](const SweepPlan& plan, const Deal& deal, int) {
    const int phases = static_cast<int>(plan.phases.size()) - 1;
    std::vector<std::vector<int>> rank_in(static_cast<std::size_t>(phases),
                                          std::vector<int>(kBodies, -1));
    for (int p = 0; p < phases; ++p)
      for (std::uint32_t t = plan.phases[p]; t < plan.phases[p + 1]; ++t)
        for (std::uint32_t k = plan.first[t]; k < plan.first[t + 1]; ++k)
          if (plan.is_touched(plan.bodies[k])) rank_in[p][plan.bodies[k]] = deal.rank_of_tile(t);
    std::vector<std::vector<Deal::HandOver>> of(kBodies);
    for (const Deal::HandOver& one : deal.hand_overs()) of[one.body].push_back(one);
    for (std::uint32_t body = 0; body < kBodies; ++body) {
      std::ranges::sort(of[body], {}, &Deal::HandOver::needed);
      int at = deal.holder(body);
      std::size_t next = 0;
      for (int p = 0; p < phases; ++p) {
        if (rank_in[p][body] < 0) continue;
        if (rank_in[p][body] == at) continue;
        ASSERT_LT(next, of[body].size()) << body;
        const Deal::HandOver& one = of[body][next++];
        EXPECT_EQ(one.from, at);
        EXPECT_EQ(one.to, rank_in[p][body]);
        EXPECT_EQ(one.needed, p);
        EXPECT_LT(one.sent, p);
        at = one.to;
      }
      EXPECT_EQ(next, of[body].size()) << body;
      EXPECT_EQ(at, deal.holder(body));
    }
  });
}

// What each rank has of its own bodies, complete() makes known to all; items of tiles collect().
TEST(Deal, CompletesWhatRanksHave) {
  on_ranks([](const SweepPlan& plan, const Deal& deal, int rank) {
    std::vector<Real> numbers(kBodies, -1);
    for (std::uint32_t body = 0; body < kBodies; ++body)
      if (deal.holder(body) < 0 || deal.holder(body) == rank) numbers[body] = 3 * body;
    deal.complete(std::span(numbers));
    for (std::uint32_t body = 0; body < kBodies; ++body) EXPECT_EQ(numbers[body], 3 * body);

    std::vector<int> of_tiles(2 * plan.tile_count(), -1);
    for (std::size_t t = 0; t < plan.tile_count(); ++t)
      if (deal.is_own(t)) of_tiles[2 * t] = of_tiles[2 * t + 1] = static_cast<int>(t);
    deal.collect(std::span(of_tiles), [](Index t, const auto& add) { add(2 * t, 2 * t + 2); });
    for (std::size_t i = 0; i < of_tiles.size(); ++i)
      EXPECT_EQ(of_tiles[i], static_cast<int>(i / 2));
  });
}

// From the holder a body goes to all others where it is here, and to the rank that adds up its
// piece where that has it not; sums of pieces can have all parts that ranks have of a body.
TEST(Deal, ExchangesReachWhomTheySay) {
  on_ranks([](const SweepPlan& plan, const Deal& deal, int rank) {
    const std::vector<std::set<int>> by = touching(plan, deal);
    std::vector<Real> numbers(kBodies, -1);
    for (std::uint32_t body = 0; body < kBodies; ++body)
      if (deal.holder(body) == rank) numbers[body] = body;
    const auto pack = [&](std::uint32_t body, Real* to) { *to = numbers[body]; };
    deal.to_others().exchange(1, pack, [&](std::uint32_t body, const Real* from) {
      EXPECT_TRUE(deal.is_here(body) && deal.holder(body) != rank);
      numbers[body] = *from;
    });
    deal.to_pieces().exchange(1, pack, [&](std::uint32_t body, const Real* from) {
      EXPECT_FALSE(deal.is_here(body));
      numbers[body] = *from;
    });
    std::vector<Real> parts(kBodies, 0);
    for (std::uint32_t body = 0; body < kBodies; ++body)
      if (by[body].contains(rank)) parts[body] = 1;
    std::vector<Real> sums = parts;
    deal.all_to_pieces().exchange(
        1, [&](std::uint32_t body, Real* to) { *to = parts[body]; },
        [&](std::uint32_t body, const Real* from) { sums[body] += *from; });
    for (std::uint32_t body = 0; body < kBodies; ++body) {
      if (by[body].empty()) continue;
      const bool adds_up = deal.rank_of_piece(body / Deal::kBodiesPerPiece) == rank;
      EXPECT_EQ(numbers[body], by[body].contains(rank) || adds_up ? body : -1.0) << body;
      EXPECT_EQ(sums[body], adds_up ? static_cast<Real>(by[body].size()) : parts[body]) << body;
    }
  });
}

// Items go in the order in which their ways were added, several numbers each, also twice.
TEST(ItemExchange, SendsWhatItsWaysSay) {
  const std::vector<ItemExchange::Way> ways{{0, 1, 5}, {0, 1, 2}, {2, 1, 9}, {1, 0, 5}, {0, 2, 5}};
  test::ThreadRanks all(3);
  all.run([&](int rank) {
    ItemExchange exchange(*ranks(), ways);
    for (const int width : {1, 3, 1}) {
      std::vector<std::vector<Real>> got;
      exchange.exchange(
          width,
          [&](std::uint32_t item, Real* to) {
            for (int k = 0; k < width; ++k) to[k] = 100 * rank + 10 * k + item;
          },
          [&](std::uint32_t item, const Real* from) {
            got.emplace_back(from, from + width);
            got.back().push_back(item);
          });
      std::vector<std::vector<Real>> expected;
      for (const int sender : {0, 1, 2})
        for (const ItemExchange::Way& way : ways) {
          if (way.to != rank || way.from != sender) continue;
          std::vector<Real> one;
          for (int k = 0; k < width; ++k) one.push_back(100 * sender + 10 * k + way.item);
          one.push_back(way.item);
          expected.push_back(one);
        }
      EXPECT_EQ(got, expected) << rank;
    }
  });
  EXPECT_EQ(all.work(1).messages, 3 * 4);
  EXPECT_EQ(all.work(1).bytes, (1 + 3 + 1) * 5 * sizeof(Real));
}

}  // namespace
}  // namespace talus::distribute::TALUS_TEST_FILE
