#include <talus/stepping/moreau_jean.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/dynamics/tracked_contacts.hpp>
#include <talus/stepping/step_contacts.hpp>

namespace talus::stepping {
namespace {

using problem::SolveStatus;

constexpr int kMaxSearches =
    6;  // of contacts in one step, each with the margins that the last answer asks for

class MoreauJean final : public Scheme {
 public:
  MoreauJean(const model::Model& model, const SchemeOptions& options)
      : model_(model), options_(options), step_contacts_(model), tracked_(step_contacts_.bodies()) {
    TALUS_DEMAND(options.theta >= 0.5 && options.theta <= 1);
  }

  StepReport step(model::State& state, Real h) override;
  const std::vector<StepContact>& contacts() const override;
  std::optional<problem::GlobalFrictionContact> last_problem() const override;

 private:
  void find_others(const model::State& state, const dynamics::BiasLaw& law);
  bool widen(const model::State& state, Real h);

  const model::Model& model_;
  const SchemeOptions options_;
  StepContacts step_contacts_;
  dynamics::TrackedContacts tracked_;
  problem::RigidContact problem_;
  driver::RigidContactSolution solution_;  // its impulses are the next step's guess
  std::vector<collision::Contact> others_;
  std::vector<Index> order_;  // of the others in the problem: as they are
  std::vector<Real> travel_;
  model::State next_;
  Real last_step_size_ = 0;
  mutable std::vector<StepContact> contacts_;  // made when somebody asks
  mutable bool is_current_ = false;
};

/// All other contacts, found anew, with the impulses that they had by their names.
void MoreauJean::find_others(const model::State& state, const dynamics::BiasLaw& law) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  step_contacts_.detect_untracked(state, others_);
  problem_.general.clear();
  order_.clear();
  for (const collision::Contact& contact : others_) {
    const model::ContactLaw& pair = bodies.law(contact.a, contact.b);
    Real approach = 0, free_approach = 0;
    if (law.theta < 1 || pair.restitution > 0) {
      approach =
          bodies.normal_velocity(contact, state.position, state.velocity, state.angular_velocity);
      free_approach = bodies.normal_velocity(contact, state.position, problem_.bodies);
    }
    const Real slop = law.slop * std::min(bodies.size(contact.a), bodies.size(contact.b));
    const Real bias =
        contact_bias(law, contact.gap, slop, pair.restitution, approach, free_approach);
    problem_.general.push_back(
        bodies.general_contact(contact, {bias, pair.friction}, state.position));
    order_.push_back(static_cast<Index>(order_.size()));
  }
  step_contacts_.warm_start(others_, order_, law.step_size, solution_.impulse.general);
}

/// True if a body leaves the region in which contacts were searched for it; its way is then taken
/// into account.
bool MoreauJean::widen(const model::State& state, Real h) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const std::span<const Real> margin = step_contacts_.margin();
  bool is_wider = false;
  for (Index i = 0; i < model_.body_count(); ++i) {
    const problem::BodyVelocity& body = solution_.velocity[i];
    if (body.inverse_mass == 0) continue;  // foreseen
    const Vec3 way = h * ((1 - options_.theta) * state.velocity[i] + options_.theta * body.v);
    const bool is_inside =
        !bodies.is_tracked(i) || bodies.detector().is_within_reach(i, state.position[i] + way);
    Real travel = 0;
    if (!is_inside || bodies.has_untracked())
      travel = h * (std::max(body.v.norm(), state.velocity[i].norm()) +
                    body.s.norm() / bodies.length(i) * bodies.turning_reach(i));
    if (is_inside && travel <= margin[i]) continue;
    travel_[i] = 1.5 * travel;
    is_wider = true;
  }
  return is_wider;
}

StepReport MoreauJean::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const dynamics::BiasLaw law{h, options_.theta, options_.error_reduction, options_.slop};
  problem::ContactImpulses& impulse = solution_.impulse;
  is_current_ = false;

  bodies.load_free(state, h, problem_);
  step_contacts_.travel(problem_.bodies, h, travel_);
  if (last_step_size_ > 0 && last_step_size_ != h)
    for (problem::ImpulseBatch& batch : impulse.central)
      for (auto& row : batch.r)
        for (Real& r : row) r *= h / last_step_size_;

  StepReport report;
  bool left_margin = true;
  for (int search = 0; left_margin && search < kMaxSearches; ++search) {
    if (step_contacts_.update(state, travel_))
      tracked_.rebuild(bodies.detector().tracked_pairs(), state.position, problem_,
                       impulse.central);
    tracked_.refresh(state, law, problem_);
    if (bodies.has_untracked()) find_others(state, law);
    driver::solve(problem_, options_.solver, impulse, solution_);
    report.iterations += solution_.report.iterations;
    if (solution_.report.status == SolveStatus::numerical_error) break;
    if (bodies.has_untracked()) step_contacts_.remember(others_, order_, impulse.general, h);
    left_margin = widen(state, h);
  }
  last_step_size_ = h;

  report.status = solution_.report.status;
  report.detail = solution_.report.detail;
  report.certificate = solution_.certificate;
  report.contact_count = problem_.contact_count();
  report.max_penetration =
      std::max(tracked_.max_penetration(), StepContacts::max_penetration(others_));
  if (left_margin && report.status == SolveStatus::converged) {
    report.status = SolveStatus::stalled;
    report.detail =
        "a body moves farther in this step than the margin in which contacts were searched";
  }
  if (report.status != SolveStatus::numerical_error) {
    if (bodies.move(state, solution_.velocity, options_.theta, h, next_)) {
      std::swap(state, next_);
    } else {
      report.status = SolveStatus::numerical_error;
      report.detail = "the state after the step is not finite";
    }
  }
  report.energy = bodies.energy(state);
  return report;
}

const std::vector<StepContact>& MoreauJean::contacts() const {
  if (is_current_) return contacts_;
  is_current_ = true;
  contacts_.clear();
  for (Index c = 0; c < problem_.central.size(); ++c) {
    const problem::CentralContact contact = problem_.central.at(c);
    contacts_.push_back({contact.body_a, contact.body_b, tracked_.point(problem_.central, c),
                         contact.normal, tracked_.gap(problem_.central, c),
                         problem::impulse_of(problem_, solution_.impulse, c), 0});
  }
  for (std::size_t c = 0; c < others_.size(); ++c)
    contacts_.push_back({others_[c].a, others_[c].b, others_[c].position, others_[c].normal,
                         others_[c].gap, solution_.impulse.general[c], others_[c].feature});
  return contacts_;
}

std::optional<problem::GlobalFrictionContact> MoreauJean::last_problem() const {
  if (problem_.bodies.empty()) return std::nullopt;
  return problem::to_global(problem_);
}

}  // namespace

std::unique_ptr<Scheme> make_moreau_jean(const model::Model& model, const SchemeOptions& options) {
  return std::make_unique<MoreauJean>(model, options);
}

}  // namespace talus::stepping
