#include <talus/distribute/tile_map.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/base/random.hpp>

namespace talus::distribute {
namespace {

constexpr int kBits = 10;  // per direction of the curve

/// The place of a cube on Hilbert's curve through 2^30 of them (`skilling_2004`).
std::uint64_t hilbert(std::array<std::uint32_t, 3> x) {
  for (std::uint32_t q = 1u << (kBits - 1); q > 1; q >>= 1) {
    const std::uint32_t p = q - 1;
    for (std::uint32_t& axis : x) {
      if ((axis & q) != 0) {
        x[0] ^= p;
      } else {
        const std::uint32_t t = (x[0] ^ axis) & p;
        x[0] ^= t;
        axis ^= t;
      }
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t t = 0;
  for (std::uint32_t q = 1u << (kBits - 1); q > 1; q >>= 1)
    if ((x[2] & q) != 0) t ^= q - 1;
  for (std::uint32_t& axis : x) axis ^= t;
  std::uint64_t key = 0;
  for (int bit = kBits - 1; bit >= 0; --bit)
    for (const std::uint32_t axis : x) key = key << 1 | (axis >> bit & 1);
  return key;
}

/// Numbers by which tiles are sorted.
std::vector<std::uint64_t> keys_of(MapKind kind, std::span<const Vec3> place) {
  std::vector<std::uint64_t> keys(place.size());
  if (place.empty()) return keys;
  Vec3 low = place[0], high = place[0];
  for (const Vec3& p : place) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  Index longest = 0;
  const Real width = (high - low).maxCoeff(&longest);
  if (!(width > 0)) return keys;
  const auto part = [&](const Vec3& p, Index k) {
    constexpr Real kMost = (1 << kBits) - 1;
    return static_cast<std::uint32_t>((p[k] - low[k]) / width * kMost);
  };
  for (std::size_t t = 0; t < place.size(); ++t)
    keys[t] = kind == MapKind::slab
                  ? part(place[t], longest)
                  : hilbert({part(place[t], 0), part(place[t], 1), part(place[t], 2)});
  return keys;
}

}  // namespace

std::vector<int> deal_out(MapKind kind, std::span<const Vec3> place,
                          std::span<const std::uint32_t> weight, int ranks) {
  TALUS_DEMAND(ranks > 0 && weight.size() == place.size());
  std::vector<int> rank(place.size());
  if (kind == MapKind::random) {
    for (std::size_t t = 0; t < rank.size(); ++t) {
      Random random(t);
      rank[t] = static_cast<int>(random.bits() % static_cast<std::uint64_t>(ranks));
    }
    return rank;
  }
  const std::vector<std::uint64_t> keys = keys_of(kind, place);
  std::vector<std::uint32_t> order(place.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  const std::uint64_t total = std::accumulate(weight.begin(), weight.end(), std::uint64_t{0});
  std::uint64_t before = 0;
  for (const std::uint32_t t : order) {  // by where the middle of the tile is among all contacts
    const std::uint64_t twice = 2 * before + weight[t];
    const std::uint64_t piece =
        total == 0 ? 0 : twice * static_cast<std::uint64_t>(ranks) / (2 * total);
    rank[t] = static_cast<int>(std::min(piece, static_cast<std::uint64_t>(ranks - 1)));
    before += weight[t];
  }
  return rank;
}

MapKind map_kind_of_environment() {
  const char* name = std::getenv("TALUS_RANK_MAP");
  const std::string_view word = name == nullptr ? "curve" : name;
  if (word == "curve") return MapKind::curve;
  if (word == "slab") return MapKind::slab;
  if (word == "random") return MapKind::random;
  throw InputError(Diagnostic{{"TALUS_RANK_MAP"},
                              "",
                              "no map of tiles to ranks is called \"" + std::string(word) + '"',
                              "",
                              "allowed are curve, slab and random"});
}

}  // namespace talus::distribute
