#include <talus/stepping/moreau_jean.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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
      : model_(model),
        options_(options),
        step_contacts_(model, problem::is_coulomb_between_balls(options.law)),
        tracked_(step_contacts_.bodies()) {
    TALUS_DEMAND(options.theta >= 0.5 && options.theta <= 1);
    problem_.law = options.law;
    problem_.directions = options.solver.directions;
  }

  StepReport step(model::State& state, Real h) override;
  const std::vector<StepContact>& contacts() const override;
  std::optional<StepContact> contact(Index i) const override;
  SchemeMemory memory() const override;
  void recall(const SchemeMemory& memory) override { recalled_ = memory; }
  std::optional<problem::GlobalFrictionContact> last_problem() const override;

 private:
  void take_up(const model::State& state);
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
  std::optional<SchemeMemory> recalled_;       // taken up by the next step
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

/// Puts everything as it was after the step that is recalled: candidates, their order, impulses.
void MoreauJean::take_up(const model::State& state) {
  const SchemeMemory memory = *std::move(recalled_);
  recalled_.reset();
  collision::ContactDetector& detector = step_contacts_.bodies().detector();
  if (memory.search_reach.empty()) {
    step_contacts_.update(state, travel_);
  } else {
    model::State seen = state;
    for (Index i = 0; i < model_.body_count(); ++i) {
      seen.position[i] = memory.search_pose[i].p;
      seen.orientation[i] = memory.search_pose[i].q;
    }
    detector.search({seen.position, seen.orientation}, memory.search_reach);
  }
  tracked_.rebuild(detector.tracked_pairs(), detector.search_place().position, problem_,
                   solution_.impulse.central);
  std::map<std::pair<Index, Index>, Vec3> impulse;
  for (const StepContact& contact : memory.contacts)
    impulse.emplace(std::pair(contact.body_a, contact.body_b), contact.impulse);
  for (Index c = 0; c < problem_.central.size(); ++c) {
    const problem::CentralContact contact = problem_.central.at(c);
    const auto found = impulse.find(std::pair<Index, Index>(contact.body_a, contact.body_b));
    if (found != impulse.end()) problem::set_impulse(problem_, c, found->second, solution_.impulse);
  }
  step_contacts_.recall(memory);
  last_step_size_ = memory.step_size;
}

StepReport MoreauJean::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const dynamics::BiasLaw law{h, options_.theta, options_.error_reduction, options_.slop};
  problem::ContactImpulses& impulse = solution_.impulse;
  is_current_ = false;

  bodies.load_free(state, h, problem_);
  step_contacts_.travel(problem_.bodies, h, travel_);
  if (recalled_) take_up(state);
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
    if (solution_.report.status == SolveStatus::numerical_error) {
      impulse = problem::zero_impulses(problem_);  // nothing to start the next step from
      break;
    }
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
  step_contacts_.judge_images(report);
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
  if (recalled_) return recalled_->contacts;
  if (is_current_) return contacts_;
  is_current_ = true;
  contacts_.clear();
  const Index count = problem_.central.size() + static_cast<Index>(others_.size());
  for (Index c = 0; c < count; ++c) contacts_.push_back(*contact(c));
  return contacts_;
}

std::optional<StepContact> MoreauJean::contact(Index i) const {
  if (recalled_) return Scheme::contact(i);
  const Index central = problem_.central.size();
  if (i < 0 || i >= central + static_cast<Index>(others_.size())) return std::nullopt;
  if (i >= central) {
    const collision::Contact& other = others_[i - central];
    return StepContact{static_cast<Index>(other.a),
                       static_cast<Index>(other.b),
                       other.position,
                       other.normal,
                       other.gap,
                       solution_.impulse.general[i - central],
                       other.feature};
  }
  const problem::CentralContact contact = problem_.central.at(i);
  return StepContact{static_cast<Index>(contact.body_a),
                     static_cast<Index>(contact.body_b),
                     tracked_.point(problem_.central, i),
                     contact.normal,
                     tracked_.gap(problem_.central, i),
                     problem::impulse_of(problem_, solution_.impulse, i),
                     0};
}

SchemeMemory MoreauJean::memory() const {
  if (recalled_) return *recalled_;
  SchemeMemory memory{contacts(), last_step_size_, {}, {}};
  const collision::ContactDetector& detector = step_contacts_.bodies().detector();
  const collision::Placement where = detector.search_place();
  for (std::size_t i = 0; i < where.position.size(); ++i)
    memory.search_pose.push_back(where.at(static_cast<Index>(i)));
  memory.search_reach.assign(detector.search_reach().begin(), detector.search_reach().end());
  return memory;
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
