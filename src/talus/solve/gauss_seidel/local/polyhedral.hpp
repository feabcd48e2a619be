#pragma once

#include <vector>

#include <talus/solve/gauss_seidel/local/local_solution.hpp>

namespace talus::solve {

/// A regular polygon in the place of the friction disc: corners dⱼ at the angles 2πj/k and the
/// outward normals mⱼ of the sides between dⱼ and dⱼ₊₁.
class FrictionPolygon {
 public:
  /// @param sides k, even, ≥ 4 (contract).
  explicit FrictionPolygon(Index sides = 8);
  [[nodiscard]] const std::vector<Vec2>& corners() const { return corners_; }
  [[nodiscard]] const std::vector<Vec2>& normals() const { return normals_; }
  [[nodiscard]] Real inner_radius() const { return inner_radius_; }  ///< cos(π/k)
  [[nodiscard]] Real half_side() const { return half_side_; }        ///< sin(π/k)

 private:
  std::vector<Vec2> corners_, normals_;
  Real inner_radius_, half_side_;
};

/// Solves friction with a polygon P of directions at one contact in 3-D (Stewart & Trinkle 1996,
/// key `stewart_1996`).
///
/// Finds r with r_T = Dβ, 0 ≤ β ⟂ Dᵀu_T + λe ≥ 0, 0 ≤ r_N ⟂ u_N ≥ 0, 0 ≤ λ ⟂ μr_N − eᵀβ ≥ 0,
/// u = A r + b: r_T is the point of μ r_N P that opposes u_T most. By enumeration of what the
/// solutions of this LCP can be: stick; slip at a corner, r_T = μ r_N dⱼ; slip along a side, u_T =
/// −κ mⱼ; each in closed form. Several can hold: stick first, else the nearest to `previous`, else
/// the most dissipative. Where round-off leaves none, the one that violates the law least.
///
/// Limits: b_N ≥ 0 gives r = 0. μ = 0: r = (−b_N/a, 0, 0). Â (nearly) singular: shifted as in
/// solve_coulomb. NaN or infinity in gives NaN out. Other arguments as in solve_coulomb. Cost: no
/// allocation, O(k). Deterministic. Thread-safe.
[[nodiscard]] LocalSolution solve_polyhedral(const Mat3& A, const Vec3& b, Real friction,
                                             const Vec3& previous,
                                             const FrictionPolygon& polygon) noexcept;

}  // namespace talus::solve
