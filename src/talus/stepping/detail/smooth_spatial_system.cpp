#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/dynamics/machine_terms.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/math/rotation.hpp>
#include <talus/stepping/detail/smooth_system.hpp>
#include <talus/stepping/event_driven/inconsistent_constraints.hpp>
#include <talus/stepping/tolerances.hpp>

namespace talus::stepping::detail {
namespace {

using dynamics::BodyMotion;

class SmoothSpatialSystem final : public SmoothSystem {
 public:
  explicit SmoothSpatialSystem(const model::Model& model);

  [[nodiscard]] const dynamics::MassMatrix& mass() const override { return mass_; }
  [[nodiscard]] Index constraint_count() const override { return terms_.constraint_count(); }
  [[nodiscard]] std::string name(Index constraint) const override {
    return dynamics::constraint_name(constraint, terms_.machine(), terms_);
  }
  void start(const model::State& state, VecX& v) override;
  void evaluate(Real time, VecX& x, VecX& v, VecX& acceleration, SmoothTerms& terms) override;
  void store(const VecX& x, const VecX& v, model::State& state) override;
  [[nodiscard]] dynamics::Energy energy(Real time, const VecX& x, const VecX& v) override;
  void report(Real time, const VecX& x, const VecX& v, const VecX& multipliers,
              std::vector<dynamics::Reaction>& reactions,
              std::vector<dynamics::AxisReaction>& axes) override;
  [[nodiscard]] std::string why_no_motion(Real time, const VecX& x, const VecX& v) override;

 private:
  [[nodiscard]] Index body_count() const { return model_.body_count(); }
  [[nodiscard]] bool moves(Index body) const { return mass_.moves(body); }
  void place(const VecX& x, const VecX& v);
  void add_forces(Real time, const VecX& v, VecX& Q);
  void add_armatures(const VecX& acceleration, VecX& Q);
  void form_constraints(Real time, SmoothTerms& terms);

