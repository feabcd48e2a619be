#include <algorithm>
#include <cmath>

#include <talus/laws/tolerances.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/stepping/event_driven/integrator.hpp>
#include <talus/stepping/generalized_alpha.hpp>

namespace talus::stepping::event_driven {
namespace {

constexpr int kMostIterations = 12;  // of Newton's method with one matrix
constexpr Real kSlow = 0.3;          // a change that shrinks less needs a new matrix

class GeneralizedAlphaIntegrator final : public Integrator {
 public:
  explicit GeneralizedAlphaIntegrator(Real radius) : method_(radius) {}

  bool step(Phase& phase, Real t, const Point& x0, const Rate& k0, Real h, Point& x1) override {
    const Index n = x0.q.size();
    if (!is_going_on_ || A_.size() != n) A_ = k0.a;
    is_going_on_ = true;
    next_ = k0.a;
    x1 = x0;
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (attempt > 0 || matrix_step_ != h) make_matrix(phase, t, x0, k0, h, x1);
      Real last = 0;
      for (int iteration = 0; iteration < kMostIterations; ++iteration) {
        // Newton on (1) of GeneralizedAlpha.
        residual(phase, t, x0, k0, h, x1);
        change_ = lu_.solve(residual_);
        next_ -= change_;
        const Real change = method_.gamma * h * change_.lpNorm<Eigen::Infinity>();
        if (!std::isfinite(change)) break;
        if (change <= tolerance::kNewtonChange * (1 + x1.v.lpNorm<Eigen::Infinity>())) {
          move(x0, h, x1);
          x1.s = x0.s + h / 2 * (k0.s + rate_.s);
          return true;
        }
        if (iteration > 0 && change > kSlow * last && attempt == 0) break;
        last = change;
      }
    }
    return false;
  }
  [[nodiscard]] int order() const override { return 2; }
  void accept() override { A_ = next_; }
  void restart() override {
    is_going_on_ = false;
    matrix_step_ = 0;
  }
  [[nodiscard]] const VecX* memory() const override { return is_going_on_ ? &A_ : nullptr; }
  void recall(const VecX& memory) override {
    A_ = memory;
    is_going_on_ = true;
  }

 private:
  void move(const Point& x0, Real h, Point& x) const {
    // (2) of GeneralizedAlpha.
    x.q = x0.q + method_.way(h, x0.v, A_, next_);
    x.v = method_.velocity(h, x0.v, A_, next_);
  }
  void residual(Phase& phase, Real t, const Point& x0, const Rate& k0, Real h, Point& x) {
    if (rate_.a.size() != x0.q.size()) rate_ = k0;
    move(x0, h, x);
    x.s = x0.s + h / 2 * (k0.s + rate_.s);
    phase.evaluate(t + h, x, rate_);
    residual_ = (1 - method_.alpha_m) * next_ + method_.alpha_m * A_ -
                (1 - method_.alpha_f) * rate_.a - method_.alpha_f * k0.a;
    const VecX& free = phase.free();
    residual_ = residual_.cwiseProduct(free);
  }
  /// The residual's derivative by A₁, by differences.
  void make_matrix(Phase& phase, Real t, const Point& x0, const Rate& k0, Real h, Point& x) {
    const Index n = x0.q.size();
    matrix_.resize(n, n);
    residual(phase, t, x0, k0, h, x);
    const VecX base = residual_;
    for (Index j = 0; j < n; ++j) {
      const Real kept = next_[j];
      const Real by =
          tolerance::kVelocityDifference * (1 + std::abs(x0.v[j])) / (method_.gamma * h);
      next_[j] += by;
      residual(phase, t, x0, k0, h, x);
      matrix_.col(j) = (residual_ - base) / by;
      if (phase.free()[j] == 0) matrix_(j, j) = 1;
      next_[j] = kept;
    }
    lu_.compute(matrix_);
    matrix_step_ = h;
  }

  const GeneralizedAlpha method_;
  VecX A_, next_, residual_, change_;
  Rate rate_;
  MatX matrix_;
  linalg::PartialPivLu lu_;
  Real matrix_step_ = 0;
  bool is_going_on_ = false;
};

}  // namespace

std::unique_ptr<Integrator> make_generalized_alpha(Real radius) {
  return std::make_unique<GeneralizedAlphaIntegrator>(radius);
}

}  // namespace talus::stepping::event_driven
