#include <talus/dynamics/lagrangian_adapter.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include <talus/base/error.hpp>
#include <talus/dynamics/reaction.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/own_model.hpp>

namespace talus::dynamics {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& found,
                         const std::string& hint) {
  throw InputError(Diagnostic{{"Lagrangian system"}, what, found, "", hint});
}

/// Throws where a number that schemes take as constant is another one at another place.
void demand_constant(const std::string& what, Real taken, Real found) {
  if (taken == found) return;
  refuse(what, fmt::format("is {} here and was {} at the start", found, taken),
         "expected the same at every place: coefficients that change are taken by "
         "stewart_trinkle and anitescu_potra");
}

/// Throws where a law has more than friction along one tangent, a normal force and impacts.
void demand_one_tangent(Index contact, const std::optional<model::InterfaceLaw>& law) {
  if (!law) return;
  const model::FrictionModel& friction = law->friction;
  if (friction.rolling > 0 || friction.torsion > 0 || !friction.grain.isZero(0) ||
      law->cohesion > 0)
    refuse(fmt::format("law of contact {}", contact),
           "has rolling, torsional or directed friction, or cohesion",
           "expected friction along the tangent, a normal law and impacts");
}

/// A row of all coordinates with its numbers at velocities.
JacobianRow row_of(const Eigen::Ref<const VecX>& entries) { return JacobianRow(VecX(entries)); }

}  // namespace

LagrangianAdapter::LagrangianAdapter(const model::LagrangianSystem& system,
                                     const model::State& state)
    : system_(system), count_(system.coordinate_count()), mass_(MassMatrix::general(count_)) {
  const VecX q = model::coordinates_of(state);
  model::demand_shape("coordinates of the state", count_, 1, q);
  constraint_count_ = system.bilateral_at(q, state.time).value.size();
  for (Index i = 0; i < system.contact_count(); ++i) {
    const model::LagrangianContact at_start = contact_at(i, q);
    demand_one_tangent(i, system.law(i));
    laws_.push_back(
        system.law(i).value_or(model::coulomb_law(at_start.friction, at_start.restitution)));
  }
  for (const model::LagrangianJoint& joint : system.joints(q)) {
    model::FrictionModel full;  // all of the bound
    full.coefficient = 1;
    joint_laws_.push_back({joint.law.value_or(full), joint.bound});
  }
  take_mass(q);
}

const model::Machine& LagrangianAdapter::parts() const {
  static const model::Machine none;
  return none;
}

MatX LagrangianAdapter::mass_at(const VecX& q) const {
  const MatX given = model::mass_of(system_, q);
  const Index width = given.cols();
  MatX mass = MatX::Zero(count_, count_);
  for (Index first = 0; first < count_; first += width)
    mass.block(first, first, width, width) = given.middleRows(first, width);
  return mass;
}

void LagrangianAdapter::take_mass(const VecX& q) const {
  if (mass_place_.size() == q.size() && mass_place_ == q) return;
  const MatX mass = mass_at(q);
  if (!mass_.set(mass) && mass.allFinite())
    refuse("M(q)", "is not positive definite",
           "expected the mass matrix of a system all of whose coordinates move something");
  mass_place_ = q;
}

std::string LagrangianAdapter::constraint_name(Index constraint) const {
  return fmt::format("bilateral constraint {}", constraint);
}

std::string LagrangianAdapter::joint_name(Index joint) const { return fmt::format("{}", joint); }

void LagrangianAdapter::near_pairs(const VecX& /*q*/, const VecX& /*margin*/,
                                   std::vector<ShapePair>& pairs) const {
  pairs.clear();
}

Real LagrangianAdapter::overlap(const ShapePair& /*pair*/, const VecX& /*q*/) const {
  return -std::numeric_limits<Real>::infinity();
}

void LagrangianAdapter::prescribe(Real /*time*/, VecX& /*q*/, VecX& /*v*/,
                                  VecX& /*acceleration*/) const {}

