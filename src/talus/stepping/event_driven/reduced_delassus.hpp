#pragma once

#include <vector>

#include <talus/dynamics/constraint_factor.hpp>

namespace talus::stepping::event_driven {

/// What forces along some rows do to the rates of these rows once the bilateral constraints have
/// answered: G = J M⁻¹ Jᵀ − J M⁻¹ Φ_qᵀ D⁻¹ Φ_q M⁻¹ Jᵀ. For events: allocates.
class ReducedDelassus {
 public:
  ReducedDelassus(const std::vector<dynamics::JacobianRow>& constraints,
                  const dynamics::MassMatrix& mass, std::vector<dynamics::JacobianRow> rows);
  [[nodiscard]] const MatX& G() const { return G_; }
  [[nodiscard]] const std::vector<dynamics::JacobianRow>& rows() const { return rows_; }
  /// λ that forces (or impulses) along the rows call forth.
  [[nodiscard]] VecX reaction(const VecX& force) const { return -(X_ * force); }
  /// Some rows of the matrix of reaction().
  [[nodiscard]] MatX reactions(Index first, Index count) const {
    return -X_.middleRows(first, count);
  }
  /// v += M⁻¹ (Jᵀ force + Φ_qᵀ reaction(force)).
  void apply_impulse(const VecX& force, VecX& v) const;

 private:
  const std::vector<dynamics::JacobianRow>& constraints_;
  const dynamics::MassMatrix& mass_;
  std::vector<dynamics::JacobianRow> rows_;
  MatX X_;  // D⁻¹ Φ_q M⁻¹ Jᵀ
  MatX G_;
};

}  // namespace talus::stepping::event_driven
