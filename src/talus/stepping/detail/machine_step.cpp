#include <talus/stepping/detail/machine_step.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/base/disjoint_sets.hpp>
#include <talus/dynamics/contact_bias.hpp>
#include <talus/linalg/independent_rows.hpp>
#include <talus/math/rotation.hpp>
#include <talus/model/time_law.hpp>
#include <talus/stepping/detail/implicit_spring.hpp>

namespace talus::stepping::detail {
namespace {

using dynamics::JacobianRow;
using problem::BoundedRows;
using problem::RigidContact;

constexpr Real kLimitReach = 3;  // of what an axis moves in a step: how far limits are looked for

/// Whether constraints can depend on each other: joints close loops, or a pair of bodies or the
/// axes of one joint have more than one source of constraints.
bool may_depend(const model::SpatialMachine& machine, const model::Model& model,
                const dynamics::MachineTerms& terms) {
  DisjointSets joined(model.body_count() + 1);
  const auto world = static_cast<std::uint32_t>(model.body_count());
  const auto set_of = [&](Index body) {
    const bool is_held = body < 0 || model.bodies[body].kind != model::BodyKind::dynamic;
    return joined.root(is_held ? world : static_cast<std::uint32_t>(body));
  };
  for (std::size_t j = 0; j < machine.joints.size(); ++j) {
    if (terms.rows_of_joint(static_cast<Index>(j)).count == 0) continue;
    const auto a = set_of(machine.joints[j].body_a), b = set_of(machine.joints[j].body_b);
    if (a == b) return true;
    joined.join(a, b);
  }
  std::vector<Index> driven;
  for (const model::SpatialDrive& drive : machine.drives) driven.push_back(drive.joint);
  std::sort(driven.begin(), driven.end());
  const bool is_driven_twice = std::adjacent_find(driven.begin(), driven.end()) != driven.end();
  return is_driven_twice || !machine.couplings.empty();
}

/// Whether bodies are at the same places and move alike.
bool moves_alike(std::span<const dynamics::BodyMotion> some,
                 std::span<const dynamics::BodyMotion> others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](const dynamics::BodyMotion& one, const dynamics::BodyMotion& other) {
                      return one.p == other.p && one.R == other.R && one.v == other.v &&
                             one.w == other.w;
                    });
}

/// J M⁻¹ Jᵀ of the rows of a problem of bodies at rest.
MatX gram_of(const RigidContact& problem) {
  const Index n = problem.rows.size();
  MatX gram(n, n);
  problem::ContactImpulses unit = problem::zero_impulses(problem);
  std::vector<problem::BodyVelocity> moved;
  for (Index j = 0; j < n; ++j) {
    moved = problem.bodies;
    unit.row[j] = 1;
    problem::apply_impulses(problem, unit, moved);
    unit.row[j] = 0;
    for (Index i = 0; i < n; ++i)
      gram(i, j) = problem::row_rate(problem, i, moved) - problem.rows.bias[i];
  }
  return gram;
}

}  // namespace

MachineStep::MachineStep(const model::Model& model, const dynamics::RigidBodies& bodies,
                         MoreauRule rule, Real theta)
    : model_(model),
      bodies_(bodies),
      rule_(rule),
      theta_(theta),
      terms_(*model.spatial_machine, model.body_count()),
      may_depend_(may_depend(*model.spatial_machine, model, terms_)),
      angles_(static_cast<std::size_t>(terms_.angle_count()), 0),
      axis_row_(static_cast<std::size_t>(terms_.axis_count())),
      is_independent_(static_cast<std::size_t>(terms_.constraint_count()), true) {
  for (Index i = 0; i < terms_.axis_count(); ++i)
    has_armature_ = has_armature_ || terms_.axis_law(i).armature > 0;
  for (Index i = 0; i < terms_.angle_count(); ++i)
    if (!terms_.has_fixed_axis(i)) turning_angles_.push_back(i);
  find_owners();
  list_laws();
  take_lengths();
}

