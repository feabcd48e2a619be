#include <talus/stepping/stewart_trinkle.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include <talus/base/contract.hpp>
#include <talus/laws/polyhedral_rows.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/math/contact_frame.hpp>
#include <talus/stepping/detail/contact_scheme.hpp>
#include <talus/stepping/detail/implicit_scheme.hpp>
#include <talus/stepping/detail/late_contacts.hpp>
#include <talus/stepping/detail/overlap.hpp>
#include <talus/stepping/detail/push_out.hpp>
#include <talus/stepping/detail/raised_by_contacts.hpp>
#include <talus/stepping/detail/settle_machine.hpp>
#include <talus/stepping/stewart_trinkle_anitescu_potra.hpp>

namespace talus::stepping {
namespace {

using problem::SolveStatus;

/// The engine's bodies as the source of an implicit step.
class ImplicitScheme final : public detail::ContactScheme, private StepSource {
 public:
  ImplicitScheme(const model::Model& model, const SchemeOptions& options, Variant variant)
      : ContactScheme(model, options),
        is_polyhedral_(options.solver.solver == "lemke" || options.solver.solver == "auto"),
        frame_(options.tangents == "paper" ? problem::FrameRule(stewart_trinkle_frame)
                                           : problem::FrameRule(contact_frame)),
        implicit_(detail::implicit_options(options, variant)),
        late_(step_contacts_, true) {
    TALUS_DEMAND(options.directions >= 4 && options.directions % 2 == 0);
    TALUS_DEMAND(options.tangents == "paper" || options.tangents == "contact_frame");
    if (!model.spatial_machine) return;
    machine_.emplace(model, step_contacts_.bodies(), detail::MoreauRule::jean, 1);
    push_out_.hold(*machine_);
  }

  StepReport step(model::State& state, Real h) override;
  void recall(const SchemeMemory& memory) override;
  [[nodiscard]] std::span<const dynamics::Reaction> reactions() const override {
    return reactions_;
  }
  [[nodiscard]] std::span<const dynamics::AxisReaction> axes() const override { return axes_; }

 private:
  using Name = std::tuple<std::uint32_t, std::uint32_t, geometry::FeatureId>;
  static Name name(const collision::Contact& contact) {
    return {contact.a, contact.b, contact.feature};
  }

  [[nodiscard]] bool push_out(model::State& state, Real h, Real share);
  ImplicitReport step_once(model::State& state, Real h);
  [[nodiscard]] std::set<Name> bearing() const;
  void judge_overlap(ImplicitReport& report) const;
  void judge_energy(const model::State& state, const model::State& next, StepReport& report) const;

  void linearise(Point point) override;
  void activate_previous() override;
  bool activate_at_point() override;
  void solve(bool is_level, ImplicitReport& report) override;
  bool activate_at_end() override;
  bool meets_on_the_way() override;
  [[nodiscard]] bool is_finite() const override { return next_.is_finite(); }
  [[nodiscard]] Real gap_residual() const override;
  [[nodiscard]] Real move() const override;
  [[nodiscard]] Real penetration() const override {
    return StepContacts::max_penetration(reached_);
  }

  [[nodiscard]] dynamics::StepDrag drag() const { return {model_, h_, 1}; }
  void add_machine_rows(bool is_level);
  void finish_machine(model::State& next, StepReport& report);
  void solve_once(ImplicitReport& report);
  void solve_as_lcp(ImplicitReport& report);
  void solve_as_cones(ImplicitReport& report);

