#include <talus/stepping/planar_moreau_jean.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <talus/base/contract.hpp>
#include <talus/dynamics/planar_delassus.hpp>
#include <talus/laws/surface_memory.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/bounded_restitution.hpp>
#include <talus/stepping/detail/implicit_spring.hpp>
#include <talus/stepping/detail/overlap.hpp>
#include <talus/stepping/detail/planar_moreau_scheme.hpp>
#include <talus/stepping/detail/planar_state_judge.hpp>
#include <talus/stepping/detail/second_impacts.hpp>
#include <talus/stepping/detail/step_islands.hpp>
#include <talus/stepping/inconsistent_constraints.hpp>

namespace talus::stepping {
namespace detail {
namespace {

using problem::SolveStatus;

constexpr Real kSharper = 0.1;       ///< of the tolerance: the solvers' norm is of all islands
constexpr int kMostSharpenings = 5;  // solves to less than is asked for, until the step is met
constexpr Real kSharpening = 0.3;
constexpr int kMostLateRounds = 10;
constexpr Index kMostAgain = 1000;    // iterations with less restitution: more is no answer
constexpr int kMostForceRounds = 30;  // of the fixed point of forces at the mean velocity

// Internal variables: per friction element Dahl's force, or 1 where it stuck; per contact the
// approach speed with which it began.
constexpr std::string_view kFrictionMemory = "memory_by_friction",
                           kBegunRate = "impact_rate_by_contact";

}  // namespace

PlanarMoreauScheme::PlanarMoreauScheme(const model::Model& model, const SchemeOptions& options,
                                       MoreauRule rule)
    : model_(model),
      options_(options),
      rule_(rule),
      name_(rule == MoreauRule::midpoint ? "moreau_midpoint" : "moreau_jean"),
      theta_(rule == MoreauRule::midpoint ? 0.5 : options.theta) {
  TALUS_DEMAND(theta_ >= 0.5 && theta_ <= 1);
}

/// What laws with a memory keep, beside the angles of all bodies.
void PlanarMoreauScheme::load(const model::State& state) {
  if (!machine_) {
    machine_ = dynamics::make_system(model_, state);
    elements_ = std::make_unique<laws::FrictionElements>(*machine_);
    has_memory_ = laws::has_memory(model_, *machine_, *elements_);
  }
  machine_->load(state, q_, v_);
  if (!has_memory_) return;
  memory_ = laws::kept(state.internal, name_, kFrictionMemory, elements_->count());
  impact_rate_ = laws::kept(state.internal, name_, kBegunRate, machine_->contact_count());
}

void PlanarMoreauScheme::store(model::State& state) const {
  machine_->store(q_, v_, state);
  if (!has_memory_) return;
  state.internal.set_owner(name_);
  keep(memory_, kFrictionMemory, state.internal);
  keep(impact_rate_, kBegunRate, state.internal);
}

/// Where contacts, forces and constraints are taken, and the free velocity with the constraints
/// kept. Prescribed bodies move there as they do at t + θh, after jumps as at the end. Forces are
/// those of the velocities v; where M changes, of the mean ones, as far as they are known. Springs
/// and dampers are those of the mean velocities, however stiff.
void PlanarMoreauScheme::predict(Real h) {
  const Real at = time_ + (1 - theta_) * h;
  place_ = q_ + (1 - theta_) * h * v_;
  bearing_ = rule_ == MoreauRule::midpoint ? place_ : VecX(q_ + h * v_);
  acceleration_ = VecX::Zero(q_.size());
  scratch_ = v_;
  machine_->prescribe(time_ + h, bearing_, scratch_, acceleration_);
  machine_->prescribe(given_time_, place_, v_, acceleration_);
  machine_->prescribe(at, place_, scratch_, acceleration_);
  if (rule_ == MoreauRule::midpoint) bearing_ = place_;
  if (force_rounds_ == 0) force_velocity_ = v_;
  machine_->take_mass(place_);
  machine_->given_force({time_, time_ + h}, place_, force_velocity_, force_);
  const dynamics::MassMatrix& mass = machine_->step_mass(h, theta_);
  free_ = v_ + h * mass.solve(force_);
  keep_constraints();
  add_springs(h);
  solver_.factorise(constraints_.rows, mass, compliance_);
  solver_.correct(constraints_.rate, free_, change_);
  impulses_ = -change_;
}

/// Midpoint: the mean of the velocities keeps them at the middle. Jean: the velocity at the end
/// does, where q + h v is: the impulses of a step turn it.
void PlanarMoreauScheme::keep_constraints() {
  machine_->constraints(bearing_time_, bearing_, v_, constraints_);
  const VecX rate_before = constraints_.rate;
  machine_->constraints(bearing_time_, bearing_, free_, constraints_);
  if (rule_ == MoreauRule::midpoint) constraints_.rate += rate_before;
}

/// λ = −pull − g w' is the row w' + λ/g + pull/g = 0, which yields.
void PlanarMoreauScheme::add_springs(Real h) {
  const auto constraints = static_cast<Index>(constraints_.rows.size());
  machine_->elastic_rows(place_, springs_);
  compliance_.assign(constraints_.rows.size(), 0);
  constraints_.rate.conservativeResize(constraints + static_cast<Index>(springs_.size()));
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const dynamics::ElasticRow& spring = springs_[i];
    const ImplicitSpring<Real> law = implicit_spring(spring, h, theta_, v_);
    constraints_.rows.push_back(spring.row);
    compliance_.push_back(1 / law.g);
    constraints_.rate[constraints + static_cast<Index>(i)] =
        spring.row.times(free_) + law.pull / law.g;
  }
}

/// Takes forces at v̄ = θ v' + (1 − θ) v of the answer from now on. @return whether they have been
/// those of other velocities.
bool PlanarMoreauScheme::take_mean_velocity() {
  if (!machine_->has_varying_mass() || !next_v_.allFinite()) return false;
  const VecX mean = theta_ * next_v_ + (1 - theta_) * v_;
  const Real change = (mean - force_velocity_).lpNorm<Eigen::Infinity>();
  force_velocity_ = mean;
  return change > tolerance::kMeanVelocityChange * mean.lpNorm<Eigen::Infinity>();
}

laws::StepImpulses PlanarMoreauScheme::solve_to(Real tolerance, const VecX& guess,
                                                Index most_iterations) const {
  driver::Options options = options_.solver;
  options.tolerance = tolerance;
  options.max_iterations = std::min(options.max_iterations, most_iterations);
  return solve_islands(problem_, options, guess);
}

void PlanarMoreauScheme::take_restitution(Real tolerance, laws::StepImpulses& answer) {
  restitution_share_.clear();
  if (!is_bounded()) return;
  const auto solve_again = [&] {
    const bool is_near = answer.status == SolveStatus::converged;
    return solve_to(tolerance, is_near ? answer.impulse : guess(), kMostAgain);
  };
  const VecX share =
      detail::bound_restitution(problem_, options_.solver.tolerance, solve_again, answer);
  for (std::size_t i = 0; i < active_.size(); ++i)
    restitution_share_[active_[i].contact] = share[static_cast<Index>(i)];
}

/// Sets of contacts whose impulses raise the energy, or have no answer, with rows that turn are
/// taken at the middle alone: Moreau's own rule, which never does. @return whether there are any.
bool PlanarMoreauScheme::stop_turning(const laws::StepImpulses& answer, Real h) {
  if (rule_ == MoreauRule::jean || !is_bounded()) return false;
  const std::vector<bool> raises = raises_energy(problem_, options_.solver.tolerance, answer);
  bool any = false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Active& a = active_[i];
    if (!raises[i] || (a.turn.normal == 0 && a.turn.slip == 0)) continue;
    unturned_.insert(a.contact);
    any = true;
    a.turn = step_contact(*machine_, a.contact, place(h), a.terms);
  }
  return any;
}

