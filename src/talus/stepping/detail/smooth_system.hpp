#pragma once

#include <memory>
#include <string>
#include <vector>

#include <talus/dynamics/energy.hpp>
#include <talus/dynamics/mass_matrix.hpp>
#include <talus/dynamics/reaction.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::stepping::detail {

/// What a smooth motion is made of at a time, a place and velocities; arrays keep their capacity.
struct SmoothTerms {
  VecX force;       ///< Q, less what inertia adds that is not in M, times v̇
  MatX gradient;    ///< Φ_q, a row per constraint
  VecX value;       ///< Φ(q, t)
  VecX rate;        ///< Φ̇ = Φ_q v + Φ_t
  VecX drift;       ///< Φ̈ = Φ_q v̇ + drift
  VecX length;      ///< what makes metres of a row: 1 of one that moves a point, else size
  VecX size;        ///< of the smallest body that a row moves [m]
  Real extent = 0;  ///< the largest coordinate [m, rad]: what rounding is a share of
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
  virtual ~SmoothSystem() = default;

  [[nodiscard]] virtual const dynamics::MassMatrix& mass() const = 0;
  [[nodiscard]] virtual Index constraint_count() const = 0;
  /// The joint, drive or coupling that a constraint is of, with its kind: "joint hinge".
  [[nodiscard]] virtual std::string name(Index constraint) const = 0;

  /// Takes q₀ and the time from a state. @param v out: its velocities.
  virtual void start(const model::State& state, VecX& v) = 0;
  /// @param x, v, acceleration those of prescribed and fixed bodies are set.
  virtual void evaluate(Real time, VecX& x, VecX& v, VecX& acceleration, SmoothTerms& terms) = 0;
  /// Writes place and velocities, and what whole turns are counted from.
  virtual void store(const VecX& x, const VecX& v, model::State& state) = 0;
  [[nodiscard]] virtual dynamics::Energy energy(Real time, const VecX& x, const VecX& v) = 0;
  /// What joints and drives do under multipliers, and the coordinates of joints in space with what
  /// acts along them. After store() of the same place.
  virtual void report(Real time, const VecX& x, const VecX& v, const VecX& multipliers,
                      std::vector<dynamics::Reaction>& reactions,
                      std::vector<dynamics::AxisReaction>& axes) = 0;
  /// The constraints that no motion from there satisfies together, in words; "" where there are
  /// none.
  [[nodiscard]] virtual std::string why_no_motion(Real time, const VecX& x, const VecX& v) = 0;
};

/// @param state of which q₀ and the shape of what is stored are. Both must outlive the system.
[[nodiscard]] std::unique_ptr<SmoothSystem> make_smooth_system(const model::Model& model,
                                                               const model::State& state);
[[nodiscard]] std::unique_ptr<SmoothSystem> make_smooth_spatial_system(const model::Model& model);

}  // namespace talus::stepping::detail