/// Which function a constraint is does not depend on where the bodies are.
void MachineStep::take_lengths() {
  const std::vector<dynamics::BodyMotion> anywhere(static_cast<std::size_t>(model_.body_count()));
  terms_.constraint_rates(0, {anywhere, angles_}, constraints_);
  length_.assign(static_cast<std::size_t>(terms_.constraint_count()), 1);
  row_length_ = length_;
  for (std::size_t j = 0; j < constraints_.rows.size(); ++j) {
    const JacobianRow& row = constraints_.rows[j];
    (row.is_linear() ? length_ : row_length_)[j] = length_of(row);
  }
}

std::span<const dynamics::BodyMotion> MachineStep::motions(const model::State& state) {
  dynamics::motions_of(state, motions_);
  return motions_;
}

/// Of the shortest body that it moves [m].
Real MachineStep::length_of(const JacobianRow& row) const {
  Real length = std::numeric_limits<Real>::infinity();
  row.for_each_in_space([&](Index body, const Vec6&) {
    if (bodies_.is_dynamic(body)) length = std::min(length, bodies_.length(body));
  });
  return std::isfinite(length) ? length : Real(1);
}

void MachineStep::add_parts(const JacobianRow& row, Real factor, BoundedRows& rows) const {
  row.for_each_in_space([&](Index body, const Vec6& part) {
    const Real turn = factor / bodies_.length(body);
    Vec6 scale;
    scale << factor, factor, factor, turn, turn, turn;
    rows.parts.push_back({part.cwiseProduct(scale), static_cast<std::uint32_t>(body)});
  });
}

/// Row · velocities of the motions, of which only those it touches are read.
Real MachineStep::rate(const JacobianRow& row) const {
  Real sum = 0;
  row.for_each_in_space([&](Index body, const Vec6& part) {
    const dynamics::BodyMotion& motion = motions_[static_cast<std::size_t>(body)];
    sum += part.head<3>().dot(motion.v) + part.tail<3>().dot(motion.w);
  });
  return sum;
}

/// Rate of an axis in the rows of the step.
Real MachineStep::axis_rate(Index axis, std::span<const problem::BodyVelocity> velocity) const {
  Real rate = 0;
  axis_row_[static_cast<std::size_t>(axis)].for_each_in_space([&](Index body, const Vec6& part) {
    const problem::BodyVelocity& of = velocity[static_cast<std::size_t>(body)];
    rate += part.head<3>().dot(of.v) + part.tail<3>().dot(of.s) / bodies_.length(body);
  });
  return rate;
}

/// The counted angles and what armatures turn faster than their axes.
void MachineStep::take_internal(const model::State& start) {
  taken_back_ = 0;
  const std::vector<Real>* known = start.internal.find(model::kJointAngles);
  const bool are_known = known != nullptr && known->size() == angles_.size();
  const std::span<const dynamics::BodyMotion> here = motions(start);
  // What store() has counted there is not counted again.
  if (!are_known || *known != angles_ || !moves_alike(here, counted_motions_)) {
    if (are_known) angles_ = *known;
    terms_.count_angles(here, angles_, asleep_);
    counted_motions_ = motions_;
  }
  counted_time_ = start.time;
  leads_.assign(has_armature_ ? static_cast<std::size_t>(terms_.axis_count()) : 0, 0);
  const std::vector<Real>* leads = start.internal.find(model::kArmatureLeads);
  if (leads != nullptr && leads->size() == leads_.size()) leads_ = *leads;
}

void MachineStep::start_again(const model::State& start) { take_internal(start); }

bool MachineStep::rates_jump(Real time, Real h) const {
  return jumps_within(
      rule_, [&](Real after) { return terms_.next_jump(after); }, time, h);
}

void MachineStep::take_given_rates(model::State& start, Real h) {
  take_internal(start);
  find_independent(start);
  const Real time = start.time;
  if (rates_jump(time, h)) start.time += h;
  end_rows_.clear();
  known_motions_.clear();         // a command may have changed a law since they were taken
  (void)project_velocity(start);  // where it cannot, the step does
  start.time = time;
  std::swap(given_rows_, end_rows_);
  std::swap(given_impulse_, end_impulse_);
}

