#include <talus/stepping/detail/machine_step.hpp>

#include <algorithm>

#include <talus/model/time_law.hpp>

// A machine of which a part sleeps: what is left out of steps, with which impulses, and what would
// end its rest.

namespace talus::stepping::detail {

/// A body that moves of the two of a joint, −1: none.
Index MachineStep::moved_by(Index joint) const {
  const model::SpatialJoint& of = terms_.machine().joints[static_cast<std::size_t>(joint)];
  return moved_of(of.body_a, of.body_b);
}

Index MachineStep::moved_of(Index body_a, Index body_b) const {
  for (const Index body : {body_b, body_a})
    if (body >= 0 && bodies_.is_dynamic(body)) return body;
  return -1;
}

/// A body that moves of every constraint, axis and force element.
void MachineStep::find_owners() {
  const model::SpatialMachine& machine = terms_.machine();
  body_of_constraint_.assign(static_cast<std::size_t>(terms_.constraint_count()), -1);
  const auto own = [&](dynamics::RowRange range, Index body) {
    if (body >= 0) std::fill_n(body_of_constraint_.begin() + range.first, range.count, body);
  };
  for (Index j = 0; j < static_cast<Index>(machine.joints.size()); ++j)
    own(terms_.rows_of_joint(j), moved_by(j));
  for (Index d = 0; d < static_cast<Index>(machine.drives.size()); ++d)
    own(terms_.rows_of_drive(d), moved_by(machine.drives[d].joint));
  for (Index c = 0; c < static_cast<Index>(machine.couplings.size()); ++c)
    for (const model::CouplingTerm& term : machine.couplings[c].terms)
      own(terms_.rows_of_coupling(c), moved_by(term.joint));
  for (Index i = 0; i < terms_.axis_count(); ++i)
    body_of_axis_.push_back(moved_by(terms_.axis_name(i).joint));
  for (const model::SpatialForce& element : machine.forces)
    body_of_element_.push_back(moved_of(element.body_a, element.body_b));
}

void MachineStep::list_laws() {
  const model::SpatialMachine& machine = terms_.machine();
  for (Index i = 0; i < terms_.axis_count(); ++i)
    if (const auto& drive = terms_.axis_law(i).motor)
      laws_.push_back({&drive->target, nullptr, body_of_axis_[static_cast<std::size_t>(i)],
                       drive->mode != model::Motor::Mode::position && !drive->is_set_valued()});
  for (const model::SpatialDrive& drive : machine.drives)
    laws_.push_back({&drive.law, &drive, moved_by(drive.joint), false});
  for (const model::SpatialForce& element : machine.forces)
    for (const Index body : {element.body_a, element.body_b})
      if (const model::TimeLaw* law = law_of(element.kind); law != nullptr && body >= 0)
        laws_.push_back({law, nullptr, body, true});
}

/// What a law says in the step from a time on.
model::TimeValue MachineStep::value_of(const TimedLaw& law, Real time, Real h) const {
  if (law.is_mean) return mean(*law.law, {time, time + h});
  return law.drive != nullptr ? dynamics::prescribed(*law.drive, time + h)
                              : evaluate(*law.law, time + h);
}

std::vector<collision::Pair> MachineStep::links() const {
  const model::SpatialMachine& machine = terms_.machine();
  std::vector<collision::Pair> links;
  const auto link = [&](Index a, Index b) {
    if (a >= 0 && b >= 0 && a != b)
      links.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
  };
  for (const model::SpatialJoint& joint : machine.joints) link(joint.body_a, joint.body_b);
  for (const model::SpatialForce& element : machine.forces) link(element.body_a, element.body_b);
  for (const model::Coupling& coupling : machine.couplings)
    for (const model::CouplingTerm& term : coupling.terms)
      link(moved_by(coupling.terms.front().joint), moved_by(term.joint));
  return links;
}

void MachineStep::leave_out(std::span<const unsigned char> asleep) {
  const bool is_any =
      std::any_of(asleep.begin(), asleep.end(), [](unsigned char one) { return one != 0; });
  if (is_any ? std::equal(asleep.begin(), asleep.end(), asleep_.begin(), asleep_.end())
             : asleep_.empty())
    return;
  asleep_.assign(asleep.begin(), is_any ? asleep.end() : asleep.begin());
  is_mask_new_ = true;
}

/// The impulse of the last step of a row.
Real MachineStep::last_impulse(const Row& row) const {
  if (row.slot >= 0) return memory_[static_cast<std::size_t>(row.slot)];
  return row.kind == Row::Kind::constraint ? constraint_memory_[static_cast<std::size_t>(row.index)]
                                           : Real(0);
}

std::vector<Real> MachineStep::last_impulses() const {
  std::vector<Real> impulses;
  for (const Row& row : step_rows_) impulses.push_back(last_impulse(row));
  return impulses;
}

/// Takes up what is kept of the last step; where others sleep than in that, the rows and terms of
/// all that does, which stay as they are.
void MachineStep::take_rest(const model::State& state) {
  constraint_memory_.assign(static_cast<std::size_t>(terms_.constraint_count()), 0);
  const std::vector<Real>* last = state.internal.find(model::kConstraintImpulses);
  if (last != nullptr && last->size() == constraint_memory_.size()) constraint_memory_ = *last;
  law_value_.clear();
  for (const TimedLaw& law : laws_) law_value_.push_back(value_of(law, time_, h_));
  if (!is_mask_new_) return;
  is_mask_new_ = false;
  resting_rows_.clear();
  resting_impulse_.clear();
  resting_ = {};
  if (asleep_.empty()) return;
  load(state, motion(state), displacement_);
  const dynamics::MachineMotion here = {motions(state), angles_};
  terms_.constraint_rates(time_ + h_, here, step_constraints_);
  terms_.constraint_rates(time_ + h_, here, constraints_);
  rows_.clear();
  displacement_.rows.clear();
  add_constraints(step_constraints_, {}, true, displacement_.rows);
  const dynamics::BiasLaw law{h_, theta_, 0, 0};
  for (Index i = 0; i < terms_.axis_count(); ++i)
    if (sleeps_axis(i)) add_axis(i, here, law, Level::rule, displacement_);
  for (Index i = 0; i < terms_.contact_count(); ++i)
    if (sleeps_contact(i)) add_rope(i, here, law, displacement_);
  for (Index i = 0; i < terms_.element_count(); ++i)
    if (sleeps_element(i)) add_element(i, here, Level::rule, displacement_);
  judge_rest(state);
  resting_rows_ = rows_;
  for (const Row& row : resting_rows_) resting_impulse_.push_back(last_impulse(row));
}

void MachineStep::find_driven(const problem::BoundedRows& rows, std::span<const Real> impulse,
                              std::span<unsigned char> restless) const {
  const auto same = [](const model::TimeValue& a, const model::TimeValue& b) {
    return a.value == b.value && a.rate == b.rate;
  };
  for (const TimedLaw& law : laws_)
    if (law.body >= 0 && !sleeps(law.body) &&
        !same(value_of(law, time_ - h_, h_), value_of(law, time_, h_)))
      restless[static_cast<std::size_t>(law.body)] = 1;
  for (std::size_t j = 0; j < step_rows_.size(); ++j) {
    const Row& row = step_rows_[j];
    if (row.kind != Row::Kind::axis || row.slot != slots * row.index + motor) continue;
    const model::Motor& drive = *terms_.axis_law(row.index).motor;
    const bool is_bounded = rows.is_at_bound(static_cast<Index>(j), impulse[j]);
    const Index body = body_of_axis_[static_cast<std::size_t>(row.index)];
    if (drive.mode == model::Motor::Mode::velocity && body >= 0 && !is_bounded &&
        evaluate(drive.target, time_ + h_).value != 0)
      restless[static_cast<std::size_t>(body)] = 1;
  }
}

void MachineStep::find_called(Real time, Real h, std::vector<Index>& called) const {
  called.clear();
  for (std::size_t k = 0; k < law_value_.size(); ++k) {
    const TimedLaw& law = laws_[k];
    if (!sleeps(law.body)) continue;
    const model::TimeValue now = value_of(law, time, h);
    if (now.value != law_value_[k].value || now.rate != law_value_[k].rate)
      called.push_back(law.body);
  }
}

}  // namespace talus::stepping::detail