void LagrangianAdapter::given_force(const model::TimeSpan& time, const VecX& q, const VecX& v,
                                    VecX& Q) const {
  Q = time.length() > 0 ? system_.step_force(q, v, time.begin, time.length())
                        : system_.force(q, v, time.begin);
  model::demand_shape("k(q, v, t)", count_, 1, Q);
}

void LagrangianAdapter::elastic_rows(const VecX& q, std::vector<ElasticRow>& rows) const {
  const model::LagrangianSprings springs = system_.springs(q);
  const Index count = springs.stretch.size();
  model::demand_shape("gradient of the springs", count_, count, springs.gradient);
  model::demand_shape("stiffness of the springs", count, 1, springs.stiffness);
  model::demand_shape("damping of the springs", count, 1, springs.damping);
  rows.clear();
  for (Index i = 0; i < count; ++i)
    rows.push_back({i, row_of(springs.gradient.col(i)), springs.stretch[i], springs.stiffness[i],
                    springs.damping[i]});
}

void LagrangianAdapter::force(const model::TimeSpan& time, const VecX& q, const VecX& v,
                              VecX& Q) const {
  given_force(time, q, v, Q);
  std::vector<ElasticRow> springs;
  elastic_rows(q, springs);
  add_elastic(springs, v, Q);
}

void LagrangianAdapter::constraints(Real time, const VecX& q, const VecX& v,
                                    ConstraintTerms& terms) const {
  terms.rows.clear();
  terms.couplings.clear();
  if (constraint_count_ == 0) {
    terms.value = terms.rate = terms.drift = VecX(0);
    return;
  }
  const model::LagrangianBilateral at = system_.bilateral_at(q, time);
  model::demand_shape("bilateral constraints", constraint_count_, 1, at.value);
  model::demand_shape("gradient of the bilateral constraints", count_, constraint_count_,
                      at.gradient);
  terms.value = at.value;
  terms.rate = at.gradient.transpose() * v;
  if (at.rate.size() > 0) {
    model::demand_shape("rate of the bilateral constraints", constraint_count_, 1, at.rate);
    terms.rate += at.rate;
  }
  terms.drift = system_.bilateral_drift(q, v, time);
  model::demand_shape("drift of the bilateral constraints", constraint_count_, 1, terms.drift);
  for (Index i = 0; i < constraint_count_; ++i) terms.rows.push_back(row_of(at.gradient.col(i)));
}

Real LagrangianAdapter::gap(Index contact, const VecX& q) const { return system_.gap(contact, q); }

Real LagrangianAdapter::gap_bound(Index /*contact*/, const VecX& /*q*/) const {
  return -std::numeric_limits<Real>::infinity();
}

/// The contact with all coordinates in its rows, and one tangent.
model::LagrangianContact LagrangianAdapter::contact_at(Index i, const VecX& q) const {
  model::LagrangianContact contact = system_.contact(i, q);
  if (contact.tangents.size() == 0) contact.tangents = MatX::Zero(contact.normal.size(), 1);
  if (contact.tangents.cols() != 1)
    refuse(fmt::format("contact {}", i), fmt::format("{} tangents", contact.tangents.cols()),
           "expected one, or none without friction: stewart_trinkle and anitescu_potra take more");
  const Index given = contact.coordinates.empty() ? count_ : std::ssize(contact.coordinates);
  model::demand_shape("normal of a contact", given, 1, contact.normal);
  model::demand_shape("tangents of a contact", given, 1, contact.tangents);
  if (contact.coordinates.empty()) return contact;
  VecX normal = VecX::Zero(count_), tangent = normal;
  for (Index k = 0; k < given; ++k) {
    const Index at = contact.coordinates[static_cast<std::size_t>(k)];
    normal[at] = contact.normal[k];
    tangent[at] = contact.tangents(k, 0);
  }
  contact.normal = normal;
  contact.tangents = tangent;
  contact.coordinates.clear();
  return contact;
}

