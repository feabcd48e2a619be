#include <talus/solve/interior_point/ipm.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/linalg/block_lu.hpp>
#include <talus/solve/detail/history.hpp>
#include <talus/solve/detail/scaled_contacts.hpp>
#include <talus/solve/detail/second_order_cone.hpp>

namespace talus::solve {
namespace {

using problem::SolveReport;
using problem::SolveStatus;

constexpr Real kStart = 0.1;           // x = y = 0.1 e
constexpr Real kToBoundary = 0.995;    // part of the way that a step goes
constexpr Real kShortStep = 0.1;       // below: the De Saxcé derivative is damped
constexpr Real kSmallestFactor = 0.5;  // of that derivative
constexpr int kTinySteps = 5;          // in a row: stalled

template <int d>
class InteriorPoint {
 public:
  using Vec = Eigen::Matrix<Real, d, 1>;
  using Block = Eigen::Matrix<Real, d, d>;
  static constexpr int t = d - 1;

  InteriorPoint(const problem::FrictionContact& problem, const IpmOptions& options,
                const ExternalResidual& external_residual, const StopRequest& should_stop,
                VecX& answer)
      : options_(options),
        external_residual_(external_residual),
        should_stop_(should_stop),
        answer_(answer) {
    scaled_.assign(problem);
    const std::size_t m = scaled_.W.size();
    x_.assign(m, kStart * Vec::Unit(0));
    y_ = x_;
    dx_affine_.resize(m);
    dx_centre_.resize(m);
    P_.resize(m);
    Q_.resize(m);
    H_.resize(m);
    rhs_.resize(static_cast<Index>(d * m), 2);
    is_active_.assign(m, 1);
    all_.resize(m);
    std::iota(all_.begin(), all_.end(), 0U);
    lu_.analyse(scaled_.W, all_);
    best_ = external_residual(answer);
  }

  SolveReport run() {
    SolveReport report{SolveStatus::max_iterations, 0, gap(), {}};
    detail::History history(options_.keep_history, options_.max_factorisations);
    history.add(report.residual);
    int tiny = 0;
    Real progress = best_, gap_then = report.residual;  // when one of them had last been halved
    Index last_progress = 0;                            // iterations until then
    while (best_ > 1 && report.iterations < options_.max_factorisations &&
           report.iterations - last_progress < options_.patience) {
      if (should_stop_ && should_stop_()) {
        report.status = SolveStatus::interrupted;
        break;
      }
      ++report.iterations;
      // Affine and centring direction with one factorisation (`mehrotra_1992`), scaled by H x = y
      // (`nesterov_1998`).
      linearise();
      bool is_stopped = false;
      if (!lu_.solve(scaled_.W, P_, Q_, is_active_, rhs_,
                     [&] { return is_stopped = should_stop_ && should_stop_(); })) {
        report.status = is_stopped ? SolveStatus::interrupted : SolveStatus::stalled;
        if (!is_stopped) report.detail = "the matrix is singular to round-off";
        history.add(report.residual);
        break;
      }
      const Real step = move();
      report.residual = gap();
      history.add(report.residual);
      check();
      if (best_ <= progress / 2 || report.residual <= gap_then / 2) {
        progress = best_;
        gap_then = report.residual;
        last_progress = report.iterations;
      }
      if (step < kShortStep) factor_ = std::max(kSmallestFactor, factor_ - options_.damping);
      tiny = step < 1e-6 ? tiny + 1 : 0;
      if (tiny >= kTinySteps || !(report.residual > 0)) {
        report.status = SolveStatus::stalled;
        report.detail = "steps have become too short to move";
        break;
      }
    }
    if (best_ <= 1) {
      report.status = SolveStatus::converged;
      report.detail.clear();
    }
    if (!std::isfinite(best_) && report.status == SolveStatus::stalled)
      report.status = SolveStatus::numerical_error;
    report.counts = {report.iterations, 0, report.iterations};
    report.history = history.get();
    return report;
  }

 private:
  [[nodiscard]] Real friction(std::size_t i) const {
    return scaled_.friction[static_cast<Index>(i)];
  }
  /// D of a contact; without friction the cone is r_N ≥ 0 and D = I.
  [[nodiscard]] Vec stretch(std::size_t i) const {
    Vec D = Vec::Ones();
    if (friction(i) > 0) D[0] = friction(i);
    return D;
  }

  /// τ = x·y/m.
  [[nodiscard]] Real gap() const {
    Real sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) sum += x_[i].dot(y_[i]);
    return sum / static_cast<Real>(x_.size());
  }