/// Of each contact.
std::vector<dynamics::BodyPair> PlanarMoreauScheme::bodies() const {
  std::vector<dynamics::BodyPair> all;
  for (const Active& a : active_) all.push_back(machine_->bodies_of(a.contact));
  return all;
}

/// The impulses that the same contacts bore in the last step.
VecX PlanarMoreauScheme::guess() const {
  VecX r = VecX::Zero(static_cast<Index>(rows_.size()));
  const auto borne = borne_by(contacts_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto last = borne.find(active_[i].contact);
    if (last == borne.end()) continue;
    r[static_cast<Index>(i)] = std::max(Real(0), last->second.x());
    for (const std::size_t row : active_[i].tangents) r[static_cast<Index>(row)] = last->second.y();
  }
  return r;
}

void PlanarMoreauScheme::apply(const laws::StepImpulses& answer, Real h) {
  next_v_ = free_;
  for (Index j = 0; j < answer.impulse.size(); ++j)
    responses_[static_cast<std::size_t>(j)].add_to(next_v_, answer.impulse[j]);
  next_q_ = place_ + theta_ * h * next_v_;
  impulses_ = answer.lambda;
  contacts_.clear();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& a = active_[i];
    Real tangential = 0;
    for (const std::size_t row : a.tangents) tangential += answer.impulse[static_cast<Index>(row)];
    contacts_.push_back(planar_contact(*machine_, a.contact, a.terms,
                                       answer.impulse[static_cast<Index>(i)], tangential));
  }
}

