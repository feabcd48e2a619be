#include <talus/solve/newton/proximal_newton.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/linalg/block_lu.hpp>
#include <talus/solve/detail/history.hpp>
#include <talus/solve/detail/scaled_contacts.hpp>
#include <talus/solve/gauss_seidel/detail/sweep.hpp>
#include <talus/solve/newton/detail/alart_curnier.hpp>
#include <talus/solve/newton/detail/lagged_desaxce.hpp>
#include <talus/solve/newton/detail/turned_slip.hpp>

namespace talus::solve {
namespace {

using problem::SolveReport;
using problem::SolveStatus;

constexpr int kInnerSteps = 15;      // of one outer step
constexpr int kRecoverySweeps = 10;  // after three failures in a row
constexpr Real kSmallestAlpha = 1e-10;

/// Newton steps on the scaled problem.
template <int d>
class Scaled : public detail::ScaledContacts<d> {
 public:
  using Base = detail::ScaledContacts<d>;
  using AlartCurnier = detail::AlartCurnier<d>;
  using LaggedDesaxce = detail::LaggedDesaxce<d>;
  using TurnedSlip = detail::TurnedSlip<d>;
  using Base::b, Base::friction, Base::W;
  using Vec = Eigen::Matrix<Real, d, 1>;
  using Block = Eigen::Matrix<Real, d, d>;

  void assign(const problem::FrictionContact& problem) {
    Base::assign(problem);
    P.assign(W.size(), Block::Identity());
    Q.assign(W.size(), Block::Zero());
    is_active.assign(W.size(), 0);
    lean_.resize(W.size());
    for (std::size_t i = 0; i < W.size(); ++i) {
      const Block& A = W.diagonal[i];
      lean_[i] =
          friction[static_cast<Index>(i)] / A(0, 0) * A.template bottomLeftCorner<d - 1, 1>();
    }
    lu = {};
  }

  /// Fixes what an outer step from (r, u) keeps: the equation and its De Saxcé terms.
  void start_step(ContactEquation equation, const VecX& u) {
    equation_ = equation;
    shift_ = VecX::Zero(friction.size());
    if (equation == ContactEquation::lagged_desaxce)
      for (Index i = 0; i < friction.size(); ++i) shift_[i] = desaxce(u, i);
  }

  /// ‖F(r, u)‖ of the law itself.
  Real residual(ContactEquation equation, const VecX& r, const VecX& u) const {
    Real sum = 0;
    for (Index i = 0; i < friction.size(); ++i) {
      const Vec ri = r.template segment<d>(d * i), ui = u.template segment<d>(d * i);
      sum += squared(equation, ri, ui,
                     equation == ContactEquation::lagged_desaxce ? desaxce(u, i) : 0, i);
    }
    return std::sqrt(sum);
  }

  /// ‖F(r, u + α(r − centre))‖ of the outer step's equation.
  Real inner_residual(const VecX& r, const VecX& u, Real alpha, const VecX& centre) const {
    Real sum = 0;
    for (Index i = 0; i < friction.size(); ++i) {
      const Vec ri = r.template segment<d>(d * i), vi = proximal_velocity(r, u, alpha, centre, i);
      sum += squared(equation_, ri, vi, shift_[i], i);
    }
    return std::sqrt(sum);
  }

