#pragma once

#include <utility>
#include <vector>

#include <talus/model/lagrangian.hpp>
#include <talus/stepping/stewart_trinkle_anitescu_potra.hpp>

namespace talus::stepping {

/// Coordinates and velocities of a Lagrangian system at a time.
struct LagrangianState {
  Real time = 0;  ///< [s]
  VecX q, v;      ///< one entry per coordinate, q̇ = v
};

/// The impulse of an active contact in the last step.
struct LagrangianImpulse {
  Index contact = 0;  ///< the system's index
  Real normal = 0;    ///< c_n [N·s] ≥ 0
  VecX tangential;    ///< one per tangent [N·s]
};

/// Steps a Lagrangian system by implicit_step: contacts, bilateral constraints and joint friction
/// in one (mixed) LCP per linearisation.
///
/// M is taken at the point of the first linearisation (the predictor), k at the start of the step.
/// A step that fails leaves the state as it was where the result is not finite, and is taken and
/// reported otherwise; with max_halvings it is repeated as two steps of half the size, and so on,
/// and taken whole after all if some part still fails.
/// If v' is certified, M v' = M v + h k + J r holds to round-off. Cost per linearisation: one
/// Cholesky factor of M's blocks, one solve per row, one LCP per island of rows that act on each
/// other. A system whose M is one block is dense: some hundred coordinates.
class LagrangianStepper {
 public:
  /// The system must outlive the stepper. Throws InputError where shapes disagree at a step.
  LagrangianStepper(const model::LagrangianSystem& system, ImplicitOptions options);

  /// Advances by h [s] > 0.
  ImplicitReport step(LagrangianState& state, Real h);

  /// Takes up the impulses of an earlier step as if this stepper had just taken it: those that are
  /// not zero are the first guess of what is active.
  void recall(std::vector<LagrangianImpulse> contacts) { contacts_ = std::move(contacts); }

  /// Impulses of the last step (of its last part where it was halved).
  [[nodiscard]] const std::vector<LagrangianImpulse>& contacts() const { return contacts_; }
  [[nodiscard]] const VecX& bilateral_impulse() const { return bilateral_impulse_; }
  /// The size of the step, or of its last part where it was halved [s].
  [[nodiscard]] Real last_size() const { return last_size_; }
  /// Tangential impulses of the joints, one after another.
  [[nodiscard]] const VecX& joint_impulse() const { return joint_impulse_; }

  /// ½ vᵀ M(q) v + V(q) [J].
  [[nodiscard]] Real energy(const LagrangianState& state) const;

 private:
  ImplicitReport step_once(LagrangianState& state, Real h);

  const model::LagrangianSystem& system_;
  const ImplicitOptions options_;
  std::vector<LagrangianImpulse> contacts_;
  VecX bilateral_impulse_, joint_impulse_;
  Real last_size_ = 0;
};

}  // namespace talus::stepping