/// What joints and drives did over the step, with the impulses that brought the velocities at its
/// start and at its end to given rates.
void PlanarMoreauScheme::find_reactions(Real h) {
  VecX friction = VecX::Zero(elements_->joint_count);
  const auto normals = static_cast<Index>(active_.size());
  for (std::size_t f = 0; f < row_element_.size(); ++f) {
    const laws::FrictionElement& element = frictions_[f];
    if (element.kind == laws::FrictionElement::Kind::joint)
      friction[element.index] = answer_.impulse[normals + static_cast<Index>(f)] / h;
  }
  VecX reactions = impulses_.head(machine_->constraint_count());
  if (machine_->constraint_count() > 0) reactions += given_impulses_ + projection_.impulses();
  dynamics::reactions(*machine_, bearing_, reactions / h, friction, reactions_);
  for (const StepContact& contact : contacts_)
    dynamics::add_contact(*machine_, place_, static_cast<Index>(contact.feature),
                          contact.position.head<2>(), contact.impulse.head<2>() / h, reactions_);
}

/// The contacts that the midpoint rule leaves in each other: next_q_ is that of the step.
std::vector<PlanarPushOut::Taken> PlanarMoreauScheme::taken(Real h) const {
  std::vector<PlanarPushOut::Taken> all;
  for (const Active& a : active_)
    if (rule_ == MoreauRule::midpoint && model::is_rigid(machine_->law(a.contact).normal))
      all.push_back({a.contact, a.terms.normal, a.terms.direction,
                     a.terms.gap + theta_ * h *
                                       (restitution_share_[a.contact] * a.turn.normal +
                                        a.terms.normal.times(next_v_))});
  return all;
}

/// The step by its laws: rows, forces and velocities are formed anew from the impulses.
JudgedStep PlanarMoreauScheme::judge(const laws::StepImpulses& answer, Real time, Real h) const {
  PlanarStep step{rule_ == MoreauRule::midpoint,
                  bias_law(h),
                  time,
                  v_,
                  place_,
                  bearing_,
                  bearing_time_,
                  free_,
                  q_,
                  restitution_share_,
                  memory_,
                  impact_rate_,
                  {},
                  {},
                  answer.lambda,
                  next_q_,
                  next_v_,
                  {},
                  &late_,
                  &unturned_};
  const auto normals = static_cast<Index>(active_.size());
  for (Index i = 0; i < normals; ++i)
    step.normal[active_[static_cast<std::size_t>(i)].contact] = answer.impulse[i];
  for (std::size_t f = 0; f < row_element_.size(); ++f) {
    const auto at = static_cast<Index>(f);
    step.friction[row_element_[f]] = answer.impulse[normals + at];
    step.memory_end[row_element_[f]] = answer.memory[at];
  }
  return detail::judge(*machine_, *elements_, step);
}

/// The state after the step: how far rigid contacts overlap in it and on the way from its start.
void PlanarMoreauScheme::judge_state(Real time, const VecX& start, StepReport& report) {
  report.max_penetration = detail::judge_state(*machine_, time, q_, v_, {}, 0, 0).overlap;
  const bool is_left = options_.error_reduction < 1 || options_.slop > kMostOverlap;
  const Index broken = judge_overlap(*machine_, model_, start, q_, is_left, report);
  if (broken >= 0) report.certificate.worst_contact = listed(broken);
}

