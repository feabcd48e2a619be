#include <talus/stepping/index_3.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <talus/base/contract.hpp>
#include <talus/certify/step_residual.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/model/lagrangian.hpp>
#include <talus/model/time_law.hpp>
#include <talus/stepping/detail/smooth_system.hpp>
#include <talus/stepping/generalized_alpha.hpp>
#include <talus/stepping/inconsistent_constraints.hpp>

namespace talus::stepping {
namespace {

using problem::SolveStatus;

constexpr GeneralizedAlpha kMethod(0.8);     // ρ_∞
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
  [[nodiscard]] std::span<const dynamics::AxisReaction> axes() const override { return axes_; }
  void start_anew(model::State& state) const override {
    state.internal.drop(kSolvedAcceleration);
    state.internal.drop(kMeanAcceleration);
  }
  [[nodiscard]] SchemeMemory memory() const override { return {{}, step_size_, {}, {}}; }
  void recall(const SchemeMemory& memory) override { step_size_ = memory.step_size; }
  [[nodiscard]] std::optional<problem::GlobalFrictionContact> last_problem() const override {
    return std::nullopt;
  }

 private:
  void load(const model::State& state, Real end, Real h);
  void store(model::State& state) const;
  void start(Real time);
  void evaluate(Real end, Real h);
  [[nodiscard]] MatX accelerations() const;
  void weigh();
  [[nodiscard]] VecX roots() const;
  void make_matrix(Real end, Real h);
  void factorise();
  [[nodiscard]] VecX solve_linear(const VecX& residual) const;
  [[nodiscard]] bool solve(Real end, Real h);
  [[nodiscard]] bool are_met() const;
  void judge(Real end, Real h, StepReport& report);
  void judge_place(Real h, StepReport& report) const;
  void judge_turns(Real h, StepReport& report) const;