  /// Rows P W dr + Q dr = (affine, centring) of every contact, dr = D⁻¹ dx.
  void linearise() {
    impulse(r_);
    scaled_.W.multiply(r_, scaled_.b, u_);
    tau_ = gap();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const auto place = static_cast<Index>(d * i);
      const Vec D = stretch(i), &x = x_[i], &y = y_[i];
      Vec model = u_.template segment<d>(place).cwiseQuotient(D);  // W_x x + c
      P_[i] = D.cwiseInverse().asDiagonal();
      // I − e₁ (0, y_Tᵀ/‖y_T‖), the derivative of y − ‖y_T‖ e₁ (De Saxcé term, `desaxce_1998`).
      Block G = Block::Identity();
      Vec inverse;  // x⁻¹
      if (friction(i) > 0) {
        H_[i] = detail::NesterovTodd(x, y).square();
        inverse = detail::inverse(x);
        const Real slip = options_.is_associated ? Real(0) : y.template tail<t>().norm();
        model[0] += slip;
        if (slip > 0)
          G.template topRightCorner<1, t>() = -factor_ / slip * y.template tail<t>().transpose();
      } else {  // the half-line, and r_T = 0
        P_[i].template bottomRightCorner<t, t>().setZero();
        H_[i] = Block::Identity();
        H_[i](0, 0) = y[0] / x[0];
        inverse = Vec::Unit(0) / x[0];
        model.template tail<t>().setZero();
      }
      Q_[i] = G * H_[i] * D.asDiagonal();
      rhs_.col(0).template segment<d>(place) = y - model - G * y;
      rhs_.col(1).template segment<d>(place) = tau_ * (G * inverse);
    }
  }

  /// Chooses σ, steps, and returns the step's length.
  Real move() {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const auto place = static_cast<Index>(d * i);
      const Vec D = stretch(i);
      dx_affine_[i] = D.cwiseProduct(rhs_.col(0).template segment<d>(place));
      dx_centre_[i] = D.cwiseProduct(rhs_.col(1).template segment<d>(place));
    }
    const Real affine = std::min(Real(1), step_length(0));
    Real after = 0;
    for (std::size_t i = 0; i < x_.size(); ++i)
      after += (x_[i] + affine * dx_affine_[i]).dot(y_[i] + affine * dy(i, 0));
    const Real ratio = after / static_cast<Real>(x_.size()) / tau_;
    // σ = (τ_affine/τ)³ (`mehrotra_1992`); one length for x and y (`nesterov_1998`).
    const Real sigma = std::clamp(ratio * ratio * ratio, Real(1e-4), Real(0.9));
    const Real step = std::min(Real(1), kToBoundary * step_length(sigma));
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Vec change = dy(i, sigma);
      x_[i] += step * (dx_affine_[i] + sigma * dx_centre_[i]);
      y_[i] += step * change;
    }
    return step;
  }

  /// dy = −y + στ x⁻¹ − H dx.
  [[nodiscard]] Vec dy(std::size_t i, Real sigma) const {
    const Vec dx = dx_affine_[i] + sigma * dx_centre_[i];
    Vec inverse = Vec::Zero();
    if (friction(i) > 0) {
      inverse = detail::inverse(x_[i]);
    } else {
      inverse[0] = 1 / x_[i][0];
    }
    Vec change = -y_[i] + sigma * tau_ * inverse - H_[i] * dx;
    if (friction(i) == 0) change.template tail<t>().setZero();
    return change;
  }

  [[nodiscard]] Real step_length(Real sigma) const {
    Real step = 1 / kToBoundary;  // a full step stays a full step
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Vec dx = dx_affine_[i] + sigma * dx_centre_[i];
      const Vec change = dy(i, sigma);
      if (friction(i) > 0) {
        step = std::min(
            {step, detail::step_to_boundary(x_[i], dx), detail::step_to_boundary(y_[i], change)});
      } else {
        if (dx[0] < 0) step = std::min(step, -x_[i][0] / dx[0]);
        if (change[0] < 0) step = std::min(step, -y_[i][0] / change[0]);
      }
    }
    return step;
  }

  /// r̃ = D⁻¹ x.
  void impulse(VecX& r) const {
    r.resize(static_cast<Index>(d * x_.size()));
    for (std::size_t i = 0; i < x_.size(); ++i)
      r.template segment<d>(static_cast<Index>(d * i)) = x_[i].cwiseQuotient(stretch(i));
  }

  void check() {
    impulse(r_);
    scaled_.to_original(r_, candidate_);
    const Real residual_ratio = external_residual_(candidate_);
    if (residual_ratio < best_) {
      best_ = residual_ratio;
      answer_ = candidate_;
    }
  }

  const IpmOptions& options_;
  const ExternalResidual& external_residual_;
  const StopRequest& should_stop_;
  VecX& answer_;
  detail::ScaledContacts<d> scaled_;
  linalg::BlockLu<d> lu_;
  std::vector<std::uint32_t> all_;
  std::vector<std::uint8_t> is_active_;
  std::vector<Vec> x_, y_, dx_affine_, dx_centre_;
  std::vector<Block> P_, Q_, H_;
  typename linalg::BlockLu<d>::Columns2 rhs_;
  VecX r_, u_, candidate_;
  Real tau_ = 0, factor_ = 1;
  Real best_ = std::numeric_limits<Real>::infinity();
};

}  // namespace

SolveReport ipm(const problem::FrictionContact& problem, const IpmOptions& options,
                const ExternalResidual& external_residual, const StopRequest& should_stop,
                VecX& r) {
  TALUS_DEMAND(external_residual != nullptr);
  TALUS_DEMAND(problem.dimension == 2 || problem.dimension == 3);
  TALUS_DEMAND_EQ(r.size(), problem.b.size());
  if (problem.dimension == 2)
    return InteriorPoint<2>(problem, options, external_residual, should_stop, r).run();
  return InteriorPoint<3>(problem, options, external_residual, should_stop, r).run();
}

}  // namespace talus::solve