/// What laws with a memory know at the next step. q_ is that at the end.
void PlanarMoreauScheme::remember(const laws::StepImpulses& answer) {
  if (!has_memory_) return;
  // A contact that bears nothing sticks to nothing, and Dahl's force is 0 where nothing presses.
  memory_.clear();
  for (std::size_t f = 0; f < row_element_.size(); ++f)
    memory_[row_element_[f]] = answer.memory[static_cast<Index>(f)];
  laws::SparseValues begun;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Index contact = active_[i].contact;
    if (answer.impulse[static_cast<Index>(i)] > 0 || machine_->gap(contact, q_) < 0)
      begun[contact] = problem_.normals[i].impact_rate;
  }
  impact_rate_ = std::move(begun);
}

void PlanarMoreauScheme::start(const model::State& state, Real h) {
  TALUS_DEMAND(state.body_count() == model_.body_count());
  load(state);
  time_ = state.time;
  bring_to_given_rates(h);
  is_predicted_ = false;
  late_.start();
  tolerance_ = kSharper * options_.solver.tolerance;
  late_rounds_ = force_rounds_ = sharpenings_ = 0;
}

/// Where rates of constraints jump within the step, its velocities are those after it, before
/// contacts answer to them: restitution is of the velocities with which bodies then approach.
void PlanarMoreauScheme::bring_to_given_rates(Real h) {
  const bool jumps = jumps_within(
      rule_, [&](Real after) { return machine_->next_jump(after); }, time_, h);
  bearing_time_ = time_ + (rule_ == MoreauRule::midpoint && !jumps ? h / 2 : h);
  given_time_ = time_ + (jumps ? h : theta_ * h);
  if (machine_->constraint_count() == 0) return;
  if (jumps) {
    scratch_ = q_;
    acceleration_ = VecX::Zero(q_.size());
    machine_->prescribe(given_time_, scratch_, v_, acceleration_);
  }
  (void)projection_.velocity(*machine_, jumps ? bearing_time_ : time_, q_, v_);
  given_impulses_ = projection_.impulses();
}

void PlanarMoreauScheme::form_problem(const model::State& /*state*/, Real h) {
  if (!std::exchange(is_predicted_, true)) {
    predict(h);
    collect(h);
    free_impulses_ = impulses_;
  }
  impulses_ = free_impulses_;
  assemble(h);
}

bool PlanarMoreauScheme::solve(const model::State& state, Real h, StepReport& report) {
  for (;;) {
    answer_ = solve_to(tolerance_, guess(), options_.solver.max_iterations);
    bool is_turned = answer_.status != SolveStatus::converged && stop_turning(answer_, h);
    if (!is_turned) take_restitution(tolerance_, answer_);
    report.lcp.add(statistics(answer_));
    is_turned = is_turned || stop_turning(answer_, h);
    if (!is_turned) break;
    form_problem(state, h);
  }
  apply(answer_, h);
  machine_->prescribe(time_ + h, next_q_, next_v_, acceleration_);
  return true;
}

/// Solved again is what misses a contact, what has forces of another mean velocity, and what the
/// contact solvers leave more of than the certificate allows.
bool PlanarMoreauScheme::has_missed(const model::State& /*state*/, Real h) {
  const bool is_solved = answer_.status == SolveStatus::converged;
  if (is_solved && (add_missed(h) || leave_out_unmet(answer_, h) ||
                    (late_rounds_++ < kMostLateRounds && add_late(answer_, h))))
    return true;
  if (is_solved && force_rounds_++ < kMostForceRounds && take_mean_velocity()) {
    is_predicted_ = false;
    return true;
  }
  judged_ = judge(answer_, time_, h);
  const Real asked = options_.solver.tolerance;
  if (!is_solved || !answer_.is_iterated || judged_.certificate.meets(asked) ||
      sharpenings_++ == kMostSharpenings)
    return false;
  tolerance_ *= kSharpening / std::max(judged_.certificate.excess(asked), Real(1));
  return true;
}

/// The first contact of an own system whose gap is not a number, or −∞; −1: none.
Index PlanarMoreauScheme::lost_gap() const {
  const auto is_lost = [&](Index i, const VecX& q) {
    return !(machine_->gap(i, q) > -std::numeric_limits<Real>::infinity());
  };
  for (Index i = 0; model_.own_system && i < machine_->contact_count(); ++i)
    if (is_lost(i, q_) || is_lost(i, place_) || (next_q_.allFinite() && is_lost(i, next_q_)))
      return i;
  return -1;
}

