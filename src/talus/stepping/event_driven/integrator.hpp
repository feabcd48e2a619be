#pragma once

#include <memory>
#include <string_view>

#include <talus/stepping/event_driven/phase.hpp>

namespace talus::stepping::event_driven {

/// One-step methods for ẋ = f(t, x), q̇ = v, within a phase. The rate at the start of a step is
/// given, that at its end is asked for by the caller of step(), once: it is the next step's
/// start. Nothing allocates after the first step of a size.
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// x1 = x(t + h). @param k0 the rate at x0. @return false where no x1 was found (implicit
  /// methods).
  virtual bool step(Phase& phase, Real time, const Point& x0, const Rate& k0, Real h,
                    Point& x1) = 0;
  /// Estimates the error of the last step in every component; false where the method has no
  /// estimate. @param k1 the rate at x1. @param error of the size of a point.
  virtual bool estimate([[maybe_unused]] Real h, [[maybe_unused]] const Point& x1,
                        [[maybe_unused]] const Rate& k1, [[maybe_unused]] Point& error) {
    return false;
  }
  /// Of the method, and of its error estimate's step size control.
  [[nodiscard]] virtual int order() const = 0;
  /// The last step is part of the motion; the next one starts there.
  virtual void accept() {}
  /// The motion is not smooth here (an event, a new start).
  virtual void restart() {}
  /// What the method remembers of the steps before, one number per coordinate; null: nothing.
  [[nodiscard]] virtual const VecX* memory() const { return nullptr; }
  virtual void recall(const VecX& /*memory*/) {}
  /// The solution at t + θ h inside the last step, from both ends: cubic, or the method's own.
  virtual void interpolate(Real theta, Real h, const Point& x0, const Rate& k0, const Point& x1,
                           const Rate& k1, Point& x) const;
};

/// The largest component of an error over tolerance·(1 + |x|).
[[nodiscard]] Real relative_error(const Point& error, const Point& x0, const Point& x1,
                                  Real tolerance);

/// The classical Runge–Kutta method of order 4.
[[nodiscard]] std::unique_ptr<Integrator> make_rk4();
/// Dormand and Prince's method of order 5 with an error estimate of order 4 and dense output of
/// order 4 (`hairer_1993` §II.4–II.6).
[[nodiscard]] std::unique_ptr<Integrator> make_dormand_prince();
/// The generalised-α method of order 2 for stiff contacts (`chung_1993`), on the accelerations that
/// are left when the constraints are eliminated:
///   (1 − α_m) A₁ + α_m A₀ = (1 − α_f) a(t₁, q₁, v₁) + α_f a(t₀, q₀, v₀),
///   q₁ = q₀ + h v₀ + h² ((½ − β) A₀ + β A₁),   v₁ = v₀ + h ((1 − γ) A₀ + γ A₁).
/// @param radius ρ_∞ in [0, 1] of the highest frequencies: 0 damps them at once, 1 not at all.
[[nodiscard]] std::unique_ptr<Integrator> make_generalized_alpha(Real radius);

}  // namespace talus::stepping::event_driven
