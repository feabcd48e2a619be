#include <talus/stepping/detail/machine_step.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

// What a machine reports of a step: how well its constraints hold, what joints, drives and the laws
// of axes did.

namespace talus::stepping::detail {

/// All constraints of what sleeps, or of all else, in their own units, m/s and rad/s.
void MachineStep::list_all(const dynamics::MachineConstraints& constraints,
                           std::span<const Real> bias, bool are_asleep) {
  all_.clear();
  listed_.clear();
  const auto two = static_cast<Index>(constraints.rows.size());
  for (Index j = 0; j < terms_.constraint_count(); ++j) {
    if (sleeps_constraint(j) != are_asleep) continue;
    if (j < two)
      add_parts(constraints.rows[static_cast<std::size_t>(j)], 1, all_);
    else
      add_coupling(constraints.couplings[static_cast<std::size_t>(j - two)], all_);
    all_.close(bias.empty() ? Real(0) : bias[static_cast<std::size_t>(j)]);
    listed_.push_back(j);
  }
}

/// Judges the place of the constraints that are listed.
void MachineStep::judge_listed(std::span<const problem::BodyVelocity> bodies,
                               certify::JointResidual& result) {
  violation_.clear();
  for (const Index j : listed_) violation_.push_back(scaled_violation(constraints_.value, j));
  certifier_.judge_place(all_, violation_, bodies, result);
  for (Index* where : {&result.worst_rate, &result.worst_drift})
    if (*where >= 0) *where = listed_[static_cast<std::size_t>(*where)];
}

/// The constraints of what sleeps: nothing of them changes.
void MachineStep::judge_rest(const model::State& at) {
  resting_ = {};
  if (asleep_.empty()) return;
  way_.clear();
  for (Index i = 0; i < model_.body_count(); ++i)
    way_.push_back(bodies_.free_velocity(i, at, 0, theta_));
  list_all(constraints_, {}, true);
  judge_listed(way_, resting_);
}

certify::JointResidual MachineStep::judge(const model::State& end,
                                          std::span<const problem::BodyVelocity> velocity) {
  if (is_mask_new_) judge_rest(end);
  certify::JointResidual result;
  if (std::exchange(is_step_listed_, false))
    all_.bias = bias_;
  else
    list_all(step_constraints_, bias_, false);
  certifier_.judge_rates(all_, velocity, result);
  take_constraints(end.time, motion(end));
  list_all(constraints_, {}, false);
  are_listed_ = asleep_.empty();
  judge_listed(velocity, result);
  if (asleep_.empty()) return result;
  const Index rank = result.rank + resting_.rank;
  result = certify::worse_of(result, resting_);
  result.constraint_count = terms_.constraint_count();
  result.rank = rank;
  return result;
}

/// Force and moment about the centre of mass of B that a row of a joint or drive has per unit of
/// its own multiplier, world frame.
Vec6 MachineStep::push_of(const Row& row) const {
  if (row.kind == Row::Kind::constraint)
    return step_constraints_.rows[static_cast<std::size_t>(row.index)].b;
  dynamics::JointContactTerms terms;
  terms_.contact(row.index, {step_motions_, angles_}, terms);
  return terms.normal.row.b;
}

/// Adds the contacts of joints with play to the reactions of these, along the world's axes.
void MachineStep::add_play(std::span<const StepContact> contacts,
                           std::vector<dynamics::Reaction>& reactions) const {
  const std::vector<model::SpatialJoint>& joints = terms_.machine().joints;
  for (const StepContact& contact : contacts) {
    if (!dynamics::JointPlay::has(contact.feature)) continue;
    const model::SpatialJoint& joint = bodies_.play().joint(contact.feature);
    const Vec3 force = (contact.body_b == joint.body_b ? 1 : -1) / h_ * contact.impulse;
    Vec6 push;
    push << force,
        (contact.position - step_motions_[static_cast<std::size_t>(joint.body_b)].p).cross(force);
    dynamics::add_row(joint, step_motions_, 1, push,
                      reactions[static_cast<std::size_t>(&joint - joints.data())]);
  }
}

void MachineStep::report(const problem::ContactImpulses& answer,
                         std::span<const StepContact> contacts,
                         std::vector<dynamics::Reaction>& reactions,
                         std::vector<dynamics::AxisReaction>& axes) const {
  const model::SpatialMachine& machine = terms_.machine();
  const auto joints = static_cast<Index>(machine.joints.size());
  const auto drives = static_cast<Index>(machine.drives.size());
  const auto two = static_cast<Index>(step_constraints_.rows.size());
  std::vector<Index> owner(static_cast<std::size_t>(two), -1);  // in reactions, of every constraint
  for (Index j = 0; j < joints; ++j) {
    const dynamics::RowRange range = terms_.rows_of_joint(j);
    std::fill_n(owner.begin() + range.first, range.count, j);
  }
  for (Index d = 0; d < drives; ++d) owner[terms_.rows_of_drive(d).first] = joints + d;
  reactions.assign(static_cast<std::size_t>(joints + drives), {});
  const auto joint_of = [&](Index reaction) {
    return reaction < joints ? reaction : machine.drives[reaction - joints].joint;
  };
  /// @param push force and moment about the centre of mass of B per unit of effort.
  const auto add_to = [&](dynamics::Reaction& of, Index joint,
                          std::span<const dynamics::BodyMotion> where, Real effort,
                          const Vec6& push) {
    dynamics::add_row(machine.joints[joint], where, effort, push, of);
    of.effort += effort;
  };
  const auto add_projection = [&](std::span<const Row> rows, std::span<const Real> impulse,
                                  std::span<const dynamics::BodyMotion> where,
                                  const dynamics::MachineConstraints& constraints) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Row& row = rows[k];
      if (row.index >= two) continue;  // a coupling
      const Index of = owner[row.index];
      add_to(reactions[of], joint_of(of), where, impulse[k] * row.length / h_,
             constraints.rows[row.index].b);
    }
  };
  add_projection(given_rows_, given_impulse_, step_motions_, step_constraints_);
  add_projection(end_rows_, end_impulse_, motions_, constraints_);
  std::vector<dynamics::AxisReaction> by_axis(static_cast<std::size_t>(terms_.axis_count()));
  for (dynamics::AxisReaction& axis : by_axis) axis.armature = 0;
  const auto add_of = [&](const Row& row, Real impulse) {
    if (row.kind == Row::Kind::element) return;
    const Real effort = impulse * row.length / h_;  // in the row's own unit
    if (row.kind == Row::Kind::constraint || row.kind == Row::Kind::rope) {
      const bool is_rope = row.kind == Row::Kind::rope;
      if (!is_rope && row.index >= two) return;  // a coupling
      add_to(reactions[is_rope ? terms_.joint_of_contact(row.index) : owner[row.index]],
             is_rope ? terms_.joint_of_contact(row.index) : joint_of(owner[row.index]),
             step_motions_, effort, push_of(row));
      return;
    }
    dynamics::AxisReaction& axis = by_axis[row.index];
    switch (row.slot - slots * row.index) {
      case lower_limit:
        axis.limit += effort;
        break;
      case upper_limit:
        axis.limit -= effort;
        break;
      case spring:
        axis.spring += effort;
        break;
      case dry_friction:
        axis.friction += effort;
        break;
      case motor:
        axis.effort += effort;
        break;
      case armature:
        axis.armature += effort;
        break;
      default:
        break;
    }
  };
  for (std::size_t k = 0; k < step_rows_.size(); ++k) add_of(step_rows_[k], answer.row[k]);
  for (std::size_t k = 0; k < resting_rows_.size(); ++k)
    add_of(resting_rows_[k], resting_impulse_[k]);
  add_play(contacts, reactions);
  for (Index j = 0; j < joints; ++j) {
    reactions[j].effort = 0;
    dynamics::turn_into_joint(machine.joints[j], step_motions_, reactions[j]);
  }
  for (Index d = 0; d < drives; ++d)
    dynamics::turn_into_joint(machine.joints[machine.drives[d].joint], step_motions_,
                              reactions[joints + d]);

  axes.clear();
  for (Index c = 0; c < static_cast<Index>(terms_.coordinates().size()); ++c) {
    const Index of = terms_.axis_of_coordinate(c);
    axes.push_back(of < 0 ? dynamics::AxisReaction{} : by_axis[of]);
    const dynamics::RowTerms terms = terms_.coordinate(c, {motions_, angles_});
    axes.back().value = terms.value;
    axes.back().rate = terms.rate;
    if (of < 0 || !terms_.axis_law(of).motor) continue;
    const model::Motor& drive = *terms_.axis_law(of).motor;
    if (drive.mode == model::Motor::Mode::effort) axes.back().effort = effort_of(drive);
  }
}

