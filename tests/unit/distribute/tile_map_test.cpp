#include <talus/distribute/tile_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace talus::distribute::TALUS_TEST_FILE {
namespace {

/// Tiles on a grid of 8 × 8 × 4, with weights from 1 to 7.
struct Tiles {
  std::vector<Vec3> place;
  std::vector<std::uint32_t> weight;
  Tiles() {
    for (int x = 0; x < 8; ++x)
      for (int y = 0; y < 8; ++y)
        for (int z = 0; z < 4; ++z) {
          place.emplace_back(x, y, z);
          weight.push_back(static_cast<std::uint32_t>(1 + (3 * x + 5 * y + z) % 7));
        }
  }
};

/// Faces between tiles of different ranks.
int cut(const Tiles& tiles, const std::vector<int>& rank) {
  int faces = 0;
  for (std::size_t a = 0; a < rank.size(); ++a)
    for (std::size_t b = a + 1; b < rank.size(); ++b)
      if (rank[a] != rank[b] && (tiles.place[a] - tiles.place[b]).lpNorm<1>() == 1) ++faces;
  return faces;
}

// Curve and slabs give every rank its share of the weight, to within the heaviest tile; the curve
// cuts fewer faces than slabs, and both far fewer than chance.
TEST(TileMap, SharesAreEqualAndCompact) {
  const Tiles tiles;
  const double total = std::accumulate(tiles.weight.begin(), tiles.weight.end(), 0.0);
  for (const int ranks : {1, 2, 3, 5, 8, 16}) {
    std::vector<int> faces;
    for (const MapKind kind : {MapKind::curve, MapKind::slab, MapKind::random}) {
      const std::vector<int> rank = deal_out(kind, tiles.place, tiles.weight, ranks);
      faces.push_back(cut(tiles, rank));
      std::vector<double> load(static_cast<std::size_t>(ranks), 0);
      for (std::size_t t = 0; t < rank.size(); ++t) {
        ASSERT_TRUE(rank[t] >= 0 && rank[t] < ranks);
        load[static_cast<std::size_t>(rank[t])] += tiles.weight[t];
      }
      if (kind == MapKind::random) continue;
      for (const double one : load) EXPECT_LE(std::abs(one - total / ranks), 7);
    }
    if (ranks == 1) continue;
    EXPECT_LT(2 * faces[0], faces[2]) << ranks;
    if (ranks < 8) continue;
    EXPECT_LT(faces[0], faces[1]) << ranks;
  }
}

// More ranks than tiles leave some without work; tiles in one place, or none at all, are no error.
TEST(TileMap, FewTiles) {
  const std::vector<Vec3> place(3, Vec3(1, 2, 3));
  const std::vector<std::uint32_t> weight = {4, 4, 4};
  std::vector<int> rank = deal_out(MapKind::curve, place, weight, 8);
  EXPECT_TRUE(std::is_sorted(rank.begin(), rank.end()));
  EXPECT_LT(rank[0], rank[1]);
  EXPECT_LT(rank[1], rank[2]);
  EXPECT_TRUE(deal_out(MapKind::slab, {}, {}, 4).empty());
}

}  // namespace
}  // namespace talus::distribute::TALUS_TEST_FILE
