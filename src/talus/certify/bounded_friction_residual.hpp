#pragma once

#include <talus/certify/certificate.hpp>
#include <talus/problem/bounded_friction.hpp>

namespace talus::certify {

/// Certificate of impulses r for friction of given bounds, u = W r + b recomputed here.
///
/// K is the ball of each joint, ‖r‖ ≤ bound. As in a cone problem r and ρu become r̃ = r/√ρ and
/// ũ = √ρ u, ρᵢ = d/tr W_ii, so that joints that slide and joints that turn may stand side by side:
/// natural_map = ‖r̃ − P_K̃(r̃ − ũ)‖/‖r̃‖, where r = 0 over ‖P_K̃(−b̃)‖. K is bounded, so dual = 0;
/// complementarity = Σ (boundᵢ‖uᵢ‖ + rᵢ·uᵢ) / Σ r̃·r̃. worst_contact is a joint. Cost: one product
/// with W.
[[nodiscard]] Certificate certify(const problem::BoundedFriction& problem, const VecX& r);

}  // namespace talus::certify