/// Of −1: a limit.
std::string MachineStep::constraint_name(Index constraint) const {
  return dynamics::constraint_name(constraint, terms_.machine(), terms_);
}

std::string MachineStep::name_of(const Row& row) const {
  if (row.kind == Row::Kind::constraint) return constraint_name(row.index);
  if (row.kind == Row::Kind::element)
    return "force element " + terms_.machine().forces[static_cast<std::size_t>(row.index)].name;
  const Index joint = row.kind == Row::Kind::rope ? terms_.joint_of_contact(row.index)
                                                  : terms_.axis_name(row.index).joint;
  return "joint " + terms_.machine().joints[static_cast<std::size_t>(joint)].name;
}

/// What moves an axis whatever it takes: a drive, or a velocity motor without bounds. "": nothing.
std::string MachineStep::mover_of(Index axis) const {
  const model::SpatialMachine& machine = terms_.machine();
  const Index joint = terms_.axis_name(axis).joint;
  const model::AxisLaw& law = terms_.axis_law(axis);
  for (const model::SpatialDrive& drive : machine.drives)
    if (drive.joint == joint && drive.axis == law.axis) return "drive " + drive.name;
  const bool is_rigid =
      law.motor && law.motor->is_set_valued() &&
      (std::isinf(law.motor->lower_effort) || std::isinf(law.motor->upper_effort));
  return is_rigid ? "its motor" : "";
}

void MachineStep::add_name(Index row, std::string& detail) const {
  if (row < 0 || row >= static_cast<Index>(step_rows_.size())) return;
  const Row& worst = step_rows_[static_cast<std::size_t>(row)];
  const std::string name = name_of(worst);
  const bool is_limited = (worst.kind == Row::Kind::limit || worst.kind == Row::Kind::axis) &&
                          std::any_of(step_rows_.begin(), step_rows_.end(), [&](const Row& other) {
                            return other.kind == Row::Kind::limit && other.index == worst.index;
                          });
  if (const std::string mover = is_limited ? mover_of(worst.index) : ""; !mover.empty())
    detail = mover + " moves " + name + " beyond its limit";
  else
    detail = detail.empty() ? name : detail + "; worst at " + name;
}

}  // namespace talus::stepping::detail
