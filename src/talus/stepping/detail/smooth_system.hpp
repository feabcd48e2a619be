#pragma once

#include <memory>
#include <string>
#include <vector>

#include <talus/dynamics/energy.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/model/time_law.hpp>

namespace talus::stepping::detail {

/// What a smooth motion is made of at a time, a place and velocities; arrays keep their capacity.
struct SmoothTerms {
  VecX force;     ///< Q, less what inertia adds that is not in M, times v̇
  MatX gradient;  ///< Φ_q, a row per constraint
  VecX value;     ///< Φ(q, t)
  VecX rate;      ///< Φ̇ = Φ_q v + Φ_t
  VecX drift;     ///< Φ̈ = Φ_q v̇ + drift
  VecX length;    ///< what makes metres of a row: 1 of one that moves a point, else size
  VecX size;      ///< of the smallest body that a row moves [m]
  VecX scale;     ///< per coordinate, what its rounding is a share of [m, rad]

  /// The sums that the coordinates are in a constraint's value: what its rounding is a share of.
  [[nodiscard]] Real scale_of(Index constraint) const {
    return gradient.row(constraint).cwiseAbs().dot(scale);
  }
};

/// Bodies with joints, drives and force elements that nothing strikes, in the plane or in space:
///
///   M v̇ = Q(t, q, v) + Φ_qᵀ λ,  Φ(q, t) = 0,  q = q₀ ∘ exp(x),
///
/// with x the way from where a step starts: displacements along the world's axes and, in space,
/// rotation vectors in the body's frame, as the angular velocities in v. M is constant there, and
/// v̇ from one step to the next is of the same frame (`bruls_2010`, with forces at the centre of
/// mass). Prescribed and fixed bodies are among all, with the inverse mass 0.
class SmoothSystem {
 public:
  /// Both must outlive the system. @param state of which the shape of what is stored is.
  SmoothSystem(const model::Model& model, const model::State& state)
      : system_(dynamics::make_system(model, state)) {}

  [[nodiscard]] const dynamics::MassMatrix& mass() const { return system_->mass(); }
  [[nodiscard]] Index constraint_count() const { return system_->constraint_count(); }
  [[nodiscard]] bool has_joint_friction() const { return system_->joint_friction_count() > 0; }
  /// The joint, drive or coupling that a constraint is of, with its kind: "joint hinge".
  [[nodiscard]] std::string name(Index constraint) const {
    return system_->constraint_name(constraint);
  }

  /// The first time after `time` at which a law of time has a kink.
  [[nodiscard]] Real next_kink(Real time) const { return system_->next_kink(time); }
  /// Takes q₀ from a state. @param v out: its velocities.
  void start(const model::State& state, VecX& v) { system_->begin(state, q0_, v); }
  /// @param forces when laws of time of forces are read: over a span they have their means.
  /// @param x, v, acceleration those of prescribed and fixed bodies are set.
  void evaluate(Real time, const model::TimeSpan& forces, VecX& x, VecX& v, VecX& acceleration,
                SmoothTerms& terms);
  /// Writes place and velocities, and what whole turns are counted from.
  void store(const VecX& x, const VecX& v, model::State& state) {
    system_->store(q0_ + x, v, state);
  }
  [[nodiscard]] dynamics::Energy energy(Real time, const VecX& x, const VecX& v);
  /// What joints and drives do under multipliers, and the coordinates of joints in space with what
  /// acts along them.
  void report(Real time, const VecX& x, const VecX& v, const VecX& multipliers,
              std::vector<dynamics::Reaction>& reactions,
              std::vector<dynamics::AxisReaction>& axes);
  /// How many constraints are independent where evaluate() was last (dynamics::constraint_gram).
  [[nodiscard]] Index independent_count() const;
  /// why_left_out() of the same place, of so many as were told apart. "" of couplings, which are
  /// over more than two bodies.
  [[nodiscard]] std::string why_left_out(Index rank, const VecX& acceleration) const;
  /// The constraints that no motion from there satisfies together, in words; "" where there are
  /// none.
  [[nodiscard]] std::string why_no_motion(Real time, const VecX& x, const VecX& v);

 private:
  std::unique_ptr<dynamics::System> system_;
  VecX q0_, q_;
  dynamics::ConstraintTerms constraints_;
};

}  // namespace talus::stepping::detail
