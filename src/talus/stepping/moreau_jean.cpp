#include <talus/stepping/moreau_jean.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/stepping/step_contacts.hpp>

namespace talus::stepping {
namespace {

using problem::SolveStatus;

constexpr int kMaxSearches =
    6;  // of contacts in one step, each with the margins that the last answer asks for

class MoreauJean final : public Scheme {
 public:
  MoreauJean(const model::Model& model, const SchemeOptions& options)
      : model_(model), options_(options), step_contacts_(model) {
    TALUS_DEMAND(options.theta >= 0.5 && options.theta <= 1);
  }

  StepReport step(model::State& state, Real h) override;
  const std::vector<StepContact>& contacts() const override { return step_contacts_.contacts(); }
  std::optional<problem::GlobalFrictionContact> last_problem() const override {
    if (problem_.bodies.empty()) return std::nullopt;
    return problem::to_global(problem_);
  }

 private:
  void find_terms(const model::State& state, Real h);
  bool widen(const model::State& state, Real h);

  const model::Model& model_;
  const SchemeOptions options_;
  StepContacts step_contacts_;
  problem::RigidContact problem_;
  driver::RigidContactSolution solution_;
  std::vector<Vec3> free_velocity_, free_angular_velocity_, velocity_, angular_velocity_,
      mean_velocity_, guess_;
  std::vector<Real> travel_, new_travel_;
  std::vector<collision::Contact> contacts_;
  std::vector<dynamics::ContactTerm> terms_;
  std::vector<Index> order_;
};

/// Friction and bias of every contact: the contact law at velocity level.
void MoreauJean::find_terms(const model::State& state, Real h) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const Real theta = options_.theta;
  terms_.resize(contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const collision::Contact& contact = contacts_[c];
    const model::ContactLaw& law =
        model_.law(model_.bodies[contact.a].material, model_.bodies[contact.b].material);
    const bool needs_velocity = theta < 1 || law.restitution > 0;
    const Real un = needs_velocity ? bodies.normal_velocity(contact, state.position, state.velocity,
                                                            state.angular_velocity)
                                   : 0;
    const Real predicted = contact.gap + (1 - theta) * h * un;  // g̃
    const Real slop = options_.slop * std::min(bodies.size(contact.a), bodies.size(contact.b));
    Real bias = predicted > 0
                    ? predicted / (theta * h)
                    : options_.error_reduction * std::min(Real(0), contact.gap + slop) / h;
    if (law.restitution > 0 && un < 0) {
      const Real un_free =
          bodies.normal_velocity(contact, state.position, free_velocity_, free_angular_velocity_);
      const bool closes = predicted / (theta * h) + un_free <= 0;
      if (closes) bias = std::min(bias, law.restitution * un);
    }
    terms_[c] = {bias, law.friction};
  }
}

/// True if a body moves farther than its margin at the new velocities; its way is then taken into
/// account.
bool MoreauJean::widen(const model::State&, Real h) {
  step_contacts_.travel(velocity_, angular_velocity_, h, new_travel_);
  const std::span<const Real> margin = step_contacts_.margin();
  bool is_wider = false;
  for (std::size_t i = 0; i < new_travel_.size(); ++i) {
    if (new_travel_[i] <= margin[i]) continue;
    travel_[i] = 1.5 * new_travel_[i];
    is_wider = true;
  }
  return is_wider;
}

StepReport MoreauJean::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  const Index count = model_.body_count();
  dynamics::RigidBodies& bodies = step_contacts_.bodies();

  bodies.free_velocities(state, h, free_velocity_, free_angular_velocity_);
  step_contacts_.travel(free_velocity_, free_angular_velocity_, h, travel_);

  StepReport report;
  velocity_ = state.velocity;
  angular_velocity_ = state.angular_velocity;
  bool left_margin = true;
  for (int search = 0; left_margin && search < kMaxSearches; ++search) {
    step_contacts_.detect(state, travel_, contacts_);
    find_terms(state, h);
    bodies.load(state, free_velocity_, free_angular_velocity_, problem_);
    bodies.add(contacts_, terms_, state.position, problem_, order_);
    step_contacts_.warm_start(contacts_, order_, h, guess_);
    driver::solve(problem_, options_.solver, guess_, solution_);
    report.iterations += solution_.report.iterations;
    if (solution_.report.status == SolveStatus::numerical_error) break;
    bodies.store(solution_.velocity, velocity_, angular_velocity_);
    step_contacts_.remember(contacts_, order_, solution_.impulse, h);
    left_margin = widen(state, h);
  }

  report.status = solution_.report.status;
  report.detail = solution_.report.detail;
  report.certificate = solution_.certificate;
  report.contact_count = static_cast<Index>(contacts_.size());
  report.max_penetration = StepContacts::max_penetration(contacts_);
  if (left_margin && report.status == SolveStatus::converged) {
    report.status = SolveStatus::stalled;
    report.detail =
        "a body moves farther in this step than the margin in which contacts were searched";
  }

  model::State next = state;
  next.velocity = velocity_;
  next.angular_velocity = angular_velocity_;
  mean_velocity_.resize(count);
  for (Index i = 0; i < count; ++i)
    mean_velocity_[i] = (1 - options_.theta) * state.velocity[i] + options_.theta * velocity_[i];
  move_bodies(model_, mean_velocity_, h, next);
  next.time = state.time + h;
  if (!next.is_finite() || report.status == SolveStatus::numerical_error) {
    report.status = SolveStatus::numerical_error;
    if (report.detail.empty()) report.detail = "the state after the step is not finite";
    report.energy = dynamics::energy(model_, state);
    return report;
  }
  state = std::move(next);
  report.energy = dynamics::energy(model_, state);
  return report;
}

}  // namespace

std::unique_ptr<Scheme> make_moreau_jean(const model::Model& model, const SchemeOptions& options) {
  return std::make_unique<MoreauJean>(model, options);
}

}  // namespace talus::stepping
