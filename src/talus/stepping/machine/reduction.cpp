#include <talus/stepping/machine/reduction.hpp>

#include <cmath>
#include <utility>

namespace talus::stepping::machine {

using dynamics::PlanarRow;

constexpr Real kNoise = 1e-13;  // of an entry of G, over what it was before the elimination

Reduction::Reduction(const std::vector<PlanarRow>& constraints, const VecX& inverse_mass,
                     std::vector<PlanarRow> rows)
    : constraints_(constraints), inverse_mass_(inverse_mass), rows_(std::move(rows)) {
  const auto m = static_cast<Index>(constraints.size()), n = static_cast<Index>(rows_.size());
  dynamics::ConstraintSolver elimination;
  elimination.factorise(constraints, inverse_mass);
  MatX K(m, n);  // Φ_q M⁻¹ Jᵀ
  X_.resize(m, n);
  VecX column(m);
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k < m; ++k)
      column[k] = K(k, j) = coupling(constraints[k], rows_[j], inverse_mass);
    if (m > 0) elimination.solve(column, column);
    X_.col(j) = column;
  }
  G_ = -(K.transpose() * X_);
  VecX own(n);  // √(J M⁻¹ Jᵀ) of each row
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) G_(i, j) += coupling(rows_[i], rows_[j], inverse_mass);
    own[i] = std::sqrt(coupling(rows_[i], rows_[i], inverse_mass));
  }
  G_ = (0.5 * (G_ + G_.transpose())).eval();
  // What the constraints hold altogether is not moved by any force: round-off there would have a
  // sign.
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (std::abs(G_(i, j)) <= kNoise * own[i] * own[j]) G_(i, j) = 0;
}

void Reduction::push(const VecX& force, VecX& v) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    dynamics::push(rows_[i], force[static_cast<Index>(i)], inverse_mass_, v);
  const VecX answer = reaction(force);
  for (std::size_t k = 0; k < constraints_.size(); ++k)
    dynamics::push(constraints_[k], answer[static_cast<Index>(k)], inverse_mass_, v);
}

}  // namespace talus::stepping::machine