  const model::Model& model_;
  const model::SpatialMachine none_;
  dynamics::MachineTerms terms_;
  dynamics::MassMatrix mass_;                     // body axes
  std::vector<Real> length_;                      // of every body; infinite of what nothing moves
  Real start_ = 0;                                // the time of q₀
  std::vector<Vec3> position_, velocity_, spin_;  // q₀; of prescribed bodies, world axes
  std::vector<Quat> orientation_;                 // q₀
  std::vector<Real> angles_;
  std::vector<BodyMotion> motions_;
  VecX world_force_;
  dynamics::MachineConstraints constraints_;
};

SmoothSpatialSystem::SmoothSpatialSystem(const model::Model& model)
    : model_(model),
      terms_(model.spatial_machine ? *model.spatial_machine : none_, model.body_count()),
      mass_(model.body_count(), 6),
      length_(model.bodies.size(), std::numeric_limits<Real>::infinity()),
      angles_(static_cast<std::size_t>(terms_.angle_count()), 0) {
  const dynamics::RigidBodies bodies(model);
  for (Index i = 0; i < body_count(); ++i) {
    const model::Body& body = model.bodies[i];
    if (body.kind != model::BodyKind::dynamic) continue;
    mass_.set(i, body.mass, body.inertia);
    length_[static_cast<std::size_t>(i)] = bodies.length(i);
  }
}

void SmoothSpatialSystem::start(const model::State& state, VecX& v) {
  start_ = state.time;
  position_ = state.position;
  orientation_ = state.orientation;
  velocity_ = state.velocity;
  spin_ = state.angular_velocity;
  const std::vector<Real>* known = state.internal.find(model::kJointAngles);
  if (known != nullptr && known->size() == angles_.size()) angles_ = *known;
  v.resize(6 * body_count());
  for (Index i = 0; i < body_count(); ++i)
    v.segment<6>(6 * i) << velocity_[i], orientation_[i].conjugate() * spin_[i];
  place(VecX::Zero(v.size()), v);
  terms_.count_angles(motions_, angles_);
}

/// q₀ ∘ exp(x) and v as motions along the world's axes.
void SmoothSpatialSystem::place(const VecX& x, const VecX& v) {
  motions_.resize(model_.bodies.size());
  for (Index i = 0; i < body_count(); ++i) {
    const Mat3 R = (orientation_[i] * rotation_exp(x.segment<3>(6 * i + 3))).toRotationMatrix();
    motions_[i] = {position_[i] + x.segment<3>(6 * i), R, v.segment<3>(6 * i),
                   R * v.segment<3>(6 * i + 3)};
  }
}

void SmoothSpatialSystem::evaluate(Real time, VecX& x, VecX& v, VecX& acceleration,
                                   SmoothTerms& terms) {
  for (Index i = 0; i < body_count(); ++i) {
    if (moves(i)) continue;
    const bool is_fixed = model_.bodies[i].kind == model::BodyKind::fixed;
    v.segment<6>(6 * i) << velocity_[i], orientation_[i].conjugate() * spin_[i];
    if (is_fixed) v.segment<6>(6 * i).setZero();
    x.segment<6>(6 * i) = (time - start_) * v.segment<6>(6 * i);
    acceleration.segment<6>(6 * i).setZero();
  }
  place(x, v);
  terms.force.setZero(x.size());
  add_forces(time, v, terms.force);
  add_armatures(acceleration, terms.force);
  form_constraints(time, terms);
  terms.extent = x.lpNorm<Eigen::Infinity>();
  for (const BodyMotion& motion : motions_)
    terms.extent = std::max(terms.extent, motion.p.lpNorm<Eigen::Infinity>());
}

/// Of gravity, drag, the machine and, in the body's frame, −Ω × I Ω.
void SmoothSpatialSystem::add_forces(Real time, const VecX& v, VecX& Q) {
  world_force_.setZero(Q.size());
  terms_.force(time, {motions_, angles_}, world_force_);
  for (Index i = 0; i < body_count(); ++i) {
    if (!moves(i)) continue;
    const model::Body& body = model_.bodies[i];
    const Vec3 velocity = v.segment<3>(6 * i), spin = v.segment<3>(6 * i + 3);
    const Vec3 momentum = body.inertia * spin;
    Q.segment<3>(6 * i) += world_force_.segment<3>(6 * i) +
                           body.mass * (model_.gravity - model_.linear_damping * velocity);
    Q.segment<3>(6 * i + 3) += motions_[i].R.transpose() * world_force_.segment<3>(6 * i + 3) -
                               spin.cross(momentum) - model_.angular_damping * momentum;
  }
}

/// −I q̈ along every axis that has an armature I.
void SmoothSpatialSystem::add_armatures(const VecX& acceleration, VecX& Q) {
  for (Index i = 0; i < terms_.axis_count(); ++i) {
    const Real armature = terms_.axis_law(i).armature;
    if (armature == 0) continue;
    const dynamics::RowTerms axis = terms_.axis(i, {motions_, angles_});
    Real rate = axis.drift;
    const auto in_body = [&](Index body, const auto& part) {
      Vec6 own = part;
      own.tail<3>() = motions_[body].R.transpose() * own.tail<3>();
      return own;
    };
    axis.row.for_each([&](Index body, const auto& part) {
      rate += in_body(body, part).dot(acceleration.segment<6>(6 * body));
    });
    axis.row.for_each([&](Index body, const auto& part) {
      Q.segment<6>(6 * body) -= armature * rate * in_body(body, part);
    });
  }
}

void SmoothSpatialSystem::form_constraints(Real time, SmoothTerms& terms) {
  terms_.constraints(time, {motions_, angles_}, constraints_);
  const Index m = constraint_count(), two = static_cast<Index>(constraints_.rows.size());
  terms.gradient.setZero(m, 6 * body_count());
  terms.length.setOnes(m);
  terms.size.setConstant(m, std::numeric_limits<Real>::infinity());
  const auto add = [&](Index k, Index body, const Vec6& part) {
    auto own = terms.gradient.row(k).segment<6>(6 * body);
    own.head<3>() += part.head<3>().transpose();
    own.tail<3>() += (motions_[body].R.transpose() * part.tail<3>()).transpose();
    terms.size[k] = std::min(terms.size[k], length_[body]);
  };
  for (Index k = 0; k < two; ++k)
    constraints_.rows[k].for_each([&](Index body, const auto& part) { add(k, body, part); });
  for (Index k = two; k < m; ++k)
    for (const auto& entry : constraints_.couplings[k - two]) add(k, entry.body, entry.part);
  for (Index k = 0; k < m; ++k) {
    if (!std::isfinite(terms.size[k])) terms.size[k] = 1;
    if (k < two && !constraints_.rows[k].is_linear()) terms.length[k] = terms.size[k];
  }
  terms.value = constraints_.value;
  terms.rate = constraints_.rate;
  terms.drift = constraints_.drift;
}

void SmoothSpatialSystem::store(const VecX& x, const VecX& v, model::State& state) {
  place(x, v);
  for (Index i = 0; i < body_count(); ++i) {
    if (model_.bodies[i].kind == model::BodyKind::fixed) continue;
    state.position[i] = motions_[i].p;
    state.orientation[i] = (orientation_[i] * rotation_exp(x.segment<3>(6 * i + 3))).normalized();
    if (!moves(i)) continue;
    state.velocity[i] = motions_[i].v;
    state.angular_velocity[i] = motions_[i].w;
  }
  terms_.count_angles(motions_, angles_);
  state.internal.start();
  if (!angles_.empty()) state.internal.add(model::kJointAngles, angles_);
}

dynamics::Energy SmoothSpatialSystem::energy(Real /*time*/, const VecX& x, const VecX& v) {
  place(x, v);
  const dynamics::MachineMotion here{motions_, angles_};
  dynamics::Energy sum{v.dot(mass_.times(v)) / 2 + terms_.kinetic_energy(here),
                       terms_.potential_energy(here)};
  for (Index i = 0; i < body_count(); ++i)
    if (moves(i)) sum.potential -= model_.bodies[i].mass * model_.gravity.dot(motions_[i].p);
  return sum;
}

void SmoothSpatialSystem::report(Real time, const VecX& x, const VecX& v, const VecX& multipliers,
                                 std::vector<dynamics::Reaction>& reactions,
                                 std::vector<dynamics::AxisReaction>& axes) {
  place(x, v);
  const dynamics::MachineMotion here{motions_, angles_};
  const model::SpatialMachine& machine = terms_.machine();
  terms_.constraints(time, here, constraints_);
  reactions.assign(machine.joints.size() + machine.drives.size(), {});
  const auto add = [&](dynamics::RowRange rows, Index joint, dynamics::Reaction& reaction) {
    for (Index k = rows.first; k < rows.first + rows.count; ++k)
      dynamics::add_row(machine.joints[joint], motions_, multipliers[k], constraints_.rows[k].b,
                        reaction);
    dynamics::turn_into_joint(machine.joints[joint], motions_, reaction);
  };
  for (Index j = 0; j < static_cast<Index>(machine.joints.size()); ++j)
    add(terms_.rows_of_joint(j), j, reactions[j]);
  for (Index d = 0; d < static_cast<Index>(machine.drives.size()); ++d) {
    const dynamics::RowRange rows = terms_.rows_of_drive(d);
    dynamics::Reaction& reaction = reactions[machine.joints.size() + d];
    add(rows, machine.drives[d].joint, reaction);
    reaction.effort = multipliers[rows.first];
  }
  axes.clear();
  for (Index c = 0; c < static_cast<Index>(terms_.coordinates().size()); ++c) {
    const dynamics::RowTerms coordinate = terms_.coordinate(c, here);
    dynamics::AxisReaction& axis = axes.emplace_back();
    axis.value = coordinate.value;
    axis.rate = coordinate.rate;
    const Index of = terms_.axis_of_coordinate(c);
    if (of < 0) continue;
    model::AxisLaw law = terms_.axis_law(of);
    const Real all = dynamics::axis_effort(law, time, axis.value, axis.rate);
    law.motor.reset();
    axis.spring = dynamics::axis_effort(law, time, axis.value, axis.rate);
    axis.effort = all - axis.spring;
  }
}

/// Least squares on all constraints; those are named that stay open.
std::string SmoothSpatialSystem::why_no_motion(Real time, const VecX& x, const VecX& v) {
  constexpr int kMostIterations = 20;
  VecX at = x, velocity = v, acceleration = VecX::Zero(x.size());
  SmoothTerms terms;
  linalg::CompleteOrthogonal factor;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    evaluate(time, at, velocity, acceleration, terms);
    MatX by_mass(x.size(), constraint_count());  // M⁻¹ Φ_qᵀ
    for (Index k = 0; k < constraint_count(); ++k)
      by_mass.col(k) = mass_.solve(VecX(terms.gradient.row(k).transpose()));
    factor.compute(terms.gradient * by_mass);
    at -= by_mass * factor.solve(terms.value);
    if (!at.allFinite()) return "";
  }
  evaluate(time, at, velocity, acceleration, terms);
  std::vector<std::string> names;
  for (Index k = 0; k < constraint_count(); ++k) {
    const Real open = std::abs(terms.value[k]) * terms.length[k];
    if (open > tolerance::kViolated * (1 + terms.extent) &&
        std::find(names.begin(), names.end(), name(k)) == names.end())
      names.push_back(name(k));
  }
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  return names.empty() ? "" : event_driven::no_motion_satisfies(all);
}

}  // namespace

std::unique_ptr<SmoothSystem> make_smooth_spatial_system(const model::Model& model) {
  return std::make_unique<SmoothSpatialSystem>(model);
}

}  // namespace talus::stepping::detail