void LagrangianAdapter::contact(Index contact, const VecX& q, const VecX& v,
                                ContactTerms& terms) const {
  const model::LagrangianContact at = contact_at(contact, q);
  if (!system_.law(contact)) {
    demand_constant(fmt::format("friction of contact {}", contact),
                    law(contact).friction.coefficient, at.friction);
    demand_constant(fmt::format("restitution of contact {}", contact),
                    law(contact).impact.restitution, at.restitution);
  }
  const model::LagrangianDrift drift = system_.contact_drift(contact, q, v);
  terms = {};
  terms.gap = at.gap;
  terms.normal = row_of(at.normal);
  terms.tangent = row_of(at.tangents.col(0));
  terms.gap_rate = at.normal.dot(v);
  terms.slip = at.tangents.col(0).dot(v);
  terms.normal_drift = drift.normal;
  terms.tangent_drift = drift.tangents.size() > 0 ? drift.tangents[0] : 0;
}

Real LagrangianAdapter::length_scale(const VecX& q) const {
  const VecX scale = system_.scale();
  model::demand_shape("scale of the coordinates", count_, 1, scale);
  return system_.length() * std::max(Real(1), q.cwiseQuotient(scale).lpNorm<Eigen::Infinity>());
}

void LagrangianAdapter::coordinate_scale(const VecX& q, VecX& scale) const {
  scale = system_.scale();
  model::demand_shape("scale of the coordinates", count_, 1, scale);
  scale *= std::max(Real(1), q.cwiseQuotient(scale).lpNorm<Eigen::Infinity>());
}

Real LagrangianAdapter::kinetic_energy(const VecX& q, const VecX& v) const {
  if (mass_place_ == q) return v.dot(mass_.times(v)) / 2;
  return v.dot(mass_at(q) * v) / 2;
}

JointFriction LagrangianAdapter::joint_friction(Index i) const {
  const JointLaw& joint = joint_laws_[static_cast<std::size_t>(i)];
  JointFriction friction;
  friction.law = &joint.law;
  friction.preload = joint.bound;
  friction.is_pressed = false;
  return friction;
}

void LagrangianAdapter::joint_slip(Index i, Real /*time*/, const VecX& q, const VecX& v,
                                   JointSlip& slip) const {
  const std::vector<model::LagrangianJoint> joints = system_.joints(q);
  model::demand_shape("joints", std::ssize(joint_laws_), 1, VecX(std::ssize(joints)));
  Index before = 0;  // tangents of the joints before
  for (Index j = 0; j < i; ++j) before += joints[static_cast<std::size_t>(j)].tangents.cols();
  const model::LagrangianJoint& joint = joints[static_cast<std::size_t>(i)];
  model::demand_shape("tangents of a joint", count_, 1, joint.tangents);
  demand_constant(fmt::format("bound of joint {}", i),
                  joint_laws_[static_cast<std::size_t>(i)].bound, joint.bound);
  slip = {};
  slip.joint = i;
  slip.row = row_of(joint.tangents.col(0));
  slip.slip = slip.row.times(v);
  slip.drift = system_.joint_drift(q, v)[before];
}

Real LagrangianAdapter::joint_normal_force(Index i, const VecX& /*multipliers*/) const {
  return joint_laws_[static_cast<std::size_t>(i)].bound;
}

void LagrangianAdapter::report(Real /*time*/, const VecX& /*q*/, const VecX& /*v*/,
                               const HoldingForces& /*forces*/, std::vector<Reaction>& reactions,
                               std::vector<AxisReaction>& axes) const {
  reactions.clear();
  axes.clear();
}

void LagrangianAdapter::load(const model::State& state, VecX& q, VecX& v) const {
  q = model::coordinates_of(state);
  v = model::rates_of(state);
  model::demand_shape("coordinates of the state", count_, 1, q);
  model::demand_shape("rates of the state", count_, 1, v);
}

void LagrangianAdapter::store(const VecX& q, const VecX& v, model::State& state) const {
  state.internal.start();
  state.internal.add(model::kCoordinates, {q.begin(), q.end()});
  state.internal.add(model::kRates, {v.begin(), v.end()});
}

}  // namespace talus::dynamics
