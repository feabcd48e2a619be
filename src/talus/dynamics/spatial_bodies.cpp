#include <talus/dynamics/spatial_bodies.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/dynamics/joint_contacts.hpp>
#include <talus/dynamics/kinks.hpp>
#include <talus/dynamics/prescribed_motion.hpp>
#include <talus/math/rotation.hpp>
#include <talus/model/machine.hpp>

namespace talus::dynamics {
namespace {

constexpr Real kMostTurn = 1;  // [rad] of a body in a step of which whole turns are counted
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

const model::Machine& no_planar_machine() {
  static const model::Machine none;
  return none;
}

bool holds_velocity(const model::AxisLaw& law) { return law.motor && law.motor->is_set_valued(); }

/// Coulomb's law with μ = 1: the bound is the force that presses.
model::FrictionModel unit_friction() {
  model::FrictionModel law;
  law.coefficient = 1;
  return law;
}

}  // namespace

SpatialBodies::SpatialBodies(const model::Model& model)
    : model_(model),
      terms_(model.spatial_machine ? *model.spatial_machine : none_, model.body_count()),
      mass_(model.body_count(), 6),
      position_(model.bodies.size(), Vec3::Zero()),
      origin_(model.bodies.size(), Quat::Identity()),
      angles_(to_size(terms_.angle_count()), 0),
      drift_(model.bodies.size(), Vec3::Zero()),
      w_(model.bodies.size(), Vec3::Zero()),
      motions_(model.bodies.size()) {
  TALUS_DEMAND_EQ(model.dimension, 3);
  const RigidBodies bodies(model);
  for (Index i = 0; i < body_count(); ++i) {
    const model::Body& body = model.bodies[i];
    if (body.kind == model::BodyKind::dynamic) {
      mass_.set(i, body.mass, body.inertia);
      least_scale_ = std::max(least_scale_, mass_.gyration_radius(i));
    }
    bounding_radius_.push_back(bodies.bounding_radius(i));
    size_.push_back(bodies.size(i));
  }
  for (Index i = 0; i < terms_.axis_count(); ++i) add_axis(i);
  for (Index i = 0; i < terms_.contact_count(); ++i) {
    const model::SpatialJointKind& kind =
        machine().joints[to_size(terms_.joint_of_contact(i))].kind;
    const auto* rope = std::get_if<model::Rope>(&kind);
    contacts_.push_back(
        {i, Side::joint,
         rope != nullptr ? model::coulomb_law(0, rope->restitution) : *model::play_law(kind)});
  }
  sort_constraints();
}

void SpatialBodies::add_axis(Index axis) {
  const model::AxisLaw& law = terms_.axis_law(axis);
  const auto add_limit = [&](Side side) {
    contacts_.push_back({axis, side, model::coulomb_law(0, law.restitution)});
    if (model::is_turn(law.axis)) least_scale_ = std::max(least_scale_, Real(1));
  };
  if (std::isfinite(law.lower)) add_limit(Side::lower);
  if (std::isfinite(law.upper)) add_limit(Side::upper);
  if (law.friction > 0) frictions_.push_back({axis, false, law.friction, unit_friction()});
  if (!law.motor) return;
  const model::Motor& motor = *law.motor;
  const bool is_bounded = std::isfinite(motor.lower_effort) && std::isfinite(motor.upper_effort);
  if (holds_velocity(law)) {
    const Real half = (motor.upper_effort - motor.lower_effort) / 2;
    if (!is_bounded)
      held_.push_back(axis);
    else if (half > 0)
      frictions_.push_back({axis, true, half, unit_friction()});
    return;
  }
  for (const Real bound : {motor.lower_effort, motor.upper_effort})
    if (std::isfinite(bound)) kinks_.push_back({axis, bound});
}

/// Couplings by how many of their bodies move.
void SpatialBodies::sort_constraints() {
  for (std::size_t i = 0; i < machine().couplings.size(); ++i) {
    std::vector<Index> moving;
    for (const model::CouplingTerm& term : machine().couplings[i].terms) {
      const model::SpatialJoint& joint = machine().joints[to_size(term.joint)];
      for (const Index body : {joint.body_a, joint.body_b})
        if (body >= 0 && model_.bodies[body].kind != model::BodyKind::fixed &&
            std::find(moving.begin(), moving.end(), body) == moving.end())
          moving.push_back(body);
    }
    (moving.size() <= 2 ? two_ : other_).push_back(static_cast<Index>(i));
  }
  first_held_ = terms_.constraint_count() - static_cast<Index>(other_.size());
  constraint_count_ = terms_.constraint_count() + static_cast<Index>(held_.size());
}

const model::Machine& SpatialBodies::parts() const { return no_planar_machine(); }

std::string SpatialBodies::constraint_name(Index constraint) const {
  const Index first = terms_.constraint_count() - static_cast<Index>(machine().couplings.size());
  if (constraint < first) return dynamics::constraint_name(constraint, machine(), terms_);
  Index at = constraint - first;
  const auto coupling = [&](Index i) { return "coupling " + machine().couplings[to_size(i)].name; };
  if (at < static_cast<Index>(two_.size())) return coupling(two_[to_size(at)]);
  at -= static_cast<Index>(two_.size());
  if (at < static_cast<Index>(held_.size()))
    return "motor of joint " + joint_of_axis(held_[to_size(at)]).name;
  at -= static_cast<Index>(held_.size());
  return at < static_cast<Index>(other_.size()) ? coupling(other_[to_size(at)]) : "";
}

Index SpatialBodies::joint_of(Index contact) const {
  const Contact& one = contacts_[to_size(contact)];
  return one.side == Side::joint ? terms_.joint_of_contact(one.index)
                                 : terms_.axis_name(one.index).joint;
}

bool SpatialBodies::has_place(Index contact) const {
  return contacts_[to_size(contact)].side == Side::joint &&
         model::play_law(machine().joints[to_size(joint_of(contact))].kind) != nullptr;
}

BodyPair SpatialBodies::bodies_of(Index contact) const {
  const model::SpatialJoint& joint = machine().joints[to_size(joint_of(contact))];
  return {joint.body_a, joint.body_b};
}

void SpatialBodies::near_pairs(const VecX& /*q*/, const VecX& /*margin*/,
                               std::vector<ShapePair>& pairs) const {
  pairs.clear();
}

Real SpatialBodies::overlap(const ShapePair& /*pair*/, const VecX& /*q*/) const {
  return -kInfinity;
}

// ---- where bodies are

/// q and v as motions along the world's axes.
void SpatialBodies::place(const VecX& q, const VecX& v) const {
  if (placed_q_.size() == q.size() && placed_q_ == q && placed_v_ == v) return;
  placed_q_ = q;
  placed_v_ = v;
  for (Index i = 0; i < body_count(); ++i) {
    const Mat3 R = (origin_[to_size(i)] * rotation_exp(q.segment<3>(6 * i + 3))).toRotationMatrix();
    motions_[to_size(i)] = {q.segment<3>(6 * i), R, v.segment<3>(6 * i),
                            R * v.segment<3>(6 * i + 3)};
  }
}

/// Where velocities have no part.
void SpatialBodies::place(const VecX& q) const {
  if (placed_q_.size() == q.size() && placed_q_ == q) return;
  place(q, VecX::Zero(q.size()));
}

JacobianRow SpatialBodies::in_bodies(JacobianRow row) const {
  if (row.body_a >= 0)
    row.a.tail<3>() = (motions_[to_size(row.body_a)].R.transpose() * row.a.tail<3>()).eval();
  if (row.body_b >= 0)
    row.b.tail<3>() = (motions_[to_size(row.body_b)].R.transpose() * row.b.tail<3>()).eval();
  return row;
}

MultibodyRow SpatialBodies::in_bodies(const MultibodyRow& row) const {
  MultibodyRow own;
  for (const MultibodyRow::Entry& entry : row)
    own.add(in_bodies({entry.body, -1, entry.part, Vec6(Vec6::Zero())}), 1);
  return own;
}

RowTerms SpatialBodies::axis(Index axis) const {
  RowTerms terms = terms_.axis(axis, here());
  terms.row = in_bodies(terms.row);
  return terms;
}

void SpatialBodies::coordinate_rate(const VecX& q, const VecX& v, VecX& rate) const {
  rate = v;
  for (Index i = 0; i < body_count(); ++i)
    rate.segment<3>(6 * i + 3) =
        rotation_vector_rate(q.segment<3>(6 * i + 3), v.segment<3>(6 * i + 3));
}

void SpatialBodies::displace(const JacobianRow& row, Real s, VecX& q) const {
  row.for_each([&](Index body, const auto& part) {
    if (!moves(body)) return;
    const Vec6 by = s * mass_.solve_block(body, part);
    q.segment<3>(6 * body) += by.head<3>();
    q.segment<3>(6 * body + 3) += rotation_vector_rate(q.segment<3>(6 * body + 3), by.tail<3>());
  });
}

void SpatialBodies::recount(Real time, VecX& q) {
  place(q);
  terms_.count_angles(motions_, angles_);
  start_ = time;
  for (Index i = 0; i < body_count(); ++i) {
    position_[to_size(i)] = q.segment<3>(6 * i);
    auto x = q.segment<3>(6 * i + 3);
    if (x.isZero(0)) continue;
    origin_[to_size(i)] = (origin_[to_size(i)] * rotation_exp(x)).normalized();
    x.setZero();
  }
  placed_q_.resize(0);
}

Real SpatialBodies::longest_step(const VecX& v) const {
  Real fastest = 0;
  for (Index i = 0; i < body_count(); ++i)
    fastest = std::max(fastest, v.segment<3>(6 * i + 3).norm());
  return fastest > 0 ? kMostTurn / fastest : kInfinity;
}

Real SpatialBodies::length_scale(const VecX& q) const {
  Real largest = least_scale_;
  for (Index i = 0; i < body_count(); ++i)
    largest = std::max(largest, q.segment<3>(6 * i).lpNorm<Eigen::Infinity>());
  return largest;
}

void SpatialBodies::load(const model::State& state, VecX& q, VecX& v) const {
  q.resize(coordinate_count());
  v.resize(coordinate_count());
  for (Index i = 0; i < body_count(); ++i) {
    const Quat& orientation = state.orientation[i];
    q.segment<6>(6 * i) << state.position[i],
        rotation_log(origin_[to_size(i)].conjugate() * orientation);
    v.segment<6>(6 * i) << state.velocity[i], orientation.conjugate() * state.angular_velocity[i];
    if (model_.bodies[i].kind == model::BodyKind::fixed) v.segment<6>(6 * i).setZero();
  }
}

void SpatialBodies::begin(const model::State& state, VecX& q, VecX& v) {
  start_ = state.time;
  position_ = state.position;
  origin_ = state.orientation;
  std::fill(angles_.begin(), angles_.end(), 0);
  const std::vector<Real>* known = state.internal.find(model::kJointAngles);
  if (known != nullptr && known->size() == angles_.size()) angles_ = *known;
  placed_q_.resize(0);
  load(state, q, v);
  for (Index i = 0; i < body_count(); ++i) {
    q.segment<3>(6 * i + 3).setZero();
    if (moves(i)) continue;
    drift_[to_size(i)] = v.segment<3>(6 * i);
    w_[to_size(i)] = v.segment<3>(6 * i + 3);
  }
  place(q, v);
  terms_.count_angles(motions_, angles_);
}

void SpatialBodies::store(const VecX& q, const VecX& v, model::State& state) const {
  place(q, v);
  for (Index i = 0; i < body_count(); ++i) {
    if (model_.bodies[i].kind == model::BodyKind::fixed) continue;
    const Vec3 x = q.segment<3>(6 * i + 3);
    state.position[i] = q.segment<3>(6 * i);
    state.orientation[i] =
        x.isZero(0) ? origin_[to_size(i)] : (origin_[to_size(i)] * rotation_exp(x)).normalized();
    if (!moves(i)) continue;
    state.velocity[i] = motions_[to_size(i)].v;
    state.angular_velocity[i] = motions_[to_size(i)].w;
  }
  std::vector<Real> angles = angles_;
  terms_.count_angles(motions_, angles);
  state.internal.start();
  if (!angles.empty()) state.internal.add(model::kJointAngles, std::move(angles));
}

void SpatialBodies::prescribe(Real time, VecX& q, VecX& v, VecX& acceleration) const {
  for (Index i = 0; i < body_count(); ++i) {
    if (moves(i)) continue;
    const Real since = time - start_;
    q.segment<6>(6 * i) << position_[to_size(i)] + since * drift_[to_size(i)],
        since * w_[to_size(i)];
    v.segment<6>(6 * i) << drift_[to_size(i)], w_[to_size(i)];
    acceleration.segment<6>(6 * i).setZero();
  }
  for (const model::Motion& law : model_.motions) {
    const PrescribedMotion at = prescribed_motion(law.terms, law.rest, time);
    const Quat to_own = at.pose.q.conjugate();
    const Index first = 6 * law.body;
    q.segment<6>(first) << at.pose.p,
        rotation_log(origin_[to_size(law.body)].conjugate() * at.pose.q);
    v.segment<6>(first) << at.v, to_own * at.w;
    acceleration.segment<6>(first) << at.acceleration, to_own * at.w_rate;
  }
}

Real SpatialBodies::next_kink(Real time) const {
  Real first = dynamics::next_kink(terms_.machine(), time);
  for (const model::Motion& law : model_.motions)
    first = std::min(first, dynamics::next_kink(law.terms, time));
  return first;
}

// ---- forces

/// Of gravity, drag, the machine and, in the body's frame, −Ω × I Ω.
void SpatialBodies::force(const model::TimeSpan& time, const VecX& q, const VecX& v,
                          VecX& Q) const {
  place(q, v);
  terms_.force(time, here(), world_force_);
  Q.setZero(q.size());
  for (Index i = 0; i < body_count(); ++i) {
    if (!moves(i)) continue;
    const model::Body& body = model_.bodies[i];
    const Vec3 velocity = v.segment<3>(6 * i), spin = v.segment<3>(6 * i + 3);
    const Vec3 momentum = body.inertia * spin;
    Q.segment<3>(6 * i) = world_force_.segment<3>(6 * i) +
                          body.mass * (model_.gravity - model_.linear_damping * velocity);
    Q.segment<3>(6 * i + 3) =
        motions_[to_size(i)].R.transpose() * world_force_.segment<3>(6 * i + 3) -
        spin.cross(momentum) - model_.angular_damping * momentum;
  }
  for (const Friction& friction : frictions_) {
    if (!friction.is_motor) continue;
    const model::Motor& motor = *terms_.axis_law(friction.axis).motor;
    const Real mean = (motor.lower_effort + motor.upper_effort) / 2;
    if (mean != 0) axis(friction.axis).row.add_to(Q, motor.gear * mean);
  }
}

void SpatialBodies::add_armatures(const VecX& q, const VecX& v, const VecX& acceleration,
                                  VecX& Q) const {
  place(q, v);
  for (Index i = 0; i < terms_.axis_count(); ++i) {
    const Real armature = terms_.axis_law(i).armature;
    if (armature == 0) continue;
    const RowTerms terms = axis(i);
    terms.row.add_to(Q, -armature * (terms.row.times(acceleration) + terms.drift));
  }
}

Real SpatialBodies::kink(Index i, Real time, const VecX& q, const VecX& v) const {
  const Kink& one = kinks_[to_size(i)];
  place(q, v);
  const RowTerms terms = terms_.axis(one.axis, here());
  return one.bound - motor_effort(*terms_.axis_law(one.axis).motor, time, terms.value, terms.rate);
}

Real SpatialBodies::kinetic_energy(const VecX& /*q*/, const VecX& v) const {
  return v.dot(mass_.times(v)) / 2;
}

Real SpatialBodies::armature_energy(const VecX& q, const VecX& v) const {
  place(q, v);
  return terms_.kinetic_energy(here());
}

Real SpatialBodies::potential_energy(Real /*time*/, const VecX& q) const {
  place(q);
  Real sum = terms_.potential_energy(here());
  for (Index i = 0; i < body_count(); ++i)
    if (moves(i)) sum -= model_.bodies[i].mass * model_.gravity.dot(q.segment<3>(6 * i));
  return sum;
}

// ---- constraints, contacts, frictions

void SpatialBodies::constraints(Real time, const VecX& q, const VecX& v,
                                ConstraintTerms& terms) const {
  place(q, v);
  terms_.constraints(time, here(), constraints_);
  const auto first = static_cast<Index>(constraints_.rows.size());
  terms.rows.resize(constraints_.rows.size() + two_.size() + held_.size());
  terms.couplings.resize(other_.size());
  for (VecX* all : {&terms.value, &terms.rate, &terms.drift}) all->resize(constraint_count_);
  for (std::size_t k = 0; k < constraints_.rows.size(); ++k)
    terms.rows[k] = in_bodies(constraints_.rows[k]);
  terms.value.head(first) = constraints_.value.head(first);
  terms.rate.head(first) = constraints_.rate.head(first);
  terms.drift.head(first) = constraints_.drift.head(first);
  Index next = first;
  const auto take = [&](Index coupling) {
    terms.value[next] = constraints_.value[first + coupling];
    terms.rate[next] = constraints_.rate[first + coupling];
    terms.drift[next++] = constraints_.drift[first + coupling];
  };
  for (const Index coupling : two_) {
    JacobianRow row;
    row.width = 6;
    for (const MultibodyRow::Entry& entry : in_bodies(constraints_.couplings[to_size(coupling)])) {
      if (model_.bodies[entry.body].kind == model::BodyKind::fixed) continue;
      (row.body_a < 0 ? row.a : row.b) = entry.part;
      (row.body_a < 0 ? row.body_a : row.body_b) = entry.body;
    }
    terms.rows[to_size(next)] = row;
    take(coupling);
  }
  for (const Index held : held_) {  // at the level of velocities: nothing of its place
    const model::Motor& motor = *terms_.axis_law(held).motor;
    const model::TimeValue target = evaluate(motor.target, time);
    const RowTerms of_axis = scaled(axis(held), motor.gear);
    terms.rows[to_size(next)] = of_axis.row;
    terms.value[next] = 0;
    terms.rate[next] = of_axis.rate - target.value;
    terms.drift[next++] = of_axis.drift - target.rate;
  }
  for (std::size_t k = 0; k < other_.size(); ++k) {
    terms.couplings[k] = in_bodies(constraints_.couplings[to_size(other_[k])]);
    take(other_[k]);
  }
}

Real SpatialBodies::gap(Index contact, const VecX& q) const {
  const Contact& one = contacts_[to_size(contact)];
  place(q);
  if (one.side == Side::joint) return terms_.gap(one.index, here());
  const model::AxisLaw& law = terms_.axis_law(one.index);
  const Real value = terms_.axis(one.index, here()).value;
  return one.side == Side::lower ? value - law.lower : law.upper - value;
}

Real SpatialBodies::gap_bound(Index /*contact*/, const VecX& /*q*/) const { return -kInfinity; }

void SpatialBodies::contact(Index contact, const VecX& q, const VecX& v,
                            ContactTerms& terms) const {
  const Contact& one = contacts_[to_size(contact)];
  place(q, v);
  terms = {};
  if (one.side == Side::joint) {
    JointContactTerms met;
    terms_.contact(one.index, here(), met);
    terms.gap = met.normal.value;
    terms.normal = in_bodies(met.normal.row);
    terms.gap_rate = met.normal.rate;
    terms.normal_drift = met.normal.drift;
    terms.position = met.position;
    terms.direction = met.frame.col(0);
  } else {
    const model::AxisLaw& law = terms_.axis_law(one.index);
    const Real sign = one.side == Side::lower ? 1 : -1;
    const RowTerms limit = scaled(axis(one.index), sign);
    terms.gap = one.side == Side::lower ? limit.value - law.lower : law.upper + limit.value;
    terms.normal = limit.row;
    terms.gap_rate = limit.rate;
    terms.normal_drift = limit.drift;
  }
  // Nothing resists slip.
  terms.tangent = terms.rolling = {terms.normal.body_a, terms.normal.body_b, Vec6(Vec6::Zero()),
                                   Vec6(Vec6::Zero())};
}

JointFriction SpatialBodies::joint_friction(Index i) const {
  const Friction& one = frictions_[to_size(i)];
  JointFriction friction{&one.law, one.bound};
  friction.is_pressed = false;
  return friction;
}

void SpatialBodies::joint_slip(Index i, Real time, const VecX& q, const VecX& v,
                               JointSlip& slip) const {
  const Friction& one = frictions_[to_size(i)];
  place(q, v);
  RowTerms of_axis = axis(one.axis);
  if (one.is_motor) {
    const model::Motor& motor = *terms_.axis_law(one.axis).motor;
    const model::TimeValue target = evaluate(motor.target, time);
    of_axis = scaled(of_axis, motor.gear);
    of_axis.rate -= target.value;
    of_axis.drift -= target.rate;
  }
  slip = {terms_.axis_name(one.axis).joint, of_axis.row, of_axis.rate, of_axis.drift, 0};
}

Real SpatialBodies::joint_normal_force(Index i, const VecX& /*multipliers*/) const {
  return frictions_[to_size(i)].bound;
}

// ---- reports

void SpatialBodies::report(Real time, const VecX& q, const VecX& v, const HoldingForces& forces,
                           std::vector<Reaction>& reactions,
                           std::vector<AxisReaction>& axes) const {
  place(q, v);
  terms_.constraints(time, here(), constraints_);
  const std::size_t joints = machine().joints.size();
  reactions.assign(joints + machine().drives.size(), {});
  const auto add = [&](RowRange rows, Index joint, Reaction& reaction) {
    for (Index k = rows.first; k < rows.first + rows.count; ++k)
      add_row(machine().joints[to_size(joint)], motions_, forces.multipliers[k],
              constraints_.rows[to_size(k)].b, reaction);
  };
  for (Index j = 0; j < static_cast<Index>(joints); ++j)
    add(terms_.rows_of_joint(j), j, reactions[to_size(j)]);
  for (std::size_t d = 0; d < machine().drives.size(); ++d) {
    const RowRange rows = terms_.rows_of_drive(static_cast<Index>(d));
    add(rows, machine().drives[d].joint, reactions[joints + d]);
    reactions[joints + d].effort = forces.multipliers[rows.first];
    turn_into_joint(machine().joints[to_size(machine().drives[d].joint)], motions_,
                    reactions[joints + d]);
  }
  std::vector<AxisReaction> by_axis(to_size(terms_.axis_count()));
  for (std::size_t i = 0; forces.normal.size() > 0 && i < contacts_.size(); ++i) {
    const Contact& one = contacts_[i];
    const Real normal = forces.normal[static_cast<Index>(i)];
    if (one.side != Side::joint) {
      by_axis[to_size(one.index)].limit += one.side == Side::lower ? normal : -normal;
      continue;
    }
    JointContactTerms met;
    terms_.contact(one.index, here(), met);
    const std::size_t joint = to_size(terms_.joint_of_contact(one.index));
    add_row(machine().joints[joint], motions_, normal, met.normal.row.b, reactions[joint]);
  }
  for (std::size_t j = 0; j < joints; ++j)
    turn_into_joint(machine().joints[j], motions_, reactions[j]);
  for (std::size_t i = 0; forces.friction.size() > 0 && i < frictions_.size(); ++i) {
    const Friction& one = frictions_[i];
    const Real force = forces.friction[static_cast<Index>(i)];
    AxisReaction& axis = by_axis[to_size(one.axis)];
    if (!one.is_motor) {
      axis.friction += force;
      continue;
    }
    const model::Motor& motor = *terms_.axis_law(one.axis).motor;
    axis.effort += motor.gear * (force + (motor.lower_effort + motor.upper_effort) / 2);
  }
  for (std::size_t k = 0; k < held_.size(); ++k)
    by_axis[to_size(held_[k])].effort += terms_.axis_law(held_[k]).motor->gear *
                                         forces.multipliers[first_held_ + static_cast<Index>(k)];
  axes.clear();
  for (Index c = 0; c < static_cast<Index>(terms_.coordinates().size()); ++c) {
    const Index of = terms_.axis_of_coordinate(c);
    AxisReaction& axis = axes.emplace_back(of < 0 ? AxisReaction{} : by_axis[to_size(of)]);
    const RowTerms coordinate = terms_.coordinate(c, here());
    axis.value = coordinate.value;
    axis.rate = coordinate.rate;
    if (of < 0) continue;
    model::AxisLaw law = terms_.axis_law(of);
    const Real all = axis_effort(law, time, axis.value, axis.rate);
    law.motor.reset();
    axis.spring = axis_effort(law, time, axis.value, axis.rate);
    axis.effort += all - axis.spring;
  }
}

}  // namespace talus::dynamics
