#include <talus/stepping/detail/smooth_system.hpp>

#include <algorithm>

#include <talus/dynamics/constraint_rank.hpp>
#include <talus/linalg/independent_rows.hpp>
#include <talus/stepping/detail/left_out_constraint.hpp>
#include <talus/stepping/detail/row_length.hpp>
#include <talus/stepping/inconsistent_constraints.hpp>

namespace talus::stepping::detail {

void SmoothSystem::evaluate(Real time, const model::TimeSpan& forces, VecX& x, VecX& v,
                            VecX& acceleration, SmoothTerms& terms) {
  q_ = q0_ + x;
  system_->prescribe(time, q_, v, acceleration);
  system_->take_mass(q_);
  const VecX& inverse = mass().inverse_diagonal();
  for (Index i = 0; i < x.size(); ++i)
    if (inverse[i] == 0) x[i] = q_[i] - q0_[i];
  system_->force(forces, q_, v, terms.force);
  system_->add_armatures(q_, v, acceleration, terms.force);
  system_->constraints(time, q_, v, constraints_);
  terms.gradient.setZero(constraint_count(), x.size());
  terms.length.setOnes(constraint_count());
  terms.size.setOnes(constraint_count());
  Index next = 0;
  for (const dynamics::JacobianRow& row : constraints_.rows) {
    row.for_each([&](Index body, const auto& part) {
      terms.gradient.row(next).segment(row.width * body, row.width) += part.transpose();
    });
    terms.length[next] = row_length(*system_, row);
    terms.size[next++] = smaller_radius(*system_, row);
  }
  for (const dynamics::MultibodyRow& row : constraints_.couplings) {
    for (const auto& entry : row)
      terms.gradient.row(next).segment<6>(6 * entry.body) += entry.part.transpose();
    terms.size[next] = smaller_radius(*system_, row);
    terms.length[next] = row_length(row, terms.size[next]);
    ++next;
  }
  terms.value = constraints_.value;
  terms.rate = constraints_.rate;
  terms.drift = constraints_.drift;
  system_->coordinate_scale(q_, terms.scale);
}

dynamics::Energy SmoothSystem::energy(Real time, const VecX& x, const VecX& v) {
  q_ = q0_ + x;
  return {system_->kinetic_energy(q_, v) + system_->armature_energy(q_, v),
          system_->potential_energy(time, q_)};
}

void SmoothSystem::report(Real time, const VecX& x, const VecX& v, const VecX& multipliers,
                          std::vector<dynamics::Reaction>& reactions,
                          std::vector<dynamics::AxisReaction>& axes) {
  const VecX none;
  system_->report(time, q0_ + x, v, {multipliers, none, none, none}, reactions, axes);
}

Index SmoothSystem::independent_count() const {
  const std::vector<bool> is_independent = linalg::independent_rows(
      dynamics::constraint_gram(constraints_.rows, constraints_.couplings, mass()),
      linalg::kGramRank, linalg::RowChoice::best_conditioned);
  return std::count(is_independent.begin(), is_independent.end(), true);
}

std::string SmoothSystem::why_left_out(Index rank, const VecX& acceleration) const {
  if (!constraints_.couplings.empty()) return "";
  return detail::why_left_out(*system_, constraints_, rank, acceleration, constraints_.drift);
}

std::string SmoothSystem::why_no_motion(Real time, const VecX& x, const VecX& v) {
  return stepping::why_no_motion(*system_, time, q0_ + x, v);
}

}  // namespace talus::stepping::detail