void MachineStep::start(const model::State& start, Real h) {
  h_ = h;
  time_ = start.time;
  take_internal(start);
  const dynamics::MachineMotion here = {motions_, angles_};
  start_.resize(static_cast<std::size_t>(terms_.axis_count()));
  for (Index i = 0; i < terms_.axis_count(); ++i)
    if (is_mask_new_ || !sleeps_axis(i)) start_[static_cast<std::size_t>(i)] = terms_.axis(i, here);
  is_limit_met_.assign(start_.size(), false);
  end_rows_.clear();
  start_elastic_.clear();
  for (Index i = 0; i < terms_.element_count(); ++i)
    start_elastic_.push_back(terms_.elastic(i, here));
  memory_.assign(static_cast<std::size_t>(element_slot(terms_.element_count())), 0);
  const std::vector<Real>* last = start.internal.find(model::kAxisImpulses);
  if (last != nullptr && last->size() == memory_.size()) memory_ = *last;
  for (std::vector<Real>* of_axis : {&turn_, &middle_, &stretch_})
    of_axis->assign(start_.size(), 0);
  if (may_sleep_) take_rest(start);
  find_independent(start);
}

/// Which constraints are rows: no others, where some depend on others.
void MachineStep::find_independent(const model::State& start) {
  if (!may_depend_) return;
  for (Index j = 0; j < terms_.constraint_count(); ++j)
    if (!sleeps_constraint(j)) is_independent_[static_cast<std::size_t>(j)] = true;
  load(start, motion(start), displacement_);
  const std::vector<bool> is_independent = linalg::independent_rows(
      gram_of(displacement_), linalg::kGramRank, linalg::RowChoice::best_conditioned);
  for (std::size_t k = 0; k < rows_.size(); ++k)
    is_independent_[static_cast<std::size_t>(rows_[k].index)] = is_independent[k];
}

void MachineStep::add_row(Row::Kind kind, Index index, const JacobianRow& row, Real sign, Real bias,
                          Real compliance, Real lower, Real upper, BoundedRows& rows, Index slot) {
  const Real length = row.is_linear() ? Real(1) : length_of(row);
  add_parts(row, sign * length, rows);
  rows.close(length * bias, length * length * compliance, lower / length, upper / length);
  rows_.push_back({kind, index, length, 0, slot});
  if (resists(rows_.back())) rows_.back().before = sign * length * rate(row);
}

void MachineStep::add_coupling(const dynamics::MultibodyRow& row, BoundedRows& rows) const {
  for (const auto& entry : row) {
    Vec6 part = entry.part;
    part.tail<3>() /= bodies_.length(entry.body);
    rows.parts.push_back({part, static_cast<std::uint32_t>(entry.body)});
  }
}

/// @param bias of every constraint, in its own unit. @param are_asleep those of bodies that sleep,
/// or those of all others.
void MachineStep::add_constraints(const dynamics::MachineConstraints& constraints,
                                  std::span<const Real> bias, bool are_asleep, BoundedRows& rows) {
  const auto two = static_cast<Index>(constraints.rows.size());
  for (Index j = 0; j < terms_.constraint_count(); ++j) {
    if (!is_independent_[static_cast<std::size_t>(j)] || sleeps_constraint(j) != are_asleep)
      continue;
    const Real own = bias.empty() ? Real(0) : bias[static_cast<std::size_t>(j)];
    const Real length = row_length_[static_cast<std::size_t>(j)];
    if (j < two)
      add_parts(constraints.rows[static_cast<std::size_t>(j)], length, rows);
    else
      add_coupling(constraints.couplings[static_cast<std::size_t>(j - two)], rows);
    rows.close(length * own);
    rows_.push_back({Row::Kind::constraint, j, length, 0, -1});
  }
}

void MachineStep::add_forces(const model::State& at, RigidContact& problem) {
  const dynamics::MachineMotion here = motion(at);
  force_.setZero(6 * model_.body_count());
  terms_.add_given_forces({time_, time_ + h_}, here, force_);
  for (Index i = 0; i < terms_.axis_count(); ++i)
    if (!sleeps_axis(i)) add_effort(i, here);
  add_force(problem);
}

/// Whether the terms in constraints_ are those of all constraints where bodies are now, and as they
/// move: into couplings counted angles enter, into drives the time.
bool MachineStep::are_known_here(Real time) const {
  const model::SpatialMachine& machine = terms_.machine();
  return (machine.drives.empty() || time == known_time_) && machine.couplings.empty() &&
         asleep_.empty() && moves_alike(motions_, known_motions_);
}

