#include <talus/stepping/planar_moreau_jean.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <unordered_set>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/dynamics/constraint_solver.hpp>
#include <talus/dynamics/planar_delassus.hpp>
#include <talus/stepping/detail/bounded_restitution.hpp>
#include <talus/stepping/detail/contact_step.hpp>
#include <talus/stepping/detail/moreau_rule.hpp>
#include <talus/stepping/detail/overlap.hpp>
#include <talus/stepping/detail/planar_contact.hpp>
#include <talus/stepping/detail/planar_late_contacts.hpp>
#include <talus/stepping/detail/planar_look_ahead.hpp>
#include <talus/stepping/detail/planar_push_out.hpp>
#include <talus/stepping/detail/planar_state_judge.hpp>
#include <talus/stepping/detail/planar_step_contact.hpp>
#include <talus/stepping/detail/planar_step_judge.hpp>
#include <talus/stepping/detail/row_length.hpp>
#include <talus/stepping/detail/second_impacts.hpp>
#include <talus/stepping/detail/step_islands.hpp>
#include <talus/stepping/detail/step_laws.hpp>
#include <talus/stepping/detail/surface_memory.hpp>
#include <talus/stepping/event_driven/inconsistent_constraints.hpp>

namespace talus::stepping {
namespace {

using problem::SolveStatus;

constexpr Real kRoundOff = 1e-13;
constexpr Real kSharper = 0.1;       ///< of the tolerance: the solvers' norm is of all islands
constexpr int kMostSharpenings = 5;  // solves to less than is asked for, until the step is met
constexpr Real kSharpening = 0.3;
constexpr int kMostLateRounds = 10;

using Rule = detail::MoreauRule;

// Internal variables: per friction element Dahl's force, or 1 where it stuck; per contact the
// approach speed with which it began.
constexpr std::string_view kFrictionMemory = "memory_by_friction",
                           kBegunRate = "impact_rate_by_contact";

class PlanarMoreau final : public Scheme {
 public:
  PlanarMoreau(const model::Model& model, const SchemeOptions& options, Rule rule);

  StepReport step(model::State& state, Real h) override;
  [[nodiscard]] const std::vector<StepContact>& contacts() const override { return contacts_; }
  [[nodiscard]] std::span<const dynamics::Reaction> reactions() const override {
    return reactions_;
  }
  [[nodiscard]] SchemeMemory memory() const override { return {contacts_, step_size_, {}, {}}; }
  void recall(const SchemeMemory& memory) override {
    contacts_ = memory.contacts;
    step_size_ = memory.step_size;
  }
  [[nodiscard]] std::optional<problem::GlobalFrictionContact> last_problem() const override {
    return std::nullopt;
  }

 private:
  struct Active {
    Index contact;
    dynamics::ContactTerms terms;
    detail::PlanarTurn turn;
    std::vector<std::size_t> tangents;  // rows whose impulses act along the tangent
  };

  void load(const model::State& state);
  void store(model::State& state) const;
  void predict(Real time, Real h);
  void keep_constraints(Real time, Real h);
  void collect(Real h);
  void add_contact(Index contact, Real h);
  [[nodiscard]] bool add_missed(Real h);
  [[nodiscard]] bool add_late(const detail::StepImpulses& answer, Real h);
  [[nodiscard]] detail::GapLaw gap_law(const Active& a, Real h) const {
    return {bias_law(h), rule_ == Rule::midpoint, a.terms, a.turn, free_};
  }
  [[nodiscard]] detail::StepPlace place(Real h) const {
    return {rule_ == Rule::midpoint, h, theta_, q_, v_, place_, &late_, &unturned_};
  }
  [[nodiscard]] dynamics::BiasLaw bias_law(Real h) const {
    return {h, theta_, options_.error_reduction, options_.slop};
  }
  void add_row(const dynamics::JacobianRow& row, Real turn = 0);
  void add_friction(Index element, Index normal, const dynamics::JacobianRow& row, Real slip,
                    Real turn = 0);
  void assemble(Real h);
  void apply(const detail::StepImpulses& answer, Real h);
  [[nodiscard]] std::vector<detail::PlanarPushOut::Taken> taken(Real h) const;
  [[nodiscard]] detail::JudgedStep judge(const detail::StepImpulses& answer, Real time,
                                         Real h) const;
  void certify(const detail::JudgedStep& judged, StepReport& report);
  [[nodiscard]] Index listed(Index contact) {
    return detail::place_in(contacts_, *machine_, contact, place_, v_);
  }
  void judge_state(Real time, const VecX& start, StepReport& report);
  void remember(const detail::StepImpulses& answer);
  /// Whether no impact may raise the energy.
  [[nodiscard]] bool is_bounded() const { return options_.machine.restitution == "bounded"; }
  [[nodiscard]] detail::StepImpulses solve(Real tolerance) const;
  void bound_restitution(Real tolerance, detail::StepImpulses& answer);
  bool stop_turning(const detail::StepImpulses& answer, Real h);
  [[nodiscard]] std::vector<dynamics::BodyPair> bodies() const;
  [[nodiscard]] VecX guess() const;

