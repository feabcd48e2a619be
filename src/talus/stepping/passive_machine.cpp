#include <talus/stepping/passive_machine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/dynamics/machine_terms.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/model/state.hpp>
#include <talus/stepping/detail/passive_machines.hpp>
#include <talus/stepping/detail/scheme_decorator.hpp>

namespace talus::stepping {
namespace {

/// Of a machine in a state: T, U of the springs, and E; and what E changes by where all coordinates
/// move by as much as their size is.
struct Shares {
  Real kinetic = 0, springs = 0, total = 0;
  Real weight = 0;     // Σ m ‖g‖ ‖v‖: the most that gravity gives or takes [W]
  Real lifted = 0;     // of the potential of what is no spring [J]
  Real inertia = 0;    // Σ m x² [kg m²]
  Real stiffness = 0;  // Σ k s² [J]
};

struct Start {
  Vec3 position, velocity, turning;
};

/// What may have given energy to a machine in a step, beside what it stores itself.
struct Push {
  bool acts = false;  // a contact, a limit, the end of a rope or a motor
  Real work = 0;      // of contacts and motors [J]
  Real lift = 0;      // by what moves bodies out of each other [J]
};

/// What places that are known to a share of their size leave of an energy [J]: of height, of
/// motion, by which such a share is made up in a step, and of springs with U, which may cancel.
Real unresolved(const Shares& at, Real h) {
  constexpr Real kPlace = 1e-12;  // joints are closed to no better
  return kPlace * (at.lifted + std::sqrt(2 * at.stiffness * at.springs)) +
         kPlace * kPlace * (at.inertia / (h * h) + at.stiffness) / 2;
}

class EnergyJudge final : public detail::SchemeDecorator {
 public:
  EnergyJudge(std::unique_ptr<Scheme> scheme, const model::Model& model, Judged which)
      : SchemeDecorator(std::move(scheme)),
        model_(model),
        machines_(detail::find_passive(model, which)),
        seen_(machines_.list.size()) {
    TALUS_DEMAND(!machines_.list.empty());
    if (model.spatial_machine) {
      terms_.emplace(*model.spatial_machine, model.body_count());
      for (Index i = 0; i < terms_->axis_count(); ++i)
        has_motors_ = has_motors_ || terms_->axis_law(i).motor.has_value();
    }
  }