/// Computes them, unless they are known. @param here of motions_.
void MachineStep::take_constraints(Real time, const dynamics::MachineMotion& here) {
  if (are_known_here(time)) return;
  terms_.constraint_rates(time, here, constraints_);
  known_motions_.clear();
  if (asleep_.empty()) known_motions_ = motions_;
  known_time_ = time;
  are_listed_ = false;
}

void MachineStep::add_rows(const model::State& at, Real error_reduction, RigidContact& problem,
                           std::vector<Real>& guess, Level level) {
  problem.rows.clear();
  rows_.clear();
  const dynamics::MachineMotion here = motion(at);
  const Real middle = time_ + (1 - theta_) * h_, end = time_ + h_;
  const Real now = is_midpoint() && !rates_jump(time_, h_) ? middle : end;
  is_step_listed_ = false;
  if (are_known_here(now)) {  // as the last step was judged
    std::swap(step_constraints_, constraints_);
    is_step_listed_ = std::exchange(are_listed_, false);
    known_motions_.clear();
  } else {
    terms_.constraint_rates(now, here, step_constraints_);
  }
  bias_.resize(static_cast<std::size_t>(terms_.constraint_count()));
  const auto two = step_constraints_.rows.size();
  for (std::size_t j = 0; j < bias_.size(); ++j) {
    bias_[j] = 0;
    if (sleeps_constraint(static_cast<Index>(j))) continue;
    Real before = 0;
    if (j < two) {
      before = rate(step_constraints_.rows[j]);
    } else {
      for (const auto& entry : step_constraints_.couplings[j - two])
        before += entry.part.head<3>().dot(motions_[static_cast<std::size_t>(entry.body)].v) +
                  entry.part.tail<3>().dot(motions_[static_cast<std::size_t>(entry.body)].w);
    }
    const Real moving = step_constraints_.rate[static_cast<Index>(j)] - before;  // Φ_t
    bias_[j] = is_midpoint() ? before + 2 * moving : moving;
    if (level == Level::position)
      bias_[j] = step_constraints_.value[static_cast<Index>(j)] / h_ - before;
  }
  add_constraints(step_constraints_, bias_, false, problem.rows);
  reflected_.clear();  // bias less that of Jean's rule, Φ_t
  for (const Row& row : rows_)
    reflected_.push_back(is_midpoint() ? row.length * step_constraints_.rate[row.index] : Real(0));
  const dynamics::BiasLaw law{h_, theta_, error_reduction, 0};
  for (Index i = 0; i < terms_.axis_count(); ++i)
    if (!sleeps_axis(i)) add_axis(i, here, law, level, problem);
  for (Index i = 0; i < terms_.contact_count(); ++i)
    if (!sleeps_contact(i)) add_rope(i, here, law, problem);
  for (Index i = 0; i < terms_.element_count(); ++i)
    if (!sleeps_element(i)) add_element(i, here, level, problem);

  reflected_.resize(rows_.size(), 0);
  step_rows_ = rows_;
  step_motions_ = motions_;
  problem.before = problem.bodies;
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    problem.before[i].v = motions_[i].v;
    problem.before[i].s = problem.length[i] * motions_[i].w;
  }
  guess.resize(rows_.size());
  for (std::size_t j = 0; j < rows_.size(); ++j)
    guess[j] = rows_[j].slot < 0 ? Real(0) : memory_[static_cast<std::size_t>(rows_[j].slot)];
}

void MachineStep::take_biases(const RigidContact& problem) {
  for (std::size_t j = 0; j < step_rows_.size(); ++j)
    if (const Row& row = step_rows_[j]; reflected_[j] != 0)
      bias_[static_cast<std::size_t>(row.index)] = problem.rows.bias[j] / row.length;
}

void MachineStep::remember(const problem::ContactImpulses& answer) {
  std::fill(memory_.begin(), memory_.end(), 0);
  std::fill(constraint_memory_.begin(), constraint_memory_.end(), 0);
  const auto keep = [&](const Row& row, Real impulse) {
    if (row.slot >= 0)
      memory_[static_cast<std::size_t>(row.slot)] = impulse;
    else if (may_sleep_ && row.kind == Row::Kind::constraint)
      constraint_memory_[static_cast<std::size_t>(row.index)] = impulse;
  };
  for (std::size_t j = 0; j < step_rows_.size(); ++j) keep(step_rows_[j], answer.row[j]);
  for (std::size_t j = 0; j < resting_rows_.size(); ++j)
    keep(resting_rows_[j], resting_impulse_[j]);
}

