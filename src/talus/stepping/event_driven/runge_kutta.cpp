#include <algorithm>
#include <array>
#include <cmath>

#include <talus/stepping/event_driven/integrator.hpp>

namespace talus::stepping::event_driven {
namespace {

/// Explicit methods: x = x0 + h Σ aⱼ kⱼ over stages.
class RungeKutta : public Integrator {
 protected:
  explicit RungeKutta(std::size_t stages) : stages_(stages) {}

  void begin(const Point& x0, const Rate& k0) {
    if (x_.q.size() != x0.q.size() || x_.s.size() != x0.s.size()) {
      x_ = x0;
      for (Rate& stage : stages_) stage = k0;
    }
    stages_[0] = k0;
  }
  template <std::size_t kCount>
  void combine(const Point& x0, Real h, const std::array<Real, kCount>& weights, Point& x) const {
    x.q = x0.q;
    x.v = x0.v;
    x.s = x0.s;
    for (std::size_t j = 0; j < kCount; ++j) {
      if (weights[j] == 0) continue;
      const Real w = h * weights[j];
      x.q += w * stages_[j].q;
      x.v += w * stages_[j].a;
      x.s += w * stages_[j].s;
    }
  }
  void evaluate(Phase& phase, Real time, std::size_t stage) {
    phase.evaluate(time, x_, stages_[stage]);
  }

  std::vector<Rate> stages_;
  Point x_;
};

/// The classical method of order 4 (`hairer_1993`).
class Rk4 final : public RungeKutta {
 public:
  Rk4() : RungeKutta(4) {}
  bool step(Phase& phase, Real t, const Point& x0, const Rate& k0, Real h, Point& x1) override {
    begin(x0, k0);
    combine<1>(x0, h, {0.5}, x_);
    evaluate(phase, t + h / 2, 1);
    combine<2>(x0, h, {0, 0.5}, x_);
    evaluate(phase, t + h / 2, 2);
    combine<3>(x0, h, {0, 0, 1}, x_);
    evaluate(phase, t + h, 3);
    combine<4>(x0, h, {1. / 6, 1. / 3, 1. / 3, 1. / 6}, x1);
    return true;
  }
  [[nodiscard]] int order() const override { return 4; }
};

/// Coefficients of order 5, of the embedded order 4 and of the dense output: `hairer_1993`
/// §II.4–II.6.
class DormandPrince final : public RungeKutta {
 public:
  DormandPrince() : RungeKutta(7) {}
  bool step(Phase& phase, Real t, const Point& x0, const Rate& k0, Real h, Point& x1) override {
    begin(x0, k0);
    combine<1>(x0, h, {1. / 5}, x_);
    evaluate(phase, t + h / 5, 1);
    combine<2>(x0, h, {3. / 40, 9. / 40}, x_);
    evaluate(phase, t + 3 * h / 10, 2);
    combine<3>(x0, h, {44. / 45, -56. / 15, 32. / 9}, x_);
    evaluate(phase, t + 4 * h / 5, 3);
    combine<4>(x0, h, {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729}, x_);
    evaluate(phase, t + 8 * h / 9, 4);
    combine<5>(x0, h, {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656}, x_);
    evaluate(phase, t + h, 5);
    combine<6>(x0, h, {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}, x1);
    return true;
  }
  bool estimate(Real h, const Point& /*x1*/, const Rate& k1, Point& error) override {
    stages_[6] = k1;
    constexpr std::array<Real, 7> kError{71. / 57600,       0,         -71. / 16695, 71. / 1920,
                                         -17253. / 339200., 22. / 525, -1. / 40};
    error.q.setZero();
    error.v.setZero();
    error.s.setZero();
    for (std::size_t j = 0; j < 7; ++j) {
      const Real w = h * kError[j];
      error.q += w * stages_[j].q;
      error.v += w * stages_[j].a;
      error.s += w * stages_[j].s;
    }
    return true;
  }
  [[nodiscard]] int order() const override { return 5; }

  /// Hermite's cubic and the quartic term that makes it of order 4 (`hairer_1993` (6.12)).
  void interpolate(Real theta, Real h, const Point& x0, const Rate& k0, const Point& x1,
                   const Rate& k1, Point& x) const override {
    Integrator::interpolate(theta, h, x0, k0, x1, k1, x);
    constexpr std::array<Real, 7> kDense{-12715105075. / 11282082432.,  0,
                                         87487479700. / 32700410799.,   -10690763975. / 1880347072.,
                                         701980252875. / 199316789632., -1453857185. / 822651844.,
                                         69997945. / 29380423.};
    const Real w = h * theta * theta * (1 - theta) * (1 - theta);
    for (std::size_t j = 0; j < 7; ++j) {
      x.q += w * kDense[j] * stages_[j].q;
      x.v += w * kDense[j] * stages_[j].a;
      x.s += w * kDense[j] * stages_[j].s;
    }
  }
};

}  // namespace

void Integrator::interpolate(Real theta, Real h, const Point& x0, const Rate& k0, const Point& x1,
                             const Rate& k1, Point& x) const {
  const Real u = 1 - theta;
  const Real at_0 = u * u * (1 + 2 * theta), at_1 = theta * theta * (3 - 2 * theta);
  const Real slope_0 = h * theta * u * u, slope_1 = -h * theta * theta * u;
  x.q = at_0 * x0.q + at_1 * x1.q + slope_0 * k0.q + slope_1 * k1.q;
  x.v = at_0 * x0.v + at_1 * x1.v + slope_0 * k0.a + slope_1 * k1.a;
  x.s = at_0 * x0.s + at_1 * x1.s + slope_0 * k0.s + slope_1 * k1.s;
}

Real relative_error(const Point& error, const Point& x0, const Point& x1, Real tolerance) {
  const auto worst = [&](const VecX& e, const VecX& a, const VecX& b) {
    Real largest = 0;
    for (Index i = 0; i < e.size(); ++i)
      largest = std::max(largest, std::abs(e[i]) / (1 + std::max(std::abs(a[i]), std::abs(b[i]))));
    return largest / tolerance;
  };
  return std::max(
      {worst(error.q, x0.q, x1.q), worst(error.v, x0.v, x1.v), worst(error.s, x0.s, x1.s)});
}

std::unique_ptr<Integrator> make_rk4() { return std::make_unique<Rk4>(); }
std::unique_ptr<Integrator> make_dormand_prince() { return std::make_unique<DormandPrince>(); }

}  // namespace talus::stepping::event_driven
