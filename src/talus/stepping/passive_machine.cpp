#include <talus/stepping/passive_machine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/base/disjoint_sets.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/dynamics/machine_terms.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/scheme_decorator.hpp>

namespace talus::stepping {
namespace {

bool is_zero(const model::TimeLaw& law) {
  const auto* constant = std::get_if<model::ConstantLaw>(&law);
  return constant != nullptr && constant->value == 0;
}

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

/// All of a model in the plane: with springs, dampers or drag; of all machines, with joints.
bool is_passive_in_the_plane(const model::Model& model, Judged which) {
  const bool has_drag = model.linear_damping > 0 || model.angular_damping > 0;
  if (model.own_system || model.has_changing_population() ||
      model.any_law([](const model::InterfaceLaw& law) { return stores(law); }) ||
      std::any_of(model.bodies.begin(), model.bodies.end(), is_moved))
    return false;
  if (!model.machine) return has_drag;
  const model::Machine& machine = *model.machine;
  const bool is_judged =
      has_drag || !machine.forces.empty() || (which == Judged::all && !machine.joints.empty());
  return machine.drives.empty() && is_judged &&
         std::none_of(machine.forces.begin(), machine.forces.end(), has_law_of_time) &&
         std::none_of(machine.joints.begin(), machine.joints.end(),
                      [](const model::Joint& joint) { return stores(joint); });
}

/// A machine that nothing drives, of those of a model: what joints, couplings and force elements
/// connect; in the plane all of it.
struct PassiveMachine {
  std::vector<Index> bodies;  // dynamic
  std::vector<Index> axes, elements;
  bool stores = false;
  std::string name;  // of a joint or an element of it
};

/// Which of them everything belongs to; −1: to none.
struct PassiveMachines {
  std::vector<PassiveMachine> list;
  std::vector<Index> of_body, of_joint;
};

PassiveMachines find_passive(const model::Model& model, Judged which) {
  PassiveMachines found;
  if (model.dimension == 2 && is_passive_in_the_plane(model, which)) {
    PassiveMachine& all = found.list.emplace_back();
    all.stores = !model.machine || !model.machine->forces.empty() || model.linear_damping > 0 ||
                 model.angular_damping > 0;
    for (Index i = 0; i < model.body_count(); ++i)
      if (model.bodies[i].kind == model::BodyKind::dynamic) all.bodies.push_back(i);
    found.of_body.assign(model.bodies.size(), 0);
    return found;
  }
  if (!model.spatial_machine || model.dimension != 3 || model.has_changing_population())
    return found;
  const model::SpatialMachine& machine = *model.spatial_machine;
  const dynamics::MachineTerms terms(machine, model.body_count());
  const auto moves = [&](Index body) {
    return body >= 0 && model.bodies[body].kind == model::BodyKind::dynamic;
  };
  DisjointSets connected(model.body_count());
  const auto connect = [&](Index a, Index b) {
    if (moves(a) && moves(b)) connected.join(a, b);
  };
  const auto body_of = [&](Index a, Index b) { return moves(b) ? b : moves(a) ? a : Index(-1); };
  const auto body_of_joint = [&](Index j) {
    return body_of(machine.joints[j].body_a, machine.joints[j].body_b);
  };
  for (const model::SpatialJoint& joint : machine.joints) connect(joint.body_a, joint.body_b);
  for (const model::SpatialForce& force : machine.forces) connect(force.body_a, force.body_b);
  for (const model::Coupling& coupling : machine.couplings)
    for (const model::CouplingTerm& term : coupling.terms)
      connect(body_of_joint(coupling.terms.front().joint), body_of_joint(term.joint));

  std::vector<bool> is_driven(model.bodies.size(), false), stores(is_driven), is_jointed(stores);
  const auto mark = [&](std::vector<bool>& marks, Index body) {
    if (body >= 0) marks[connected.root(body)] = true;
  };
  const auto see_pair = [&](Index a, Index b) {
    for (const Index body : {a, b})
      if (body >= 0 && model.bodies[body].kind == model::BodyKind::kinematic)
        mark(is_driven, body_of(a, b));
  };
  for (const model::SpatialJoint& joint : machine.joints) {
    see_pair(joint.body_a, joint.body_b);
    const Index body = body_of(joint.body_a, joint.body_b);
    mark(is_jointed, body);
    for (const model::AxisLaw& axis : joint.axes) {
      if (axis.motor) mark(is_driven, body);
      if (axis.stiffness > 0 || axis.armature > 0) mark(stores, body);
    }
  }
  for (const model::SpatialDrive& drive : machine.drives)
    mark(is_driven, body_of_joint(drive.joint));
  for (const model::SpatialForce& force : machine.forces) {
    see_pair(force.body_a, force.body_b);
    const Index body = body_of(force.body_a, force.body_b);
    mark(stores, body);
    if (const model::TimeLaw* law = model::law_of(force.kind); law != nullptr && !is_zero(*law))
      mark(is_driven, body);
  }

  found.of_body.assign(model.bodies.size(), -1);
  for (Index i = 0; i < model.body_count(); ++i) {
    const Index root = connected.root(i);
    const bool is_judged = stores[root] || (which == Judged::all && is_jointed[root]);
    if (!moves(i) || !is_judged || is_driven[root]) continue;
    if (found.of_body[root] < 0) {  // the smallest of its set
      found.of_body[root] = static_cast<Index>(found.list.size());
      found.list.emplace_back().stores = stores[root];
    }
    found.of_body[i] = found.of_body[root];
    found.list[found.of_body[i]].bodies.push_back(i);
  }
  const auto machine_of = [&](Index body) { return body < 0 ? Index(-1) : found.of_body[body]; };
  for (Index j = 0; j < static_cast<Index>(machine.joints.size()); ++j) {
    const Index own = found.of_joint.emplace_back(machine_of(body_of_joint(j)));
    if (own >= 0 && found.list[own].name.empty())
      found.list[own].name = "joint " + machine.joints[j].name;
  }
  for (Index i = 0; i < terms.axis_count(); ++i)
    if (const Index own = found.of_joint[terms.axis_name(i).joint]; own >= 0)
      found.list[own].axes.push_back(i);
  for (Index i = 0; i < terms.element_count(); ++i) {
    const model::SpatialForce& force = machine.forces[i];
    const Index own = machine_of(body_of(force.body_a, force.body_b));
    if (own < 0) continue;
    found.list[own].elements.push_back(i);
    if (found.list[own].name.empty()) found.list[own].name = "force element " + force.name;
  }
  return found;
}

/// Of a machine in a state: T, U of the springs, and E.
struct Shares {
  Real kinetic = 0, springs = 0, total = 0;
  Real weight = 0;  // Σ m ‖g‖ ‖v‖: the most that gravity gives or takes [W]
};

/// What places that are known to a share of their size leave of an energy [J]: of motion, by which
/// such a share is made up in a step, and of the springs of joints.
Real unresolved(const model::Model& model, const std::optional<dynamics::MachineTerms>& terms,
                const PassiveMachine& machine, const model::State& state, Real h) {
  constexpr Real kPlace = 1e-12;  // joints are closed to no better
  Real inertia = 0, stiffness = 0;
  for (const Index i : machine.bodies)
    inertia +=
        model.bodies[i].mass * state.position[i].squaredNorm() + model.bodies[i].inertia.trace();
  for (const Index i : machine.axes) stiffness += terms->axis_law(i).stiffness;
  if (model.machine)
    for (const model::ForceElement& element : model.machine->forces)
      if (const auto* line = std::get_if<model::LineForce>(&element.kind))
        stiffness += line->stiffness;
  return kPlace * kPlace * (inertia / (h * h) + stiffness) / 2;
}

class EnergyJudge final : public detail::SchemeDecorator {
 public:
  EnergyJudge(std::unique_ptr<Scheme> scheme, const model::Model& model, Judged which)
      : SchemeDecorator(std::move(scheme)),
        model_(model),
        machines_(find_passive(model, which)),
        seen_(machines_.list.size()) {
    TALUS_DEMAND(!machines_.list.empty());
    if (model.spatial_machine) terms_.emplace(*model.spatial_machine, model.body_count());
  }