bool MachineStep::meets_limits(std::span<const problem::BodyVelocity> velocity) {
  bool is_new = false;
  for (Index i = 0; i < terms_.axis_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const model::AxisLaw& law = terms_.axis_law(i);
    if (sleeps_axis(i) || is_limit_met_[at] ||
        (!std::isfinite(law.lower) && !std::isfinite(law.upper)))
      continue;
    const Real after = axis_rate(i, velocity);
    const Real value = start_[at].value + h_ * ((1 - theta_) * start_[at].rate + theta_ * after);
    if (law.lower <= value && value <= law.upper) continue;
    is_limit_met_[at] = std::none_of(step_rows_.begin(), step_rows_.end(), [&](const Row& row) {
      return row.kind == Row::Kind::limit && row.index == i;
    });
    is_new = is_new || is_limit_met_[at];
  }
  return is_new;
}

bool MachineStep::has_stretched(const model::State& end,
                                std::span<const problem::BodyVelocity> velocity) {
  constexpr Real kSlight = 1e-3;  // of the speeds: what moves the bias of a spring's row by less
  const dynamics::MachineMotion there = motion(end);
  std::vector<Real> stretch(stretch_.size(), 0);
  bool is_new = false;
  for (Index i = 0; i < terms_.axis_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const model::AxisLaw& law = terms_.axis_law(i);
    const bool is_servo = law.motor && law.motor->mode == model::Motor::Mode::position;
    if (sleeps_axis(i) || (law.stiffness == 0 && !is_servo)) continue;
    const Real after = axis_rate(i, velocity);
    const Real fall = h_ * model_.gravity.norm();
    const Real length = axis_row_[at].is_linear() ? Real(1) : length_of(axis_row_[at]);
    stretch[at] = terms_.axis_value(i, there) - (middle_[at] + h_ / 2 * after);
    const Real speed = std::max({std::abs(start_[at].rate), std::abs(after), fall / length});
    is_new = is_new || std::abs(stretch[at] - stretch_[at]) > kSlight * h_ / 2 * speed;
  }
  std::swap(stretch_, stretch);
  return is_new;
}

/// v += h M⁻¹ Q.
void MachineStep::add_force(RigidContact& problem) const {
  for (Index i = 0; i < model_.body_count(); ++i) {
    problem::BodyVelocity& body = problem.bodies[i];
    if (body.inverse_mass == 0) continue;
    const Vec6 impulse = h_ * force_.segment<6>(6 * i);
    body.v += body.inverse_mass * impulse.head<3>();
    body.s += problem.inverse_inertia[i] * impulse.tail<3>() / problem.length[i];
  }
}

/// Rows of a unilateral law, gap + …≥ 0, as a contact has it.
void MachineStep::add_unilateral(Row::Kind kind, Index index, const JacobianRow& row, Real sign,
                                 Real gap, Real approach, Real restitution,
                                 const dynamics::BiasLaw& law, RigidContact& problem, Index slot) {
  add_row(kind, index, row, sign, 0, 0, 0, BoundedRows::kFree, problem.rows, slot);
  const Index own = problem.rows.size() - 1;
  const Real length = rows_.back().length;
  const Real free = problem::row_rate(problem, own, problem.bodies) / length;
  problem.rows.bias[own] = length * dynamics::contact_bias(law, gap, restitution, approach, free);
}

void MachineStep::add_rope(Index contact, const dynamics::MachineMotion& here,
                           const dynamics::BiasLaw& law, RigidContact& problem) {
  if (!terms_.is_rope(contact)) return;
  const auto& rope = std::get<model::Rope>(
      terms_.machine().joints[static_cast<std::size_t>(terms_.joint_of_contact(contact))].kind);
  dynamics::JointContactTerms terms;
  terms_.contact(contact, here, terms);
  const Real before = rate(terms.normal.row);
  const Real gap = is_midpoint() ? terms.normal.value - h_ / 2 * before : terms.normal.value;
  add_unilateral(Row::Kind::rope, contact, terms.normal.row, 1, gap, before, rope.restitution, law,
                 problem, slots * terms_.axis_count() + contact);
}

