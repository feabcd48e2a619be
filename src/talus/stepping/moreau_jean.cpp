#include <talus/stepping/moreau_jean.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/certify/raised_energy.hpp>
#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/math/rotation.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/stepping/detail/bounded_restitution.hpp>
#include <talus/stepping/detail/contact_scheme.hpp>
#include <talus/stepping/detail/moreau_scheme.hpp>
#include <talus/stepping/detail/overlap.hpp>
#include <talus/stepping/detail/second_impacts.hpp>
#include <talus/stepping/detail/sleeping_moreau.hpp>
#include <talus/stepping/planar_grains.hpp>

namespace talus::stepping {
namespace detail {
namespace {

using problem::SolveStatus;

// In one step: searches of contacts, each with the margins that the last answer asks for, and
// answers within them that bring about late contacts.
constexpr int kMaxSearches = 6, kMaxLateRounds = 6;

constexpr Index kContactsPerPiece = 1024;

constexpr Real kLeastLeft = 1e-3;  // of the smaller body's size, that a push-out may leave

constexpr Real kRoomToPush = 1.5;  // steps: bodies that strike in the middle of one go back half

/// True if all dynamic bodies are balls about their centres of mass that turn alike about every
/// axis: then no contact's normal impulse changes its tangential velocity.
bool has_balls_only(const model::Model& model) {
  return std::all_of(model.bodies.begin(), model.bodies.end(), [](const model::Body& body) {
    if (body.kind != model::BodyKind::dynamic) return true;
    const Mat3 turn = body.inertia - body.inertia(0, 0) * Mat3::Identity();
    return std::holds_alternative<geometry::Sphere>(body.shape) && body.X_BS.p.isZero(0) &&
           turn.isZero(0);
  });
}

/// The midpoint rule is the θ-scheme with θ = 1/2 and its contacts carried to the middle.
SchemeOptions options_of(SchemeOptions options, MoreauRule rule) {
  if (rule == MoreauRule::midpoint) options.theta = 0.5;
  return options;
}

}  // namespace

MoreauScheme::MoreauScheme(const model::Model& model, const SchemeOptions& options, MoreauRule rule)
    : model_(model),
      options_(options_of(options, rule)),
      step_contacts_(
          model, rule == MoreauRule::jean && dynamics::has_central_contacts(model, options.law)),
      persistent_(step_contacts_.bodies()),
      rounds_(step_contacts_),
      functions_(step_contacts_.bodies(), options_.theta),
      late_(step_contacts_, false),
      unmet_(step_contacts_) {
  TALUS_DEMAND(options_.theta >= 0.5 && options_.theta <= 1);
  if (rule == MoreauRule::midpoint) middle_.emplace(step_contacts_);
  if (model.spatial_machine) {
    machine_.emplace(model, step_contacts_.bodies(), rule, options_.theta);
    push_out_.hold(*machine_);
    rounds_.hold(*machine_);
  }
  problem_.law = options.law;
  // Between balls maximum dissipation is Coulomb's law: the same way to the same bits.
  if (options.law == problem::FrictionLaw::maximum_dissipation && has_balls_only(model) &&
      !model.resists_more() && !model.has_functions())
    problem_.law = problem::FrictionLaw::coulomb;
  problem_.directions = options.solver.directions;
  has_restitution_ = model.has_restitution_of_contacts();
  const bool is_any = model.has_restitution();
  takes_rates_ = is_any || is_midpoint() || options.theta < 1;  // else their mean would be half
  may_raise_ = is_any ? options.machine.restitution == "bounded" : is_midpoint();
}

/// The bodies with their free velocities, and how far they move; what sleeps does not move at all.
void MoreauScheme::load(const model::State& state, Real h) {
  if (middle_) middle_->start(state, h);
  step_contacts_.bodies().load_free(middle_ ? middle_->state() : state, h, options_.theta,
                                    problem_);
  leave_out();
  if (machine_) load_machine(state, h);
  step_contacts_.travel(problem_.bodies, middle_ ? kRoomToPush * h : h, travel_);
}

/// Puts the persistent contacts of what is awake into the problem.
/// @param known contacts with the impulses that they shall start from, times the scale.
void MoreauScheme::lay_out(std::span<const StepContact> known, Real scale) {
  const collision::ContactDetector& detector = step_contacts_.bodies().detector();
  std::span<const collision::Pair> pairs = detector.persistent_pairs();
  if (!still_.empty() || model_.has_changing_population()) {
    // Of a search that is recalled, bodies may have left since.
    const auto is_moved = [&](std::uint32_t body) {
      return problem_.bodies[body].inverse_mass > 0 && (still_.empty() || still_[body] == 0);
    };
    awake_pairs_.clear();
    for (const collision::Pair pair : pairs)
      if (is_moved(pair.a) || is_moved(pair.b)) awake_pairs_.push_back(pair);
    pairs = awake_pairs_;
  }
  if (!still_.empty()) resting_.assign(resting_contacts().begin(), resting_contacts().end());
  is_layout_old_ = false;
  problem::ContactImpulses& impulse = solution_.impulse;
  persistent_.rebuild(pairs, detector.search_place().position, problem_, impulse.central);
  if (!step_contacts_.bodies().has_transient() && !machine_)
    driver::deal_out(problem_, persistent_.first_colours());
  if (known.empty()) return;
  std::map<std::pair<Index, Index>, Vec3> by_bodies;
  for (const StepContact& contact : known)
    by_bodies.emplace(std::pair(contact.body_a, contact.body_b), scale * contact.impulse);
  for (Index c = 0; c < problem_.central.size(); ++c) {
    const problem::CentralContact contact = problem_.central.at(c);
    const auto found = by_bodies.find(std::pair<Index, Index>(contact.body_a, contact.body_b));
    if (found != by_bodies.end()) problem::set_impulse(problem_, c, found->second, impulse);
  }
}

namespace {

/// Whether a body stays in the region in which contacts were searched for it.
bool stays(const dynamics::RigidBodies& bodies, Index body, const model::State& state, Real theta,
           Real h, const problem::BodyVelocity& velocity) {
  if (velocity.inverse_mass == 0) return true;
  const Vec3 mean =
      theta == 1 ? velocity.v : Vec3((1 - theta) * state.velocity[body] + theta * velocity.v);
  return !bodies.is_persistent(body) ||
         bodies.detector().is_within_reach(body, state.position[body] + h * mean);
}

}  // namespace

bool MoreauScheme::is_foreseen(Index body, const model::State& state, Real h,
                               const problem::BodyVelocity& velocity) const {
  return stays(step_contacts_.bodies(), body, state, options_.theta, h, velocity);
}

/// True if a body leaves that region; its way is then taken into account.
bool MoreauScheme::widen(const model::State& state, Real h) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const std::span<const Real> margin = step_contacts_.margin();
  constexpr Index kBodiesPerTask = 4096;
  const bool has_transient = bodies.has_transient();
  const auto travel = [&](Index i) {
    const problem::BodyVelocity& body = solution_.velocity[i];
    return h * (std::max(body.v.norm(), state.velocity[i].norm()) +
                body.s.norm() / bodies.length(i) * bodies.turning_radius(i));
  };
  const auto is_inside = [&](Index i) {
    const problem::BodyVelocity& body = solution_.velocity[i];
    return stays(bodies, i, state, options_.theta, h, body) &&
           (!has_transient || body.inverse_mass == 0 || travel(i) <= margin[i]);
  };
  if (distribute::all_of(model_.body_count(), kBodiesPerTask, is_inside)) return false;
  distribute::write_items(std::span(travel_), kBodiesPerTask, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      if (!is_inside(i)) travel_[i] = 1.5 * travel(i);
  });
  return true;
}

