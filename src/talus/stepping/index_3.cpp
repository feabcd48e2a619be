#include <talus/stepping/index_3.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <talus/base/contract.hpp>
#include <talus/certify/step_residual.hpp>
#include <talus/dynamics/constraint_solver.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/model/machine.hpp>
#include <talus/stepping/detail/planar_state_judge.hpp>
#include <talus/stepping/detail/row_length.hpp>
#include <talus/stepping/event_driven/inconsistent_constraints.hpp>
#include <talus/stepping/tolerances.hpp>

namespace talus::stepping {
namespace {

using problem::SolveStatus;

constexpr Real kRadius = 0.8;                // ρ_∞
constexpr int kMostPositionIterations = 30;  // of Newton's method
constexpr int kWithOneMatrix = 8;            // of them with one matrix

constexpr std::string_view kIndexThree = "index_3", kSolvedAcceleration = "acceleration",
                           kMeanAcceleration = "algorithmic_acceleration";

class IndexThree final : public Scheme {
 public:
  IndexThree(const model::Model& model, Real tolerance) : model_(model), tolerance_(tolerance) {}

  StepReport step(model::State& state, Real h) override;
  [[nodiscard]] const std::vector<StepContact>& contacts() const override { return contacts_; }
  [[nodiscard]] std::span<const dynamics::Reaction> reactions() const override {
    return reactions_;
  }
  [[nodiscard]] SchemeMemory memory() const override { return {{}, step_size_, {}, {}}; }
  void recall(const SchemeMemory& memory) override { step_size_ = memory.step_size; }
  [[nodiscard]] std::optional<problem::GlobalFrictionContact> last_problem() const override {
    return std::nullopt;
  }

 private:
  void load(const model::State& state);
  void store(model::State& state) const;
  void start(Real time);
  void evaluate(Real end, Real h);
  void make_matrix(Real end, Real h);
  [[nodiscard]] bool solve(Real end, Real h);
  void judge(Real end, Real h, StepReport& report) const;

  static constexpr Real kAlphaM = (2 * kRadius - 1) / (kRadius + 1);
  static constexpr Real kAlphaF = kRadius / (kRadius + 1);
  static constexpr Real kGamma = 0.5 - kAlphaM + kAlphaF;
  static constexpr Real kBeta = (kGamma + 0.5) * (kGamma + 0.5) / 4;
  static constexpr Real kShare = (1 - kAlphaF) / (1 - kAlphaM);  // ∂A₁/∂a₁