  StepReport step(model::State& state, Real h) override {
    take_shares(state, before_);
    StepReport report = scheme_->step(state, h);
    take_shares(state, after_);
    find_pushed();
    const bool is_certified = report.is_certified();
    for (std::size_t i = 0; i < machines_.list.size(); ++i) {
      const std::string why = judge(i, state, h, is_certified);
      if (why.empty() || !report.is_certified()) continue;
      report.status = problem::SolveStatus::stalled;
      report.detail =
          why + ", which nothing gives: a coordinate turns far in the step, take smaller ones";
    }
    return report;
  }

  SchemeMemory memory() const override {
    SchemeMemory memory = SchemeDecorator::memory();
    memory.energy = seen_;
    return memory;
  }
  void recall(const SchemeMemory& memory) override {
    if (memory.energy.size() == seen_.size()) seen_ = memory.energy;
    SchemeDecorator::recall(memory);
  }

 private:
  void take_shares(const model::State& state, std::vector<Shares>& shares) {
    if (!terms_) {
      shares.assign(1, planar_shares(state));
      return;
    }
    const dynamics::MotionOfState of(*terms_, state);
    const dynamics::MachineMotion motion = of.motion();
    shares.clear();
    for (const PassiveMachine& machine : machines_.list) {
      Shares own;
      for (const Index i : machine.bodies) {
        const Energy of_body = dynamics::energy_of(model_, state, i);
        own.kinetic += of_body.kinetic;
        own.total += of_body.potential;
        own.weight += weight_of(state, i);
      }
      for (const Index i : machine.axes) {
        own.kinetic += terms_->energy_of_armature(i, motion);
        own.springs += terms_->energy_of_spring(i, motion);
      }
      for (const Index i : machine.elements) own.springs += terms_->energy_of_element(i, motion);
      own.total += own.kinetic + own.springs;
      shares.push_back(own);
    }
  }