/// What contacts change velocities by, where a body turns before the impulses of the step are all
/// there.
std::span<const problem::BodyVelocity> MoreauScheme::struck() {
  if (options_.theta == 1 || problem_.contact_count() == 0) return {};
  struck_ = problem_.bodies;
  for (problem::BodyVelocity& body : struck_) body.v = body.s = Vec3::Zero();
  contact_impulse_ = solution_.impulse;
  std::ranges::fill(contact_impulse_.row, 0);
  problem::apply_impulses(problem_, contact_impulse_, struck_);
  return struck_;
}

/// Moves the bodies with the velocities of the answer, into next_, and on the constraints.
bool MoreauScheme::move(const model::State& state, Real h) {
  if (is_advanced_) return true;
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const bool is_finite =
      middle_ ? bodies.move(middle_->state(), solution_.velocity, {}, 1, h / 2, next_)
              : bodies.move(state, solution_.velocity, struck(), options_.theta, h, next_);
  next_.time = state.time + h;
  if (!machine_ || !is_finite) return is_finite;
  restore_joints(false);
  return next_.is_finite();
}

/// @return whether contacts of the answer are left out from now on.
bool MoreauScheme::leave_out_unmet(const model::State& state, Real h) {
  const UnmetContacts::Motion motion = middle_ ? UnmetContacts::Motion{middle_->state(), 1, h / 2}
                                               : UnmetContacts::Motion{state, options_.theta, h};
  return unmet_.find(state, motion, problem_, solution_, others_, late_.contacts());
}

