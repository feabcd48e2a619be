#pragma once

#include <talus/problem/bounded_friction.hpp>
#include <talus/problem/convert.hpp>

namespace talus::problem {

/// Bounded friction as an LCP in z = (β, λ), all joints' β first (Stewart & Trinkle 1996, section
/// 3.5, key `stewart_1996`).
///
/// Per joint, with k unit directions dⱼ at equal angles (±t where d = 1): r = Σⱼ βⱼ dⱼ,
///   0 ≤ β ⟂ u·dⱼ + λ ≥ 0,   0 ≤ λ ⟂ bound − Σβ ≥ 0.
/// The same solutions where d = 1; where d = 2 the disc becomes a polygon inside it: a relaxation
/// whose friction is up to a factor cos(π/k) too small and up to π/k off its direction.
/// @param problem valid. @param directions k, even, ≥ 4; ignored where d = 1 (k = 2).
/// Cost: dense memory ((k+1)m)².
[[nodiscard]] PolyhedralLcp to_lcp(const BoundedFriction& problem, Index directions);

}  // namespace talus::problem