  /// The Newton step dr: open contacts go to r = 0, the others solve their rows. False if the
  /// matrix is singular or the step was stopped.
  bool newton_step(const VecX& r, const VecX& u, Real alpha, const VecX& centre,
                   const StopRequest& should_stop, VecX& dr) {
    dr.resize(r.size());
    needed_.clear();
    bool fits = true;
    std::size_t active_count = 0;
    auto member = lu.members().begin();
    for (std::size_t i = 0; i < W.size(); ++i) {
      const auto contact = static_cast<Index>(i), place = d * contact;
      const Vec ri = r.template segment<d>(place);
      const Vec vi = proximal_velocity(r, u, alpha, centre, contact);
      Vec rhs;
      const bool is_closed = linearise(ri, vi, contact, rhs);
      is_active[i] = is_closed ? 1 : 0;
      dr.template segment<d>(place) = rhs;
      active_count += is_active[i];
      if (is_active[i]) Q[i] += alpha * P[i];
      while (member != lu.members().end() && *member < i) ++member;
      const bool is_member = member != lu.members().end() && *member == i;
      const bool is_needed = is_active[i] || !rhs.isZero(0);
      fits = fits && (is_member || !is_needed);
      if (is_needed) needed_.push_back(static_cast<std::uint32_t>(i));
    }
    if (needed_.empty()) return true;
    if (!fits) {  // grow the set: contacts that come and go stay in it
      members_.clear();
      std::set_union(lu.members().begin(), lu.members().end(), needed_.begin(), needed_.end(),
                     std::back_inserter(members_));
      lu.analyse(W, 10 * active_count < 7 * members_.size() ? needed_ : members_);
    } else if (10 * needed_.size() < 7 * lu.members().size()) {
      lu.analyse(W, needed_);
    }
    return lu.solve(W, P, Q, is_active, dr, should_stop);
  }

  std::vector<Block> P, Q;
  std::vector<std::uint8_t> is_active;
  linalg::BlockLu<d> lu;

 private:
  /// ‖F‖² of one contact.
  Real squared(ContactEquation equation, const Vec& r, const Vec& v, Real shift,
               Index contact) const {
    const Real mu = friction[contact];
    switch (equation) {
      case ContactEquation::alart_curnier:
        return AlartCurnier::squared(r, v, mu);
      case ContactEquation::maximum_dissipation:
        return AlartCurnier::squared(r, TurnedSlip(v, lean_[contact]).velocity, mu);
      default:
        return LaggedDesaxce::squared(r, v, shift, mu);
    }
  }
  /// The rows P dv + Q dr = rhs of one contact; false where it is open.
  bool linearise(const Vec& r, const Vec& v, Index contact, Vec& rhs) {
    const Real mu = friction[contact];
    Block &Pi = P[contact], &Qi = Q[contact];
    switch (equation_) {
      case ContactEquation::alart_curnier:
        return AlartCurnier::linearise(r, v, mu, Pi, Qi, rhs);
      case ContactEquation::maximum_dissipation: {
        const TurnedSlip turned(v, lean_[contact]);
        const bool is_closed = AlartCurnier::linearise(r, turned.velocity, mu, Pi, Qi, rhs);
        if (is_closed) turned.turn(Pi);
        return is_closed;
      }
      default:
        return LaggedDesaxce::linearise(r, v, shift_[contact], mu, Pi, Qi, rhs);
    }
  }

  /// v = u + α(r − centre) of one contact.
  static Vec proximal_velocity(const VecX& r, const VecX& u, Real alpha, const VecX& centre,
                               Index contact) {
    const Index place = d * contact;
    return u.template segment<d>(place) +
           alpha * (r.template segment<d>(place) - centre.template segment<d>(place));
  }
  /// μ‖u_T‖.
  Real desaxce(const VecX& u, Index contact) const {
    return friction[contact] * u.template segment<d - 1>(d * contact + 1).norm();
  }

  ContactEquation equation_ = ContactEquation::alart_curnier;
  VecX shift_;                                       // De Saxcé terms of the outer step
  std::vector<Eigen::Matrix<Real, d - 1, 1>> lean_;  // e of every contact (TurnedSlip)
  std::vector<std::uint32_t> needed_, members_;
};

/// The iteration on one problem; r, u always belong together: u = W r + b.
template <int d>
class Iteration {
 public:
  Iteration(Scaled<d>& problem, const ProximalNewtonOptions& options, const Judge& judge,
            const StopRequest& should_stop, VecX& answer)
      : problem_(problem),
        options_(options),
        judge_(judge),
        should_stop_(should_stop),
        answer_(answer),
        history_(options.keep_history, options.max_factorisations) {
    problem.to_scaled(answer, r_);
    update_velocity();
    best_ = judge(answer);
  }