/// Where the mean velocities of the answer lead, to first order as rows of contacts have it:
/// without what turns velocities on the way, and without what joints are projected by.
const model::State& MoreauScheme::moved_by_velocities(const model::State& state, Real h) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  moved_ = state;
  for (Index i = 0; i < model_.body_count(); ++i) {
    const problem::BodyVelocity& body = solution_.velocity[i];
    const Real theta = options_.theta;
    moved_.position[i] += h * ((1 - theta) * state.velocity[i] + theta * body.v);
    const Vec3 turn = (1 - theta) * state.angular_velocity[i] + theta / bodies.length(i) * body.s;
    moved_.orientation[i] = (rotation_exp(h * turn) * state.orientation[i]).normalized();
  }
  return moved_;
}

/// Moves the bodies of next_ out of each other, in islands where a contact is deeper than its slop,
/// as far as the margins in which contacts were searched reach. In the midpoint rule bodies that
/// strike go into each other in the first half of the step.
/// @return whether anything has moved.
bool MoreauScheme::push_out(const model::State& state, const dynamics::BiasLaw& law,
                            StepReport& report) {
  is_ball_deep_ = false;
  stuck_.clear();
  Real excess = std::max(persistent_.deepest().excess, others_excess_);
  for (Index c = 0; middle_ && c < problem_.contact_count(); ++c)
    excess = std::max(excess, -gap_after(c, state, law.step_size) - slop(c));
  if (excess == 0 || law.error_reduction == 0) return false;
  const Real h = law.step_size;
  const std::vector<collision::Pair>& pairs = contact_pairs();
  push_out_.start(problem_, pairs);
  push_out_.measure([&](Index c) -> PushOut::Depth {
    if (is_compliant(c)) return {};  // nothing pushes them deeper
    const Real own = slop(c);
    return {gap_after(c, state, h), own, own};
  });
  const problem::SolveReport solved = push_out_.solve(law, options_.solver);
  if (solved.status == SolveStatus::not_run) return false;
  report.iterations += solved.iterations;
  if (solved.status != SolveStatus::converged) {
    if (report.is_certified()) report.status = SolveStatus::stalled;
    report.detail = "bodies that penetrate each other cannot be pushed apart";
    for (Index i = 0; i < model_.body_count(); ++i)
      if (push_out_.is_stuck(i)) stuck_.push_back(i);
  }
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const std::span<const problem::BodyVelocity> push = push_out_.velocity();
  for (Index i = 0; i < model_.body_count(); ++i)
    if (const Real distance = push_out_.way(bodies.turning_radius(i), i, h); distance > 0) {
      const problem::BodyVelocity& body = solution_.velocity[i];
      const Real gone =
          h * (body.v.norm() + body.s.norm() / bodies.length(i) * bodies.turning_radius(i));
      const Real left = step_contacts_.margin()[i] - gone;
      push_out_.hold_back(i, std::max(left, Real(0)) / distance);
    }
  // Balls are no nearer to each other than their contacts say to first order, nor to planes.
  const auto is_apart = [&](Index c) {
    const problem::CentralContact contact = problem_.central.at(c);
    const Real pushed = push_out_.share(c) * h *
                        contact.normal.dot(push[contact.body_b].v - push[contact.body_a].v);
    const Real size = std::min(bodies.size(contact.body_a), bodies.size(contact.body_b));
    return !(-gap_after(c, state, h) - pushed > kMostOverlap * size);
  };
  is_ball_deep_ = !distribute::all_of(problem_.central.size(), kContactsPerPiece, is_apart);
  return push_out_.apply(model_, h, next_);
}

