#pragma once

#include <cstdint>
#include <vector>

#include <talus/math/periodic_cell.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Balls that are to be packed, and how well it went.
struct Packing {
  std::vector<Vec3> centre;
  /// Factor of the balls' radii and the gap at which nothing overlaps: 1 is a success.
  Real shrink = 1;
};

/// Packs balls into a box by removing overlaps, from random places: in every sweep each overlapping
/// pair is moved apart along its line of centres, in order and at once (Gauss–Seidel), and balls
/// beyond a wall are moved back, until nothing overlaps (after Jodrey & Tory 1985, key
/// `jodrey_1985`, without their shrinking of the balls: below the density of random close packing,
/// 0.64 for equal balls, overlaps vanish; key `ohern_2003`). The same on every machine.
/// Where overlaps decay too slowly to vanish, everything is shrunk step by step until they do.
/// @param radius of each ball [m] > 0; the box holds the largest (contract).
/// @param gap least distance between two [m] ≥ 0.
/// @param cell along the periodic directions that the region fills there are no walls.
/// O(balls) per sweep; 3·10² sweeps at a fraction of 0.58 in a periodic cell, 3·10³ at 0.62.
[[nodiscard]] Packing pack(const std::vector<Real>& radius, const RegionSpec& region, Real gap,
                           const PeriodicCell& cell, std::uint64_t seed);

}  // namespace talus::scene::detail
