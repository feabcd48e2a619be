#include <talus/stepping/detail/machine_step.hpp>

// What a machine reports of a step: how well its constraints hold.

namespace talus::stepping::detail {

/// All constraints in their own units, m/s and rad/s.
void MachineStep::list_all(const dynamics::MachineConstraints& constraints,
                           std::span<const Real> bias) {
  all_.clear();
  const auto close = [&] { all_.close(bias.empty() ? Real(0) : bias[all_.bias.size()]); };
  for (const dynamics::JacobianRow& row : constraints.rows) {
    add_parts(row, 1, all_);
    close();
  }
  for (const dynamics::MultibodyRow& row : constraints.couplings) {
    add_coupling(row, all_);
    close();
  }
}

certify::JointResidual MachineStep::judge(const model::State& end,
                                          std::span<const problem::BodyVelocity> velocity) {
  certify::JointResidual result;
  list_all(step_constraints_, bias_);
  certifier_.judge_rates(all_, velocity, result);
  terms_.constraints(end.time, motion(end), constraints_);
  list_all(constraints_, {});
  violation_.resize(bias_.size());
  for (std::size_t j = 0; j < violation_.size(); ++j)
    violation_[j] = scaled_violation(static_cast<Index>(j));
  certifier_.judge_place(all_, violation_, velocity, result);
  return result;
}

}  // namespace talus::stepping::detail
