#pragma once

#include <talus/geometry/detail/core.hpp>

namespace talus::geometry::detail {

/// Distance of two cores with both bounds that prove it.
struct GjkResult {
  bool overlap = false;  ///< the cores meet, or no axis was found that separates them
  bool beyond = false;   ///< the cores are farther apart than the cut-off: only `lower` is valid
  Real distance = 0;     ///< |on_b − on_a| [m], an upper bound of the distance
  Real lower = 0;        ///< s(normal) [m], a lower bound of it
  Vec3 normal = Vec3::UnitZ();  ///< unit, from A to B; meaningless when the distance is round-off
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
  int iteration_count = 0;
};

inline constexpr int kGjkMaxIterations = 64;

/// Closest points of two cores, in the frame of A (Gilbert, Johnson & Keerthi 1988, key
/// `gilbert_1988`).
///
/// Stops when the distance and the support gap of its direction agree to 4 ε of the size, when a
/// step no longer comes closer (round-off), or when the support gap exceeds the cut-off.
/// @param start first direction, any length; the zero vector means: centre to centre.
[[nodiscard]] GjkResult gjk(const CorePair& pair, Real cutoff, const Vec3& start = Vec3::Zero());

}  // namespace talus::geometry::detail
