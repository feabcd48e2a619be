#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/problem/contact_colouring.hpp>

namespace talus::problem::TALUS_TEST_FILE {
namespace {

/// Bodies in a box, some of them immovable, and the pairs of those that are near to each other.
struct Crowd {
  std::vector<Vec3> position;
  std::vector<unsigned char> is_movable;
  std::vector<ScheduledPair> pairs;

  Crowd(std::uint64_t seed, std::uint32_t count, const Vec3& extent, Real reach) {
    Random random(seed);
    for (std::uint32_t i = 0; i < count; ++i) {
      position.emplace_back(random.uniform(0, extent.x()), random.uniform(0, extent.y()),
                            random.uniform(0, extent.z()));
      is_movable.push_back(i % 29 != 0);
    }
    for (std::uint32_t a = 0; a < count; ++a)
      for (std::uint32_t b = a + 1; b < count; ++b)
        if ((is_movable[a] || is_movable[b]) &&
            (position[b] - position[a]).squaredNorm() < reach * reach)
          pairs.push_back({a, b});
  }
};

std::vector<Crowd> crowds() {
  return {Crowd(1, 40, Vec3(1, 1, 1), 0.5),      // one tile
          Crowd(2, 3000, Vec3(1, 1, 1), 0.14),   // tiles in three directions
          Crowd(3, 3000, Vec3(9, 9, 0), 0.3),    // in two
          Crowd(4, 2000, Vec3(50, 0, 0), 0.15),  // in one
          Crowd(5, 300, Vec3(1, 1, 1), 2)};      // everybody touches everybody
}

// Every contact has exactly one place, and nothing else has one.
TEST(ContactColouring, PlacesEveryContactOnce) {
  ContactColouring schedule;
  for (const Crowd& crowd : crowds()) {
    schedule.build(crowd.pairs, crowd.position, crowd.is_movable);
    std::vector<int> count(crowd.pairs.size(), 0);
    for (const std::uint32_t c : schedule.contact_of_slot()) {
      if (c == ContactColouring::kEmpty) continue;
      ASSERT_LT(c, count.size());
      ++count[c];
    }
    EXPECT_EQ(std::count(count.begin(), count.end(), 1), std::ssize(count));
    std::uint32_t next = 0;
    for (const Tile tile : schedule.tiles()) {
      EXPECT_EQ(tile.first, next);
      EXPECT_LE(tile.first, tile.checked);
      EXPECT_LE(tile.checked, tile.end);
      next = tile.end;
    }
    EXPECT_EQ(next * kLanes, schedule.contact_of_slot().size());
    EXPECT_EQ(schedule.colours().back(), schedule.tiles().size());
  }
}

// The contacts of a batch share no movable body: eight at once give what one after the other gives.
TEST(ContactColouring, BatchesShareNoMovableBody) {
  ContactColouring schedule;
  for (const Crowd& crowd : crowds()) {
    schedule.build(crowd.pairs, crowd.position, crowd.is_movable);
    const auto slots = schedule.contact_of_slot();
    for (std::size_t batch = 0; batch < slots.size(); batch += kLanes) {
      std::set<std::uint32_t> bodies;
      for (const std::uint32_t c : slots.subspan(batch, kLanes)) {
        if (c == ContactColouring::kEmpty) continue;
        for (const std::uint32_t body : {crowd.pairs[c].a, crowd.pairs[c].b})
          if (crowd.is_movable[body]) {
            ASSERT_TRUE(bodies.insert(body).second) << "batch " << batch;
          }
      }
    }
  }
}

// Tiles of one colour share no movable body, so that any number of threads may take them at once.
TEST(ContactColouring, TilesOfAColourShareNoMovableBody) {
  ContactColouring schedule;
  std::size_t most_tiles = 0;
  for (const Crowd& crowd : crowds()) {
    schedule.build(crowd.pairs, crowd.position, crowd.is_movable);
    const auto slots = schedule.contact_of_slot();
    for (std::size_t colour = 0; colour + 1 < schedule.colours().size(); ++colour) {
      std::vector<int> owner(crowd.position.size(), -1);
      for (std::uint32_t t = schedule.colours()[colour]; t < schedule.colours()[colour + 1]; ++t) {
        const Tile tile = schedule.tiles()[t];
        for (std::uint32_t slot = tile.first * kLanes; slot < tile.end * kLanes; ++slot) {
          if (slots[slot] == ContactColouring::kEmpty) continue;
          const ScheduledPair pair = crowd.pairs[slots[slot]];
          for (const std::uint32_t body : {pair.a, pair.b}) {
            if (!crowd.is_movable[body]) continue;
            ASSERT_TRUE(owner[body] == -1 || owner[body] == static_cast<int>(t)) << "tile " << t;
            owner[body] = static_cast<int>(t);
          }
        }
      }
    }
    most_tiles = std::max(most_tiles, schedule.tiles().size());
  }
  EXPECT_GT(most_tiles, 8U) << "no crowd was cut into tiles";
}

// Batches before `checked` are full and know movable bodies only; nearly all of a large crowd's
// are.
TEST(ContactColouring, UncheckedBatchesAreFullAndMovable) {
  ContactColouring schedule;
  for (const Crowd& crowd : crowds()) {
    schedule.build(crowd.pairs, crowd.position, crowd.is_movable);
    const auto slots = schedule.contact_of_slot();
    for (const Tile tile : schedule.tiles())
      for (std::uint32_t slot = tile.first * kLanes; slot < tile.checked * kLanes; ++slot) {
        ASSERT_NE(slots[slot], ContactColouring::kEmpty);
        const ScheduledPair pair = crowd.pairs[slots[slot]];
        ASSERT_TRUE(crowd.is_movable[pair.a] && crowd.is_movable[pair.b]);
      }
  }
  const Crowd large(6, 4000, Vec3(1, 1, 1), 0.075);  // as many neighbours as balls in a bed
  schedule.build(large.pairs, large.position, large.is_movable);
  const Real fill =
      static_cast<Real>(large.pairs.size()) / static_cast<Real>(schedule.contact_of_slot().size());
  EXPECT_GT(fill, 0.9) << large.pairs.size() << " contacts in " << schedule.tiles().size()
                       << " tiles";
}

// Late contacts come together: in a bed where a third of them is late, most of these share their
// batches with late ones only, so that leaving such batches out leaves out most of them; and all
// have their place as before.
TEST(ContactColouring, LateContactsShareBatches) {
  const Crowd crowd(6, 4000, Vec3(1, 1, 1), 0.075);
  std::vector<unsigned char> is_late(crowd.pairs.size());
  Random random(9);
  for (unsigned char& late : is_late) late = random.uniform(0, 1) < 1.0 / 3 ? 1 : 0;
  ContactColouring schedule;
  schedule.build(crowd.pairs, crowd.position, crowd.is_movable, is_late);
  const auto slots = schedule.contact_of_slot();
  std::set<std::uint32_t> placed;
  Index late = 0, among_themselves = 0;
  for (std::size_t batch = 0; batch < slots.size(); batch += kLanes) {
    Index late_here = 0, here = 0;
    for (const std::uint32_t c : slots.subspan(batch, kLanes)) {
      if (c == ContactColouring::kEmpty) continue;
      placed.insert(c);
      ++here;
      late_here += is_late[c];
    }
    late += late_here;
    if (late_here == here) among_themselves += here;
  }
  EXPECT_EQ(placed.size(), crowd.pairs.size());
  EXPECT_GT(static_cast<Real>(among_themselves) / static_cast<Real>(late), 0.75);
}

}  // namespace
}  // namespace talus::problem::TALUS_TEST_FILE
