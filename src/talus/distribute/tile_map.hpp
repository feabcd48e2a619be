#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <talus/base/types.hpp>
#include <talus/math/vector.hpp>

namespace talus::distribute {

/// How tiles are dealt out to ranks. Results do not depend on it, only how much is sent.
enum class MapKind : unsigned char {
  curve,   ///< consecutive pieces of a Hilbert curve through the tiles' places, of equal weight
  slab,    ///< slices across the longest direction, of equal weight
  random,  ///< each by itself, from its number: what makes most messages
};

/// The rank of every tile. The same arguments give the same ranks on every machine.
/// @param place where each tile is [m]; finite. @param weight of each, its contacts.
/// @param ranks > 0. Cost O(tiles log tiles).
[[nodiscard]] std::vector<int> deal_out(MapKind kind, std::span<const Vec3> place,
                                        std::span<const std::uint32_t> weight, int ranks);

/// The kind that the variable TALUS_RANK_MAP of the environment names (curve, slab, random);
/// without it, the curve. @throws InputError for another name.
[[nodiscard]] MapKind map_kind_of_environment();

}  // namespace talus::distribute
