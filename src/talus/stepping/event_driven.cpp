#include <talus/stepping/event_driven.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/left_out_constraint.hpp>
#include <talus/stepping/detail/planar_contact.hpp>
#include <talus/stepping/detail/planar_state_judge.hpp>
#include <talus/stepping/event_driven/judge.hpp>
#include <talus/stepping/inconsistent_constraints.hpp>

namespace talus::stepping {
namespace {

using event_driven::Engine;
using event_driven::Outcome;
using problem::SolveStatus;

class EventDrivenScheme final : public EventDriven {
 public:
  EventDrivenScheme(const model::Model& model, const SchemeOptions& options)
      : model_(model), options_(options) {}

  StepReport step(model::State& state, Real h) override;
  [[nodiscard]] const std::vector<StepContact>& contacts() const override { return contacts_; }
  [[nodiscard]] std::span<const Event> events() const override { return events_; }
  [[nodiscard]] std::span<const dynamics::Reaction> reactions() const override {
    return engine_ ? std::span<const dynamics::Reaction>(reactions_)
                   : std::span<const dynamics::Reaction>();
  }
  [[nodiscard]] std::span<const dynamics::AxisReaction> axes() const override {
    return engine_ ? std::span<const dynamics::AxisReaction>(axes_)
                   : std::span<const dynamics::AxisReaction>();
  }
  [[nodiscard]] SchemeMemory memory() const override { return {contacts_, step_size_, {}, {}}; }
  void recall(const SchemeMemory& memory) override {
    contacts_ = memory.contacts;
    events_.clear();
    step_size_ = memory.step_size;
    engine_.reset();
    machine_.reset();
  }
  [[nodiscard]] std::optional<problem::GlobalFrictionContact> last_problem() const override {
    return std::nullopt;
  }
  [[nodiscard]] const VecX& multipliers() const override { return forces_.lambda; }
  [[nodiscard]] const event_driven::Forces& forces() const override { return forces_; }
  [[nodiscard]] const laws::Modes& modes() const override { return modes_; }
  [[nodiscard]] const dynamics::System* machine() const override { return machine_.get(); }
  [[nodiscard]] Real constraint_norm() const override { return value_; }
  [[nodiscard]] Real constraint_rate_norm() const override { return rate_norm_; }
  [[nodiscard]] const Outcome& outcome() const override { return outcome_; }

 private:
  [[nodiscard]] Outcome take_up(const model::State& state, Real h);
  [[nodiscard]] bool is_where_it_was(const model::State& state) const;
  void judge(Real h, StepReport& report);
  void judge_state(Real h, StepReport& report);
  void list_contacts();
  /// Its place among contacts(); −1 of what is none.
  [[nodiscard]] Index listed(Index contact) {
    if (!machine_->has_place(contact)) return -1;
    return detail::place_in(contacts_, *machine_, contact, engine_->point().q, engine_->point().v);
  }
  [[nodiscard]] std::string joint_of_friction(Index i) const;
  void name_bodies();
  [[nodiscard]] std::string who_is_fast(Index body) const;
  void list_reactions();
  void take_places();