  SolveReport run() {
    Real alpha = options_.regularisation, decrease = options_.decrease;
    int successes = 0, failures = 0;
    Real residual = law_residual(), merit = best_;
    history_.add(residual);
    SolveStatus status = SolveStatus::max_iterations;
    while (best_ > 1 && counts_.factorisations < options_.max_factorisations) {
      // r_{k+1}: the zero of F(r, W r + b + α (r − r_k)), the proximal point step of
      // `rockafellar_1976` about r_k.
      centre_ = r_;
      centre_u_ = u_;
      problem_.start_step(options_.equation, u_);
      const Inner inner = newton(alpha, residual);
      if (best_ <= 1) break;
      if (is_stopped_) {
        status = SolveStatus::interrupted;
        break;
      }
      if (inner.steps == 0) {  // F = 0 to round-off and the judge still disagrees
        status = SolveStatus::stalled;
        break;
      }
      const Real after = inner.is_finite ? law_residual() : std::numeric_limits<Real>::infinity();
      // A diverged r makes relative residuals look small: the absolute one must not have grown.
      const bool is_sane = after <= std::max(10 * residual, Real(1e-3));
      if (is_sane && (inner.is_converged || inner.merit < 0.9 * merit)) {
        residual = after;
        merit = inner.merit;
        failures = 0;
        if (inner.is_converged) {
          ++successes;
          if (inner.steps <= 5)
            alpha = std::max(alpha * decrease, kSmallestAlpha);
          else if (inner.steps > 10)
            alpha *= 1.5;
          if (successes >= 3) decrease = std::max(options_.decrease, Real(0.7) * decrease);
        } else {
          alpha *= 2;
          decrease = std::min(options_.largest_decrease, Real(1.5) * decrease);
        }
      } else {
        r_ = centre_;
        u_ = centre_u_;
        alpha *= 4;
        decrease = std::min(options_.largest_decrease, std::max(2 * decrease, Real(0.02)));
        successes = 0;
        if (++failures == 3) recover(residual, merit);
        if (alpha > 1e6) {
          status = SolveStatus::stalled;
          break;
        }
      }
    }
    if (best_ <= 1) status = SolveStatus::converged;
    SolveReport report{status, counts_.factorisations, residual, {}};
    report.counts = counts_;
    report.history = history_.get();
    return report;
  }

 private:
  struct Inner {
    bool is_converged = false, is_finite = true;
    int steps = 0;
    Real merit = std::numeric_limits<Real>::infinity();  // of the last point
  };

  /// Undamped Newton on F(r, W r + b + α(r − r_k)) from r = r_k; stops early when it grows or
  /// stagnates.
  Inner newton(Real alpha, Real first) {
    Inner inner;
    const Real tolerance = std::max(Real(1e-15), Real(0.1) * std::min(first, Real(1)));
    Real residual = first, best = first;
    int since_decrease = 0;
    while (residual > tolerance && inner.steps < kInnerSteps &&
           counts_.factorisations < options_.max_factorisations && !should_stop()) {
      ++counts_.factorisations;
      ++counts_.projections;
      ++inner.steps;
      if (!problem_.newton_step(r_, u_, alpha, centre_, stop_request_, dr_)) {
        if (history_.is_kept()) history_.add(problem_.residual(options_.equation, r_, u_));
        inner.is_finite = false;
        return inner;
      }
      // P dv + Q dr = s with a generalised Jacobian of F (`alart_1991`), undamped.
      r_ += dr_;
      update_velocity();
      residual = problem_.inner_residual(r_, u_, alpha, centre_);
      ++counts_.projections;
      if (history_.is_kept()) history_.add(problem_.residual(options_.equation, r_, u_));
      if (!std::isfinite(residual)) {
        inner.is_finite = false;
        return inner;
      }
      if (ask(inner) <= 1) return inner;
      since_decrease = residual < 0.9 * best ? 0 : since_decrease + 1;
      best = std::min(best, residual);
      if ((inner.steps >= 4 && residual > 100 * best) || since_decrease >= 6) break;
    }
    inner.is_converged = residual <= 10 * tolerance || residual <= 0.1 * first;
    return inner;
  }