  const bool is_polyhedral_;
  const problem::FrameRule frame_;
  const ImplicitOptions implicit_;
  std::optional<detail::MachineStep> machine_;
  detail::MachineSettler settler_;
  std::vector<dynamics::Reaction> reactions_;
  std::vector<dynamics::AxisReaction> axes_;
  detail::LateContacts late_;
  detail::PushOut push_out_;
  const model::State* state_ = nullptr;  // at the start of the step
  Real h_ = 0;                           // its size
  model::State point_, next_;            // q̄ with v̄ as its velocities, and q', v'
  bool is_at_start_ = false;             // whether q̄ = q
  std::set<Name> previous_;              // names of those that bore an impulse in the last step
  std::set<Name> active_;                // names of the contacts in the problem: contacts_
  std::vector<collision::Contact> candidates_;  // within the margins at q̄
  std::vector<collision::Contact> reached_;     // within the margins at q'
  std::vector<collision::Contact> known_;       // at q
};

/// Takes what penetrates apart, without velocity: position level would do it with one.
/// @param share of the smaller body's size, which is left. @return false where it does not come
/// apart.
bool ImplicitScheme::push_out(model::State& state, Real h, Real share) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const auto slop = [&](const collision::Contact& contact) { return share * bodies.size(contact); };
  step_contacts_.detect(state, travel_, known_);
  if (std::none_of(known_.begin(), known_.end(),
                   [&](const collision::Contact& contact) { return contact.gap < -slop(contact); }))
    return true;
  push_out_.start(bodies, state, known_, 0, std::vector<Real>(bodies.sizes().size(), share));
  const problem::SolveReport solved = push_out_.solve({h, 1, 1, options_.slop}, options_.solver);
  if (solved.status != SolveStatus::not_run) (void)push_out_.apply(model_, h, state);
  return solved.status == SolveStatus::converged || solved.status == SolveStatus::not_run;
}

/// v̄ is what leads from q to q̄: turning on the way (the gyroscopic term) is no part of it.
void ImplicitScheme::linearise(Point point) {
  is_at_start_ = point == Point::start;
  switch (point) {
    case Point::start:
      point_ = *state_;
      std::fill(point_.velocity.begin(), point_.velocity.end(), Vec3::Zero());
      std::fill(point_.angular_velocity.begin(), point_.angular_velocity.end(), Vec3::Zero());
      return;
    case Point::predictor:
      point_ = advance(*state_, velocity_, h_);  // velocity_ is still that of the start
      break;
    case Point::end:
      point_ = next_;
      break;
  }
  point_.angular_velocity = angular_velocity_;
}

void ImplicitScheme::activate_previous() { active_.insert(previous_.begin(), previous_.end()); }

bool ImplicitScheme::activate_at_point() {
  // At q they hold where the bodies will be.
  if (is_at_start_)
    step_contacts_.detect(*state_, travel_, candidates_, h_);
  else
    step_contacts_.detect(point_, travel_, candidates_);
  bool has_new = false;
  late_.merge_into(candidates_);
  for (const collision::Contact& contact : late_.contacts())
    has_new |= active_.insert(name(contact)).second;
  for (const collision::Contact& contact : candidates_)
    if (contact.gap <= 0) has_new |= active_.insert(name(contact)).second;
  return has_new;
}

/// Widens the margins to the way that the bodies really go, so that the next search at q̄ has what
/// is violated at q' among its candidates. Of a point whose features meet at q' alone, as where a
/// disc tips over its rim, all candidates of its pair are active.
bool ImplicitScheme::activate_at_end() {
  step_contacts_.travel(velocity_, angular_velocity_, h_, new_travel_);
  for (std::size_t i = 0; i < travel_.size(); ++i)
    travel_[i] = std::max(travel_[i], new_travel_[i]);
  step_contacts_.detect(next_, travel_, reached_);
  bool has_new = false;
  const auto by_pair = [](const auto& one, const auto& other) {
    return std::tuple(one.a, one.b) < std::tuple(other.a, other.b);
  };
  for (const collision::Contact& contact : reached_) {
    if (contact.gap >= 0) continue;
    has_new |= active_.insert(name(contact)).second;
    const auto [first, last] =
        std::equal_range(candidates_.begin(), candidates_.end(), contact, by_pair);
    const bool is_known = std::any_of(first, last, [&](const collision::Contact& candidate) {
      return candidate.feature == contact.feature;
    });
    for (auto candidate = first; candidate != last && !is_known; ++candidate)
      has_new |= active_.insert(name(*candidate)).second;
  }
  return has_new;
}

/// Bodies that went through each other, and plays that are exceeded: their normals turn within the
/// step.
bool ImplicitScheme::meets_on_the_way() {
  const auto is_met = [&] {
    return late_.made().way < 1 || late_.play().share > tolerance::kMostOverlap;
  };
  late_.measure(*state_, next_, {});
  if (!is_met()) return false;
  step_contacts_.detect(*state_, travel_, known_);
  late_.merge_into(known_);
  late_.measure(*state_, next_, known_);
  return is_met() && late_.add(*state_, next_);
}

void ImplicitScheme::solve(bool is_level, ImplicitReport& report) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  contacts_.clear();
  terms_.clear();
  for (const collision::Contact& contact : candidates_) {
    if (!active_.contains(name(contact))) continue;
    const Real un = contact.normal.dot(bodies.relative_velocity(
        contact, point_.position, point_.velocity, point_.angular_velocity));
    contacts_.push_back(contact);
    const Real bias = is_level ? contact.gap / h_ - un : 0;
    terms_.push_back({implicit_.gives_velocity ? bias : std::max(bias, Real(0)),
                      bodies.law(contact).friction.coefficient});
  }
  bodies.load(point_, free_velocity_, free_angular_velocity_, drag(), problem_);
  if (machine_) machine_->add_forces(*state_, problem_);
  bodies.add(contacts_, terms_, point_.position, problem_, order_);
  if (machine_) add_machine_rows(is_level);
  solve_once(report);
  const auto solve_again = [&](Real) {
    solve_once(report);
    return report.status != SolveStatus::interrupted;
  };
  if (machine_ &&
      !settler_.settle(
          *machine_, implicit_.solver.tolerance, problem_, solution_,
          [&] { add_machine_rows(is_level); }, solve_again) &&
      report.status != SolveStatus::interrupted) {
    report.status = SolveStatus::stalled;
    report.detail = detail::kUnsettledFriction;
  }
  bodies.store(solution_.velocity, velocity_, angular_velocity_);
  next_ = advance(*state_, velocity_, h_);
}

