#include <talus/dynamics/machine_terms.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/dynamics/joint_terms.hpp>

namespace talus::dynamics {
namespace {

const BodyMotion kWorldMotion;

/// Q += s rowᵀ of bodies; the world takes any force.
void add_wrenches(Index body_a, Index body_b, const Wrenches& on, VecX& Q) {
  if (body_a >= 0) Q.segment<6>(6 * body_a) += on.a;
  if (body_b >= 0) Q.segment<6>(6 * body_b) += on.b;
}

}  // namespace

model::TimeValue prescribed(const model::SpatialDrive& drive, Real time) {
  model::TimeValue law =
      drive.is_rate ? evaluate_integral(drive.law, time) : evaluate(drive.law, time);
  if (drive.is_rate) law.value += drive.start;
  return law;
}

const BodyMotion& MachineTerms::motion(std::span<const BodyMotion> bodies, Index body) {
  return body < 0 ? kWorldMotion : bodies[to_size(body)];
}

MachineTerms::MachineTerms(const model::SpatialMachine& machine, Index body_count)
    : machine_(machine) {
  const auto demand_pair = [&](Index a, Index b) {
    TALUS_DEMAND(a >= model::kWorld && a < body_count && b >= 0 && b < body_count && a != b);
  };
  const auto demand_free = [&](Index i, model::Freedom axis) {
    TALUS_DEMAND(i >= 0 && i < static_cast<Index>(machine.joints.size()));
    TALUS_DEMAND(!without_coordinate(joint(i).kind).has(axis));
  };
  std::vector<Index> angle_of(3 * machine.joints.size(), -1);  // per joint and turn, into angles_
  const auto counted = [&](Index i, model::Freedom axis) -> Index {
    if (!model::is_turn(axis)) return -1;
    Index& angle = angle_of[to_size(3 * i + model::direction(axis))];
    if (angle < 0) {
      angle = angle_count();
      angles_.push_back({i, axis, -1});
    }
    return angle;
  };
  Index next = 0;
  for (Index i = 0; i < static_cast<Index>(machine.joints.size()); ++i) {
    const model::SpatialJoint& one = joint(i);
    demand_pair(one.body_a, one.body_b);
    geometry_.emplace_back(one);
    const int rows = dynamics::constraint_count(one.kind);
    joint_rows_.push_back({next, rows});
    next += rows;
    for (Index law = 0; law < static_cast<Index>(one.axes.size()); ++law) {
      const model::Freedom axis = one.axes[to_size(law)].axis;
      demand_free(i, axis);
      axes_.push_back({{i, law}, counted(i, axis)});
    }
    for (int which = 0; which < joint_contact_count(one.kind); ++which)
      contacts_.push_back({i, which});
  }
  coordinates_ = joint_coordinates(machine);
  for (const JointCoordinate& one : coordinates_) {
    const auto is_law = [&](const Axis& axis) {
      return axis.name.joint == one.joint && axis.name.law == one.law;
    };
    const auto axis = std::find_if(axes_.begin(), axes_.end(), is_law);
    axis_of_coordinate_.push_back(axis == axes_.end() ? Index(-1) : axis - axes_.begin());
    coordinate_angles_.push_back(counted(one.joint, one.freedom));
  }
  first_drive_ = next;
  for (const model::SpatialDrive& drive : machine.drives) {
    demand_free(drive.joint, drive.axis);
    const bool turns = model::is_turn(drive.axis);
    drive_angles_.push_back(
        turns ? angle_of[to_size(3 * drive.joint + model::direction(drive.axis))] : Index(-1));
  }
  first_coupling_ = first_drive_ + static_cast<Index>(machine.drives.size());
  constraint_count_ = first_coupling_ + static_cast<Index>(machine.couplings.size());
  for (const model::Coupling& coupling : machine.couplings) {
    TALUS_DEMAND(!coupling.terms.empty() && coupling.terms.size() <= model::kMaxCouplingTerms);
    for (std::size_t k = 0; k < model::kMaxCouplingTerms; ++k) {
      Index angle = -1;
      if (k < coupling.terms.size()) {
        const model::CouplingTerm& term = coupling.terms[k];
        demand_free(term.joint, term.axis);
        angle = counted(term.joint, term.axis);
      }
      coupling_angles_.push_back(angle);
    }
  }
  for (const model::SpatialForce& element : machine.forces) {
    demand_pair(element.body_a, element.body_b);
    const bool has_angle = std::holds_alternative<model::TorsionElement>(element.kind);
    torsion_angles_.push_back(has_angle ? angle_count() : -1);
    if (has_angle)
      angles_.push_back(
          {-1, model::Freedom::turn_z, static_cast<Index>(torsion_angles_.size()) - 1});
  }
}

RowTerms MachineTerms::axis_of_joint(Index i, model::Freedom axis,
                                     std::span<const BodyMotion> bodies, Real near) const {
  const model::SpatialJoint& one = joint(i);
  return axis_terms(geometry_[to_size(i)], axis, motion(bodies, one.body_a),
                    motion(bodies, one.body_b), near);
}

template <class OfJoint, class OfDrive>
void MachineTerms::visit_constraints(Real time, const MachineMotion& at, const OfJoint& of_joint,
                                     const OfDrive& of_drive) const {
  const auto is_left_out = [&](Index of) {
    return at.leaves_out(joint(of).body_a, joint(of).body_b);
  };
  for (Index i = 0; i < static_cast<Index>(machine_.joints.size()); ++i)
    if (const model::SpatialJoint& one = joint(i); !is_left_out(i))
      of_joint(joint_rows_[to_size(i)].first, geometry_[to_size(i)], motion(at.bodies, one.body_a),
               motion(at.bodies, one.body_b));
  for (Index d = 0; d < static_cast<Index>(machine_.drives.size()); ++d) {
    const model::SpatialDrive& drive = machine_.drives[to_size(d)];
    if (is_left_out(drive.joint)) continue;
    const model::TimeValue law = prescribed(drive, time);
    of_drive(first_drive_ + d, axis_of_joint(drive.joint, drive.axis, at.bodies, law.value), law);
  }
}

template <class Add>
RowTerms MachineTerms::sum_of_coupling(Index i, const MachineMotion& at, const Add& add) const {
  const model::Coupling& coupling = machine_.couplings[to_size(i)];
  RowTerms sum;
  for (std::size_t k = 0; k < coupling.terms.size(); ++k) {
    const model::CouplingTerm& term = coupling.terms[k];
    const Index angle = coupling_angles_[to_size(i) * model::kMaxCouplingTerms + k];
    const RowTerms one = axis_of_joint(term.joint, term.axis, at.bodies, last(at, angle));
    add(one.row, term.coefficient);
    sum.value += term.coefficient * one.value;
    sum.rate += term.coefficient * one.rate;
    sum.drift += term.coefficient * one.drift;
  }
  sum.value -= coupling.offset;
  return sum;
}

bool MachineTerms::leaves_out_coupling(Index i, const MachineMotion& at) const {
  const std::vector<model::CouplingTerm>& terms = machine_.couplings[to_size(i)].terms;
  return std::any_of(terms.begin(), terms.end(), [&](const model::CouplingTerm& term) {
    return at.leaves_out(joint(term.joint).body_a, joint(term.joint).body_b);
  });
}

template <bool has_drift>
void MachineTerms::write_constraints(Real time, const MachineMotion& at,
                                     MachineConstraints& terms) const {
  terms.rows.resize(to_size(first_coupling_));
  terms.couplings.resize(machine_.couplings.size());
  terms.value.resize(constraint_count_);
  terms.rate.resize(constraint_count_);
  if constexpr (has_drift) terms.drift.resize(constraint_count_);
  const auto take = [&](Index i, const RowTerms& own, const model::TimeValue& law) {
    terms.rows[to_size(i)] = own.row;
    terms.value[i] = own.value - law.value;
    terms.rate[i] = own.rate - law.rate;
    if constexpr (has_drift) terms.drift[i] = own.drift - law.acceleration;
  };
  visit_constraints(
      time, at,
      [&](Index next, const JointGeometry& one, const BodyMotion& A, const BodyMotion& B) {
        for_each_constraint<has_drift>(one, A, B,
                                       [&](const RowTerms& own) { take(next++, own, {}); });
      },
      take);
  for (Index i = 0; i < static_cast<Index>(machine_.couplings.size()); ++i) {
    if (leaves_out_coupling(i, at)) continue;
    MultibodyRow& row = terms.couplings[to_size(i)];
    row.clear();
    const RowTerms sum =
        sum_of_coupling(i, at, [&](const JacobianRow& one, Real factor) { row.add(one, factor); });
    terms.value[first_coupling_ + i] = sum.value;
    terms.rate[first_coupling_ + i] = sum.rate;
    if constexpr (has_drift) terms.drift[first_coupling_ + i] = sum.drift;
  }
}

void MachineTerms::constraints(Real time, const MachineMotion& at,
                               MachineConstraints& terms) const {
  write_constraints<true>(time, at, terms);
}

void MachineTerms::constraint_rates(Real time, const MachineMotion& at,
                                    MachineConstraints& terms) const {
  write_constraints<false>(time, at, terms);
}

void MachineTerms::violations(Real time, const MachineMotion& at, VecX& value) const {
  value.resize(constraint_count_);
  visit_constraints(
      time, at,
      [&](Index next, const JointGeometry& one, const BodyMotion& A, const BodyMotion& B) {
        for_each_violation(one, A, B, [&](Real own) { value[next++] = own; });
      },
      [&](Index i, const RowTerms& own, const model::TimeValue& law) {
        value[i] = own.value - law.value;
      });
  for (Index i = 0; i < static_cast<Index>(machine_.couplings.size()); ++i)
    if (!leaves_out_coupling(i, at))
      value[first_coupling_ + i] = sum_of_coupling(i, at, [](const JacobianRow&, Real) {}).value;
}

const model::AxisLaw& MachineTerms::axis_law(Index axis) const {
  const AxisName name = axis_name(axis);
  return joint(name.joint).axes[to_size(name.law)];
}

RowTerms MachineTerms::axis(Index axis, const MachineMotion& at) const {
  const Axis& one = axes_[to_size(axis)];
  return axis_of_joint(one.name.joint, axis_law(axis).axis, at.bodies, last(at, one.angle));
}

Real MachineTerms::axis_value(Index axis, const MachineMotion& at) const {
  const Axis& one = axes_[to_size(axis)];
  const model::SpatialJoint& of = joint(one.name.joint);
  return dynamics::axis_value(geometry_[to_size(one.name.joint)], axis_law(axis).axis,
                              motion(at.bodies, of.body_a), motion(at.bodies, of.body_b),
                              last(at, one.angle));
}

RowTerms MachineTerms::coordinate(Index i, const MachineMotion& at) const {
  const JointCoordinate& one = coordinates_[to_size(i)];
  return axis_of_joint(one.joint, one.freedom, at.bodies, last(at, coordinate_angles_[to_size(i)]));
}

Real MachineTerms::gap(Index contact, const MachineMotion& at) const {
  const Contact& one = contacts_[to_size(contact)];
  const model::SpatialJoint& of = joint(one.joint);
  return joint_contact_gap(of, one.which, motion(at.bodies, of.body_a),
                           motion(at.bodies, of.body_b));
}

void MachineTerms::contact(Index contact, const MachineMotion& at, JointContactTerms& terms) const {
  const Contact& one = contacts_[to_size(contact)];
  const model::SpatialJoint& of = joint(one.joint);
  joint_contact_terms(of, one.which, motion(at.bodies, of.body_a), motion(at.bodies, of.body_b),
                      terms);
}

template <class Exert>
void MachineTerms::add_elements(const MachineMotion& at, VecX& Q, const Exert& exert) const {
  for (std::size_t i = 0; i < machine_.forces.size(); ++i) {
    const model::SpatialForce& element = machine_.forces[i];
    if (at.leaves_out(element.body_a, element.body_b)) continue;
    add_wrenches(element.body_a, element.body_b,
                 exert(element, motion(at.bodies, element.body_a),
                       motion(at.bodies, element.body_b), last(at, torsion_angles_[i])),
                 Q);
  }
}

void MachineTerms::force(const model::TimeSpan& time, const MachineMotion& at, VecX& Q) const {
  Q.setZero(6 * static_cast<Index>(at.bodies.size()));
  add_elements(at, Q, [&](const auto& element, const auto& A, const auto& B, Real near) {
    return force_of(element, time, A, B, near);
  });
  for (Index i = 0; i < axis_count(); ++i) {
    const RowTerms terms = axis(i, at);
    terms.row.add_to(Q, axis_effort(axis_law(i), time, terms.value, terms.rate));
  }
}

void MachineTerms::add_given_forces(const model::TimeSpan& time, const MachineMotion& at,
                                    VecX& Q) const {
  add_elements(at, Q, [&](const auto& element, const auto& A, const auto& B, Real near) {
    return given_force(element, time, A, B, near);
  });
}

ElasticTerms MachineTerms::elastic(Index i, const MachineMotion& at) const {
  const model::SpatialForce& element = machine_.forces[to_size(i)];
  return elastic_terms(element, motion(at.bodies, element.body_a),
                       motion(at.bodies, element.body_b), last(at, torsion_angles_[to_size(i)]));
}

Real MachineTerms::energy_of_element(Index i, const MachineMotion& at) const {
  const model::SpatialForce& element = machine_.forces[to_size(i)];
  return dynamics::potential_energy(element, motion(at.bodies, element.body_a),
                                    motion(at.bodies, element.body_b),
                                    last(at, torsion_angles_[to_size(i)]));
}

Real MachineTerms::energy_of_spring(Index i, const MachineMotion& at) const {
  const model::AxisLaw& law = axis_law(i);
  if (law.stiffness == 0) return 0;
  const Real stretch = axis_value(i, at) - law.rest;
  return law.stiffness * stretch * stretch / 2;
}

Real MachineTerms::energy_of_armature(Index i, const MachineMotion& at) const {
  const Real inertia = axis_law(i).armature;
  if (inertia == 0) return 0;
  const Real rate = axis(i, at).rate + (at.leads.empty() ? Real(0) : at.leads[to_size(i)]);
  return inertia * rate * rate / 2;
}

Real MachineTerms::potential_energy(const MachineMotion& at) const {
  Real sum = 0;
  for (Index i = 0; i < element_count(); ++i) sum += energy_of_element(i, at);
  for (Index i = 0; i < axis_count(); ++i) sum += energy_of_spring(i, at);
  return sum;
}

Real MachineTerms::kinetic_energy(const MachineMotion& at) const {
  Real sum = 0;
  for (Index i = 0; i < axis_count(); ++i) sum += energy_of_armature(i, at);
  return sum;
}

void MachineTerms::count_angles(std::span<const BodyMotion> bodies, std::span<Real> angles,
                                std::span<const unsigned char> left_out) const {
  const MachineMotion at = {bodies, angles, left_out};
  TALUS_DEMAND_EQ(angles.size(), angles_.size());
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    const CountedAngle& angle = angles_[i];
    const auto [body_a, body_b] = bodies_of(angle);
    if (at.leaves_out(body_a, body_b)) continue;
    angles[i] = angle.joint < 0 ? angle_terms(angle, bodies, angles[i]).value
                                : dynamics::axis_value(geometry_[to_size(angle.joint)], angle.axis,
                                                       motion(bodies, body_a),
                                                       motion(bodies, body_b), angles[i]);
  }
}

