#pragma once

#include <memory>

#include <talus/stepping/scheme.hpp>

namespace talus::stepping {

/// Stewart & Trinkle's implicit time stepping at position level (key `stewart_1996`), inelastic
/// impacts, for rigid bodies in 3-D.
///
/// With q* = q + h v the predictor, n, D, M and the gap f taken there,
///   M (v' − v) = n c_n + D β + h f_ext,   q' = q + h v',
///   0 ≤ λ e + Dᵀ v' ⟂ β ≥ 0,   0 ≤ n·v' + (f(q*)/h − n·v) ⟂ c_n ≥ 0,   0 ≤ μ c_n − eᵀβ ⟂ λ ≥ 0
/// (eqs. (17) and (29); nᵀq' − α₀ = f(q*) + h n·(v' − v) because α₀ is formed at q*). The tangents
/// are the paper's, t1 = n × ẑ, t2 = t1 × n (x̂ and ŷ where n is vertical), k directions at equal
/// angles. In the LCP are the contacts that are violated at q* and those that were active in the
/// last step; after a solve the contacts that are violated at q' and were not in it are added, and
/// the LCP is solved again. Solver "lemke" ("auto" here) solves the LCP and
/// certifies it as the LCP it is; any other solver takes the circular cone at the same positions (k
/// → ∞) and is certified for exact Coulomb friction. Deviation: rotations are integrated by
/// dynamics::rotate_freely, which carries the gyroscopic term. Restitution is not part of the
/// method: see unsupported().
[[nodiscard]] std::unique_ptr<Scheme> make_stewart_trinkle(const model::Model& model,
                                                           const SchemeOptions& options);

/// The paper's contact frame (n, t1, t2) as columns.
[[nodiscard]] Mat3 stewart_trinkle_frame(const Vec3& normal);

}  // namespace talus::stepping
