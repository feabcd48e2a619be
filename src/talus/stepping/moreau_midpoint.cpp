#include <talus/stepping/moreau_midpoint.hpp>

#include <algorithm>

#include <talus/base/contract.hpp>
#include <talus/dynamics/constraint_solver.hpp>
#include <talus/stepping/detail/machine_limits.hpp>
#include <talus/stepping/machine/contact_lcp.hpp>

namespace talus::stepping {
namespace {

using problem::SolveStatus;

constexpr Real kRoundOff = 1e-13;

/// Σ |aᵢ vᵢ| of a row.
Real magnitude(const dynamics::PlanarRow& row, const VecX& v) {
  const auto of = [&](Index body, const Vec3& part) {
    return body < 0 ? Real(0) : part.cwiseProduct(v.segment<3>(3 * body)).cwiseAbs().sum();
  };
  return of(row.body_a, row.a) + of(row.body_b, row.b);
}

class MoreauMidpoint final : public Scheme {
 public:
  MoreauMidpoint(const model::Model& model, const SchemeOptions& options)
      : model_(model), options_(options) {}

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
  /// A contact of the step: its rows, and where they are in the LCP.
  struct Active {
    Index contact;
    dynamics::ContactTerms terms;
    Index friction_row = -1;  // −1: none
  };

  void load(const model::State& state);
  void store(model::State& state) const;
  void collect(Real h, Real middle);
  [[nodiscard]] machine::ContactLcp assemble();
  void apply(const VecX& impulse, Real h);

  const model::Model& model_;
  const SchemeOptions options_;
  std::unique_ptr<dynamics::PlanarMachine> machine_;
  Real step_size_ = 0;
  VecX q_, v_, middle_q_, free_, acceleration_, force_;
  dynamics::ConstraintTerms constraints_;
  dynamics::ConstraintSolver solver_;
  dynamics::Projection projection_;
  VecX impulses_, change_;  // of the constraints
  VecX response_;
  std::vector<Active> active_;
  std::vector<VecX> responses_, multipliers_;  // per row of the LCP
  std::vector<StepContact> contacts_;
  std::vector<dynamics::Reaction> reactions_;
};

void MoreauMidpoint::load(const model::State& state) {
  if (!machine_) machine_ = std::make_unique<dynamics::PlanarMachine>(model_, state);
  VecX near = VecX::Zero(machine_->coordinate_count());
  const bool has_angles = state.internal.size() >= model_.bodies.size();
  for (Index i = 0; has_angles && i < model_.body_count(); ++i)
    near[3 * i + 2] = state.internal[static_cast<std::size_t>(i)];
  machine_->load(state, q_, v_, has_angles ? &near : nullptr);
}

void MoreauMidpoint::store(model::State& state) const {
  machine_->store(q_, v_, state);
  state.internal.resize(model_.bodies.size());
  for (Index i = 0; i < model_.body_count(); ++i)
    state.internal[static_cast<std::size_t>(i)] = q_[3 * i + 2];
}

/// Point of the middle, free velocity with the constraints kept, and the contacts that count.
void MoreauMidpoint::collect(Real h, Real middle) {
  middle_q_ = q_ + h / 2 * v_;
  acceleration_ = VecX::Zero(q_.size());
  machine_->prescribe(middle, middle_q_, v_, acceleration_);
  machine_->force(middle, middle_q_, v_, force_);
  free_ = v_ + h * machine_->inverse_mass().cwiseProduct(force_);
  machine_->constraints(middle, middle_q_, v_, constraints_);
  const VecX rate_before = constraints_.rate;
  machine_->constraints(middle, middle_q_, free_, constraints_);
  solver_.factorise(constraints_.rows, machine_->inverse_mass());
  solver_.correct(rate_before + constraints_.rate, free_, change_);
  impulses_ = -change_;
  active_.clear();
  for (Index i = 0; i < machine_->contact_count(); ++i) {
    if (machine_->gap(i, middle_q_) > 0) continue;
    active_.push_back({i, {}, -1});
    machine_->contact(i, middle_q_, v_, active_.back().terms);
    // A gap that the constraints hold takes no impulse.
    solver_.respond(active_.back().terms.normal, response_, change_);
    if (response_.isZero(0)) active_.pop_back();
  }
}

/// Normals, then the tangents of those with friction.
machine::ContactLcp MoreauMidpoint::assemble() {
  machine::ContactLcp lcp;
  std::vector<const dynamics::PlanarRow*> rows;
  std::vector<Real> restored;  // ε γ of each row
  for (const Active& a : active_) {
    rows.push_back(&a.terms.normal);
    restored.push_back(machine_->surface(a.contact).impact.restitution * a.terms.gap_rate);
  }
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const model::SurfaceLaw& surface = machine_->surface(active_[i].contact);
    const Real mu = surface.friction.friction;
    if (mu == 0) continue;
    active_[i].friction_row = static_cast<Index>(rows.size());
    rows.push_back(&active_[i].terms.tangent);
    restored.push_back(surface.impact.tangential_restitution * active_[i].terms.slip);
    lcp.frictions.push_back({static_cast<Index>(i), -mu, mu, 0, 0});
  }
  const auto n = static_cast<Index>(rows.size());
  lcp.G.resize(n, n);
  lcp.b.resize(n);
  responses_.resize(rows.size());
  multipliers_.resize(rows.size());
  for (Index j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    solver_.respond(*rows[at], responses_[at], multipliers_[at]);
    for (Index i = 0; i < n; ++i)
      lcp.G(i, j) = rows[static_cast<std::size_t>(i)]->times(responses_[at]);
    // What is left of a velocity by cancellation is none: an LCP may have no answer for noise.
    const Real noise = kRoundOff * (magnitude(*rows[at], free_) + std::abs(restored[at]));
    const Real rate = rows[at]->times(free_) + restored[at];
    lcp.b[j] = std::abs(rate) <= noise ? 0 : rate;
  }
  return lcp;
}

/// Velocities after the step, what the constraints and the contacts bore.
void MoreauMidpoint::apply(const VecX& impulse, Real h) {
  v_ = free_;
  for (Index j = 0; j < impulse.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    v_ += impulse[j] * responses_[at];
    impulses_ += impulse[j] * multipliers_[at];
  }
  contacts_.clear();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& a = active_[i];
    const Vec2& normal = a.terms.direction;
    Vec2 total = impulse[static_cast<Index>(i)] * normal;
    if (a.friction_row >= 0) total += impulse[a.friction_row] * -dynamics::left_of(normal);
    const auto [body_a, body_b] = machine_->bodies_of(a.contact);
    contacts_.push_back({body_a, body_b, Vec3(a.terms.position.x(), a.terms.position.y(), 0),
                         Vec3(normal.x(), normal.y(), 0), a.terms.gap,
                         Vec3(total.x(), total.y(), 0),
                         static_cast<geometry::FeatureId>(a.contact)});
  }
  dynamics::reactions(*machine_, middle_q_, impulses_ / h, VecX(), reactions_);
}