  const model::Model& model_;
  const SchemeOptions options_;
  std::unique_ptr<dynamics::System> machine_;
  std::unique_ptr<Engine> engine_;
  Real step_size_ = 0;
  model::State last_;  // as the last step left it
  std::vector<StepContact> contacts_;
  std::vector<Event> events_;
  std::vector<dynamics::Reaction> reactions_;
  std::vector<dynamics::AxisReaction> axes_;
  event_driven::Forces forces_;
  laws::Modes modes_;
  event_driven::Rate rate_;
  dynamics::ConstraintTerms constraints_;
  Outcome outcome_;
  Real value_ = 0, rate_norm_ = 0;
};

/// Whether the engine's own point is that of the state, so that nothing has to be read from it.
bool EventDrivenScheme::is_where_it_was(const model::State& state) const {
  return engine_ && state.position == last_.position && state.velocity == last_.velocity &&
         state.angular_velocity == last_.angular_velocity && state.internal == last_.internal &&
         std::equal(state.orientation.begin(), state.orientation.end(), last_.orientation.begin(),
                    last_.orientation.end(),
                    [](const Quat& a, const Quat& b) { return a.coeffs() == b.coeffs(); });
}

Outcome EventDrivenScheme::take_up(const model::State& state, Real h) {
  if (!machine_) machine_ = dynamics::make_system(model_, state);
  const bool is_kept = is_where_it_was(state);
  if (engine_)
    engine_->set_step(h);
  else
    engine_ = std::make_unique<Engine>(*machine_, options_.machine, h);
  if (is_kept) {
    engine_->set_time(state.time);
    return {};
  }
  VecX q, v;
  machine_->begin(state, q, v);
  if (engine_->read(q, v, state)) return {};
  if (const std::string why = why_no_motion(*machine_, state.time, q, v); !why.empty()) {
    Outcome none;
    none.worsen(SolveStatus::numerical_error, why);
    return none;
  }
  Outcome outcome = engine_->start(state.time, {q, v, VecX::Zero(engine_->elements().dahl_count)});
  events_ = engine_->events();
  return outcome;
}

StepReport EventDrivenScheme::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  const Real end = state.time + h;
  events_.clear();
  outcome_ = take_up(state, h);
  if (outcome_.status != SolveStatus::numerical_error) {
    const Outcome started = std::exchange(outcome_, engine_->advance(end));
    if (started.status != SolveStatus::converged)
      outcome_.worsen(started.status, started.detail, started.unsolved);
    outcome_.solves += started.solves;
    outcome_.max_penetration = std::max(outcome_.max_penetration, started.max_penetration);
    outcome_.residual = std::max(outcome_.residual, started.residual);
    const std::vector<Event>& events = engine_->events();
    events_.insert(events_.end(), events.begin(), events.end());
  }
  StepReport report;
  if (outcome_.status == SolveStatus::interrupted) {
    report.status = outcome_.status;
    events_.clear();
    engine_.reset();
    return report;
  }
  report.status = outcome_.status;
  report.detail = outcome_.detail;
  report.iterations = outcome_.steps;
  report.lcp.count = outcome_.solves;
  report.lcp.residual = outcome_.residual;
  report.lcp.unsolved = outcome_.unsolved;
  report.max_penetration = outcome_.max_penetration;
  if (report.status == SolveStatus::numerical_error) {
    if (outcome_.fastest_body >= 0) report.detail += who_is_fast(outcome_.fastest_body);
    name_bodies();
    engine_.reset();
    report.energy = dynamics::energy(model_, state);
    return report;
  }
  list_contacts();
  judge(h, report);
  name_bodies();
  if (report.status == SolveStatus::numerical_error) {
    engine_.reset();
    report.energy = dynamics::energy(model_, state);
    return report;
  }
  machine_->store(engine_->point().q, engine_->point().v, state);
  state.time = end;
  if (model_.dimension == 3) {
    VecX q, v;
    machine_->begin(state, q, v);
    engine_->settle(q, v);
    take_places();
  }
  engine_->write(state);
  if (!state.is_finite()) {
    state = last_;
    engine_.reset();
    report.status = SolveStatus::numerical_error;
    report.detail = "the state after the step is not finite";
    return report;
  }
  last_ = state;
  step_size_ = h;
  list_reactions();
  report.contact_count = static_cast<Index>(contacts_.size());
  report.energy = {machine_->kinetic_energy(engine_->point().q, engine_->point().v), 0};
  report.energy.potential = engine_->energy() - report.energy.kinetic;
  return report;
}

/// Forces without stabilisation, and the verdict on them.
void EventDrivenScheme::judge(Real h, StepReport& report) {
  rate_.a.resize(machine_->coordinate_count());
  rate_.s.resize(engine_->elements().dahl_count);
  forces_ = engine_->plain_forces(rate_);
  modes_ = engine_->modes();
  const event_driven::Point& x = engine_->point();
  machine_->constraints(engine_->time(), x.q, x.v, constraints_);
  value_ = constraints_.value.size() > 0 ? constraints_.value.lpNorm<Eigen::Infinity>() : 0;
  rate_norm_ = constraints_.rate.size() > 0 ? constraints_.rate.lpNorm<Eigen::Infinity>() : 0;
  report.certificate = event_driven::judge(
      *machine_, engine_->elements(),
      {engine_->time(), x, rate_, forces_, modes_,
       tolerance::kClosedGap *
           std::max(engine_->length_scale(), report.max_penetration / tolerance::kClosedGap),
       tolerance::kRestingSpeed * engine_->speed_scale()});
  Index& worst = report.certificate.worst_contact;
  const std::string where =
      worst < -1 ? ", worst in the friction of joint " + joint_of_friction(-2 - worst)
      : worst >= 0 && !machine_->has_place(worst)
          ? ", worst in the limit of joint " + machine_->joint_name(machine_->joint_of(worst))
          : "";
  worst = worst < 0 ? -1 : listed(worst);
  if (report.status == SolveStatus::converged &&
      !report.certificate.meets(options_.solver.tolerance)) {
    report.status = SolveStatus::stalled;
    report.detail = fmt::format(
        "forces at t = {} s miss the laws: natural map {:.3g}, equation of motion {:.3g}{}",
        engine_->time(), report.certificate.natural_map, report.certificate.equation_of_motion,
        where);
  }
  const std::string left_out =
      detail::why_left_out(*machine_, constraints_, engine_->rank(), rate_.a, constraints_.drift);
  if (report.status == SolveStatus::converged && !left_out.empty()) {
    report.status = SolveStatus::stalled;
    report.detail = left_out;
  }
  judge_state(h, report);
}

/// Positions and velocities: the conditions of constraints and closed contacts at every
/// instant. Where no motion satisfies them together the run ends: nothing is averaged.
void EventDrivenScheme::judge_state(Real h, StepReport& report) {
  const event_driven::Point& x = engine_->point();
  std::vector<bool> closed;
  for (const laws::NormalMode mode : modes_.normal)
    closed.push_back(mode == laws::NormalMode::closed);
  const detail::StateError error =
      detail::judge_state(*machine_, engine_->time(), x.q, x.v, closed, engine_->speed_scale(), h);
  report.max_penetration = std::max(report.max_penetration, error.overlap);
  if (model_.dimension == 3) {
    report.joints = error.joints;
    report.joints.rank = engine_->rank();
  }
  if (std::max(error.position, error.share) <= tolerance::kMostOff &&
      error.rate <= tolerance::kMostRateOff)
    return;
  const std::string why = why_no_motion(*machine_, engine_->time(), x.q, x.v);
  if (!why.empty()) {
    report.status = SolveStatus::numerical_error;
    report.detail = why;
    return;
  }
  report.certificate.worst_contact = error.contact < 0 ? -1 : listed(error.contact);
  if (report.status != SolveStatus::converged) return;
  report.status = SolveStatus::stalled;
  report.detail = detail::to_text(error);
}

std::string EventDrivenScheme::joint_of_friction(Index i) const {
  dynamics::JointSlip slip;
  machine_->joint_slip(i, engine_->time(), engine_->point().q, engine_->point().v, slip);
  return machine_->joint_name(slip.joint);
}

/// A body whose motion makes internal steps short, and what acts on it.
std::string EventDrivenScheme::who_is_fast(Index body) const {
  std::string acting;
  const auto add_those_on_it = [&](const char* kind, const auto& elements) {
    for (const auto& one : elements)
      if (one.body_a == body || one.body_b == body)
        acting += (acting.empty() ? "" : ", ") + std::string(kind) + one.name;
  };
  const auto add_all = [&](const auto& machine) {
    add_those_on_it("force element ", machine.forces);
    add_those_on_it("joint ", machine.joints);
  };
  if (model_.spatial_machine) add_all(*model_.spatial_machine);
  if (model_.machine) add_all(*model_.machine);
  return fmt::format(
      "; body {} makes them short{}{}: soften what is stiff or give the body more inertia, or take "
      "moreau_midpoint or index_3, whose steps are implicit",
      model_.body_name(body), acting.empty() ? "" : ", on which act ", acting);
}

/// Reactions at the end of the step.
void EventDrivenScheme::list_reactions() {
  const laws::FrictionTable& elements = engine_->elements();
  VecX tangential(elements.contact_count), friction(machine_->joint_friction_count());
  for (Index i = 0; i < tangential.size(); ++i)
    tangential[i] = forces_.friction[elements.tangent(i)];
  for (Index i = 0; i < friction.size(); ++i) friction[i] = forces_.friction[elements.joint(i)];
  machine_->report(engine_->time(), engine_->point().q, engine_->point().v,
                   {forces_.lambda, forces_.normal, tangential, friction}, reactions_, axes_);
}

/// Of all bodies, three numbers each: events in space keep their places and velocities.
void EventDrivenScheme::take_places() {
  for (Event& event : events_)
    for (VecX* of_all : {&event.q, &event.v_before, &event.v_after}) {
      VecX places(3 * model_.body_count());
      for (Index i = 0; i < model_.body_count(); ++i)
        places.segment<3>(3 * i) = of_all->segment<3>(6 * i);
      *of_all = places;
    }
}

void EventDrivenScheme::name_bodies() {
  for (Event& event : events_)
    if (event.contact >= 0) {
      const auto [body_a, body_b] = machine_->bodies_of(event.contact);
      event.body_a = body_a;
      event.body_b = body_b;
    }
}

/// Contacts that bore an impulse, with what they bore in the step.
void EventDrivenScheme::list_contacts() {
  contacts_.clear();
  dynamics::ContactTerms terms;
  const std::vector<Vec2>& impulses = engine_->impulses();
  for (Index i = 0; i < engine_->elements().contact_count; ++i) {
    const Vec2& impulse = impulses[static_cast<std::size_t>(i)];
    if (impulse.isZero(0) || !machine_->has_place(i)) continue;
    machine_->contact(i, engine_->point().q, engine_->point().v, terms);
    contacts_.push_back(detail::planar_contact(*machine_, i, terms, impulse.x(), impulse.y()));
  }
}

}  // namespace

std::unique_ptr<EventDriven> make_event_driven_scheme(const model::Model& model,
                                                      const SchemeOptions& options) {
  return std::make_unique<EventDrivenScheme>(model, options);
}

std::unique_ptr<Scheme> make_event_driven(const model::Model& model, const SchemeOptions& options) {
  return make_event_driven_scheme(model, options);
}

}  // namespace talus::stepping