/// The verdict on the step, and in words what is wrong with it.
void PlanarMoreauScheme::certify(Real h, StepReport& report) {
  report.status = answer_.status;
  report.detail = answer_.status == SolveStatus::converged
                      ? answer_.detail
                      : why_unanswered(problem_, answer_, bodies(), model_);
  report.iterations = report.lcp.pivots;
  report.second_impacts =
      second_impacts(problem_, answer_, h * model_.gravity.norm(),
                     next_v_.lpNorm<Eigen::Infinity>(), options_.solver.tolerance);
  report.certificate = judged_.certificate;
  Index& worst = report.certificate.worst_contact;
  if (worst >= 0) worst = listed(worst);
  if (const Index lost = lost_gap(); lost >= 0) {
    report.status = SolveStatus::numerical_error;
    report.detail = fmt::format("the gap of contact {} is not a number", lost);
    return;
  }
  const Real asked = options_.solver.tolerance;
  const bool is_met = report.certificate.meets(asked);
  if (is_met) {  // whatever the solver says
    report.status = SolveStatus::converged;
    report.detail.clear();
  }
  if (report.status != SolveStatus::converged) return;
  const auto [a, b] = judged_.squeezed;
  if (!is_met)
    report.detail = to_text(judged_, worst);
  else if (is_bounded() && judged_.raised > kMostRaised * asked)
    report.detail = raises_text(judged_.raised);
  else if (a >= 0)
    report.detail = fmt::format(
        "contacts of {} and {} press against each other, as their corners pass: h is too long, "
        "max_halvings cuts such steps",
        model_.body_name(a), model_.body_name(b));
  else
    return;
  report.status = SolveStatus::stalled;
}

bool PlanarMoreauScheme::move(const model::State& /*state*/, Real /*h*/) {
  return next_q_.allFinite() && next_v_.allFinite();
}

bool PlanarMoreauScheme::correct(const model::State& state, Real h, StepReport& report) {
  if (options_.error_reduction > 0) {
    const SolveStatus pushed = push_out_.apply(*machine_, time_ + h, bias_law(h), options_.slop,
                                               0.5, q_, taken(h), next_q_);
    if (pushed != SolveStatus::not_run && pushed != SolveStatus::converged &&
        report.status == SolveStatus::converged) {
      report.status = SolveStatus::stalled;
      report.detail = "bodies that penetrate each other cannot be pushed apart";
    }
  }
  const VecX start = std::exchange(q_, next_q_);
  v_ = next_v_;
  if (machine_->constraint_count() > 0 &&
      (!projection_.position(*machine_, time_ + h, q_).is_converged ||
       !projection_.velocity(*machine_, time_ + h, q_, v_).is_converged) &&
      ends_unmet(why_no_motion(*machine_, time_ + h, q_, v_), model_, state, report))
    return false;
  if (!q_.allFinite() || !v_.allFinite()) {
    report.status = SolveStatus::numerical_error;
    report.detail = "the state after the step is not finite";
    return false;
  }
  judge_state(time_ + h, start, report);
  find_reactions(h);
  return true;
}

void PlanarMoreauScheme::finish(model::State& state, Real h, StepReport& /*report*/) {
  remember(answer_);
  store(state);
  state.time += h;
  step_size_ = h;
}

void PlanarMoreauScheme::measure(const model::State& state, StepReport& report) {
  if (report.status == SolveStatus::numerical_error) {
    report.energy = dynamics::energy(model_, state);
    return;
  }
  report.contact_count = static_cast<Index>(contacts_.size());
  report.energy = {machine_->kinetic_energy(q_, v_),
                   potential_energy(*machine_, *elements_, state.time, q_, memory_)};
}

}  // namespace detail

std::unique_ptr<Scheme> make_planar_moreau_midpoint(const model::Model& model,
                                                    const SchemeOptions& options) {
  TALUS_DEMAND(model.dimension == 2);
  return std::make_unique<detail::PlanarMoreauScheme>(model, options, detail::MoreauRule::midpoint);
}

std::unique_ptr<Scheme> make_planar_moreau_jean(const model::Model& model,
                                                const SchemeOptions& options) {
  TALUS_DEMAND(model.dimension == 2);
  return std::make_unique<detail::PlanarMoreauScheme>(model, options, detail::MoreauRule::jean);
}

}  // namespace talus::stepping