/// Joints as rows of the problem: Φ(q̄)/h + G·(v' − v̄) = 0, or G v' + Φ_t = 0.
void ImplicitScheme::add_machine_rows(bool is_level) {
  machine_->add_rows(
      point_, 1, problem_, solution_.impulse.row,
      is_level ? detail::MachineStep::Level::position : detail::MachineStep::Level::velocity);
}

void ImplicitScheme::solve_once(ImplicitReport& report) {
  if (is_polyhedral_)
    solve_as_lcp(report);
  else
    solve_as_cones(report);
}

/// The LCP (29) itself, (17) with joints; the impulses of its solution move the bodies.
void ImplicitScheme::solve_as_lcp(ImplicitReport& report) {
  const laws::PolyhedralRows rows = laws::to_polyhedral(problem_, frame_, implicit_.directions);
  const laws::PolyhedralAnswer answer =
      laws::solve_polyhedral(rows.problem, implicit_.solver, report.lcp);
  report.status = answer.report.status;
  report.detail = answer.report.detail;
  report.certificate = answer.certificate;
  Index& worst = report.certificate.worst_contact;
  if (worst >= problem_.contact_count()) {
    const Index row = rows.bounded[worst - problem_.contact_count()];
    if (!report.is_certified()) machine_->add_name(row, report.detail);
    worst = -1;
  }
  solution_.impulse = laws::impulses_of(rows, problem_, frame_, answer.impulse);
  solution_.report = answer.report;
  solution_.velocity = problem_.bodies;
  problem::apply_impulses(problem_, solution_.impulse, solution_.velocity);
}

