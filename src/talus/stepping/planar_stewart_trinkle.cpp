#include <talus/stepping/planar_stewart_trinkle.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

#include <talus/base/contract.hpp>
#include <talus/dynamics/planar_system.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/implicit_scheme.hpp>
#include <talus/stepping/detail/planar_contact.hpp>
#include <talus/stepping/detail/planar_late_contacts.hpp>
#include <talus/stepping/detail/planar_look_ahead.hpp>
#include <talus/stepping/detail/planar_push_out.hpp>
#include <talus/stepping/detail/planar_state_judge.hpp>
#include <talus/stepping/inconsistent_constraints.hpp>
#include <talus/stepping/lagrangian_stepper.hpp>

namespace talus::stepping {
namespace {

/// Bodies in the plane, whose contacts hold where they will be.
class ForeseeingSystem final : public dynamics::PlanarSystem {
 public:
  using PlanarSystem::PlanarSystem;
  [[nodiscard]] Real contact_time(Index i, const VecX& q, const VecX& v,
                                  Real step_size) const override {
    dynamics::ContactTerms terms;
    machine().contact(i, q, v, terms);
    return detail::look_ahead(machine(), i, q, v, step_size, 1, terms) * step_size;
  }
};

class PlanarStewartTrinkle final : public Scheme {
 public:
  PlanarStewartTrinkle(const model::Model& model, const SchemeOptions& options, Variant variant)
      : model_(model),
        options_(detail::implicit_options(options, variant)),
        slop_share_(options.slop) {}

  StepReport step(model::State& state, Real h) override;
  [[nodiscard]] const std::vector<StepContact>& contacts() const override { return contacts_; }
  [[nodiscard]] std::span<const dynamics::Reaction> reactions() const override {
    return reactions_;
  }
  [[nodiscard]] SchemeMemory memory() const override { return {contacts_, step_size_, {}, {}}; }
  void recall(const SchemeMemory& memory) override;
  [[nodiscard]] std::optional<problem::GlobalFrictionContact> last_problem() const override {
    return std::nullopt;
  }

 private:
  void make_stepper(const model::State& state);
  void remember(const VecX& q);
  [[nodiscard]] Index judge_state(const VecX& start, const LagrangianState& end, Real h,
                                  StepReport& report) const;
  void list_reactions(const VecX& start, const VecX& end);
  [[nodiscard]] bool push_out(Real share, Real h, LagrangianState& state);
  void set_frictions(const LagrangianState& start, Real h);