  /// The machine is kept from step to step.
  [[nodiscard]] Shares planar_shares(const model::State& state) {
    Energy energy;
    if (!model_.machine || model_.machine->forces.empty()) {
      energy = dynamics::energy(model_, state);
    } else {
      if (!planar_) planar_ = dynamics::make_system(model_, state);
      planar_->load(state, q_, v_);
      energy = {planar_->kinetic_energy(q_, v_), planar_->potential_energy(state.time, q_)};
    }
    Real height = 0, weight = 0;  // Σ m g·x
    for (const Index i : machines_.list.front().bodies) {
      height += model_.bodies[i].mass * model_.gravity.dot(state.position[i]);
      weight += weight_of(state, i);
    }
    return {energy.kinetic, std::max(energy.potential + height, Real(0)), energy.total(), weight};
  }

  [[nodiscard]] Real weight_of(const model::State& state, Index body) const {
    return model_.bodies[body].mass * model_.gravity.norm() * state.velocity[body].norm();
  }

  /// Which of them a contact, a limit or the end of a rope acted on in the last step.
  void find_pushed() {
    is_pushed_.assign(machines_.list.size(), false);
    const auto push = [&](Index machine) {
      if (machine >= 0) is_pushed_[machine] = true;
    };
    for (const StepContact& contact : scheme_->contacts())
      if (!contact.impulse.isZero(0))
        for (const Index body : {contact.body_a, contact.body_b}) push(machines_.of_body[body]);
    const std::span<const dynamics::AxisReaction> axes = scheme_->axes();
    if (!terms_) {  // in the plane a rope is a contact
      for (const dynamics::AxisReaction& axis : axes)
        if (axis.limit != 0) push(0);
      return;
    }
    for (std::size_t c = 0; c < std::min(axes.size(), terms_->coordinates().size()); ++c)
      if (axes[c].limit != 0) push(machines_.of_joint[terms_->coordinates()[c].joint]);
    const std::span<const dynamics::Reaction> reactions = scheme_->reactions();
    const std::vector<model::SpatialJoint>& joints = terms_->machine().joints;
    for (std::size_t j = 0; j < std::min(joints.size(), reactions.size()); ++j)
      if (std::holds_alternative<model::Rope>(joints[j].kind) && !reactions[j].force.isZero(0))
        push(machines_.of_joint[j]);
  }

  /// @return why the step of a machine is not certified.
  [[nodiscard]] std::string judge(std::size_t i, const model::State& state, Real h,
                                  bool is_certified) {
    const Shares &before = before_[i], &after = after_[i];
    const PassiveMachine& machine = machines_.list[i];
    EnergyMemory& seen = seen_[i];
    const Real lowest = std::min(before.total, std::exchange(seen.lowest, after.total));
    if (!is_certified || is_pushed_[i]) return {};
    const Real rise = after.total - before.total;
    const Real all = before.kinetic + after.kinetic + before.springs + after.springs +
                     h / 2 * (before.weight + after.weight);
    seen.largest = std::max(seen.largest, all);
    const Real rounding =
        tolerance::kEnergyRounding * seen.largest + unresolved(model_, terms_, machine, state, h);
    const std::string whose =
        machines_.list.size() > 1 ? " of what is connected by " + machine.name : "";
    const Real turned = machine.stores ? all : seen.largest;  // T comes from gravity's alone
    if (rise > tolerance::kEnergyOfFixedSteps * turned + rounding)
      return fmt::format("the energy{} rises by {:.3g} J to {:.6g} J", whose, rise, after.total);
    if (after.total - lowest > tolerance::kEnergyCreep * seen.largest + rounding)
      return fmt::format("the energy{} has risen from {:.6g} J to {:.6g} J in several steps", whose,
                         lowest, after.total);
    seen.lowest = std::min(lowest, after.total);
    return {};
  }

  const model::Model& model_;
  std::optional<dynamics::MachineTerms> terms_;  // in space
  const PassiveMachines machines_;
  std::vector<EnergyMemory> seen_;
  std::unique_ptr<dynamics::System> planar_;
  VecX q_, v_;
  std::vector<Shares> before_, after_;
  std::vector<bool> is_pushed_;
};

}  // namespace

bool has_passive_machine(const model::Model& model, Judged which) {
  return !find_passive(model, which).list.empty();
}

std::unique_ptr<Scheme> judge_energy(std::unique_ptr<Scheme> scheme, const model::Model& model,
                                     Judged which) {
  return std::make_unique<EnergyJudge>(std::move(scheme), model, which);
}

}  // namespace talus::stepping