/// The same positions with circular cones.
void ImplicitScheme::solve_as_cones(ImplicitReport& report) {
  step_contacts_.warm_start(contacts_, order_, h_, guess_);
  driver::solve(problem_, implicit_.solver, problem::batched(problem_, guess_), solution_);
  report.status = solution_.report.status;
  report.detail = solution_.report.detail;
  report.certificate = solution_.certificate;
  report.lcp.pivots += solution_.report.iterations;  // sweeps here
}

/// The contacts that bear a normal impulse.
std::set<ImplicitScheme::Name> ImplicitScheme::bearing() const {
  const auto normal = [&](std::size_t k) {
    return problem::impulse_of(problem_, solution_.impulse, static_cast<Index>(k))
        .dot(contacts_[order_[k]].normal);
  };
  Real largest = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) largest = std::max(largest, normal(k));
  std::set<Name> names;
  for (std::size_t k = 0; k < order_.size(); ++k)
    if (bears(normal(k), largest)) names.insert(name(contacts_[order_[k]]));
  return names;
}

Real ImplicitScheme::gap_residual() const {
  const std::set<Name> names = bearing();
  Real residual = penetration();
  for (const collision::Contact& contact : reached_)
    if (names.contains(name(contact))) residual = std::max(residual, std::abs(contact.gap));
  return residual;
}

Real ImplicitScheme::move() const {
  Real distance = 0;
  for (Index i = 0; i < next_.body_count(); ++i)
    distance = std::max({distance, (next_.position[i] - point_.position[i]).norm(),
                         next_.orientation[i].angularDistance(point_.orientation[i])});
  return distance;
}

void ImplicitScheme::recall(const SchemeMemory& memory) {
  ContactScheme::recall(memory);
  previous_.clear();
  Real largest = 0;
  for (const StepContact& contact : memory.contacts)
    largest = std::max(largest, contact.impulse.dot(contact.normal));
  for (const StepContact& contact : memory.contacts)
    if (bears(contact.impulse.dot(contact.normal), largest))
      previous_.insert({static_cast<std::uint32_t>(contact.body_a),
                        static_cast<std::uint32_t>(contact.body_b), contact.feature});
}

/// What is too deep in something else is no answer, though it can be taken out of it.
void ImplicitScheme::judge_overlap(ImplicitReport& report) const {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  for (const collision::Contact& contact : reached_) {
    if (!report.is_certified() || -contact.gap <= detail::kMostPushed * bodies.size(contact))
      continue;
    report.status = SolveStatus::stalled;
    report.detail = detail::overlap_after_step(bodies, contact);
  }
}

/// M is that of q̄, and bodies turn freely from q: where they turn far in a step, its impulses may
/// raise the energy. By the papers' law of overlaps they may anyway.
void ImplicitScheme::judge_energy(const model::State& state, const model::State& next,
                                  StepReport& report) const {
  if (implicit_.gives_velocity || !report.is_certified()) return;
  const detail::FreeVelocities free{free_velocity_, free_angular_velocity_};
  const std::string why =
      detail::raised_by_contacts(step_contacts_, state, free, next, contacts(), h_);
  if (why.empty()) return;
  report.status = SolveStatus::stalled;
  report.detail = why;
}

ImplicitReport ImplicitScheme::step_once(model::State& state, Real h) {
  state_ = &state;
  h_ = h;
  if (machine_) machine_->start(state, h);
  step_contacts_.bodies().free_velocities(state, h, drag(), free_velocity_, free_angular_velocity_);
  step_contacts_.travel(free_velocity_, free_angular_velocity_, h, travel_);
  // What steps leave within the slop is the method's.
  const bool is_first = step_contacts_.last_step_size() == 0;
  bool is_apart = implicit_.variant == Variant::anitescu_potra ||
                  push_out(state, h, is_first ? tolerance::kStartSlop : options_.slop);
  velocity_ = state.velocity;
  angular_velocity_ = state.angular_velocity;
  active_.clear();
  late_.start();
  ImplicitReport report = implicit_step(*this, implicit_);
  if (report.status == SolveStatus::numerical_error) return report;
  if (detail::pushes_out(implicit_)) {
    judge_overlap(report);
    is_apart = push_out(next_, h, tolerance::kStartSlop) && is_apart;
  }
  // Rows of limits and ropes do not take back what curved ones leave. What this leaves of them and
  // of joints is judged.
  if (machine_ && implicit_.variant != Variant::anitescu_potra && next_.is_finite() &&
      machine_->beyond(next_).share > 0)
    (void)machine_->project(next_, true);
  if (!is_apart && report.is_certified()) {
    report.status = SolveStatus::stalled;
    report.detail = "bodies that penetrate each other cannot be pushed apart";
  }
  step_contacts_.remember(contacts_, order_, problem::listed(problem_, solution_.impulse), {}, h);
  previous_ = bearing();
  state = std::move(next_);
  return report;
}