  const model::Model& model_;
  const SchemeOptions options_;
  const Rule rule_;
  const std::string_view name_;  // of the scheme
  const Real theta_;             // 1/2 of the midpoint rule
  std::unique_ptr<dynamics::System> machine_;
  std::unique_ptr<event_driven::FrictionElements> elements_;
  bool has_memory_ = false;
  detail::SparseValues memory_;       // per friction element: Dahl's force, or 1 where it stuck
  detail::SparseValues impact_rate_;  // per contact: δ̇ where it began, 0 where it is open
  Real step_size_ = 0;
  VecX q_, v_;            // at the start of the step; at its end when it is done
  VecX next_q_, next_v_;  // what the impulses make of them
  VecX place_;            // where contacts and forces are taken: q + (1 − θ) h v
  VecX bearing_;          // where the constraints are
  VecX free_, acceleration_, force_, scratch_;
  dynamics::ConstraintTerms constraints_;
  dynamics::ConstraintSolver solver_;
  dynamics::Projection projection_;
  detail::PlanarPushOut push_out_;
  detail::PlanarLateContacts late_;
  detail::SparseValues restitution_share_{1};  // per contact: what bounded restitution leaves of e
  VecX impulses_, change_;                     // of the constraints
  dynamics::ConstraintSolver::Response response_;
  std::vector<Active> active_;
  std::unordered_set<Index> unturned_;    // contacts taken at the middle alone
  std::unordered_set<Index> considered_;  // contacts in active_, or held by the constraints
  detail::StepProblem problem_;
  std::vector<dynamics::JacobianRow> rows_;
  std::vector<Real> turns_;                              // per row
  std::vector<Index> row_element_;                       // of the frictions
  std::deque<event_driven::FrictionElement> frictions_;  // of the frictions, where they stay
  std::vector<dynamics::ConstraintSolver::Response> responses_;  // per row
  std::vector<StepContact> contacts_;
  std::vector<dynamics::Reaction> reactions_;
};

PlanarMoreau::PlanarMoreau(const model::Model& model, const SchemeOptions& options, Rule rule)
    : model_(model),
      options_(options),
      rule_(rule),
      name_(rule == Rule::midpoint ? "moreau_midpoint" : "moreau_jean"),
      theta_(rule == Rule::midpoint ? 0.5 : options.theta) {
  TALUS_DEMAND(theta_ >= 0.5 && theta_ <= 1);
}

/// What laws with a memory keep, beside the angles of all bodies.
void PlanarMoreau::load(const model::State& state) {
  if (!machine_) {
    machine_ = dynamics::make_system(model_, state);
    elements_ = std::make_unique<event_driven::FrictionElements>(*machine_);
    has_memory_ = detail::has_memory(model_, *machine_, *elements_);
  }
  machine_->load(state, q_, v_);
  if (!has_memory_) return;
  memory_ = detail::kept(state.internal, name_, kFrictionMemory, elements_->count());
  impact_rate_ = detail::kept(state.internal, name_, kBegunRate, machine_->contact_count());
}

void PlanarMoreau::store(model::State& state) const {
  machine_->store(q_, v_, state);
  if (!has_memory_) return;
  state.internal.set_owner(name_);
  detail::keep(memory_, kFrictionMemory, state.internal);
  detail::keep(impact_rate_, kBegunRate, state.internal);
}

/// Where contacts, forces and constraints are taken, and the free velocity with the constraints
/// kept. Prescribed bodies move there as they do at t + θh.
void PlanarMoreau::predict(Real time, Real h) {
  place_ = q_ + (1 - theta_) * h * v_;
  bearing_ = rule_ == Rule::midpoint ? place_ : VecX(q_ + h * v_);
  acceleration_ = VecX::Zero(q_.size());
  scratch_ = v_;
  machine_->prescribe(time + h, bearing_, scratch_, acceleration_);
  machine_->prescribe(time + theta_ * h, place_, v_, acceleration_);
  machine_->prescribe(time + (1 - theta_) * h, place_, scratch_, acceleration_);
  if (rule_ == Rule::midpoint) bearing_ = place_;
  machine_->force(time + (1 - theta_) * h, place_, v_, force_);
  free_ = v_ + h * machine_->mass().solve(force_);
  keep_constraints(time, h);
}

/// Midpoint: the mean of the velocities keeps them at the middle. Jean: the velocity at the end
/// does, where q + h v is: the impulses of a step turn it.
void PlanarMoreau::keep_constraints(Real time, Real h) {
  if (rule_ == Rule::midpoint) {
    machine_->constraints(time + h / 2, bearing_, v_, constraints_);
    const VecX rate_before = constraints_.rate;
    machine_->constraints(time + h / 2, bearing_, free_, constraints_);
    constraints_.rate += rate_before;
  } else {
    machine_->constraints(time + h, bearing_, free_, constraints_);
  }
  solver_.factorise(constraints_.rows, machine_->mass());
  solver_.correct(constraints_.rate, free_, change_);
  impulses_ = -change_;
}

void PlanarMoreau::collect(Real h) {
  active_.clear();
  considered_.clear();
  unturned_.clear();
  for (const Index i : detail::contacts_in_reach(*machine_, q_, v_, place_, free_, h))
    add_contact(i, h);
}

/// A gap that the constraints hold takes no impulse.
void PlanarMoreau::add_contact(Index contact, Real h) {
  considered_.insert(contact);
  Active a{contact, {}, {}, {}};
  a.turn = detail::step_contact(*machine_, contact, place(h), a.terms);
  solver_.respond(a.terms.normal, response_);
  if (!response_.is_zero()) active_.push_back(std::move(a));
}

/// Adds what was far and has been reached all the same; whether there was any.
bool PlanarMoreau::add_missed(Real h) {
  const std::size_t before = active_.size();
  std::vector<Index> near;
  machine_->near_contacts(next_q_, VecX::Zero(machine_->body_count()), near);
  for (const Index i : near) {
    if (considered_.contains(i) || machine_->gap_bound(i, next_q_) >= 0) continue;
    if (machine_->gap(i, next_q_) < 0) add_contact(i, h);
  }
  return active_.size() > before;
}

/// Adds what shapes meet within the step, in place of the same corners, but not of those that bear
/// at the middle, where their law holds. @return whether there was any that an impulse can help.
bool PlanarMoreau::add_late(const detail::StepImpulses& answer, Real h) {
  std::unordered_set<Index> stays;
  for (std::size_t i = 0; i < active_.size() && rule_ == Rule::midpoint; ++i)
    if (!late_.has(active_[i].contact) && answer.impulse[static_cast<Index>(i)] > 0)
      stays.insert(active_[i].contact);
  if (!late_.add(*machine_, q_, next_q_, stays)) return false;
  const std::unordered_set<Index> added(late_.added().begin(), late_.added().end());
  std::erase_if(active_, [&](const Active& a) { return added.contains(a.contact); });
  const std::size_t before = active_.size();
  for (const Index contact : late_.added()) add_contact(contact, h);
  return active_.size() > before;
}

void PlanarMoreau::add_row(const dynamics::JacobianRow& row, Real turn) {
  rows_.push_back(row);
  turns_.push_back(turn);
  responses_.resize(std::max(responses_.size(), rows_.size()));
  solver_.respond(row, responses_[rows_.size() - 1]);
}

void PlanarMoreau::add_friction(Index element, Index normal, const dynamics::JacobianRow& row,
                                Real slip, Real turn) {
  detail::StepFriction friction;
  friction.element = &frictions_.emplace_back((*elements_)[element]);
  friction.normal = normal;
  friction.before = slip;
  friction.dahl = friction.element->dahl >= 0 ? memory_[element] : 0;
  friction.is_held = (friction.element->dahl < 0 && memory_[element] != 0) ||
                     std::abs(slip) <= kRoundOff * row.magnitude(v_);
  problem_.frictions.push_back(friction);
  row_element_.push_back(element);
  add_row(row, turn);
}

/// Normals, then the frictions of contacts, then those of joints.
void PlanarMoreau::assemble(Real h) {
  problem_.h = h;
  problem_.is_midpoint = rule_ == Rule::midpoint;
  problem_.normals.clear();
  problem_.frictions.clear();
  rows_.clear();
  turns_.clear();
  row_element_.clear();
  frictions_.clear();
  for (const Active& a : active_) {
    problem_.normals.push_back(detail::step_normal(machine_->law(a.contact), a.terms, gap_law(a, h),
                                                   impact_rate_[a.contact]));
    add_row(a.terms.normal, a.turn.normal);
  }
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Active& a = active_[i];
    a.tangents.clear();
    const Index tangent = elements_->tangent(a.contact), rolling = elements_->rolling(a.contact);
    if ((*elements_)[tangent].is_there()) {
      a.tangents.push_back(rows_.size());
      add_friction(tangent, static_cast<Index>(i), a.terms.tangent, a.terms.slip, a.turn.slip);
      if (gap_law(a, h).closes())
        problem_.frictions.back().restitution =
            machine_->law(a.contact).impact.tangential_restitution;
    }
    if ((*elements_)[rolling].is_there())
      add_friction(rolling, static_cast<Index>(i), a.terms.rolling, a.terms.spin);
  }
  for (Index j = 0; j < elements_->joint_count; ++j) {
    const Index element = elements_->joint(j);
    if (!(*elements_)[element].is_there()) continue;
    dynamics::JointSlip slip;
    machine_->joint_slip(j, 0, bearing_, v_, slip);  // at whatever time
    add_friction(element, -1, slip.row, slip.slip);
    problem_.frictions.back().first_reaction = slip.first_constraint;
  }
  const auto n = static_cast<Index>(rows_.size());
  problem_.G = dynamics::planar_delassus(rows_, std::span(responses_).first(rows_.size()),
                                         machine_->body_count());
  problem_.bodies = {{}, &machine_->mass(), &place_, &free_, h * model_.gravity.norm()};
  if (machine_->constraint_count() == 0) problem_.bodies.rows = rows_;
  problem_.b.resize(n);
  problem_.turn = VecX::Map(turns_.data(), n);
  problem_.lambda = impulses_;
  problem_.L.resize(impulses_.size(), n);
  for (Index j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    problem_.L.col(j) = responses_[at].multipliers;
    // What is left of a velocity by cancellation is none: an LCP may have no answer for noise.
    const Real rate = rows_[at].times(free_) + turns_[at];
    problem_.b[j] = std::abs(rate) <= kRoundOff * rows_[at].magnitude(free_) ? 0 : rate;
  }
}

detail::StepImpulses PlanarMoreau::solve(Real tolerance) const {
  driver::Options options = options_.solver;
  options.tolerance = tolerance;
  return detail::solve_islands(problem_, options, guess());
}

void PlanarMoreau::bound_restitution(Real tolerance, detail::StepImpulses& answer) {
  restitution_share_.clear();
  if (!is_bounded() || (answer.is_iterated && answer.status != SolveStatus::converged)) return;
  const VecX share = detail::bound_restitution(
      problem_, options_.solver.tolerance, [&] { return solve(tolerance); }, answer);
  for (std::size_t i = 0; i < active_.size(); ++i)
    restitution_share_[active_[i].contact] = share[static_cast<Index>(i)];
}

/// Sets of contacts whose impulses raise the energy, or have no answer, with rows that turn are
/// taken at the middle alone: Moreau's own rule, which never does. @return whether there are any.
bool PlanarMoreau::stop_turning(const detail::StepImpulses& answer, Real h) {
  if (rule_ == Rule::jean || !is_bounded()) return false;
  const std::vector<bool> raises =
      detail::raises_energy(problem_, options_.solver.tolerance, answer);
  bool any = false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Active& a = active_[i];
    if (!raises[i] || (a.turn.normal == 0 && a.turn.slip == 0)) continue;
    unturned_.insert(a.contact);
    any = true;
    a.turn = detail::step_contact(*machine_, a.contact, place(h), a.terms);
  }
  return any;
}