void MachineStep::add_axis(Index axis, const dynamics::MachineMotion& here,
                           const dynamics::BiasLaw& law, Level level, RigidContact& problem) {
  const model::AxisLaw& own = terms_.axis_law(axis);
  const dynamics::RowTerms& start = start_[static_cast<std::size_t>(axis)];
  const bool is_of_start = level != Level::rule;
  const bool is_at_start = !is_of_start && !is_midpoint() && theta_ == 1;
  const dynamics::RowTerms terms = is_at_start ? start : terms_.axis(axis, here);
  const Real q = is_of_start ? start.value : terms.value;
  const Real before = is_of_start ? start.rate : rate(terms.row), end = time_ + h_;
  constexpr Real kFree = BoundedRows::kFree;
  axis_row_[static_cast<std::size_t>(axis)] = terms.row;
  middle_[static_cast<std::size_t>(axis)] = q;
  const auto slot_of = [&](AxisSlot slot) { return slots * axis + slot; };
  const auto add = [&](AxisSlot slot, Real bias, Real compliance, Real lower, Real upper) {
    const Row::Kind kind = slot == dry_friction ? Row::Kind::friction : Row::Kind::axis;
    add_row(kind, axis, terms.row, 1, bias, compliance, lower, upper, problem.rows, slot_of(slot));
  };
  const auto add_spring = [&](AxisSlot slot, Real k, Real d, const model::TimeValue& rest,
                              Real lower, Real upper) {
    const Real stretch = q + theta_ * stretch_[static_cast<std::size_t>(axis)] - rest.value;
    const ImplicitSpring<Real> implicit(h_, theta_, k, d, stretch, before, rest.rate);
    if (implicit.g > 0) add(slot, implicit.pull / implicit.g, 1 / implicit.g, lower, upper);
  };

  // A limit that is farther away than the axis moves in the step is no row: it would set the scale.
  const Real fall = h_ * model_.gravity.norm() / (terms.row.is_linear() ? 1 : length_of(terms.row));
  const Real way = is_limit_met_[static_cast<std::size_t>(axis)]
                       ? BoundedRows::kFree
                       : kLimitReach * h_ * (std::abs(start.rate) + fall);
  if (std::isfinite(own.lower) && start.value - own.lower <= way)
    add_unilateral(Row::Kind::limit, axis, terms.row, 1, start.value - own.lower, start.rate,
                   own.restitution, law, problem, slot_of(lower_limit));
  if (std::isfinite(own.upper) && own.upper - start.value <= way)
    add_unilateral(Row::Kind::limit, axis, terms.row, -1, own.upper - start.value, -start.rate,
                   own.restitution, law, problem, slot_of(upper_limit));
  add_spring(spring, own.stiffness, own.damping, {own.rest, 0, 0}, -kFree, kFree);
  if (own.armature > 0) {
    const auto at = static_cast<std::size_t>(axis);
    turn_[at] = before - start.rate;
    add(armature, turn_[at] - (start.rate + leads_[at]), 1 / own.armature, -kFree, kFree);
  }
  if (own.friction > 0 || own.friction_coefficient > 0) {
    add(dry_friction, 0, 0, -h_ * own.friction, h_ * own.friction);
    Real& upper = problem.rows.upper.back();  // reactions are not known yet: at least the last one
    if (own.friction_coefficient > 0)
      upper = std::max(upper, std::abs(memory_[static_cast<std::size_t>(slot_of(dry_friction))]));
    problem.rows.lower.back() = -upper;
  }
  if (!own.motor) return;
  const model::Motor& drive = *own.motor;
  const Real gear = drive.gear;
  Real lower = h_ * gear * drive.lower_effort, upper = h_ * gear * drive.upper_effort;
  if (gear < 0) std::swap(lower, upper);
  const model::TimeValue first = evaluate(drive.target, time_),
                         target = evaluate(drive.target, end);
  const auto mean = [&](Real a, Real b) { return ((1 - theta_) * a + theta_ * b) / gear; };
  switch (drive.mode) {
    case model::Motor::Mode::velocity:
      if (!drive.is_set_valued())
        add_spring(motor, 0, drive.damping * gear * gear,
                   {0, model::mean(drive.target, {time_, end}).value / gear, 0}, lower, upper);
      else
        add(motor, -target.value / gear, 0, lower, upper);
      break;
    case model::Motor::Mode::position: {
      add_spring(motor, drive.stiffness * gear * gear, drive.damping * gear * gear,
                 {mean(first.value, target.value), (target.value - first.value) / (h_ * gear), 0},
                 lower, upper);
      break;
    }
    case model::Motor::Mode::effort:
      break;  // add_effort
  }
}