  StepReport step(model::State& state, Real h) override {
    take_shares(state, before_, has_motors_ ? &rate_before_ : nullptr);
    take_start(state);
    StepReport report = scheme_->step(state, h);
    take_shares(state, after_);
    find_pushes(state, h);
    const bool is_certified = report.is_certified();
    for (std::size_t i = 0; i < machines_.list.size(); ++i) {
      const std::string why = judge(i, h, is_certified);
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
  /// @param rates out, if asked for: of the axes with motors.
  void take_shares(const model::State& state, std::vector<Shares>& shares, VecX* rates = nullptr) {
    if (!terms_) {
      shares.assign(1, shares_of_system(state));
      return;
    }
    const dynamics::MotionOfState of(*terms_, state);
    const dynamics::MachineMotion motion = of.motion();
    if (rates != nullptr) {
      rates->setZero(terms_->axis_count());
      for (Index i = 0; i < terms_->axis_count(); ++i)
        if (terms_->axis_law(i).motor) (*rates)[i] = terms_->axis(i, motion).rate;
    }
    shares.clear();
    for (const detail::PassiveMachine& machine : machines_.list) {
      Shares own;
      Real size = 1;  // of the coordinates [m, rad]
      for (const Index i : machine.bodies) {
        const Energy of_body = dynamics::energy_of(model_, state, i);
        const Real distance = state.position[i].norm(), mass = model_.bodies[i].mass;
        own.kinetic += of_body.kinetic;
        own.total += of_body.potential;
        own.weight += weight_of(state, i);
        own.lifted += mass * model_.gravity.norm() * distance;
        own.inertia += mass * distance * distance + model_.bodies[i].inertia.trace();
        size = std::max(size, distance);
      }
      for (const Index i : machine.axes) {
        own.kinetic += terms_->energy_of_armature(i, motion);
        own.springs += terms_->energy_of_spring(i, motion);
        own.stiffness += terms_->axis_law(i).stiffness * size * size;
      }
      for (const Index i : machine.elements) {
        own.springs += terms_->energy_of_element(i, motion);
        own.stiffness += terms_->elastic(i, motion).stiffness.trace() * size * size;
      }
      own.total += own.kinetic + own.springs;
      shares.push_back(own);
    }
  }

  /// Where bodies of the machines are, and how they move.
  void take_start(const model::State& state) {
    start_.resize(machines_.of_body.size());
    for (const detail::PassiveMachine& machine : machines_.list)
      for (const Index i : machine.bodies)
        start_[i] = {state.position[i], state.velocity[i], state.angular_velocity[i]};
  }

  /// Of a machine in the plane or a system of its own, which is kept from step to step.
  [[nodiscard]] Shares shares_of_system(const model::State& state) {
    if (!system_) system_ = dynamics::make_system(model_, state);
    system_->load(state, q_, v_);
    Shares own;
    own.kinetic = system_->kinetic_energy(q_, v_);
    const Real potential = system_->potential_energy(state.time, q_);
    own.total = own.kinetic + potential;
    system_->coordinate_scale(q_, scale_);
    own.inertia = 2 * system_->kinetic_energy(q_, scale_);
    system_->elastic_rows(q_, elastic_);
    for (const dynamics::ElasticRow& row : elastic_) {
      const Real size = row.row.magnitude(scale_);
      own.springs += row.stiffness * row.stretch * row.stretch / 2;
      own.stiffness += row.stiffness * size * size;
    }
    for (const Index i : machines_.list.front().bodies) {
      own.weight += weight_of(state, i);
      own.lifted += model_.bodies[i].mass * model_.gravity.norm() * state.position[i].norm();
    }
    return own;
  }

  [[nodiscard]] Real weight_of(const model::State& state, Index body) const {
    return model_.bodies[body].mass * model_.gravity.norm() * state.velocity[body].norm();
  }

  /// What bodies are lifted by beyond h v and h v', as by displacements that move them apart, and a
  /// share of m (h g)², which a fall from rest would give [J].
  [[nodiscard]] Real lift(const detail::PassiveMachine& machine, const model::State& end,
                          Real h) const {
    Real lifted = 0;
    const Real fall = tolerance::kEnergyAtRest * h * h * model_.gravity.squaredNorm();
    for (const Index i : machine.bodies) {
      const auto up = [&](const Vec3& way) { return -model_.gravity.dot(way); };
      const Real moved = up(end.position[i] - start_[i].position),
                 by_motion = h * std::max(up(start_[i].velocity), up(end.velocity[i]));
      lifted += model_.bodies[i].mass * (std::max(moved - by_motion, Real(0)) + fall);
    }
    return lifted;
  }

  /// What acted on each of them in the last step.
  void find_pushes(const model::State& end, Real h) {
    pushes_.assign(machines_.list.size(), {});
    for (std::size_t i = 0; i < pushes_.size(); ++i)
      pushes_[i].lift = lift(machines_.list[i], end, h);
    const auto push = [&](Index machine, Real work) {
      if (machine < 0) return;
      pushes_[machine].acts = true;
      pushes_[machine].work += work;
    };
    for (const StepContact& contact : scheme_->contacts())
      if (!contact.impulse.isZero(0)) {
        for (const auto& [body, sign] :
             {std::pair(contact.body_a, -1), std::pair(contact.body_b, 1)})
          if (const Index machine = machines_.of_body[body]; machine >= 0)
            push(machine, sign * work_of(contact, body, end));
      }
    const std::span<const dynamics::AxisReaction> axes = scheme_->axes();
    if (!terms_) {  // in the plane a rope is a contact
      for (const dynamics::AxisReaction& axis : axes)
        if (axis.limit != 0) push(0, 0);
      return;
    }
    for (std::size_t c = 0; c < std::min(axes.size(), terms_->coordinates().size()); ++c) {
      if (axes[c].limit == 0 && axes[c].effort == 0) continue;
      const Index axis = terms_->axis_of_coordinate(static_cast<Index>(c));
      Real work = 0;
      if (axes[c].effort != 0 && axis >= 0)
        work = h * std::abs(axes[c].effort) *
               (std::abs(rate_before_[axis]) + std::abs(axes[c].rate)) / 2;
      push(machines_.of_joint[terms_->coordinates()[c].joint], work);
    }
    const std::span<const dynamics::Reaction> reactions = scheme_->reactions();
    const std::vector<model::SpatialJoint>& joints = terms_->machine().joints;
    for (std::size_t j = 0; j < std::min(joints.size(), reactions.size()); ++j)
      if (std::holds_alternative<model::Rope>(joints[j].kind) && !reactions[j].force.isZero(0))
        push(machines_.of_joint[j], 0);
  }

  /// r·(u + u')/2 of a contact's impulse r on B and a body that has its point [J].
  [[nodiscard]] Real work_of(const StepContact& contact, Index body,
                             const model::State& end) const {
    const Vec3 v = start_[body].velocity + end.velocity[body],
               w = start_[body].turning + end.angular_velocity[body];
    const Vec3 arm = contact.position - start_[body].position;
    return (contact.impulse.dot(v) + (arm.cross(contact.impulse) + contact.moment).dot(w)) / 2;
  }

  /// @return why the step of a machine is not certified.
  [[nodiscard]] std::string judge(std::size_t i, Real h, bool is_certified) {
    const Shares &before = before_[i], &after = after_[i];
    const detail::PassiveMachine& machine = machines_.list[i];
    EnergyMemory& seen = seen_[i];
    const Real lowest = std::min(before.total, std::exchange(seen.lowest, after.total));
    if (!is_certified) return {};
    const Real rise = after.total - before.total;
    const Real all = before.kinetic + after.kinetic + before.springs + after.springs +
                     h / 2 * (before.weight + after.weight);
    seen.largest = std::max(seen.largest, all);
    const Real rounding = tolerance::kEnergyRounding * seen.largest + unresolved(after, h);
    const std::string whose =
        machines_.list.size() > 1 ? " of what is connected by " + machine.name : "";
    if (const auto& [acts, work, lift] = pushes_[i]; acts) {
      if (model_.own_system) return {};  // whose work is not measured
      const Real given = std::max(work, Real(0)) + lift;
      if (rise > given + tolerance::kEnergyOfPushedSteps * all + rounding)
        return fmt::format("the energy{} rises by {:.3g} J to {:.6g} J, {:.3g} J beyond all work",
                           whose, rise, after.total, rise - given);
      return {};
    }
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
  std::unique_ptr<dynamics::System> system_;  // else
  VecX q_, v_, scale_;
  std::vector<dynamics::ElasticRow> elastic_;
  std::vector<Shares> before_, after_;
  std::vector<Push> pushes_;
  VecX rate_before_;          // of the axes, those with motors
  std::vector<Start> start_;  // of the bodies, those of machines
  bool has_motors_ = false;
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