std::pair<Index, Index> MachineTerms::bodies_of(const CountedAngle& angle) const {
  if (angle.joint >= 0) return {joint(angle.joint).body_a, joint(angle.joint).body_b};
  const model::SpatialForce& element = machine_.forces[to_size(angle.element)];
  return {element.body_a, element.body_b};
}

/// The value is the one nearest to `near`.
RowTerms MachineTerms::angle_terms(const CountedAngle& angle, std::span<const BodyMotion> bodies,
                                   Real near) const {
  if (angle.joint >= 0) return axis_of_joint(angle.joint, angle.axis, bodies, near);
  const auto [body_a, body_b] = bodies_of(angle);
  const model::SpatialForce& element = machine_.forces[to_size(angle.element)];
  return torsion_angle(std::get<model::TorsionElement>(element.kind), body_a, body_b,
                       motion(bodies, body_a), motion(bodies, body_b), near);
}

void MachineTerms::angle_rates(std::span<const BodyMotion> bodies, std::span<Real> rates) const {
  TALUS_DEMAND_EQ(rates.size(), angles_.size());
  for (std::size_t i = 0; i < angles_.size(); ++i)
    rates[i] = angle_terms(angles_[i], bodies, 0).rate;
}

std::string MachineTerms::angle_name(Index angle) const {
  const CountedAngle& one = angles_[to_size(angle)];
  return one.joint >= 0 ? "joint " + joint(one.joint).name
                        : "force element " + machine_.forces[to_size(one.element)].name;
}

bool MachineTerms::has_fixed_axis(Index angle) const {
  const CountedAngle& one = angles_[to_size(angle)];
  return one.joint < 0 || held_freedoms(joint(one.joint).kind).turns() == 2;
}

Real MachineTerms::next_jump(Real time) const {
  Real next = std::numeric_limits<Real>::infinity();
  for (const model::SpatialDrive& drive : machine_.drives)
    if (!drive.is_rate) next = std::min(next, model::next_kink(drive.law, time));
  return next;
}

MotionOfState::MotionOfState(const MachineTerms& terms, const model::State& state)
    : no_angles_(static_cast<std::size_t>(terms.angle_count()), 0) {
  motions_of(state, bodies_);
  angles_ = no_angles_;
  const std::vector<Real>* known = state.internal.find(model::kJointAngles);
  if (known != nullptr && known->size() == no_angles_.size()) angles_ = *known;
  const std::vector<Real>* leads = state.internal.find(model::kArmatureLeads);
  if (leads != nullptr && static_cast<Index>(leads->size()) == terms.axis_count()) leads_ = *leads;
}

}  // namespace talus::dynamics
