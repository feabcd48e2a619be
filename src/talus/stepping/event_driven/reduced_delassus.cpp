#include <talus/stepping/event_driven/reduced_delassus.hpp>

#include <cmath>
#include <utility>

#include <talus/laws/tolerances.hpp>

namespace talus::stepping::event_driven {

using dynamics::JacobianRow;

ReducedDelassus::ReducedDelassus(const std::vector<JacobianRow>& constraints,
                                 const dynamics::MassMatrix& mass, std::vector<JacobianRow> rows)
    : constraints_(constraints), mass_(mass), rows_(std::move(rows)) {
  const auto m = static_cast<Index>(constraints.size()), n = static_cast<Index>(rows_.size());
  dynamics::ConstraintFactor elimination;
  elimination.factorise(constraints, mass);
  MatX K(m, n);  // Φ_q M⁻¹ Jᵀ
  X_.resize(m, n);
  VecX column(m);
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k < m; ++k)
      column[k] = K(k, j) = delassus_entry(constraints[k], rows_[j], mass);
    if (m > 0) elimination.solve(column, column);
    X_.col(j) = column;
  }
  G_ = -(K.transpose() * X_);
  VecX own(n);  // √(J M⁻¹ Jᵀ) of each row
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) G_(i, j) += delassus_entry(rows_[i], rows_[j], mass);
    own[i] = std::sqrt(inverse_effective_mass(rows_[i], mass));
  }
  G_ = (0.5 * (G_ + G_.transpose())).eval();
  // What the constraints hold altogether is not moved by any force: round-off there would have a
  // sign.
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (std::abs(G_(i, j)) <= tolerance::kReducedNoise * own[i] * own[j]) G_(i, j) = 0;
}

void ReducedDelassus::apply_impulse(const VecX& force, VecX& v) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    dynamics::apply_impulse(rows_[i], force[static_cast<Index>(i)], mass_, v);
  const VecX answer = reaction(force);
  for (std::size_t k = 0; k < constraints_.size(); ++k)
    dynamics::apply_impulse(constraints_[k], answer[static_cast<Index>(k)], mass_, v);
}

}  // namespace talus::stepping::event_driven