/// What a machine keeps and reports of a step; no step is certified that leaves it visibly apart.
void ImplicitScheme::finish_machine(model::State& next, StepReport& report) {
  machine_->remember(solution_.impulse);
  machine_->store(next, solution_.velocity);
  report.joints = machine_->judge(next, solution_.velocity);
  machine_->report(solution_.impulse, contacts(), reactions_, axes_);
  if (!report.is_certified()) return;
  const detail::MachineStep::Beyond beyond = machine_->beyond(next);
  std::string why = machine_->lost_angle();
  if (report.joints.drift > tolerance::kMostOff)
    why = fmt::format("after the step {} is off by {:.3g} of the smaller body",
                      dynamics::constraint_name(report.joints.worst_drift,
                                                machine_->terms().machine(), machine_->terms()),
                      report.joints.drift);
  else if (beyond.share > tolerance::kMostOff)
    why = fmt::format("after the step {} is beyond its limit by {:.3g} of the smaller body, or rad",
                      beyond.name, beyond.share);
  if (why.empty()) return;
  report.status = SolveStatus::stalled;
  report.detail = std::move(why);
}

StepReport ImplicitScheme::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  model::State next = state;
  StepReport report = detail::to_step_report(step_once(next, h));
  report.contact_count = static_cast<Index>(contacts_.size());
  step_contacts_.judge_images(report);
  if (next.is_finite()) {
    if (machine_) finish_machine(next, report);
    step_contacts_.detect(state, travel_, known_);
    late_.measure(state, next, known_);
    late_.judge(options_.slop > tolerance::kMostOverlap, report);
    judge_energy(state, next, report);
    if (report.is_certified() && late_.play().share > tolerance::kMostOverlap) {
      report.status = SolveStatus::stalled;  // nothing takes it back after the step
      report.detail = detail::overlap_after_step(step_contacts_.bodies(), late_.play().contact);
    }
  }
  take(std::move(next), state, report);
  return report;
}

}  // namespace

Mat3 stewart_trinkle_frame(const Vec3& normal) {
  const Vec3 across = normal.cross(Vec3::UnitZ());
  const Real size = across.norm();
  Mat3 frame;
  frame.col(0) = normal;
  frame.col(1) = size > 0 ? Vec3(across / size) : Vec3(Vec3::UnitX());
  frame.col(2) = frame.col(1).cross(normal);
  return frame;
}

std::unique_ptr<Scheme> make_stewart_trinkle(const model::Model& model,
                                             const SchemeOptions& options) {
  return std::make_unique<ImplicitScheme>(model, options, Variant::stewart_trinkle);
}

std::unique_ptr<Scheme> make_anitescu_potra(const model::Model& model,
                                            const SchemeOptions& options) {
  return std::make_unique<ImplicitScheme>(model, options, Variant::anitescu_potra);
}

std::unique_ptr<Scheme> make_anitescu_potra_stabilised(const model::Model& model,
                                                       const SchemeOptions& options) {
  return std::make_unique<ImplicitScheme>(model, options, Variant::anitescu_potra_stabilised);
}

}  // namespace talus::stepping
