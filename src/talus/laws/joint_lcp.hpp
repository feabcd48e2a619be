#pragma once

#include <vector>

#include <talus/laws/contact_lcp.hpp>
#include <talus/laws/contact_modes.hpp>

namespace talus::laws {

/// A joint without play whose friction is pressed by its own reaction. That follows from all forces
/// of the problem, λ = free + X (N, F), and so do the bounds of the friction row: they get
/// lower_slope P and upper_slope P more, P the press.
struct JointNormalForce {
  Index friction = 0;  ///< its row, a position among ContactLcp::frictions
  const FrictionElement* element = nullptr;
  Real lower_slope = 0, upper_slope = 0;  ///< both the same where it is known to slide
  Vec2 free = Vec2::Zero();               ///< its two reactions without the forces of the problem
  MatX X;                                 ///< their change by every force, 2 × rows
  Real preload = 0;                       ///< [N], or [N·s] for impulses
};

/// A guide has two sides at each of its ends, and is pressed against one of them: with
/// λ_e = N⁺ − N⁻ the force across at an end, 0 ≤ N⁺ ⟂ N⁻ ≥ 0, and P = preload + Σ (N⁺ + N⁻).
/// Together with stick and slip it is a horizontal LCP (`wang_2013`), here solved as an LCP in
/// which that of the two is eliminated that presses without this friction; where Lemke's method
/// ends on a ray, the other sides in turn, 16 choices at most. A pin is pressed along λ: its ‖λ‖ is
/// taken along the direction of the last answer until that stands still to 1e-12.
///
/// The answer is exact also where friction is so large that passing reactions and friction back and
/// forth does not converge; a jammed joint (no answer, or infinitely many) has the status
/// `infeasible` or what Lemke's method says.
/// @param guess forces that may be an answer, or empty.
[[nodiscard]] ContactForces solve(const ContactLcp& contacts,
                                  const std::vector<JointNormalForce>& joint_normals,
                                  const VecX& guess = {});

/// The LCP of guides, and of pins along directions.
/// @param expected λ per press: of a guide its signs count, of a pin its direction.
/// @param flips bit e: the other side of end e than expected. Ends are counted over the presses: a
/// guide with a length has two, all others have one.
struct JointLcp {
  problem::Lcp lcp;
  MatX P;      ///< (N, F) = P z + fixed
  VecX fixed;  ///< per force
};
[[nodiscard]] JointLcp to_lcp(const ContactLcp& contacts,
                              const std::vector<JointNormalForce>& joint_normals,
                              const std::vector<Vec2>& expected, unsigned flips = 0);

}  // namespace talus::laws
