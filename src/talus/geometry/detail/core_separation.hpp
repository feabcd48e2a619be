#pragma once

#include <talus/geometry/detail/gjk.hpp>
#include <talus/geometry/detail/sat.hpp>

namespace talus::geometry::detail {

/// Signed distance of two cores (radii left out), in the frame of A.
struct CoreSeparation {
  bool beyond = false;  ///< farther apart than the cut-off: nothing else is valid
  Real gap = 0;         ///< [m]
  Real certified = 0;   ///< s(normal) [m] ≤ gap
  Vec3 normal = Vec3::UnitZ();
  bool has_witness = true;  ///< on_a and on_b are set; else find_witness does it
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  bool has_axes = false;  ///< the axes were tested: overlapping or nearly touching
  Sat axes;
  int iteration_count = 0;
};

/// Distance by GJK while the cores are certified apart; the best separating axis when they overlap;
/// both when nearly touching (1e-7 of the size), where the direction of GJK is round-off and the
/// normal is the axis with the larger support gap. The two bounds meet to round-off except at
/// vertices within that distance.
/// @param cutoff distance [m] beyond which the answer is only `beyond`.
[[nodiscard]] CoreSeparation core_separation(const CorePair& pair, Real cutoff,
                                             const Vec3& start = Vec3::Zero());

/// Sets the witnesses of overlapping cores: where they touch once B is moved out along the normal.
void find_witness(const CorePair& pair, CoreSeparation& sep);

}  // namespace talus::geometry::detail
