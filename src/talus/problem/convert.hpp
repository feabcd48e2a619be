#pragma once

#include <memory>
#include <string>

#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>

namespace talus::problem {

/// The local form of a global problem, W = Hᵀ M⁻¹ H and b = Hᵀ M⁻¹ f + w, and the way back.
///
/// M is scaled by its diagonal and factorised once (sparse LU). Entries of W that the elimination
/// leaves exactly zero are dropped. Cost: one factorisation and dm solves.
class LocalForm {
 public:
  /// Throws InputError if M is singular (to 1e-14 of its scaled size), or if a contact moves
  /// nothing.
  /// @param problem valid (problem/validate). @param file named in messages.
  explicit LocalForm(const GlobalFrictionContact& problem, const std::string& file = "");
  ~LocalForm();
  LocalForm(LocalForm&&) noexcept;
  LocalForm& operator=(LocalForm&&) noexcept;

  [[nodiscard]] const FrictionContact& problem() const { return local_; }

  /// Velocities of the system v = M⁻¹(H r + f) for impulses r.
  [[nodiscard]] VecX velocity(const VecX& impulse) const;

 private:
  struct Factors;
  FrictionContact local_;
  std::unique_ptr<Factors> factors_;
};

/// Friction cones replaced by pyramids: an LCP in z = (β, r_N, λ), all contacts' β first.
///
/// Per contact, with k unit directions dⱼ at equal angles (dⱼ = cos(2πj/k) t1 + sin(2πj/k) t2; ±t
/// in 2-D): r_T = Σⱼ βⱼ dⱼ, 0 ≤ β ⟂ u_T·dⱼ + λ ≥ 0, 0 ≤ r_N ⟂ u_N ≥ 0, 0 ≤ λ ⟂ μ r_N − Σβ ≥ 0
/// (Stewart & Trinkle 1996, key `stewart_1996`). Exact in 2-D, a relaxation in 3-D.
struct PolyhedralLcp {
  Lcp lcp;               ///< (k+2)m unknowns
  SparseMatrix impulse;  ///< r = impulse · z, dm×(k+2)m
};

/// @param problem valid local problem. @param directions k, even, ≥ 4; ignored in 2-D (k = 2).
/// Cost: dense memory ((k+2)m)².
[[nodiscard]] PolyhedralLcp to_lcp(const FrictionContact& problem, Index directions);

}  // namespace talus::problem