/// How deep contacts of each body may be after the step, of the smaller body's size: less where a
/// push-out has moved its island; infinite where islands are to stay, as they have no answer, or
/// bodies in them that have passed each other, or may be beyond each other's middle.
/// @param pushed of islands that a push-out has moved.
void MoreauScheme::find_most_overlap(Real pushed) {
  const Real stays = std::numeric_limits<Real>::infinity();
  most_overlap_.assign(static_cast<std::size_t>(model_.body_count()), kMostOverlap);
  for (Index i = 0; is_pushed_ && i < model_.body_count(); ++i)
    if (problem_.bodies[i].inverse_mass > 0 && push_out_.is_pushed(i)) most_overlap_[i] = pushed;
  for (const Index body : solution_.unanswered) most_overlap_[body] = stays;
  for (const Index body : stuck_) most_overlap_[body] = stays;
  for (const std::uint32_t body : late_.beyond(kMostPushed))
    if (problem_.bodies[body].inverse_mass > 0) most_overlap_[body] = stays;
}

/// Looks for overlaps after the step. What is too deep is moved apart as often as it takes, after a
/// push-out what it has left of the way too, island by island.
/// @return whether anything has moved.
bool MoreauScheme::judge_overlaps(const model::State& state, const dynamics::BiasLaw& law,
                                  StepReport& report) {
  if (step_contacts_.bodies().has_transient()) late_.measure(state, next_, others_, carried());
  const bool is_left = options_.error_reduction < 1 || options_.slop > kMostOverlap;
  const LateContacts::Overlap &made = late_.made(), &kept = late_.kept();
  const bool is_answer = report.is_certified() && made.way == 1 && made.share <= kMostPushed;
  const Real pushed = std::clamp(2 * options_.slop, kLeastLeft, kMostOverlap);
  const bool is_deep =
      is_ball_deep_ || std::max(made.share, kept.share) > (is_pushed_ ? pushed : kMostOverlap);
  if (is_left || !is_deep) {
    late_.judge(is_left, report);
    return false;
  }
  find_most_overlap(pushed);
  if (!is_answer) {
    late_.judge(is_left, report);
    if (std::ranges::none_of(most_overlap_, [](Real most) { return std::isinf(most); }))
      return false;  // not known which islands have no answer
  }
  const problem::SolveReport apart = rounds_.apply(law, options_.solver, most_overlap_, next_);
  is_layout_old_ = true;  // pairs were searched anew
  report.iterations += apart.iterations;
  report.max_penetration = std::max(report.max_penetration, rounds_.deepest());
  if (apart.status != SolveStatus::converged && report.is_certified()) {
    report.status = SolveStatus::stalled;
    report.detail = rounds_.why();
  }
  return true;
}

