#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <talus/base/random.hpp>
#include <talus/collision/broad_phase.hpp>
#include <talus/collision/periodic_broad_phase.hpp>

#include "support/thread_ranks.hpp"

namespace talus::collision::TALUS_TEST_FILE {
namespace {

using geometry::Aabb;

struct Boxes {
  std::vector<Aabb> boxes;
  std::vector<unsigned char> is_movable;
};

/// Cubes with sizes between 1 and a ratio, number ∝ size⁻³, in a cloud; some immovable; two
/// unbounded.
Boxes cloud(Random& random, int count, Real ratio) {
  Boxes set;
  const Real extent = 2 * std::cbrt(Real(count));
  for (int i = 0; i < count; ++i) {
    const Real size = std::min(ratio, std::pow(random.uniform(1e-6, 1), -1.0 / 3));
    const Vec3 centre(random.uniform(-extent, extent), random.uniform(-extent, extent),
                      random.uniform(-extent, extent));
    set.boxes.push_back({centre.array() - size / 2, centre.array() + size / 2});
    set.is_movable.push_back(random.uniform() < 0.9);
  }
  const Vec3 infinite = Vec3::Constant(INFINITY);
  set.boxes.push_back({-infinite, Vec3(INFINITY, INFINITY, 0)});
  set.boxes.push_back({-infinite, infinite});
  set.is_movable.insert(set.is_movable.end(), 2, 0);
  return set;
}

bool have_common_point(const Aabb& a, const Aabb& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

std::vector<Pair> brute_force(const Boxes& set) {
  std::vector<Pair> pairs;
  for (std::uint32_t i = 0; i < set.boxes.size(); ++i)
    for (std::uint32_t j = i + 1; j < set.boxes.size(); ++j)
      if ((set.is_movable[i] || set.is_movable[j]) && have_common_point(set.boxes[i], set.boxes[j]))
        pairs.push_back({i, j});
  return pairs;
}

// The broad phase finds exactly the pairs that comparing all with all finds, in the same order, for
// equal and for very unequal sizes, bounded or not, anywhere in space.
TEST(BroadPhase, AgreesWithBruteForce) {
  for (const Real ratio : {1.0, 10.0, 100.0})
    for (const Real offset : {0.0, 1e6}) {
      Random random(static_cast<std::uint64_t>(ratio + offset) + 1);
      Boxes set = cloud(random, 2000, ratio);
      for (Aabb& box : set.boxes) {
        box.lower.array() += offset;
        box.upper.array() += offset;
      }
      const std::vector<Pair> expected = brute_force(set);
      ASSERT_GT(expected.size(), 1000U);
      BroadPhase broad_phase;
      std::vector<Pair> pairs;
      broad_phase.find(set.boxes, set.is_movable, pairs);
      EXPECT_TRUE(pairs == expected) << "ratio " << ratio << ", offset " << offset << ": "
                                     << pairs.size() << " of " << expected.size();
    }
}

// So many boxes that several pieces of them are bounded one by one, none of which holds the others.
TEST(BroadPhase, FindsPairsOfAllPieces) {
  Random random(7);
  std::vector<Vec3> centres(5000);
  for (Vec3& centre : centres)
    centre = {random.uniform(0, 20), random.uniform(0, 20), random.uniform(0, 20)};
  std::sort(centres.begin(), centres.end(),
            [](const Vec3& one, const Vec3& other) { return one.x() < other.x(); });
  for (const bool is_turned : {false, true}) {
    if (is_turned) std::reverse(centres.begin(), centres.end());
    Boxes set;
    for (const Vec3& centre : centres)
      set.boxes.push_back({centre.array() - 0.4, centre.array() + 0.4});
    set.is_movable.assign(centres.size(), 1);
    std::vector<Pair> pairs;
    BroadPhase().find(set.boxes, set.is_movable, pairs);
    EXPECT_TRUE(pairs == brute_force(set)) << pairs.size();
    EXPECT_GT(pairs.size(), 5000U);
  }
}

// Only pairs that are wanted come out; the others are as without. In a periodic cell the question
// is put for the bodies, whichever of their images meet.
TEST(BroadPhase, KeepsWhatIsWanted) {
  Random random(5);
  const Boxes set = cloud(random, 1000, 10);
  const auto is_even = [](Pair pair) {
    EXPECT_LT(pair.a, pair.b);
    EXPECT_LT(pair.b, 1002U);
    return (pair.a + pair.b) % 2 == 0;
  };
  PeriodicBroadPhase broad_phase;
  for (const PeriodicCell& cell : {PeriodicCell(), PeriodicCell(Vec3(0, -20, 0), Vec3(0, 40, 0))}) {
    std::vector<Pair> all, kept;
    broad_phase.find(set.boxes, set.is_movable, cell, all);
    broad_phase.find(set.boxes, set.is_movable, cell, kept, is_even);
    EXPECT_GT(kept.size(), 100U);
    std::erase_if(all, [&](Pair pair) { return !is_even(pair); });
    EXPECT_TRUE(kept == all) << kept.size() << " of " << all.size();
  }
}

// Ranks that share the search find what one finds.
TEST(BroadPhase, IsThatOfOneRank) {
  Random random(6);
  const Boxes set = cloud(random, 5000, 20);
  std::vector<Pair> alone;
  BroadPhase().find(set.boxes, set.is_movable, alone);
  for (const int count : {2, 3}) {
    test::ThreadRanks all(count);
    all.run([&](int rank) {
      std::vector<Pair> shared;
      BroadPhase().find(set.boxes, set.is_movable, shared);
      EXPECT_TRUE(shared == alone) << "rank " << rank << " of " << count;
    });
  }
}

// Degenerate input: no boxes, one box, points, boxes that coincide, boxes that touch in a face
// Empty boxes meet nothing, unbounded boxes included, and change nothing for the others.
TEST(BroadPhase, SkipsEmptyBoxes) {
  Random random(4);
  const Boxes all = cloud(random, 200, 20);
  Boxes holes = all;
  for (std::size_t i = 0; i < 200; i += 3)
    holes.boxes[i] = {Vec3::Constant(INFINITY), Vec3::Constant(-INFINITY)};
  std::vector<Pair> expected, found;
  BroadPhase().find(all.boxes, all.is_movable, expected);
  const std::size_t before = expected.size();
  std::erase_if(expected, [](const Pair& pair) {
    return (pair.a < 200 && pair.a % 3 == 0) || (pair.b < 200 && pair.b % 3 == 0);
  });
  EXPECT_LT(expected.size(), before);
  BroadPhase().find(holes.boxes, holes.is_movable, found);
  EXPECT_EQ(found, expected);
  // Nothing but planes and bodies that are not there.
  for (std::size_t i = 0; i < 200; ++i) holes.boxes[i] = holes.boxes[0];
  BroadPhase().find(holes.boxes, holes.is_movable, found);
  EXPECT_TRUE(found.empty());
}

// (which count).
TEST(BroadPhase, TakesDegenerateBoxes) {
  BroadPhase broad_phase;
  std::vector<Pair> pairs = {{1, 2}};
  broad_phase.find({}, {}, pairs);
  EXPECT_TRUE(pairs.empty());
  const Aabb point{Vec3::Zero(), Vec3::Zero()}, unit{Vec3::Zero(), Vec3::Ones()},
      next{Vec3(1, 0, 0), Vec3(2, 1, 1)};
  const std::vector<Aabb> boxes = {point, point, unit, next, unit};
  const std::vector<unsigned char> movable = {1, 1, 1, 1, 0};
  broad_phase.find(boxes, movable, pairs);
  const std::vector<Pair> expected = {{0, 1}, {0, 2}, {0, 4}, {1, 2},
                                      {1, 4}, {2, 3}, {2, 4}, {3, 4}};
  EXPECT_TRUE(pairs == expected);
}

}  // namespace
}  // namespace talus::collision::TALUS_TEST_FILE