  bool should_stop() { return is_stopped_ = is_stopped_ || (should_stop_ && should_stop_()); }

  void update_velocity() {
    problem_.W.multiply(r_, problem_.b, u_);
    ++counts_.products;
  }
  Real law_residual() {
    ++counts_.projections;
    return problem_.residual(options_.equation, r_, u_);
  }

  /// The judge's word on the present point, which becomes the answer if it is the best so far.
  Real ask(Inner& inner) {
    problem_.to_original(r_, candidate_);
    inner.merit = judge_(candidate_);
    if (inner.merit < best_) {
      best_ = inner.merit;
      answer_ = candidate_;
    }
    return inner.merit;
  }

  /// Ten sweeps up and down; kept where they reduce ‖F‖, for they can spoil a good Newton iterate.
  void recover(Real& residual, Real& merit) {
    for (int k = 0; k < kRecoverySweeps; ++k)
      detail::sweep<d>(problem_.W, problem_.b, problem_.friction, 1, r_, k % 2 == 1);
    counts_ += {kRecoverySweeps, kRecoverySweeps, 0};
    update_velocity();
    const Real after = law_residual();
    if (after < residual) {
      residual = after;
      Inner inner;
      merit = ask(inner);
    } else {
      r_ = centre_;
      u_ = centre_u_;
    }
  }

  Scaled<d>& problem_;
  const ProximalNewtonOptions& options_;
  const Judge& judge_;
  const StopRequest& should_stop_;
  const StopRequest stop_request_ = [this] { return should_stop(); };
  bool is_stopped_ = false;
  VecX& answer_;
  VecX r_, u_, dr_, centre_, centre_u_, candidate_;
  Real best_ = std::numeric_limits<Real>::infinity();
  problem::SolveCounts counts_;
  detail::History history_;
};

}  // namespace

struct ProximalNewton::Work {
  std::variant<Scaled<2>, Scaled<3>> problem;
};

ProximalNewton::ProximalNewton() : work_(std::make_unique<Work>()) {}
ProximalNewton::~ProximalNewton() = default;
ProximalNewton::ProximalNewton(ProximalNewton&&) noexcept = default;
ProximalNewton& ProximalNewton::operator=(ProximalNewton&&) noexcept = default;

void ProximalNewton::start(const problem::FrictionContact& problem) {
  TALUS_DEMAND(problem.dimension == 2 || problem.dimension == 3);
  if (problem.dimension == 2 && work_->problem.index() != 0) work_->problem.emplace<0>();
  if (problem.dimension == 3 && work_->problem.index() != 1) work_->problem.emplace<1>();
  std::visit([&](auto& scaled) { scaled.assign(problem); }, work_->problem);
}

SolveReport ProximalNewton::run(const ProximalNewtonOptions& options, const Judge& judge,
                                const StopRequest& should_stop, VecX& r) {
  TALUS_DEMAND(judge != nullptr);
  return std::visit(
      [&]<int d>(Scaled<d>& scaled) {
        TALUS_DEMAND_EQ(r.size(), scaled.b.size());
        return Iteration<d>(scaled, options, judge, should_stop, r).run();
      },
      work_->problem);
}

VecX ProximalNewton::uniform_pressure() const {
  return std::visit(
      []<int d>(const Scaled<d>& scaled) {
        const Index m = scaled.friction.size();
        VecX x = VecX::Zero(d * m), r;
        for (Index i = 0; i < m; ++i) x[d * i] = 0.2 / std::sqrt(static_cast<Real>(m));
        scaled.to_original(x, r);
        return r;
      },
      work_->problem);
}

}  // namespace talus::solve
