#include <talus/stepping/moreau_jean.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/stepping/detail/contact_scheme.hpp>

namespace talus::stepping {
namespace {

using problem::SolveStatus;

constexpr int kMaxSearches =
    6;  // of contacts in one step, each with the margins that the last answer asks for

class MoreauJean final : public detail::ContactScheme {
 public:
  MoreauJean(const model::Model& model, const SchemeOptions& options)
      : ContactScheme(model, options) {
    TALUS_DEMAND(options.theta >= 0.5 && options.theta <= 1);
  }

  StepReport step(model::State& state, Real h) override;

 private:
  void find_terms(const model::State& state, Real h);
  bool widen(Real h);

  std::vector<Vec3> mean_velocity_;
};

/// Friction and bias of every contact: the contact law at velocity level.
void MoreauJean::find_terms(const model::State& state, Real h) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const Real theta = options_.theta;
  terms_.resize(contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const collision::Contact& contact = contacts_[c];
    const model::ContactLaw& law = law_of(contact);
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
bool MoreauJean::widen(Real h) {
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
    left_margin = widen(h);
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

  mean_velocity_.resize(count);
  for (Index i = 0; i < count; ++i)
    mean_velocity_[i] = (1 - options_.theta) * state.velocity[i] + options_.theta * velocity_[i];
  take(advance(state, mean_velocity_, h), state, report);
  return report;
}

}  // namespace

std::unique_ptr<Scheme> make_moreau_jean(const model::Model& model, const SchemeOptions& options) {
  return std::make_unique<MoreauJean>(model, options);
}

}  // namespace talus::stepping
