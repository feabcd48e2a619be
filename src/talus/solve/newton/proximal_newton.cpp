#include <talus/solve/newton/proximal_newton.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <variant>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/linalg/block_lu.hpp>
#include <talus/solve/detail/scaled_contacts.hpp>
#include <talus/solve/gauss_seidel/detail/sweep.hpp>
#include <talus/solve/newton/detail/alart_curnier.hpp>
#include <talus/solve/newton/detail/lagged_desaxce.hpp>
#include <talus/solve/newton/detail/proximal_iteration.hpp>
#include <talus/solve/newton/detail/turned_slip.hpp>

namespace talus::solve {
namespace {

using problem::SolveReport;

constexpr int kRecoverySweeps = 10;

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

  /// Order and pattern for all contacts. @return products of a factorisation.
  double analyse_all() {
    members_.resize(W.size());
    std::iota(members_.begin(), members_.end(), 0U);
    lu.analyse(W, members_, std::numeric_limits<double>::infinity());
    return lu.products();
  }

  /// Before a run that may take so many products.
  void set_budget(double most) {
    most_products_ = most;
    products = 0;
    is_too_dear = false;
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
  /// matrix is singular, its factors are too dear, or the step was stopped.
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
      analyse(10 * active_count < 7 * members_.size() ? needed_ : members_);
    } else if (10 * needed_.size() < 7 * lu.members().size()) {
      analyse(needed_);
    }
    is_too_dear = is_too_dear || products + lu.products() > most_products_;
    if (is_too_dear) return false;
    products += lu.products();
    return lu.solve(W, P, Q, is_active, dr, should_stop);
  }

  /// u = W r + b.
  void velocity(const VecX& r, VecX& u) const { W.multiply(r, b, u); }

  /// Gauss–Seidel, up and down by turns.
  problem::SolveCounts sweep(VecX& r) const {
    for (int k = 0; k < kRecoverySweeps; ++k) detail::sweep<d>(W, b, friction, 1, r, k % 2 == 1);
    return {kRecoverySweeps, kRecoverySweeps, 0};
  }

  std::vector<Block> P, Q;
  std::vector<std::uint8_t> is_active;
  linalg::BlockLu<d> lu;
  double products = 0;  ///< of this run
  bool is_too_dear = false;

 private:
  void analyse(const std::vector<std::uint32_t>& members) {
    is_too_dear = !lu.analyse(W, members, most_products_ - products);
  }

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
  double most_products_ = std::numeric_limits<double>::infinity();
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

SolveReport ProximalNewton::run(const ProximalNewtonOptions& options,
                                const ExternalResidual& external_residual,
                                const StopRequest& should_stop, VecX& r) {
  TALUS_DEMAND(external_residual != nullptr);
  return std::visit(
      [&]<int d>(Scaled<d>& scaled) {
        TALUS_DEMAND_EQ(r.size(), scaled.b.size());
        scaled.set_budget(options.most_products);
        const StopRequest stop = [&] {
          return scaled.is_too_dear || (should_stop && should_stop());
        };
        SolveReport report =
            detail::ProximalIteration<Scaled<d>>(scaled, options, external_residual, stop, r).run();
        detail::count_begun(scaled.is_too_dear, report);
        return report;
      },
      work_->problem);
}

double ProximalNewton::analyse() {
  return std::visit([](auto& scaled) { return scaled.analyse_all(); }, work_->problem);
}

double ProximalNewton::products() const {
  return std::visit([](const auto& scaled) { return scaled.products; }, work_->problem);
}

bool ProximalNewton::was_too_dear() const {
  return std::visit([](const auto& scaled) { return scaled.is_too_dear; }, work_->problem);
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