  const model::Model& model_;
  const Real tolerance_;  // of the certificate
  std::unique_ptr<dynamics::System> machine_;
  std::vector<StepContact> contacts_;
  std::vector<dynamics::Reaction> reactions_;
  Real step_size_ = 0;
  VecX q0_, v0_, a0_, A0_;           // at the start of the step
  VecX q_, v_, a_, A_, lambda_, Q_;  // at its end, as far as known
  dynamics::ConstraintTerms terms_;
  VecX residual_;  // a₁ − M⁻¹ (Q + Φ_qᵀ λ), then Φ/(β' h²)
  MatX matrix_;
  linalg::CompleteOrthogonal factor_;
};

void IndexThree::load(const model::State& state) {
  if (!machine_) machine_ = dynamics::make_system(model_, state);
  machine_->load(state, q0_, v0_);
  const Index n = machine_->coordinate_count();
  const auto* a = state.internal.of_scheme(kIndexThree, kSolvedAcceleration, n);
  const auto* A = state.internal.of_scheme(kIndexThree, kMeanAcceleration, n);
  if (a == nullptr || A == nullptr) {
    start(state.time);
    return;
  }
  a0_ = VecX::Map(a->data(), n);
  A0_ = VecX::Map(A->data(), n);
}

void IndexThree::store(model::State& state) const {
  machine_->store(q_, v_, state);
  state.internal.set_owner(kIndexThree);
  state.internal.add(kSolvedAcceleration, {a_.begin(), a_.end()});
  state.internal.add(kMeanAcceleration, {A_.begin(), A_.end()});
}

/// Accelerations and multipliers of a start; velocities that satisfy the constraints are taken at
/// once.
void IndexThree::start(Real time) {
  a0_ = VecX::Zero(q0_.size());
  machine_->prescribe(time, q0_, v0_, a0_);
  if (machine_->constraint_count() > 0)
    (void)dynamics::Projection().velocity(*machine_, time, q0_, v0_);
  machine_->force(time, q0_, v0_, Q_);
  machine_->constraints(time, q0_, v0_, terms_);
  dynamics::ConstraintSolver solver;
  solver.factorise(terms_.rows, machine_->mass());
  solver.accelerate(Q_, terms_.drift, a0_, lambda_);
  A0_ = a0_;
}

/// Everything that follows from a₁ and λ₁.
void IndexThree::evaluate(Real end, Real h) {
  // (1 − α_m) A₁ + α_m A₀ = (1 − α_f) a₁ + α_f a₀, then the formulas of Newmark (`chung_1993`, for
  // constraints `arnold_2007`).
  A_ = ((1 - kAlphaF) * a_ + kAlphaF * a0_ - kAlphaM * A0_) / (1 - kAlphaM);
  q_ = q0_ + h * v0_ + h * h * ((0.5 - kBeta) * A0_ + kBeta * A_);
  v_ = v0_ + h * ((1 - kGamma) * A0_ + kGamma * A_);
  VecX prescribed = a_;
  machine_->prescribe(end, q_, v_, prescribed);
  machine_->force(end, q_, v_, Q_);
  machine_->constraints(end, q_, v_, terms_);
  const Index n = a_.size(), m = machine_->constraint_count();
  VecX force = Q_;
  for (Index k = 0; k < m; ++k) terms_.rows[static_cast<std::size_t>(k)].add_to(force, lambda_[k]);
  residual_.resize(n + m);
  const VecX& inverse = machine_->mass().inverse_diagonal();
  const VecX free = machine_->mass().solve(force);
  for (Index i = 0; i < n; ++i) residual_[i] = a_[i] - (inverse[i] > 0 ? free[i] : prescribed[i]);
  residual_.tail(m) = terms_.value / (kBeta * kShare * h * h);
}

/// ∂residual/∂(a₁, λ₁): by differences, and −M⁻¹Φ_qᵀ.
void IndexThree::make_matrix(Real end, Real h) {
  const Index n = a_.size(), m = machine_->constraint_count();
  matrix_ = MatX::Zero(n + m, n + m);
  evaluate(end, h);
  const VecX base = residual_;
  const VecX& inverse = machine_->mass().inverse_diagonal();
  for (Index k = 0; k < m; ++k) {
    VecX row = VecX::Zero(n);
    terms_.rows[static_cast<std::size_t>(k)].add_to(row, 1);
    matrix_.col(n + k).head(n) = -machine_->mass().solve(row);
  }
  for (Index j = 0; j < n; ++j) {
    if (inverse[j] == 0) {
      matrix_(j, j) = 1;
      continue;
    }
    const Real kept = a_[j], by = tolerance::kAccelerationDifference * (1 + std::abs(v0_[j])) /
                                  (kGamma * kShare * h);
    a_[j] += by;
    evaluate(end, h);
    matrix_.col(j) = (residual_ - base) / by;
    a_[j] = kept;
  }
  factor_.compute(matrix_);
}

bool IndexThree::solve(Real end, Real h) {
  const Index n = a0_.size(), m = machine_->constraint_count();
  a_ = a0_;
  if (lambda_.size() != m) lambda_ = VecX::Zero(m);
  // Newton on M a₁ = Q + Φ_qᵀ λ₁, Φ(q₁, t₁) = 0, the constraints divided by β' h² (`arnold_2007`).
  for (int iteration = 0; iteration < kMostPositionIterations; ++iteration) {
    if (iteration % kWithOneMatrix == 0) make_matrix(end, h);
    evaluate(end, h);
    const VecX change = factor_.solve(residual_);
    a_ -= change.head(n);
    lambda_ -= change.tail(m);
    const Real size = 1 + q_.lpNorm<Eigen::Infinity>();
    const Real moved = kBeta * kShare * h * h * change.head(n).lpNorm<Eigen::Infinity>();
    if (!std::isfinite(moved)) return false;
    if (moved > tolerance::kNewtonChange * size) continue;
    evaluate(end, h);
    if (m == 0 || terms_.value.lpNorm<Eigen::Infinity>() <= 10 * tolerance::kNewtonChange * size)
      return true;
  }
  return false;
}

/// The step by its laws, from a₁, λ₁, q₁ and v₁ alone: M a₁ = Q + Φ_qᵀ λ₁ and Φ = 0 at its end, the
/// recurrence of q and v, and Φ̇, which the method keeps to second order.
void IndexThree::judge(Real end, Real h, StepReport& report) const {
  const dynamics::MassMatrix& M = machine_->mass();
  const VecX& inverse = M.inverse_diagonal();
  dynamics::ConstraintTerms terms;
  VecX force, free = q0_ + h * v0_;
  machine_->force(end, q_, v_, force);
  free += h * h / 2 * M.solve(force);
  VecX total = force, sizes = force.cwiseAbs();
  machine_->constraints(end, free, v_, terms);
  const VecX unconstrained = terms.value;
  machine_->constraints(end, q_, v_, terms);
  for (std::size_t k = 0; k < terms.rows.size(); ++k) {
    VecX share = VecX::Zero(total.size());
    terms.rows[k].add_to(share, lambda_[static_cast<Index>(k)]);
    total += share;
    sizes += share.cwiseAbs();
  }
  const VecX A = ((1 - kAlphaF) * a_ + kAlphaF * a0_ - kAlphaM * A0_) / (1 - kAlphaM);
  const VecX q = q0_ + h * v0_ + h * h * ((0.5 - kBeta) * A0_ + kBeta * A);
  const VecX v = v0_ + h * ((1 - kGamma) * A0_ + kGamma * A);
  certify::StepResidual residual;
  for (Index i = 0; i < a_.size(); ++i) {
    if (!(inverse[i] > 0)) continue;
    const Real mass = 1 / inverse[i], momentum = mass * std::abs(v_[i]);
    const Real size = h * (sizes[i] + mass * std::abs(a_[i]));
    residual.add_equation(0, mass, h * (mass * a_[i] - total[i]), h * force[i], size);
    residual.add_equation(0, mass, mass * (v_[i] - v[i]), 0, momentum);
    residual.add_equation(0, mass, mass * (q_[i] - q[i]) / h, 0, mass * std::abs(q_[i]) / h);
  }
  for (std::size_t k = 0; k < terms.rows.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const dynamics::JacobianRow& row = terms.rows[k];
    const Real length = detail::row_length(*machine_, row);
    certify::StepRow r;
    r.own = inverse_effective_mass(row, M) * length * length;
    r.rate = terms.value[i] * length / h;
    r.before = unconstrained[i] * length / h;
    r.round_off = tolerance::kNewtonChange * 10 * (1 + q_.lpNorm<Eigen::Infinity>()) * length / h;
    residual.count(-2 - i);
    residual.add_constraint(r);
  }
  report.certificate = residual.certificate();
  const Index worst = std::exchange(report.certificate.worst_contact, -1);
  const detail::StateError error =
      detail::judge_state(*machine_, end, q_, v_, {}, std::sqrt(2 * machine_->kinetic_energy(v_)));
  if (report.status != SolveStatus::converged) return;
  if (!report.certificate.meets(tolerance_)) {
    report.status = SolveStatus::stalled;
    report.detail =
        fmt::format("the step misses its laws: natural map {:.3g}, equation of motion {:.3g}{}",
                    report.certificate.natural_map, report.certificate.equation_of_motion,
                    worst < -1 ? " at " + detail::owner_of(*machine_, -2 - worst) : "");
  } else if (error.position > tolerance::kMostOff || error.rate > tolerance::kMostRate) {
    report.status = SolveStatus::stalled;
    report.detail = detail::to_text(error);
  }
}

StepReport IndexThree::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  load(state);
  StepReport report;
  const bool is_solved = solve(state.time + h, h);
  if (!q_.allFinite() || !v_.allFinite()) {
    report.status = SolveStatus::numerical_error;
    report.detail = "the state after the step is not finite";
    report.energy = dynamics::energy(model_, state);
    return report;
  }
  report.status = SolveStatus::converged;
  if (!is_solved &&
      event_driven::ends_unmet(*machine_, model_, state, state.time + h, q_, v_, report))
    return report;
  judge(state.time + h, h, report);
  store(state);
  state.time += h;
  step_size_ = h;
  dynamics::reactions(*machine_, q_, lambda_, VecX(), reactions_);
  report.energy = {machine_->kinetic_energy(v_), machine_->potential_energy(state.time, q_)};
  return report;
}

}  // namespace

std::unique_ptr<Scheme> make_index_three(const model::Model& model, const SchemeOptions& options) {
  TALUS_DEMAND(model.dimension == 2);
  return std::make_unique<IndexThree>(model, options.solver.tolerance);
}

}  // namespace talus::stepping
