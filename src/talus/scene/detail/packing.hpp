#pragma once

#include <vector>

#include <talus/math/periodic_cell.hpp>
#include <talus/scene/detail/generate.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Balls that are to be packed, and how well it went.
struct Packing {
  std::vector<Vec3> centre;
  Index sweeps = 0;
  Real shrink = 1;  ///< factor ≤ 1 of the balls' sizes at which none overlaps: 1 is a success
};

/// Packs balls into a box by removing overlaps, from random places: in every sweep each overlapping
/// pair is moved apart along its line of centres, in order and at once (Gauss–Seidel), and balls
/// beyond a wall are moved back, until nothing overlaps (after Jodrey & Tory 1985, key
/// `jodrey_1985`, without their shrinking of the balls: below the density of random close packing,
/// 0.64 for equal balls, overlaps vanish; key `ohern_2003`). The same on every machine.
/// @param radius of each ball [m] > 0. @param gap least distance between two [m] ≥ 0.
/// @param cell along the periodic directions that the region fills there are no walls.
/// O(balls) per sweep; about 10² sweeps at a fraction of 0.55, 10³ at 0.62.
[[nodiscard]] Packing pack(const std::vector<Real>& radius, const RegionSpec& region, Real gap,
                           const PeriodicCell& cell, std::uint64_t seed);

/// Members of a packing, and how it went.
struct PackedMembers {
  std::vector<Member> members;
  Real fraction = 0;  ///< of the region that their bounding balls fill
  Real shrink = 1;    ///< as in Packing
  Index sweeps = 0;
};

/// Members as many as asked, or as fill the fraction, to half a body. @param radius of the bounding
/// ball at scale 1 [m] > 0. Contract: the region holds the largest ball.
[[nodiscard]] PackedMembers generate_packing(const PackingSpec& spec, Real radius,
                                             const PeriodicCell& cell);

}  // namespace talus::scene::detail