/// Of each contact.
std::vector<dynamics::BodyPair> PlanarMoreau::bodies() const {
  std::vector<dynamics::BodyPair> all;
  for (const Active& a : active_) all.push_back(machine_->bodies_of(a.contact));
  return all;
}

/// The impulses that the same contacts bore in the last step.
VecX PlanarMoreau::guess() const {
  VecX r = VecX::Zero(static_cast<Index>(rows_.size()));
  const auto borne = detail::borne_by(contacts_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto last = borne.find(active_[i].contact);
    if (last == borne.end()) continue;
    r[static_cast<Index>(i)] = std::max(Real(0), last->second.x());
    for (const std::size_t row : active_[i].tangents) r[static_cast<Index>(row)] = last->second.y();
  }
  return r;
}

void PlanarMoreau::apply(const detail::StepImpulses& answer, Real h) {
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
    contacts_.push_back(detail::planar_contact(*machine_, a.contact, a.terms,
                                               answer.impulse[static_cast<Index>(i)], tangential));
  }
  VecX friction = VecX::Zero(elements_->joint_count);
  const auto normals = static_cast<Index>(active_.size());
  for (std::size_t f = 0; f < row_element_.size(); ++f) {
    const event_driven::FrictionElement& element = frictions_[f];
    if (element.kind == event_driven::FrictionElement::Kind::joint)
      friction[element.index] = answer.impulse[normals + static_cast<Index>(f)] / h;
  }
  dynamics::reactions(*machine_, bearing_, impulses_ / h, friction, reactions_);
  for (const StepContact& contact : contacts_)
    dynamics::add_contact(*machine_, place_, static_cast<Index>(contact.feature),
                          contact.position.head<2>(), contact.impulse.head<2>() / h, reactions_);
}

