#pragma once

#include <talus/base/contract.hpp>
#include <talus/dynamics/joint_frames.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/model/time_law.hpp>

namespace talus::dynamics {

/// The freedoms that the constraints of a joint hold at 0; of a screw those besides its own.
[[nodiscard]] model::FreedomSet held_freedoms(const model::SpatialJointKind& kind);

/// A joint with what does not change as its bodies move.
struct JointGeometry {
  const model::SpatialJoint& joint;
  FixedFrame J_A, J_B;
  model::FreedomSet held;  ///< held_freedoms()

  /// @param of outlives this.
  JointGeometry(const model::SpatialJoint& of)
      : joint(of), J_A(of.X_AJ), J_B(of.X_BJ), held(held_freedoms(of.kind)) {}
  [[nodiscard]] JointPlace place(const BodyMotion& A, const BodyMotion& B) const {
    return {J_A, J_B, A, B};
  }
  [[nodiscard]] JointRates rates(const BodyMotion& A, const BodyMotion& B) const {
    return {joint.body_a, joint.body_b, J_A, J_B, A, B};
  }
  [[nodiscard]] JointFrames frames(const BodyMotion& A, const BodyMotion& B) const {
    return {joint.body_a, joint.body_b, J_A, J_B, A, B};
  }
};

/// The coordinate of a freedom of a joint, its row, rate and drift, exact off the constraint too.
///
/// Along an axis: the displacement e · (P_B − P_A), e of J_A. About one: the angle of the free
/// turns of a lower pair in their order (model::LowerPair), of any other joint those about x, y, z;
/// the rate is n · (ω_B − ω_A), n the gradient of that angle, which on the constraint is the axis.
/// Of a line and a rotation their length and angle, whatever the axis.
/// @param near [rad]: of angles, whole turns are those nearest to it. With 0 the angle is in
/// [−π, π]; with the last value it follows a motion of less than half a turn between calls.
/// @param axis a turn that a lower pair holds has the row of that constraint, its value the sine.
[[nodiscard]] RowTerms axis_terms(const JointGeometry& joint, model::Freedom axis,
                                  const BodyMotion& A, const BodyMotion& B, Real near = 0);
/// Its value alone.
[[nodiscard]] Real axis_value(const JointGeometry& joint, model::Freedom axis, const BodyMotion& A,
                              const BodyMotion& B, Real near = 0);
/// The same as axis_terms of frames that are known.
[[nodiscard]] RowTerms axis_terms(const JointFrames& frames, model::FreedomSet held,
                                  model::Freedom axis, Real near = 0);

/// The freedoms that are no coordinates: those that are held; of a line all but z, of a rotation
/// all but the turn about z.
[[nodiscard]] model::FreedomSet without_coordinate(const model::SpatialJointKind& kind);

/// The turn whose axis the held ones go round: the free one, or z where all are held; −1 if fewer
/// than two are held.
[[nodiscard]] constexpr int central_turn(model::FreedomSet held) {
  if (held.turns() == 3) return 2;
  if (held.turns() < 2) return -1;
  for (int k = 0; k < 2; ++k)
    if (!held.has(model::turn_about(k))) return k;
  return 2;
}

/// A function that is 0 where a turn is held, equal to the turn at first order. With (i, j, k)
/// cyclic: if k alone is held −i_A · j_B; if k alone is free −j_A · k_B for i and i_A · k_B for j;
/// if all are held those two for x and y, and −x_A · y_B for z.
/// @param joint JointFrames; of JointRates without the drift, of a JointPlace the value alone.
/// @param turn held (contract).
template <class Joint>
[[nodiscard]] auto held_turn_terms(const Joint& joint, model::FreedomSet held,
                                   model::Freedom turn) {
  TALUS_ASSERT(held.has(turn) && model::is_turn(turn));
  const auto a = [&](int direction) -> Vec3 { return joint.J_A.E.col(direction % 3); };
  const auto b = [&](int direction) -> Vec3 { return joint.J_B.E.col(direction % 3); };
  const int t = model::direction(turn), k = central_turn(held);
  if (k < 0 || t == k) return scaled(cosine(joint, a(t + 1), b(t + 2)), -1);
  return t == (k + 1) % 3 ? scaled(cosine(joint, a(k + 2), b(k)), -1)
                          : cosine(joint, a(k + 1), b(k));
}

/// The effort of a motor that is not set-valued before it is bounded, in front of its gear [N, N
/// m].
/// @param value q, with whole turns [m, rad]; @param rate q̇.
[[nodiscard]] Real motor_effort(const model::Motor& motor, const model::TimeSpan& time, Real value,
                                Real rate);

/// What spring, damper and a motor that is not set-valued exert on an axis [N, N m], as functions
/// of its coordinate and rate, with means of targets over a span. Limits and dry friction are
/// set-valued and not among them.
/// @param value q, with whole turns [m, rad]; @param rate q̇.
[[nodiscard]] Real axis_effort(const model::AxisLaw& law, const model::TimeSpan& time, Real value,
                               Real rate);

}  // namespace talus::dynamics