  const model::Model& model_;
  const Real tolerance_;  // of the certificate
  std::unique_ptr<detail::SmoothSystem> system_;
  std::vector<StepContact> contacts_;
  std::vector<dynamics::Reaction> reactions_;
  std::vector<dynamics::AxisReaction> axes_;
  Real step_size_ = 0;
  model::TimeSpan forces_ = 0;   // when laws of time of forces are read in a step
  VecX v0_, a0_, A0_;            // at the start of the step
  VecX x_, v_, a_, A_, lambda_;  // at its end, as far as known; x the way there
  detail::SmoothTerms terms_;
  VecX residual_;  // a₁ − M⁻¹ (Q + Φ_qᵀ λ), then Φ/(β' h²)
  MatX matrix_;
  linalg::CompleteOrthogonal factor_;
  VecX weight_;  // per coordinate, the root of its mass as a share of the first one's
  VecX row_scale_, multiplier_scale_;  // per constraint, what is 1 in factor_
};

/// In a step that starts anew laws of time of forces have their means over it, by which a part of a
/// step (parts_at_kinks) gives exactly their impulse; in others they are those of its end.
void IndexThree::load(const model::State& state, Real end, Real h) {
  if (model_.own_system && system_->has_joint_friction())
    model::refuse_feature("friction of joints", kIndexThree.data(),
                          "event_driven, moreau_midpoint or moreau_jean");
  system_->start(state, v0_);
  const Index n = v0_.size();
  const auto* a = state.internal.of_scheme(kIndexThree, kSolvedAcceleration, n);
  const auto* A = state.internal.of_scheme(kIndexThree, kMeanAcceleration, n);
  forces_ = end;
  if (a == nullptr || A == nullptr) {
    forces_ = {state.time, state.time + h};
    start(state.time);
    return;
  }
  a0_ = VecX::Map(a->data(), n);
  A0_ = VecX::Map(A->data(), n);
}

void IndexThree::store(model::State& state) const {
  system_->store(x_, v_, state);
  state.internal.set_owner(kIndexThree);
  state.internal.add(kSolvedAcceleration, {a_.begin(), a_.end()});
  state.internal.add(kMeanAcceleration, {A_.begin(), A_.end()});
}

/// M⁻¹ Φ_qᵀ.
MatX IndexThree::accelerations() const {
  MatX all(terms_.gradient.cols(), terms_.gradient.rows());
  for (Index k = 0; k < all.cols(); ++k)
    all.col(k) = system_->mass().solve(VecX(terms_.gradient.row(k).transpose()));
  return all;
}

/// Coordinates weighed as the energy of motion weighs them.
void IndexThree::weigh() {
  const VecX& inverse = system_->mass().inverse_diagonal();
  weight_ = VecX::Ones(inverse.size());
  Real first = 0;
  for (Index i = 0; i < inverse.size(); ++i) {
    if (!(inverse[i] > 0)) continue;
    if (first == 0) first = inverse[i];
    weight_[i] = std::sqrt(first / inverse[i]);
  }
}

/// √(Φ_q M⁻¹ Φ_qᵀ) of each constraint by itself.
VecX IndexThree::roots() const {
  VecX root(terms_.gradient.rows());
  for (Index k = 0; k < root.size(); ++k)
    root[k] = std::sqrt(system_->mass().inverse_form(terms_.gradient.row(k).transpose()));
  return root;
}

/// Accelerations and multipliers of a start; velocities that satisfy the constraints are taken at
/// once.
void IndexThree::start(Real time) {
  const Index n = v0_.size(), m = system_->constraint_count();
  const auto evaluate_start = [&](VecX& a) {
    x_ = VecX::Zero(n);
    system_->evaluate(time, forces_, x_, v0_, a, terms_);
  };
  a0_ = VecX::Zero(n);
  evaluate_start(a0_);
  if (m > 0) {
    // The smallest change of v, weighed with M, that takes the rates away.
    matrix_ = MatX::Identity(n + m, n + m);
    matrix_.bottomRightCorner(m, m).setZero();
    matrix_.topRightCorner(n, m) = -accelerations();
    matrix_.bottomLeftCorner(m, n) = terms_.gradient;
    factorise();
    residual_ = VecX::Zero(n + m);
    residual_.tail(m) = terms_.rate;
    v0_ -= solve_linear(residual_).head(n);
    evaluate_start(a0_);
  }
  // M a − Q(a) − Φ_qᵀ λ = 0, Φ_q a + drift = 0: linear in a and λ.
  const auto inertia = [&](VecX a) {
    evaluate_start(a);
    return VecX(a - system_->mass().solve(terms_.force));
  };
  const VecX at_rest = inertia(a0_), prescribed = a0_;
  const VecX& inverse = system_->mass().inverse_diagonal();
  weigh();
  Real most = 0;
  for (Index j = 0; j < n; ++j)
    if (inverse[j] > 0) most = std::max(most, std::abs(at_rest[j]) * weight_[j]);
  matrix_ = MatX::Zero(n + m, n + m);
  residual_ = VecX::Zero(n + m);
  for (Index j = 0; j < n; ++j) {
    matrix_(j, j) = 1;
    if (inverse[j] == 0) continue;
    const Real by = (most > 0 ? most : Real(1)) / weight_[j];
    VecX changed = prescribed;
    changed[j] += by;
    matrix_.col(j).head(n) = (inertia(changed) - at_rest) / by;
    residual_[j] = at_rest[j];
  }
  evaluate_start(a0_);
  matrix_.topRightCorner(n, m) = -accelerations();
  matrix_.bottomLeftCorner(m, n) = terms_.gradient;
  residual_.tail(m) = terms_.drift + terms_.gradient * prescribed;
  factorise();
  const VecX change = solve_linear(residual_);
  a0_ = prescribed - change.head(n);
  lambda_ = -change.tail(m);
  A0_ = a0_;
}

/// Everything that follows from a₁ and λ₁.
void IndexThree::evaluate(Real end, Real h) {
  // (1), (2) of GeneralizedAlpha (for constraints `arnold_2007`, in space with x in exp
  // `bruls_2010`).
  A_ = kMethod.algorithmic(a_, a0_, A0_);
  x_ = kMethod.way(h, v0_, A0_, A_);
  v_ = kMethod.velocity(h, v0_, A0_, A_);
  VecX acceleration = a_;
  system_->evaluate(end, forces_, x_, v_, acceleration, terms_);
  const Index n = a_.size(), m = system_->constraint_count();
  residual_.resize(n + m);
  const VecX& inverse = system_->mass().inverse_diagonal();
  const VecX free =
      system_->mass().solve(VecX(terms_.force + terms_.gradient.transpose() * lambda_));
  for (Index i = 0; i < n; ++i) residual_[i] = a_[i] - (inverse[i] > 0 ? free[i] : acceleration[i]);
  residual_.tail(m) = terms_.value / (kMethod.beta * kMethod.acceleration_weight() * h * h);
}

/// ∂residual/∂(a₁, λ₁): by differences, and −M⁻¹Φ_qᵀ.
void IndexThree::make_matrix(Real end, Real h) {
  const Index n = a_.size(), m = system_->constraint_count();
  matrix_ = MatX::Zero(n + m, n + m);
  evaluate(end, h);
  const VecX base = residual_, scale = terms_.scale;
  const VecX& inverse = system_->mass().inverse_diagonal();
  matrix_.topRightCorner(n, m) = -accelerations();
  for (Index j = 0; j < n; ++j) {
    if (inverse[j] == 0) {
      matrix_(j, j) = 1;
      continue;
    }
    const Real kept = a_[j],
               way = tolerance::kAccelerationDifference * h * std::abs(v0_[j]) +
                     tolerance::kCoordinateDifference * scale[j],
               by = way / (kMethod.beta * kMethod.acceleration_weight() * h * h);
    a_[j] += by;
    evaluate(end, h);
    matrix_.col(j) = (residual_ - base) / by;
    a_[j] = kept;
  }
  factorise();
}

/// The factors of matrix_ with accelerations weighed (weigh()), constraints and multipliers scaled
/// so that Φ_q and M⁻¹Φ_qᵀ have rows and columns of length 1: no unit has a part in what is taken
/// for dependent, and no ratio of masses or lengths.
void IndexThree::factorise() {
  const Index n = a0_.size(), m = system_->constraint_count();
  const VecX& inverse = system_->mass().inverse_diagonal();
  weigh();
  matrix_.topRows(n).array().colwise() *= weight_.array();
  matrix_.leftCols(n).array().rowwise() /= weight_.transpose().array();
  for (Index j = 0; j < n; ++j)
    if (inverse[j] == 0) matrix_.col(j).tail(m).setZero();
  row_scale_ = VecX::Ones(m);
  multiplier_scale_ = VecX::Ones(m);
  for (Index k = 0; k < m; ++k) {
    const Real row = matrix_.row(n + k).head(n).norm(), column = matrix_.col(n + k).norm();
    if (row > 0) row_scale_[k] = 1 / row;
    if (column > 0) multiplier_scale_[k] = 1 / column;
    matrix_.row(n + k) *= row_scale_[k];
    matrix_.col(n + k) *= multiplier_scale_[k];
  }
  factor_.compute(matrix_);
}

/// Accelerations of what no force moves are changed by their residuals, exactly.
VecX IndexThree::solve_linear(const VecX& residual) const {
  const Index n = weight_.size(), m = row_scale_.size();
  const VecX& inverse = system_->mass().inverse_diagonal();
  VecX scaled(n + m);
  for (Index i = 0; i < n; ++i) scaled[i] = inverse[i] > 0 ? residual[i] * weight_[i] : Real(0);
  scaled.tail(m) = residual.tail(m).cwiseProduct(row_scale_);
  VecX change = factor_.solve(scaled);
  for (Index i = 0; i < n; ++i) change[i] = inverse[i] > 0 ? change[i] / weight_[i] : residual[i];
  change.tail(m).array() *= multiplier_scale_.array();
  return change;
}

bool IndexThree::solve(Real end, Real h) {
  const Index n = a0_.size(), m = system_->constraint_count();
  a_ = a0_;
  lambda_ = VecX::Zero(m);  // not the last one: a run that is resumed takes the same steps
  // Newton on M a₁ = Q + Φ_qᵀ λ₁, Φ(q₁, t₁) = 0, the constraints divided by β' h² (`arnold_2007`).
  // A matrix is made anew where changes grow: the first one, with λ = 0, has nothing of what
  // great tensions hold.
  bool grows = false;
  Real last = std::numeric_limits<Real>::infinity();
  for (int iteration = 0; iteration < kMostPositionIterations; ++iteration) {
    if (grows || iteration % kWithOneMatrix == 0) make_matrix(end, h);
    evaluate(end, h);
    const VecX change = solve_linear(residual_);
    a_ -= change.head(n);
    lambda_ -= change.tail(m);
    const Real moved = kMethod.beta * kMethod.acceleration_weight() * h * h *
                       change.head(n).cwiseQuotient(terms_.scale).lpNorm<Eigen::Infinity>();
    if (!std::isfinite(moved)) return false;
    grows = moved > last;
    last = moved;
    if (moved > tolerance::kNewtonChange) continue;
    evaluate(end, h);
    if (are_met()) return true;
  }
  return false;
}

bool IndexThree::are_met() const {
  for (Index k = 0; k < terms_.value.size(); ++k)
    if (!(std::abs(terms_.value[k]) <= 10 * tolerance::kNewtonChange * terms_.scale_of(k)))
      return false;
  return true;
}

/// The step by its laws, from a₁, λ₁ and what is stored of x₁ and v₁ alone: M a₁ = Q + Φ_qᵀ λ₁ and
/// Φ = 0 at its end, the recurrence of x and v, and Φ̇, which the method keeps to second order.
void IndexThree::judge(Real end, Real h, StepReport& report) {
  const dynamics::MassMatrix& M = system_->mass();
  const VecX& inverse = M.inverse_diagonal();
  VecX acceleration = a_, velocity = v_, way = x_;
  detail::SmoothTerms terms;
  system_->evaluate(end, forces_, way, velocity, acceleration, terms);
  VecX free = h * v0_ + h * h / 2 * M.solve(terms.force);
  velocity = v_;
  system_->evaluate(end, forces_, free, velocity, acceleration, terms);
  const VecX unconstrained = terms.value;
  way = x_;
  system_->evaluate(end, forces_, way, velocity, acceleration, terms);
  const VecX total = terms.force + terms.gradient.transpose() * lambda_;
  const VecX sizes =
      terms.force.cwiseAbs() + terms.gradient.cwiseAbs().transpose() * lambda_.cwiseAbs();
  const VecX A = kMethod.algorithmic(a_, a0_, A0_);
  const VecX x = kMethod.way(h, v0_, A0_, A), v = kMethod.velocity(h, v0_, A0_, A);
  const VecX momentum = M.times(a_);
  certify::StepResidual residual;
  for (Index i = 0; i < a_.size(); ++i) {
    if (!(inverse[i] > 0)) continue;
    const Real mass = 1 / inverse[i];
    residual.add_equation(0, mass, h * (momentum[i] - total[i]), h * terms.force[i],
                          h * (sizes[i] + mass * std::abs(a_[i])));
    residual.add_equation(0, mass, mass * (v_[i] - v[i]), 0, mass * std::abs(v_[i]));
    residual.add_equation(0, mass, mass * (x_[i] - x[i]) / h, 0, mass * terms.scale[i] / h);
  }
  const VecX root = roots();
  for (Index i = 0; i < terms.value.size(); ++i) {
    const Real length = terms.length[i];
    certify::StepRow r;
    r.own = root[i] * root[i] * length * length;
    r.rate = terms.value[i] * length / h;
    r.before = unconstrained[i] * length / h;
    r.round_off = tolerance::kNewtonChange * 10 * terms.scale_of(i) * length / h;
    residual.count(-2 - i);
    residual.add_constraint(r);
  }
  report.certificate = residual.certificate();
  const Index worst = std::exchange(report.certificate.worst_contact, -1);
  if (report.status == SolveStatus::converged && !report.certificate.meets(tolerance_)) {
    report.status = SolveStatus::stalled;
    report.detail =
        fmt::format("the step misses its laws: natural map {:.3g}, equation of motion {:.3g}{}",
                    report.certificate.natural_map, report.certificate.equation_of_motion,
                    worst < -1 ? " at " + system_->name(-2 - worst) : "");
  }
  terms_ = std::move(terms);
  judge_place(h, report);
  if (model_.dimension == 3) judge_turns(h, report);
}

/// How far constraints are off after the step: of the smaller body, and of the speeds about, to
/// which what the step changes of them belongs: where a drive turns round there is no other.
void IndexThree::judge_place(Real h, StepReport& report) const {
  const dynamics::MassMatrix& M = system_->mass();
  const VecX root = roots();
  const Real speed = M.norm(v_);
  const VecX speeds = v_.cwiseAbs() + h * a_.cwiseAbs();
  certify::JointResidual joints;
  joints.constraint_count = terms_.value.size();
  Real worst = 0;
  Index worst_of = -1;
  std::pair<Real, Real> at_worst;
  for (Index k = 0; k < terms_.value.size(); ++k) {
    const VecX row = terms_.gradient.row(k).transpose();
    const Real prescribed = std::abs(terms_.rate[k] - row.dot(v_));
    const Real about = row.cwiseAbs().dot(speeds) + prescribed + speed * root[k];
    const Real off = std::abs(terms_.value[k]) * terms_.length[k] / terms_.size[k];
    const Real rate =
        std::max(std::abs(terms_.rate[k]) - tolerance::kStateSpeedNoise * about, Real(0));
    const bool is_still =
        std::abs(terms_.rate[k]) * h * terms_.length[k] <= tolerance::kStillWay * terms_.size[k];
    const Real share = rate == 0 || is_still ? 0 : rate / about;
    if (std::abs(terms_.rate[k]) > joints.rate) {
      joints.rate = std::abs(terms_.rate[k]);
      joints.worst_rate = k;
    }
    if (off > joints.drift) {
      joints.drift = off;
      joints.worst_drift = k;
    }
    const Real bad = std::max(off / tolerance::kMostOff, share / tolerance::kMostRate);
    if (!(bad > worst)) continue;
    worst = bad;
    worst_of = k;
    at_worst = {off, share};
  }
  if (model_.dimension == 3 && joints.constraint_count > 0) {
    joints.rank = system_->independent_count();
    report.joints = joints;
  }
  if (const std::string left_out = system_->why_left_out(factor_.rank() - v_.size(), a_);
      report.status == SolveStatus::converged && !left_out.empty()) {
    report.status = SolveStatus::stalled;
    report.detail = left_out;
  }
  if (report.status != SolveStatus::converged || worst <= 1) return;
  report.status = SolveStatus::stalled;
  report.detail = fmt::format(
      "after the step {} is off by {:.3g} of the smaller body, and by {:.3g} of the speeds about",
      system_->name(worst_of), at_worst.first, at_worst.second);
}

/// How far bodies turn in the step.
void IndexThree::judge_turns(Real h, StepReport& report) const {
  Index fastest = -1;
  Real most = tolerance::kMostTurn;
  for (Index body = 0; body < model_.body_count(); ++body) {
    const Real turn = x_.segment<3>(6 * body + 3).norm();
    if (!system_->mass().moves(body) || !(turn > most)) continue;
    most = turn;
    fastest = body;
  }
  if (report.status != SolveStatus::converged || fastest < 0) return;
  report.status = SolveStatus::stalled;
  report.detail = fmt::format(
      "body {} turns by {:.3g} rad in the step, farther than index_3 follows: steps of at most "
      "{:.3g} s would do",
      model_.body_name(fastest), most, h * tolerance::kMostTurn / most);
}

StepReport IndexThree::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  const Real next = state.time + h, no_time = tolerance::kNoTime * std::max(std::abs(next), h);
  if (!system_) system_ = std::make_unique<detail::SmoothSystem>(model_, state);
  // Where a law of time has a kink at the end of the step, what is to the left of it belongs to it.
  const bool ends_at_kink = system_->next_kink(next - no_time) <= next + no_time;
  const Real end = ends_at_kink ? next - no_time : next;
  load(state, end, h);
  StepReport report;
  const bool is_solved = solve(end, h);
  if (!x_.allFinite() || !v_.allFinite()) {
    report.status = SolveStatus::numerical_error;
    report.detail = "the state after the step is not finite";
    report.energy = dynamics::energy(model_, state);
    return report;
  }
  report.status = SolveStatus::converged;
  if (!is_solved && ends_unmet(system_->why_no_motion(end, x_, v_), model_, state, report))
    return report;
  judge(end, h, report);
  store(state);
  state.time = next;
  step_size_ = h;
  report.energy = system_->energy(end, x_, v_);
  system_->report(end, x_, v_, lambda_, reactions_, axes_);
  return report;
}

}  // namespace

std::unique_ptr<Scheme> make_index_three(const model::Model& model, const SchemeOptions& options) {
  return std::make_unique<IndexThree>(model, options.solver.tolerance);
}

}  // namespace talus::stepping