StepReport MoreauMidpoint::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  load(state);
  if (machine_->constraint_count() > 0) (void)projection_.velocity(*machine_, state.time, q_, v_);
  collect(h, state.time + h / 2);
  StepReport report;
  const machine::ContactLcp lcp = assemble();
  const machine::ContactForces answer = solve(lcp);
  report.status = answer.status;
  report.certificate = answer.certificate;
  report.detail = answer.detail;
  report.iterations = answer.pivots;
  report.lcp.count = 1;
  report.lcp.largest = 2 * lcp.b.size();
  report.lcp.pivots = report.lcp.most_pivots = answer.pivots;
  if (answer.status == SolveStatus::converged &&
      !answer.certificate.meets(options_.solver.tolerance))
    report.status = SolveStatus::stalled;
  apply(answer.force, h);
  q_ = middle_q_ + h / 2 * v_;
  machine_->prescribe(state.time + h, q_, v_, acceleration_);
  if (machine_->constraint_count() > 0 &&
      (!projection_.position(*machine_, state.time + h, q_).is_converged ||
       !projection_.velocity(*machine_, state.time + h, q_, v_).is_converged)) {
    report.status = SolveStatus::stalled;
    report.detail = "the constraints cannot be met: they contradict each other, or h is too large";
  }
  if (!q_.allFinite() || !v_.allFinite()) {
    report.status = SolveStatus::numerical_error;
    report.detail = "the state after the step is not finite";
    report.energy = dynamics::energy(model_, state);
    return report;
  }
  for (Index i = 0; i < machine_->contact_count(); ++i)
    report.max_penetration = std::max(report.max_penetration, -machine_->gap(i, q_));
  store(state);
  state.time += h;
  step_size_ = h;
  // Unknowns of the LCP: normals, then two per friction.
  Index& worst = report.certificate.worst_contact;
  const auto normals = static_cast<Index>(active_.size());
  if (worst >= normals)
    worst = lcp.frictions[static_cast<std::size_t>(worst - normals) % lcp.frictions.size()].normal;
  report.contact_count = static_cast<Index>(contacts_.size());
  report.energy = {machine_->kinetic_energy(v_), machine_->potential_energy(state.time, q_)};
  return report;
}

}  // namespace

std::unique_ptr<Scheme> make_moreau_midpoint(const model::Model& model,
                                             const SchemeOptions& options) {
  TALUS_DEMAND(model.dimension == 2);
  return std::make_unique<MoreauMidpoint>(model, options);
}

std::string unsupported_by_midpoint(const model::Machine& machine) {
  std::string reason = detail::beyond_rigid_coulomb(machine);
  if (!reason.empty()) return reason;
  for (const model::SurfaceLaw& surface : detail::surfaces_of(machine))
    if (surface.impact.is_poisson) return "knows Newton's impact law only";
  return "";
}

}  // namespace talus::stepping
