#include <talus/stepping/passive_machine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/dynamics/machine_terms.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/passive_machines.hpp>
#include <talus/stepping/detail/scheme_decorator.hpp>

namespace talus::stepping {
namespace {

/// Of a machine in a state: T, U of the springs, and E.
struct Shares {
  Real kinetic = 0, springs = 0, total = 0;
  Real weight = 0;  // Σ m ‖g‖ ‖v‖: the most that gravity gives or takes [W]
};

/// What places that are known to a share of their size leave of an energy [J]: of motion, by which
/// such a share is made up in a step, and of the springs of joints.
Real unresolved(const model::Model& model, const std::optional<dynamics::MachineTerms>& terms,
                const detail::PassiveMachine& machine, const model::State& state, Real h) {
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
        machines_(detail::find_passive(model, which)),
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
    for (const detail::PassiveMachine& machine : machines_.list) {
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
    const detail::PassiveMachine& machine = machines_.list[i];
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
    // Where nothing stores energy, gravity alone has given T: all of it may be turned at once.
    const Real turned = machine.stores ? all : seen.largest;
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
  const detail::PassiveMachines machines_;
  std::vector<EnergyMemory> seen_;
  std::unique_ptr<dynamics::System> planar_;
  VecX q_, v_;
  std::vector<Shares> before_, after_;
  std::vector<bool> is_pushed_;
};

}  // namespace

bool has_passive_machine(const model::Model& model, Judged which) {
  return !detail::find_passive(model, which).list.empty();
}

std::unique_ptr<Scheme> judge_energy(std::unique_ptr<Scheme> scheme, const model::Model& model,
                                     Judged which) {
  return std::make_unique<EnergyJudge>(std::move(scheme), model, which);
}

}  // namespace talus::stepping
