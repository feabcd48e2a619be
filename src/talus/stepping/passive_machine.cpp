#include <talus/stepping/passive_machine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <talus/base/contract.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/scheme_decorator.hpp>

namespace talus::stepping {
namespace {

bool is_zero(const model::TimeLaw& law) {
  const auto* constant = std::get_if<model::ConstantLaw>(&law);
  return constant != nullptr && constant->value == 0;
}

/// Of a state: T, U of the springs, and E.
struct Shares {
  Real kinetic = 0, springs = 0, total = 0;
};

Shares shares_of(const model::Model& model, const model::State& state, const Energy& energy) {
  Real height = 0;  // Σ m g·x
  for (Index i = 0; i < model.body_count(); ++i)
    if (model.bodies[i].kind == model::BodyKind::dynamic && state.is_present(i))
      height += model.bodies[i].mass * model.gravity.dot(state.position[i]);
  return {energy.kinetic, std::max(energy.potential + height, Real(0)), energy.total()};
}

/// What places that are known to a share of their size leave of an energy [J]: of motion, by which
/// such a share is made up in a step, and of the springs of joints.
Real unresolved(const model::Model& model, const model::State& state, Real h) {
  constexpr Real kPlace = 1e-12;  // joints are closed to no better
  Real inertia = 0, stiffness = 0;
  for (Index i = 0; i < model.body_count(); ++i)
    if (const model::Body& body = model.bodies[i]; body.kind == model::BodyKind::dynamic)
      inertia += body.mass * state.position[i].squaredNorm() + body.inertia.trace();
  if (model.spatial_machine)
    for (const model::SpatialJoint& joint : model.spatial_machine->joints)
      for (const model::AxisLaw& axis : joint.axes) stiffness += axis.stiffness;
  if (model.machine)
    for (const model::ForceElement& element : model.machine->forces)
      if (const auto* line = std::get_if<model::LineForce>(&element.kind))
        stiffness += line->stiffness;
  return kPlace * kPlace * (inertia / (h * h) + stiffness) / 2;
}

class EnergyJudge final : public detail::SchemeDecorator {
 public:
  EnergyJudge(std::unique_ptr<Scheme> scheme, const model::Model& model)
      : SchemeDecorator(std::move(scheme)), model_(model) {
    TALUS_DEMAND(is_passive_machine(model));
  }

  StepReport step(model::State& state, Real h) override {
    const Shares before = shares_of(model_, state, energy_of(state));
    StepReport report = scheme_->step(state, h);
    const Shares after = shares_of(model_, state, report.energy);
    const Real lowest = std::min(before.total, std::exchange(seen_.lowest, after.total));
    if (!report.is_certified() || is_pushed()) return report;
    const Real rise = after.total - before.total;
    const Real all = before.kinetic + after.kinetic + before.springs + after.springs;
    seen_.largest = std::max(seen_.largest, all);
    const Real rounding = tolerance::kEnergyRounding * seen_.largest + unresolved(model_, state, h);
    if (rise > tolerance::kEnergyOfFixedSteps * all + rounding)
      return refused(std::move(report),
                     fmt::format("the energy rises by {:.3g} J to {:.6g} J", rise, after.total));
    if (after.total - lowest > tolerance::kEnergyCreep * seen_.largest + rounding)
      return refused(std::move(report),
                     fmt::format("the energy has risen from {:.6g} J to {:.6g} J in several steps",
                                 lowest, after.total));
    seen_.lowest = std::min(lowest, after.total);
    return report;
  }

  SchemeMemory memory() const override {
    SchemeMemory memory = SchemeDecorator::memory();
    memory.energy = seen_;
    return memory;
  }
  void recall(const SchemeMemory& memory) override {
    seen_ = memory.energy;
    SchemeDecorator::recall(memory);
  }

 private:
  /// In the plane the machine is kept from step to step.
  [[nodiscard]] Energy energy_of(const model::State& state) {
    if (!model_.machine || model_.machine->forces.empty()) return dynamics::energy(model_, state);
    if (!planar_) planar_ = dynamics::make_system(model_, state);
    planar_->load(state, q_, v_);
    return {planar_->kinetic_energy(q_, v_), planar_->potential_energy(state.time, q_)};
  }
  [[nodiscard]] static StepReport refused(StepReport report, const std::string& why) {
    report.status = problem::SolveStatus::stalled;
    report.detail =
        why + ", which nothing gives: a coordinate turns far in the step, take smaller ones";
    return report;
  }