/// What a motor with an effort as its target exerts on its axis, on average.
Real MachineStep::effort_of(const model::Motor& drive) const {
  const Real own = mean(drive.target, {time_, time_ + h_}).value;
  return drive.gear * std::clamp(own, drive.lower_effort, drive.upper_effort);
}

/// Adds it to the forces.
void MachineStep::add_effort(Index axis, const dynamics::MachineMotion& here) {
  const model::AxisLaw& law = terms_.axis_law(axis);
  if (!law.motor || law.motor->mode != model::Motor::Mode::effort) return;
  terms_.axis(axis, here).row.add_to(force_, effort_of(*law.motor));
}

/// ‖force of the constraints of a joint‖ [N s].
Real MachineStep::reaction(const problem::ContactImpulses& answer, Index joint) const {
  const dynamics::RowRange range = terms_.rows_of_joint(joint);
  Real sum = 0;
  for (std::size_t j = 0; j < step_rows_.size(); ++j) {
    const Row& row = step_rows_[j];
    const bool is_own = row.kind == Row::Kind::constraint && row.index >= range.first &&
                        row.index < range.first + range.count;
    if (is_own && step_constraints_.rows[static_cast<std::size_t>(row.index)].is_linear())
      sum += answer.row[j] * answer.row[j];
  }
  return std::sqrt(sum);
}

/// Visits the rows of dry friction that is made of reactions: row, law, unit of its impulse.
template <class Visit>
void MachineStep::for_each_friction(Visit visit) const {
  Index next = 0;
  for (std::size_t j = 0; j < step_rows_.size(); ++j) {
    const Row& row = step_rows_[j];
    if (row.kind != Row::Kind::friction) continue;
    const model::AxisLaw& law = terms_.axis_law(row.index);
    if (law.friction_coefficient > 0) visit(next++, j, law, row);
  }
}

Index MachineStep::friction_count() const {
  Index count = 0;
  for_each_friction([&](Index, std::size_t, const model::AxisLaw&, const Row&) { ++count; });
  return count;
}

void MachineStep::friction_bounds(const RigidContact& problem, VecX& bounds) const {
  bounds.resize(friction_count());
  for_each_friction([&](Index k, std::size_t j, const model::AxisLaw&, const Row&) {
    bounds[k] = problem.rows.upper[j];
  });
}

void MachineStep::friction_bounds(const problem::ContactImpulses& answer, VecX& bounds) const {
  bounds.resize(friction_count());
  for_each_friction([&](Index k, std::size_t, const model::AxisLaw& law, const Row& row) {
    const Real radius = is_turn(law.axis) ? law.pin_radius : Real(1);
    const Index joint = terms_.axis_name(row.index).joint;
    bounds[k] = (h_ * law.friction + law.friction_coefficient * radius * reaction(answer, joint)) /
                row.length;
  });
}

void MachineStep::set_friction_bounds(const VecX& bounds, RigidContact& problem) const {
  for_each_friction([&](Index k, std::size_t j, const model::AxisLaw& law, const Row& row) {
    problem.rows.upper[j] = std::max(bounds[k], h_ * law.friction / row.length);
    problem.rows.lower[j] = -problem.rows.upper[j];
  });
}

bool MachineStep::is_inertia(Index row) const {
  const Row& own = step_rows_[static_cast<std::size_t>(row)];
  return is_midpoint() && own.kind == Row::Kind::axis && own.slot == slots * own.index + armature;
}

dynamics::Energy MachineStep::energy(const model::State& state) {
  const dynamics::MachineMotion here = motion(state);
  return {terms_.kinetic_energy(here), terms_.potential_energy(here)};
}

}  // namespace talus::stepping::detail
