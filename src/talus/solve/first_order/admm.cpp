#include <talus/solve/first_order/admm.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/linalg/sparse_factor.hpp>
#include <talus/solve/detail/cone_method.hpp>

namespace talus::solve {
namespace {

/// (W + σI)⁻¹ for changing σ; W's symmetric part.
class Shifted {
 public:
  explicit Shifted(const problem::SparseMatrix& W) {
    linalg::SparseColumns transposed = W.transpose(), own = W, identity(W.rows(), W.rows());
    identity.setIdentity();
    matrix_ = (own + transposed) / 2 + 0 * identity;
    matrix_.makeCompressed();
    for (Index i = 0; i < matrix_.rows(); ++i) diagonal_.push_back(&matrix_.coeffRef(i, i));
    factors_.analyse(matrix_);
  }

  /// False if the factorisation broke down.
  bool shift(Real sigma) {
    for (Real* entry : diagonal_) *entry += sigma - sigma_;
    sigma_ = sigma;
    return factors_.factorise(matrix_);
  }

  /// x = (W + σI)⁻¹ rhs.
  void solve(const VecX& rhs, VecX& x) { factors_.solve(rhs, x); }

 private:
  linalg::SparseColumns matrix_;
  std::vector<Real*> diagonal_;
  linalg::SparseLdlt factors_;
  Real sigma_ = 0;
};

}  // namespace

problem::SolveReport admm(const problem::ConeProblem& problem, const AdmmOptions& options,
                          const ExternalResidual& external_residual, const StopRequest& should_stop,
                          VecX& r) {
  TALUS_DEMAND(options.penalty > 0 && options.relaxation > 0 && options.relaxation < 2);
  const auto iterate = [&](const detail::ScaledCones& scaled, detail::StoppingRule& rule) {
    problem::SolveCounts& count = rule.count();

    const Index n = scaled.size();
    VecX x(n), y(n), z, u, last(n), work(n);
    detail::start_feasible(scaled, rule, r, z, u);
    Shifted system(scaled.W);
    Real sigma = options.penalty;
    bool is_regular = system.shift(sigma);
    ++count.factorisations;
    y = -u / sigma;
    Index interval = 10, next_check = interval;
    while (rule.should_continue(z, scaled.natural_map(z, u, work))) {
      if (!is_regular) {
        rule.stop(z, problem::SolveStatus::numerical_error);
        break;
      }
      // Scaled form, section 3.1.1 of `boyd_2011`: x minimises, z projects, y sums the residual.
      last = z;
      work = sigma * (z - y) - scaled.b;
      system.solve(work, x);
      work = options.relaxation * x + (1 - options.relaxation) * z;  // x̂ of its section 3.4.3
      y += work;
      z = y;
      scaled.project(z);
      y -= z;
      scaled.velocity(z, u);
      ++count.products;
      count.projections += 2;

      if (rule.iterations() < next_check || count.factorisations >= options.max_factorisations)
        continue;
      // σ ← σ √(relative primal/relative dual residual): section 5.2 of `stellato_2020`.
      interval += interval / 2;
      next_check += interval;
      const Real primal = (x - z).norm() / std::max(x.norm(), z.norm());
      const Real dual = sigma * (z - last).norm() / std::max(Real(1), sigma * y.norm());  // ‖b̃‖ = 1
      const Real factor = std::sqrt(primal / dual);
      if (!std::isfinite(factor) || (factor < 2 && factor > 0.5)) continue;
      const Real next = std::clamp(sigma * factor, 1e-6, 1e6);
      y *= sigma / next;
      sigma = next;
      is_regular = system.shift(sigma);
      ++count.factorisations;
    }
  };
  return detail::run_cone_method(problem, options, external_residual, should_stop, r, iterate);
}

}  // namespace talus::solve