  /// Whether a contact, a limit or the end of a rope acted in the last step.
  [[nodiscard]] bool is_pushed() const {
    const auto acts = [](const StepContact& contact) { return !contact.impulse.isZero(0); };
    const std::vector<StepContact>& contacts = scheme_->contacts();
    const std::span<const dynamics::AxisReaction> axes = scheme_->axes();
    if (std::any_of(contacts.begin(), contacts.end(), acts) ||
        std::any_of(axes.begin(), axes.end(),
                    [](const dynamics::AxisReaction& axis) { return axis.limit != 0; }))
      return true;
    if (!model_.spatial_machine) return false;  // in the plane a rope is a contact
    const std::span<const dynamics::Reaction> reactions = scheme_->reactions();
    const std::vector<model::SpatialJoint>& joints = model_.spatial_machine->joints;
    for (std::size_t j = 0; j < std::min(joints.size(), reactions.size()); ++j)
      if (std::holds_alternative<model::Rope>(joints[j].kind) && !reactions[j].force.isZero(0))
        return true;
    return false;
  }

  const model::Model& model_;
  std::unique_ptr<dynamics::System> planar_;
  VecX q_, v_;
  EnergyMemory seen_;
};

/// Whether a law of surfaces stores energy.
bool stores(const model::InterfaceLaw& law) {
  return !model::is_rigid(law.normal) ||
         std::holds_alternative<model::DahlFriction>(law.friction.kind);
}

bool stores(const model::Joint& joint) {
  if (joint.friction && std::holds_alternative<model::DahlFriction>(joint.friction->law.kind))
    return true;
  if (const auto* pin = std::get_if<model::RevoluteClearance>(&joint.kind)) return stores(pin->law);
  const auto* guide = std::get_if<model::TranslationalClearance>(&joint.kind);
  return guide != nullptr && stores(guide->law);
}

/// Whether a force element has a law of time.
bool has_law_of_time(const model::ForceElement& element) {
  if (const auto* line = std::get_if<model::LineForce>(&element.kind)) return !is_zero(line->force);
  if (const auto* torque = std::get_if<model::Torque>(&element.kind))
    return !is_zero(torque->moment);
  return !is_zero(std::get<model::PointForce>(element.kind).force);
}

bool is_moved(const model::Body& body) { return body.kind == model::BodyKind::kinematic; }

/// In the plane: with springs, dampers or drag.
bool is_passive_in_the_plane(const model::Model& model) {
  const bool has_drag = model.linear_damping > 0 || model.angular_damping > 0;
  if (model.own_system || model.has_changing_population() ||
      model.any_law([](const model::InterfaceLaw& law) { return stores(law); }) ||
      std::any_of(model.bodies.begin(), model.bodies.end(), is_moved))
    return false;
  if (!model.machine) return has_drag;
  const model::Machine& machine = *model.machine;
  return machine.drives.empty() && (has_drag || !machine.forces.empty()) &&
         std::none_of(machine.forces.begin(), machine.forces.end(), has_law_of_time) &&
         std::none_of(machine.joints.begin(), machine.joints.end(),
                      [](const model::Joint& joint) { return stores(joint); });
}

}  // namespace

bool is_passive_machine(const model::Model& model) {
  if (model.dimension == 2) return is_passive_in_the_plane(model);
  if (!model.spatial_machine) return false;
  const model::SpatialMachine& machine = *model.spatial_machine;
  if (!machine.drives.empty() || model.has_changing_population() || model.resists_more() ||
      model.has_functions())
    return false;
  bool stores = false;
  for (const model::SpatialForce& force : machine.forces) {
    const model::TimeLaw* law = model::law_of(force.kind);
    if (law != nullptr && !is_zero(*law)) return false;
    stores = true;
  }
  for (const model::SpatialJoint& joint : machine.joints)
    for (const model::AxisLaw& axis : joint.axes) {
      if (axis.motor) return false;
      stores = stores || axis.stiffness > 0 || axis.armature > 0;
    }
  return stores && std::none_of(model.bodies.begin(), model.bodies.end(), is_moved);
}

std::unique_ptr<Scheme> judge_energy(std::unique_ptr<Scheme> scheme, const model::Model& model) {
  return std::make_unique<EnergyJudge>(std::move(scheme), model);
}

}  // namespace talus::stepping
