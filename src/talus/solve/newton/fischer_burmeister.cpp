#include <talus/solve/newton/fischer_burmeister.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/linalg/sparse_factor.hpp>
#include <talus/solve/detail/cone_method.hpp>

namespace talus::solve {
namespace {

using problem::Cone;
using problem::ConeKind;
using Columns = linalg::SparseColumns;

constexpr Real kSufficient = 1e-4;  // Armijo's
constexpr int kNewtonHalvings = 8, kLevenbergHalvings = 40;

/// Φ, an element V of its generalised Jacobian, and the two kinds of step.
class System {
 public:
  explicit System(const detail::ScaledCones& problem)
      : is_free_(static_cast<std::size_t>(problem.size()), 0),
        phi(problem.size()),
        gradient(problem.size()),
        weight_(problem.size()),
        own_(problem.size()),
        coupled_(problem.size()) {
    for (const Cone& cone : problem.cones)
      for (Index i = cone.first; i < cone.first + cone.size; ++i)
        is_free_[static_cast<std::size_t>(i)] = cone.kind == ConeKind::free;
    Columns identity(problem.size(), problem.size());
    identity.setIdentity();
    W_ = Columns(problem.W) + 0 * identity;  // every diagonal entry is stored
    W_.makeCompressed();
    for (Index i = 0; i < problem.size(); ++i) {
      const Real size = problem.W.row(i).norm();
      weight_[i] = size > 0 ? 1 / size : 1;
    }
    V_ = W_;
    lu_.analyse(V_);
  }

  /// ‖Φ‖² at (x, u).
  Real residual_ratio(const VecX& x, const VecX& u) const {
    Real sum = 0;
    for (Index i = 0; i < x.size(); ++i) {
      const Real value = function(i, x[i], u[i]);
      sum += value * value;
    }
    return sum;
  }

  /// Φ, V and VᵀΦ at (x, u).
  void linearise(const VecX& x, const VecX& u) {
    for (Index i = 0; i < x.size(); ++i) {
      phi[i] = function(i, x[i], u[i]);
      const Real ui = weight_[i] * u[i], size = std::hypot(x[i], ui);
      if (is_free_[static_cast<std::size_t>(i)]) {
        own_[i] = 0;
        coupled_[i] = -1;
      } else if (size > 0) {
        own_[i] = x[i] / size - 1;
        coupled_[i] = ui / size - 1;
      } else {
        own_[i] = coupled_[i] = std::sqrt(0.5) - 1;  // the limit along x = u
      }
      coupled_[i] *= weight_[i];
    }
    for (Index j = 0; j < V_.cols(); ++j)
      for (int k = V_.outerIndexPtr()[j]; k < V_.outerIndexPtr()[j + 1]; ++k) {
        const Index i = V_.innerIndexPtr()[k];
        V_.valuePtr()[k] = coupled_[i] * W_.valuePtr()[k] + (i == j ? own_[i] : 0);
      }
    gradient.noalias() = V_.transpose() * phi;
  }

  /// d with V d = −Φ; false if V is singular to working precision.
  bool newton(VecX& d) {
    if (!lu_.factorise(V_)) return false;
    d = lu_.solve(-phi);
    return d.allFinite() && (V_ * d + phi).norm() <= 1e-6 * phi.norm();
  }

  /// Levenberg's step; false if not finite.
  bool levenberg(VecX& d) const {
    Columns A = V_.transpose() * V_, identity(A.rows(), A.rows());
    identity.setIdentity();
    A += std::clamp(phi.squaredNorm(), 1e-14, 1e-2) * identity;
    linalg::SparseLdlt factors;
    factors.analyse(A);
    if (!factors.factorise(A)) return false;
    factors.solve(-gradient, d);
    return d.allFinite();
  }

 private:
  Real function(Index i, Real x, Real velocity) const {
    const Real u = weight_[i] * velocity;
    if (is_free_[static_cast<std::size_t>(i)]) return -u;
    const Real size = std::hypot(x, u), sum = x + u;
    return sum > 0 ? -2 * x * u / (size + sum) : size - sum;  // without cancellation
  }

  std::vector<unsigned char> is_free_;

 public:
  VecX phi, gradient;

 private:
  VecX weight_;         // of u
  VecX own_, coupled_;  // V = diag(own) + diag(coupled) W
  Columns W_, V_;
  linalg::SparseLu lu_;
};

}  // namespace

problem::SolveReport fischer_burmeister(const problem::ConeProblem& problem,
                                        const FischerBurmeisterOptions& options,
                                        const ExternalResidual& external_residual,
                                        const StopRequest& should_stop, VecX& r) {
  for (const Cone& cone : problem.cones)
    if (cone.kind != ConeKind::free && cone.kind != ConeKind::nonnegative)
      return {problem::SolveStatus::unsupported, 0, 0,
              "fischer_burmeister takes free and nonnegative rows only"};
  const auto iterate = [&](const detail::ScaledCones& scaled, detail::StoppingRule& rule) {
    problem::SolveCounts& count = rule.count();

    const Index n = scaled.size();
    VecX x(n), u(n), d(n), Wd(n), trial(n), trial_u(n), feasible(n), work(n);
    System system(scaled);
    scaled.to_scaled(r, x);
    scaled.velocity(x, u);
    ++count.products;
    feasible = x;
    scaled.project(feasible);

    // Goes along d by the first of the steps 1, ½, ¼, … that lowers ‖Φ‖² enough.
    const auto search = [&](int halvings) {
      const Real slope = 2 * system.gradient.dot(d), residual_ratio = system.phi.squaredNorm();
      if (!(slope < 0)) return false;
      scaled.multiply(d, Wd);
      ++count.products;
      Real step = 1;
      for (int k = 0; k < halvings; ++k, step /= 2) {
        trial = x + step * d;
        trial_u = u + step * Wd;
        if (system.residual_ratio(trial, trial_u) <= residual_ratio + kSufficient * step * slope) {
          x.swap(trial);
          scaled.velocity(x, u);
          ++count.products;
          return true;
        }
      }
      return false;
    };

    while (rule.should_continue(feasible, scaled.natural_map(x, u, work))) {
      system.linearise(x, u);  // Φ of `fischer_1992` and V in ∂Φ
      ++count.factorisations;
      // V d = −Φ, then the Armijo condition on ψ = ½‖Φ‖² (`deluca_1996`).
      bool has_moved = system.newton(d) && search(kNewtonHalvings);
      if (!has_moved) {  // Levenberg's step in place of the gradient step of `deluca_1996`
        ++count.factorisations;
        has_moved = system.levenberg(d) && search(kLevenbergHalvings);
      }
      if (!has_moved) {
        rule.stop(feasible, problem::SolveStatus::stalled);
        break;
      }
      feasible = x;
      scaled.project(feasible);
      ++count.projections;
    }
  };
  return detail::run_cone_method(problem, options, external_residual, should_stop, r, iterate);
}

}  // namespace talus::solve
