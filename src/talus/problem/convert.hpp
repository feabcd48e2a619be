#pragma once

#include <memory>
#include <string>

#include <talus/problem/bilateral_contact.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/rolling_contact.hpp>

namespace talus::problem {

/// The local form of a global problem and the way back: W = Hᵀ M⁻¹ H and b = Hᵀ M⁻¹ f + w, with
/// the columns (G, H) and the rows (b, w) where there are constraints.
///
/// M is scaled by its diagonal and factorised once, part by part. Entries of W that the elimination
/// leaves exactly zero are dropped. Cost: one factorisation and a solve per column of H.
/// @tparam Global GlobalFrictionContact, GlobalRollingFrictionContact or GlobalBilateralContact.
template <class Global>
class LocalForm {
 public:
  using Local = typename Global::Local;

  /// Throws InputError if M is singular (to 1e-14 of its scaled size), or if a contact moves
  /// nothing.
  /// @param problem valid (problem/validate). @param file named in messages.
  explicit LocalForm(const Global& problem, const std::string& file = "");
  ~LocalForm();
  LocalForm(LocalForm&&) noexcept;
  LocalForm& operator=(LocalForm&&) noexcept;

  [[nodiscard]] const Local& problem() const { return local_; }

  /// Velocities of the system v = M⁻¹(H r + f) for impulses r of the local form.
  [[nodiscard]] VecX velocity(const VecX& impulse) const;

 private:
  struct Factors;
  Local local_;
  std::unique_ptr<Factors> factors_;
};

extern template class LocalForm<GlobalFrictionContact>;
extern template class LocalForm<GlobalRollingFrictionContact>;
extern template class LocalForm<GlobalBilateralContact>;

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