  const model::Model& model_;
  const ImplicitOptions options_;
  const Real slop_share_;
  std::unique_ptr<dynamics::PlanarSystem> system_;  // made at the first step
  std::unique_ptr<LagrangianStepper> stepper_;
  detail::PlanarPushOut push_out_;
  std::vector<StepContact> contacts_;
  std::vector<dynamics::Reaction> reactions_;
  Real step_size_ = 0;
};

/// Contacts of the step at the configuration it started from.
void PlanarStewartTrinkle::remember(const VecX& q) {
  contacts_.clear();
  for (const LagrangianImpulse& impulse : stepper_->contacts()) {
    const Real tangential = impulse.tangential.size() > 0 ? impulse.tangential[0] : 0;
    contacts_.push_back(detail::planar_contact(system_->machine(), impulse.contact,
                                               system_->meet(impulse.contact, q), impulse.normal,
                                               tangential));
  }
}

void PlanarStewartTrinkle::recall(const SchemeMemory& memory) {
  contacts_ = memory.contacts;
  step_size_ = memory.step_size;
  stepper_.reset();  // both are made again from the state and these contacts
  system_.reset();
}

void PlanarStewartTrinkle::make_stepper(const model::State& state) {
  system_ = std::make_unique<ForeseeingSystem>(model_, state);
  stepper_ = std::make_unique<LagrangianStepper>(*system_, options_);
  std::vector<LagrangianImpulse> impulses;
  for (const StepContact& contact : contacts_)
    impulses.push_back(
        {static_cast<Index>(contact.feature), contact.impulse.dot(contact.normal), VecX()});
  stepper_->recall(std::move(impulses));
}

/// Whether a contact of the last step stuck: its friction is inside of every bound that it can have
/// had. Laws that slip are at μ, or at μ₀ in the step in which they let go.
bool stuck(const StepContact& contact, const model::FrictionModel& law) {
  const Real normal = contact.impulse.dot(contact.normal);
  const Real friction = (contact.impulse - normal * contact.normal).norm();
  const auto is_at = [&](Real mu) {
    return std::abs(friction - mu * normal) <= tolerance::kAtBound * mu * normal;
  };
  const Real most = model::static_friction(law);
  return normal > 0 && friction < most * normal && !is_at(most) && !is_at(law.coefficient);
}

/// Coefficients of this step where they are not always the same: μ₀ of a contact that stuck in the
/// last step or has no slip velocity, Stribeck's at the slip velocity that there is.
void PlanarStewartTrinkle::set_frictions(const LagrangianState& start, Real h) {
  const dynamics::System& machine = system_->machine();
  const VecX push = system_->force(start.q, start.v, start.time);
  const Real scale =
      start.v.lpNorm<Eigen::Infinity>() +
      h * push.cwiseProduct(machine.mass().inverse_diagonal()).lpNorm<Eigen::Infinity>();
  system_->set_friction(
      [&machine, at = start.q, speed = start.v, scale, last = contacts_](Index i) {
        const model::FrictionModel& law = machine.law(i).friction;
        const Real most = model::static_friction(law);
        if (!(most > law.coefficient)) return law.coefficient;
        dynamics::ContactTerms terms;
        machine.contact(i, at, speed, terms);
        if (std::abs(terms.slip) <= tolerance::kNoSlip * scale) return most;
        if (std::holds_alternative<model::StribeckFriction>(law.kind))
          return std::abs(model::slip_force(law, terms.slip, 1));
        const bool is_held = std::any_of(last.begin(), last.end(), [&](const StepContact& contact) {
          return static_cast<Index>(contact.feature) == i && stuck(contact, law);
        });
        return is_held ? most : law.coefficient;
      });
}

/// Averages over the step; contacts where they were at its start.
void PlanarStewartTrinkle::list_reactions(const VecX& start, const VecX& end) {
  const Real h = stepper_->last_size();
  dynamics::reactions(system_->machine(), end, stepper_->bilateral_impulse() / h, VecX(),
                      reactions_);
  for (const StepContact& contact : contacts_)
    dynamics::add_contact(system_->machine(), start, static_cast<Index>(contact.feature),
                          contact.position.head<2>(), contact.impulse.head<2>() / h, reactions_);
}

/// Joints, drives and overlaps after the step. Where no motion satisfies the constraints together
/// the run ends: nothing is averaged. @return the contact of the machine that is broken, or −1.
Index PlanarStewartTrinkle::judge_state(const VecX& start, const LagrangianState& end, Real h,
                                        StepReport& report) const {
  if (report.status == problem::SolveStatus::numerical_error) return -1;
  const VecX &q = end.q, &v = end.v;
  const dynamics::System& machine = system_->machine();
  const detail::StateError error = detail::judge_state(
      machine, end.time, q, v, {}, std::sqrt(2 * machine.kinetic_energy(q, v)), h);
  report.max_penetration = std::max(report.max_penetration, error.overlap);
  const Index broken = detail::judge_overlap(machine, model_, start, q, false, report);
  if (report.is_certified() && error.position <= tolerance::kMostOff) return -1;
  if (const std::string why = why_no_motion(machine, end.time, q, v); !why.empty()) {
    report.status = problem::SolveStatus::numerical_error;
    report.detail = why;
  }
  if (!report.is_certified()) return broken;
  report.status = problem::SolveStatus::stalled;
  report.detail = detail::to_text(error);
  return error.contact;
}

/// Takes what penetrates apart, without velocity: position level would do it with one.
/// @param share of the smaller body's size, which is left. @return false where it does not come
/// apart.
bool PlanarStewartTrinkle::push_out(Real share, Real h, LagrangianState& state) {
  const dynamics::System& machine = system_->machine();
  VecX q = state.q;
  const problem::SolveStatus pushed =
      push_out_.apply(machine, state.time, {h, 1, 1, slop_share_}, share, 0, q, {}, q);
  if (pushed == problem::SolveStatus::converged) state.q = q;
  return pushed == problem::SolveStatus::not_run || pushed == problem::SolveStatus::converged;
}

StepReport PlanarStewartTrinkle::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  if (!system_) make_stepper(state);
  LagrangianState planar{state.time, {}, {}};
  system_->machine().load(state, planar.q, planar.v);
  const VecX start = planar.q;
  // What steps leave within the slop is the method's.
  bool is_apart = options_.variant == Variant::anitescu_potra ||
                  push_out(step_size_ == 0 ? tolerance::kStartSlop : slop_share_, h, planar);
  const VecX started = planar.q;
  set_frictions(planar, h);
  ImplicitReport implicit = stepper_->step(planar, h);
  StepReport report = detail::to_step_report(std::move(implicit));
  if (detail::pushes_out(options_) && report.status != problem::SolveStatus::numerical_error)
    is_apart = push_out(tolerance::kStartSlop, h, planar) && is_apart;
  if (!is_apart && report.is_certified()) {
    report.status = problem::SolveStatus::stalled;
    report.detail = "bodies that penetrate each other cannot be pushed apart";
  }
  const Index broken = judge_state(started, planar, h, report);
  if (report.status != problem::SolveStatus::numerical_error) {
    system_->store(planar.q, planar.v, state);
    state.time = planar.time;
    remember(start);
    if (broken >= 0)
      report.certificate.worst_contact =
          detail::place_in(contacts_, system_->machine(), broken, planar.q, planar.v);
    if (model_.machine) list_reactions(start, planar.q);
    step_size_ = h;
    const dynamics::System& machine = system_->machine();
    report.energy = {machine.kinetic_energy(planar.q, planar.v),
                     machine.potential_energy(planar.time, planar.q)};
  } else {
    report.energy = dynamics::energy(model_, state);
  }
  report.contact_count = static_cast<Index>(contacts_.size());
  return report;
}

}  // namespace

std::unique_ptr<Scheme> make_planar_stewart_trinkle(const model::Model& model,
                                                    const SchemeOptions& options, Variant variant) {
  TALUS_DEMAND(model.dimension == 2);
  return std::make_unique<PlanarStewartTrinkle>(model, options, variant);
}

}  // namespace talus::stepping