void MoreauScheme::start(const model::State& state, Real h) {
  TALUS_DEMAND(state.body_count() == model_.body_count());
  is_current_ = is_reported_ = has_reactions_ = false;
  load(state, h);
  if (recalled_) take_up(state, h);
  wake_changed(state, h);
  if (last_step_size_ > 0 && last_step_size_ != h)
    for (problem::ImpulseBatch& batch : solution_.impulse.central)
      for (auto& row : batch.r)
        for (Real& r : row) r *= h / last_step_size_;
  persistent_.start_step();
  late_.start();
  unmet_.start();
  is_first_ = true;
  has_left_margin_ = false;
  searches_ = late_rounds_ = stretches_ = 0;
}

void MoreauScheme::form_problem(const model::State& state, Real h) {
  find_contacts(state, bias_law(h));
}

bool MoreauScheme::solve(const model::State& /*state*/, Real /*h*/, StepReport& report) {
  is_advanced_ = false;
  solve_laws(std::exchange(is_first_, false));
  report.iterations += solution_.report.iterations;
  if (solution_.report.status == SolveStatus::numerical_error) {
    // There is nothing to start the next step from.
    solution_.impulse = problem::zero_impulses(problem_);
    return false;
  }
  return true;
}

/// Searches are made again where a body leaves its margin, answers where contacts come about.
bool MoreauScheme::has_missed(const model::State& state, Real h) {
  remember_others(h);
  has_left_margin_ = widen(state, h);
  has_left_margin_ =
      persistent_.has_met(state, bias_law(h), problem_, solution_.velocity) || has_left_margin_;
  ++(has_left_margin_ ? searches_ : late_rounds_);
  bool has_missed = has_left_margin_;
  if (!has_left_margin_ && step_contacts_.bodies().has_transient()) {
    has_missed = true;
    is_advanced_ = move(state, h);
    if (is_advanced_) {
      late_.measure(state, next_, others_, carried());
      has_missed = leave_out_unmet(state, h) ||
                   late_.add(state, machine_ ? moved_by_velocities(state, h) : next_);
    }
  }
  return has_missed && searches_ < kMaxSearches && late_rounds_ < kMaxLateRounds;
}

const AloneMotion& MoreauScheme::move_alone() {
  std::span<const problem::BodyVelocity> velocity = problem_.bodies;
  if (!problem_.resistance.empty()) {
    pulled_ = problem_.bodies;
    problem::apply_pulls(problem_, pulled_);
    velocity = pulled_;
  }
  alone_ = machine_ ? machine_->move_alone(problem_, velocity, solution_.impulse.row)
                    : AloneMotion{velocity, {}, {}, {}, {}};
  return alone_;
}

void MoreauScheme::bound_restitution(Real h, StepReport& report) {
  last_step_size_ = h;
  const bool has_answer = solution_.report.status == SolveStatus::converged;
  is_raising_ = false;
  is_bounded_ = may_raise() && (has_answer || !solution_.unanswered.empty());
  if (is_bounded_) {
    const auto alone = [&] { return move_alone(); };
    const auto solve = [&] {
      driver::solve_again(problem_, options_.solver, solution_);
      if (machine_) settle_machine(options_.solver, false);
    };
    report.iterations += detail::bound_restitution(problem_, options_.solver.tolerance, solve,
                                                   alone, turns(), solution_);
    is_raising_ = middle_ && detail::raises_energy(problem_, alone_, solution_,
                                                   options_.solver.tolerance, turns());
    if (machine_) machine_->take_biases(problem_);
    is_advanced_ = false;
  }
  if (machine_) machine_->remember(solution_.impulse);
  if (has_restitution_)
    report.second_impacts =
        detail::second_impacts(problem_, solution_, step_contacts_.bodies(), contact_pairs(),
                               others_, turns(), options_.solver.tolerance);
}

void MoreauScheme::certify(Real /*h*/, StepReport& report) {
  judge(report);
  write_verdict(report);
}