/// The contacts that the midpoint rule leaves in each other: next_q_ is that of the step.
std::vector<detail::PlanarPushOut::Taken> PlanarMoreau::taken(Real h) const {
  std::vector<detail::PlanarPushOut::Taken> all;
  for (const Active& a : active_)
    if (rule_ == Rule::midpoint && model::is_rigid(machine_->law(a.contact).normal))
      all.push_back({a.contact, a.terms.normal, a.terms.direction,
                     a.terms.gap + theta_ * h * (a.turn.normal + a.terms.normal.times(next_v_))});
  return all;
}

/// The step by its laws: rows, forces and velocities are formed anew from the impulses.
detail::JudgedStep PlanarMoreau::judge(const detail::StepImpulses& answer, Real time,
                                       Real h) const {
  detail::PlanarStep step{rule_ == Rule::midpoint,
                          bias_law(h),
                          time,
                          v_,
                          place_,
                          bearing_,
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

/// The verdict on the step, and in words what is wrong with it.
void PlanarMoreau::certify(const detail::JudgedStep& judged, StepReport& report) {
  report.certificate = judged.certificate;
  Index& worst = report.certificate.worst_contact;
  if (worst >= 0) worst = listed(worst);
  const Real asked = options_.solver.tolerance;
  const bool is_met = report.certificate.meets(asked);
  if (is_met) {  // whatever the solver says
    report.status = SolveStatus::converged;
    report.detail.clear();
  }
  const bool raises = is_bounded() && judged.raised > detail::kMostRaised * asked;
  if (report.status != SolveStatus::converged || (is_met && !raises)) return;
  report.status = SolveStatus::stalled;
  report.detail = is_met ? detail::raises_text(judged.raised) : detail::to_text(judged, worst);
}

/// The state after the step: how far rigid contacts overlap in it and on the way from its start.
void PlanarMoreau::judge_state(Real time, const VecX& start, StepReport& report) {
  report.max_penetration = detail::judge_state(*machine_, time, q_, v_, {}, 0).overlap;
  const bool is_left = options_.error_reduction < 1 || options_.slop > detail::kMostOverlap;
  const Index broken = detail::judge_overlap(*machine_, model_, start, q_, is_left, report);
  if (broken >= 0) report.certificate.worst_contact = listed(broken);
}

/// What laws with a memory know at the next step. q_ is that at the end.
void PlanarMoreau::remember(const detail::StepImpulses& answer) {
  if (!has_memory_) return;
  // A contact that bears nothing sticks to nothing, and Dahl's force is 0 where nothing presses.
  memory_.clear();
  for (std::size_t f = 0; f < row_element_.size(); ++f)
    memory_[row_element_[f]] = answer.memory[static_cast<Index>(f)];
  detail::SparseValues begun;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Index contact = active_[i].contact;
    if (answer.impulse[static_cast<Index>(i)] > 0 || machine_->gap(contact, q_) < 0)
      begun[contact] = problem_.normals[i].impact_rate;
  }
  impact_rate_ = std::move(begun);
}

StepReport PlanarMoreau::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  load(state);
  if (machine_->constraint_count() > 0) (void)projection_.velocity(*machine_, state.time, q_, v_);
  predict(state.time, h);
  late_.start();
  collect(h);
  StepReport report;
  detail::StepImpulses answer;
  const VecX constraints = impulses_;  // without contacts
  int late_rounds = 0;
  const auto take = [&](Real tolerance) {
    do {
      bool is_changed = false;
      do {
        impulses_ = constraints;
        assemble(h);
        answer = solve(tolerance);
        is_changed = answer.status != SolveStatus::converged && stop_turning(answer, h);
        if (!is_changed) bound_restitution(tolerance, answer);
        report.lcp.add(detail::statistics(answer));
      } while (is_changed || stop_turning(answer, h));
      apply(answer, h);
      machine_->prescribe(state.time + h, next_q_, next_v_, acceleration_);
    } while (answer.status == SolveStatus::converged &&
             (add_missed(h) || (late_rounds++ < kMostLateRounds && add_late(answer, h))));
    return judge(answer, state.time, h);
  };
  const Real asked = options_.solver.tolerance;
  Real tolerance = kSharper * asked;
  detail::JudgedStep judged = take(tolerance);
  for (int again = 0; again < kMostSharpenings && answer.is_iterated &&
                      answer.status == SolveStatus::converged && !judged.certificate.meets(asked);
       ++again) {
    tolerance *= kSharpening / std::max(judged.certificate.excess(asked), Real(1));
    judged = take(tolerance);
  }
  bool is_jammed = false;
  if (options_.error_reduction > 0 && next_q_.allFinite()) {
    const SolveStatus pushed = push_out_.apply(*machine_, state.time + h, bias_law(h),
                                               options_.slop, 0.5, q_, taken(h), next_q_);
    is_jammed = pushed != SolveStatus::not_run && pushed != SolveStatus::converged;
  }
  report.status = answer.status;
  report.detail = answer.status == SolveStatus::converged
                      ? answer.detail
                      : detail::why_unanswered(problem_, answer, bodies(), model_);
  report.iterations = report.lcp.pivots;
  report.second_impacts =
      detail::second_impacts(problem_, answer, h * model_.gravity.norm(),
                             next_v_.lpNorm<Eigen::Infinity>(), options_.solver.tolerance);
  certify(judged, report);
  if (is_jammed && report.status == SolveStatus::converged) {
    report.status = SolveStatus::stalled;
    report.detail = "bodies that penetrate each other cannot be pushed apart";
  }
  const VecX start = std::exchange(q_, next_q_);
  v_ = next_v_;
  if (machine_->constraint_count() > 0 &&
      (!projection_.position(*machine_, state.time + h, q_).is_converged ||
       !projection_.velocity(*machine_, state.time + h, q_, v_).is_converged) &&
      event_driven::ends_unmet(event_driven::why_no_motion(*machine_, state.time + h, q_, v_),
                               model_, state, report))
    return report;
  if (!q_.allFinite() || !v_.allFinite()) {
    report.status = SolveStatus::numerical_error;
    report.detail = "the state after the step is not finite";
    report.energy = dynamics::energy(model_, state);
    return report;
  }
  judge_state(state.time + h, start, report);
  remember(answer);
  store(state);
  state.time += h;
  step_size_ = h;
  report.contact_count = static_cast<Index>(contacts_.size());
  report.energy = {machine_->kinetic_energy(v_),
                   detail::potential_energy(*machine_, *elements_, state.time, q_, memory_)};
  return report;
}

}  // namespace

std::unique_ptr<Scheme> make_planar_moreau_midpoint(const model::Model& model,
                                                    const SchemeOptions& options) {
  TALUS_DEMAND(model.dimension == 2);
  return std::make_unique<PlanarMoreau>(model, options, Rule::midpoint);
}

std::unique_ptr<Scheme> make_planar_moreau_jean(const model::Model& model,
                                                const SchemeOptions& options) {
  TALUS_DEMAND(model.dimension == 2);
  return std::make_unique<PlanarMoreau>(model, options, Rule::jean);
}

}  // namespace talus::stepping
