#pragma once

#include <vector>

#include <talus/dynamics/planar_machine.hpp>
#include <talus/stepping/machine/minimum_norm.hpp>

namespace talus::stepping::machine {

/// p M⁻¹ rᵀ: how much a unit force along r changes the rate of p.
[[nodiscard]] Real coupling(const dynamics::PlanarRow& p, const dynamics::PlanarRow& r,
                            const VecX& inverse_mass);

/// The bilateral constraints, eliminated: D λ = r with D = Φ_q M⁻¹ Φ_qᵀ.
///
/// Cholesky of D; where a pivot vanishes the constraints are redundant (or the position singular)
/// and, of all reactions that do the same, those with the least ‖λ‖₂ (SI units) are taken: equal
/// shares among equals. The rank is judged on D scaled to a unit diagonal. Nothing allocates after
/// the first call with as many rows. Cost O(rows²) + a factor.
class Elimination {
 public:
  void set(const std::vector<dynamics::PlanarRow>& rows, const VecX& inverse_mass);
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index rank() const { return rank_; }
  /// λ of D λ = r. @param lambda out, size() numbers; may be r itself.
  void solve(const VecX& r, VecX& lambda);

 private:
  MatX D_, factor_;
  VecX scale_, work_;
  MinimumNorm minimum_norm_;
  Index size_ = 0, rank_ = 0;
  bool is_regular_ = true;
};

}  // namespace talus::stepping::machine