void MoreauScheme::judge(StepReport& report) {
  report.status = solution_.report.status;
  report.detail = solution_.report.detail;
  if (has_left_margin_ && report.status == SolveStatus::converged) {
    report.status = SolveStatus::stalled;
    report.detail =
        "a body moves farther in this step than the margin in which contacts were searched";
  }
  if (too_deep_ && report.is_certified()) {
    report.status = SolveStatus::stalled;
    report.detail = overlap_before_step(step_contacts_.bodies(), *too_deep_);
  }
  if (is_bounded_ && report.is_certified()) {
    const Real raised =
        certify::raised_energy(problem_, solution_.impulse, {alone_.impulse, alone_.resists});
    if (raised > kMostRaised * options_.solver.tolerance) {
      report.status = SolveStatus::stalled;
      report.detail = raises_text(raised);
    } else if (is_raising_) {
      report.status = SolveStatus::stalled;
      report.detail = "impulses of contacts raise the energy by their work over the step";
    }
  }
  step_contacts_.judge_images(report);
}

void MoreauScheme::write_verdict(StepReport& report) {
  report.certificate = solution_.certificate;
  if (machine_) name_worst(report);
  report.contact_count = problem_.contact_count() + static_cast<Index>(resting_.size());
  report.max_penetration = start_penetration_;
}

bool MoreauScheme::correct(const model::State& state, Real h, StepReport& report) {
  const dynamics::BiasLaw law = bias_law(h);
  is_pushed_ = push_out(state, law, report);
  is_pushed_ = judge_overlaps(state, law, report) || is_pushed_;
  if (!machine_) return true;
  if (is_pushed_) wake_pushed();
  if (is_pushed_ || late_.play().share > 0) restore_joints(true);
  machine_->store(next_, solution_.velocity);
  judge_joints(report);
  return true;
}

void MoreauScheme::finish(model::State& state, Real h, StepReport& report) {
  // As they act, which is what a record keeps of them. Whether steps of machines near singular
  // positions settle depends on the last digit: these start from the answer before it was bounded.
  if (!machine_) remember_others(h);
  keep_functions(state, h);
  std::swap(state, next_);
  if (model_.dimension == 3) return;
  state.internal.clear();  // no law of grains depends on whole turns
  if (const Real out = return_to_plane(model_, h, state);
      out > tolerance::kOutOfPlane && report.is_certified()) {
    report.status = SolveStatus::stalled;
    report.detail = fmt::format("bodies have left the plane at {:.2g} of their speed", out);
  }
}

void MoreauScheme::measure(const model::State& state, StepReport& report) {
  report.energy = step_contacts_.bodies().energy(state);
  report.energy.potential += stored_energy_;
  if (!machine_) return;
  has_reactions_ = report.status != SolveStatus::numerical_error;
  const Energy own = machine_->energy(state);
  report.energy.kinetic += own.kinetic;
  report.energy.potential += own.potential;
}

void MoreauScheme::certify_in_full(StepReport& report) const {
  certify::Certificate& certificate = report.certificate;
  if (!certificate.is_finite || !std::isnan(certificate.plain)) return;
  const certify::Certificate full =
      certify::certify(problem_, solution_.impulse, solution_.velocity);
  certificate.plain = full.plain;
  certificate.primal = full.primal;
  certificate.dual = full.dual;
  certificate.complementarity = full.complementarity;
}

std::optional<problem::GlobalFrictionContact> MoreauScheme::last_problem() const {
  return global_problem(problem_);
}

}  // namespace detail

std::unique_ptr<Scheme> make_moreau_jean(const model::Model& model, const SchemeOptions& options) {
  if (options.sleeping) return std::make_unique<detail::SleepingMoreau>(model, options);
  return std::make_unique<detail::MoreauScheme>(model, options, detail::MoreauRule::jean);
}

std::unique_ptr<Scheme> make_moreau_midpoint(const model::Model& model,
                                             const SchemeOptions& options) {
  return std::make_unique<detail::MoreauScheme>(model, options, detail::MoreauRule::midpoint);
}

}  // namespace talus::stepping
