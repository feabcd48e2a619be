#pragma once

#include <talus/stepping/scheme.hpp>

namespace talus::stepping::detail {

/// A step of Moreau's time stepping (keys `moreau_1988`, `jean_1999`), by either rule: its only
/// text, in the plane, in space and in generalized coordinates.
///
///   q_θ = q ∘ (1 − θ) h v,   M (v' − v) = h Q + Φ_qᵀ Λ + Wᵀ r,   q' = q_θ ∘ θ h v',          (1)
///   Φ_q v' + Φ_t = 0, or of the mean velocity in the midpoint rule,                           (2)
///   K_μ ∋ r ⟂ û' + s n ∈ K_μ*,   û' = u' + μ ‖u_T'‖ n,   s by dynamics::contact_bias,         (3)
/// or the laws of surfaces that are functions in the place of (3). A scheme derives from it and
/// says how each line is computed; contacts that a step is found to make, or not to make, are put
/// into (3), or taken out, and it is solved again.
class MoreauStep : public Scheme {
 public:
  StepReport step(model::State& state, Real h) final;

 private:
  /// A step of which this rank does its part, where that is all there is to it.
  /// @param state in: complete or in parts; out: in parts where there is a step, else complete.
  /// @return whether there is one: the bits of what is here are those of the others.
  virtual bool step_in_parts(model::State& /*state*/, Real /*h*/, StepReport& /*report*/) {
    return false;
  }
  /// q' and v' with their verdict. @return false where there are none.
  bool attempt(const model::State& state, Real h, StepReport& report);
  /// Where rates of (2) jump within the step, velocities are those after it, before contacts answer
  /// to them: restitution is of the velocities with which bodies then approach. In the plane
  /// start() does it, to velocities of its own.
  virtual void take_given_rates(model::State& /*state*/, Real /*h*/) {}
  /// Gives the state back its velocities where there is no q'.
  virtual void give_back(model::State& /*state*/) {}
  /// (1) without Λ and r: q, v, q_θ, M, and the free velocity.
  virtual void start(const model::State& state, Real h) = 0;
  /// Gaps, rows and biases of (3), with what has_missed() has found, and rows of (2).
  virtual void form_problem(const model::State& state, Real h) = 0;
  /// Λ, r and v'. @return false if they are not finite: nothing of them is kept.
  virtual bool solve(const model::State& state, Real h, StepReport& report) = 0;
  /// Whether (3) has to be formed again: bodies reach farther than contacts were looked for, pass
  /// or meet what is not in it, or would not meet what is.
  virtual bool has_missed(const model::State& state, Real h) = 0;
  /// Takes restitution back where r raises the energy, ½ rᵀ(u + u') > 0.
  virtual void bound_restitution(Real h, StepReport& report) = 0;
  /// The verdict on v', Λ and r, by the certificate alone.
  virtual void certify(Real h, StepReport& report) = 0;
  /// q'. @return false if it is not finite.
  virtual bool move(const model::State& state, Real h) = 0;
  /// Takes penetration out of q', and what (2) leaves open of Φ(q', t + h) = 0; the verdict on q'.
  /// @return false if no motion satisfies the constraints: the state is left as it was.
  virtual bool correct(const model::State& state, Real h, StepReport& report) = 0;
  /// Whether correct() has displaced what (1) takes to be where the velocities lead: springs that Q
  /// is of the ends of a step. Rows of the next answer have it.
  virtual bool has_stretched(const model::State& /*state*/, StepReport& /*report*/) {
    return false;
  }
  /// q' and v' become the state; what is remembered for the next step.
  virtual void finish(model::State& state, Real h, StepReport& report) = 0;
  /// The energy of the state, and what is reported of contacts.
  virtual void measure(const model::State& state, StepReport& report) = 0;
};

}  // namespace talus::stepping::detail
