#pragma once

#include <memory>
#include <string>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/solution.hpp>

namespace talus::laws {

/// A friction force F and the rate that it works on, between two bounds that may follow a normal
/// force: lower_slope N + lower ≤ F ≤ upper_slope N + upper.
///
/// A candidate for stick has both bounds apart, 0 ∈ rate + N_[lower, upper](F): F is at its upper
/// bound if the rate is negative, at its lower one if it is positive, between them if it is 0. A
/// friction that is known to slide has the two bounds in one: F = upper_slope N + upper.
struct FrictionRow {
  Index normal = -1;  ///< whose N it follows, a position among the normals; −1: none
  Real lower_slope = 0, upper_slope = 0;
  Real lower = 0, upper = 0;  ///< [N], or [N·s] for impulses
  [[nodiscard]] bool is_candidate() const { return lower_slope != upper_slope || lower != upper; }
};

/// Unilateral normal forces N and friction forces, together in one LCP, at the level of
/// accelerations (forces) or of velocities (impulses):
///   rate = G (N, F) + b,   0 ≤ rate_N ⟂ N ≥ 0,   friction as above.
/// Rows: the normals, then the frictions. Bilateral constraints are eliminated from G before.
struct ContactLcp {
  MatX G;
  VecX b;
  std::vector<FrictionRow> frictions;
  Real noise = 0;  ///< rates b this small over √G_ii are round-off and taken as 0 [√kg m/s²], or
                   ///< [√kg m/s]
  bool is_impact = false;  ///< rates are velocities, and b is one but for restitution
  [[nodiscard]] Index normal_count() const {
    return b.size() - static_cast<Index>(frictions.size());
  }
};

/// The LCP. With F = upper_slope N + upper − F⁻ and rate = g⁺ − g⁻ its unknowns are
/// z = [N; F⁻; g⁺] and w = [rate_N; g⁻; F⁺], F⁺ = F − lower bound, the latter two for the
/// candidates only (`pfeiffer_1996` §5.3). Where all normal forces are known it is the reduced LCP
/// of `wang_2015`, [g⁻; F⁺] = [[W, 1]; [−1, 0]] [F⁻; g⁺] + [−W μ₀ F_N − b; 2 μ₀ F_N], with 2H
/// unknowns.
/// @throws InputError where a lower bound lies above its upper one at N ≥ 0: the data are those of
///   a normal force that pulls, and no friction can be told from it.
[[nodiscard]] problem::Lcp to_lcp(const ContactLcp& contacts);

/// The same problem with friction in two parts, F = f₀ + a − c, f₀ the point of [lower, upper]
/// nearest to 0: z = [N; a; c; λ_a; λ_c], w = [rate_N; rate_F + λ_a; −rate_F + λ_c; upper − f₀ +
/// upper_slope N − a; f₀ − lower − lower_slope N − c] (as of `stewart_1996`, with a λ for each
/// bound).
///
/// Twice as large, and copositive, zᵀM z ≥ 0 for z ≥ 0, where G is positive semidefinite, no
/// friction is known to slide and slopes have the signs of their bounds: then Lemke's method ends
/// with an answer if b is a velocity, b ∈ range G, as in an impact without restitution; on to_lcp
/// it may end on a ray there. @throws InputError as to_lcp.
[[nodiscard]] problem::Lcp to_split_lcp(const ContactLcp& contacts);

/// Answer to a ContactLcp. Where G is singular the forces are one choice of many, the rates are
/// not.
struct ContactForces {
  VecX force;  ///< normals, then frictions
  VecX rate;   ///< the same
  problem::SolveStatus status = problem::SolveStatus::not_run;
  certify::Certificate certificate;
  std::string detail;
  std::shared_ptr<const problem::Lcp> unsolved;  ///< the LCP, where the status is not converged
  Index pivots = 0;
  Index answers = 0;          ///< with different rates, where all states were tried
  bool is_ambiguous = false;  ///< there may be others, and none of them is the one to take
};

/// Solves it by Lemke's method on to_lcp and, of an impact, on to_split_lcp where that finds
/// nothing; certified at 1e-9. Of accelerations only the first: what it does not find all states
/// of the contacts tell (contact_states).
/// @param guess forces that may be an answer, or empty. @throws InputError as to_lcp.
[[nodiscard]] ContactForces solve(const ContactLcp& contacts, const VecX& guess = {});

/// z of to_lcp for forces that satisfy the laws.
[[nodiscard]] VecX unknowns_of(const ContactLcp& contacts, const VecX& force);

/// Whether sliding friction makes the normal forces ambiguous: some principal minor of
/// S = ∂rate_N/∂N (friction of those that slide included) is negative. Then there are data for
/// which no force, or more than one, satisfies the laws (Painlevé). Frictions that may stick are
/// left out: their law alone has a solution always. Looks at the minors of at most 8 normals
/// together, of the single ones where there are more.
[[nodiscard]] bool is_ambiguous(const ContactLcp& contacts);

}  // namespace talus::laws
