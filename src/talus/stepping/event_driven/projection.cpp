#include <talus/stepping/event_driven/projection.hpp>

#include <talus/stepping/event_driven/reduced_delassus.hpp>

namespace talus::stepping::event_driven {

using dynamics::JacobianRow;

/// Rows of everything that holds, with values and rates; sticking frictions have no value.
void DriftProjection::gather(Real time, const laws::Modes& modes, Point& x) {
  if (acceleration_.size() != x.v.size()) acceleration_ = VecX::Zero(x.v.size());
  machine_.prescribe(time, x.q, x.v, acceleration_);
  machine_.take_mass(x.q);
  machine_.constraints(time, x.q, x.v, constraints_);
  rows_.clear();
  const auto most =
      static_cast<Index>(constraints_.rows.size() + elements_.list.size() + modes.normal.size());
  if (value_.size() < most) {
    value_.resize(most);
    rate_.resize(most);
  }
  const auto add = [&](const JacobianRow& row, Real value, Real rate) {
    value_[static_cast<Index>(rows_.size())] = value;
    rate_[static_cast<Index>(rows_.size())] = rate;
    rows_.push_back(row);
  };
  for (std::size_t k = 0; k < constraints_.rows.size(); ++k)
    add(constraints_.rows[k], constraints_.value[static_cast<Index>(k)],
        constraints_.rate[static_cast<Index>(k)]);
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const laws::NormalMode mode = modes.normal[i];
    if (mode != laws::NormalMode::closed && mode != laws::NormalMode::pressing) continue;
    const bool holds = modes.friction[elements_.tangent(i)] == laws::FrictionMode::stick;
    const bool rolls = modes.friction[elements_.rolling(i)] == laws::FrictionMode::stick;
    if (mode == laws::NormalMode::pressing && !holds && !rolls) continue;
    machine_.contact_on_side(i, modes.side_of(i), x.q, x.v, terms_);
    if (mode == laws::NormalMode::closed) add(terms_.normal, terms_.gap, terms_.gap_rate);
    if (holds) add(terms_.tangent, 0, terms_.slip);
    if (rolls) add(terms_.rolling, 0, terms_.spin);
  }
  for (Index j = 0; j < elements_.joint_count; ++j) {
    if (modes.friction[elements_.joint(j)] != laws::FrictionMode::stick) continue;
    dynamics::JointSlip slip;
    machine_.joint_slip(j, time, x.q, x.v, slip);
    add(slip.row, 0, slip.slip);
  }
}

/// (J M⁻¹ Jᵀ)⁺ violation_, in its place.
const VecX& DriftProjection::impulses() {
  constraint_factor_.solve(violation_, violation_);
  return violation_;
}

/// v −= M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁺ violation_: projection in the metric of M (`hairer_1996`, VII.2).
void DriftProjection::move(VecX& v) {
  const VecX& impulse = impulses();
  for (std::size_t k = 0; k < rows_.size(); ++k)
    apply_impulse(rows_[k], -impulse[static_cast<Index>(k)], machine_.mass(), v);
}

void DriftProjection::apply(Real time, const laws::Modes& modes, Point& x) {
  gather(time, modes, x);
  const auto count = static_cast<Index>(rows_.size());
  if (count == 0) return;
  constraint_factor_.factorise(rows_, machine_.mass());
  violation_.resize(count);
  violation_ = value_.head(count);
  const VecX& impulse = impulses();
  for (std::size_t k = 0; k < rows_.size(); ++k)
    machine_.displace(rows_[k], -impulse[static_cast<Index>(k)], x.q);
  // Rates are those at the new place: in a pin with little play the normal has turned with it.
  gather(time, modes, x);
  constraint_factor_.factorise(rows_, machine_.mass());
  violation_ = rate_.head(count);
  move(x.v);
}

void DriftProjection::apply_to_velocity(Real time, const laws::Modes& modes, Point& x) {
  gather(time, modes, x);
  const auto count = static_cast<Index>(rows_.size());
  if (count == 0) return;
  constraint_factor_.factorise(rows_, machine_.mass());
  violation_.resize(count);
  violation_ = rate_.head(count);
  move(x.v);
}

}  // namespace talus::stepping::event_driven
