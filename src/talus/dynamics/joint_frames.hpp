#pragma once

#include <vector>

#include <talus/dynamics/jacobian_row.hpp>
#include <talus/math/spatial.hpp>
#include <talus/model/state.hpp>

// The two frames of a joint in motion, and the scalar functions of them that rows, coordinates and
// contacts of joints are made of.

namespace talus::dynamics {

/// Where a body is and how it moves, at its centre of mass, world axes.
struct BodyMotion {
  Vec3 p = Vec3::Zero();      ///< [m]
  Mat3 R = Mat3::Identity();  ///< R_WB
  Vec3 v = Vec3::Zero();      ///< [m/s]
  Vec3 w = Vec3::Zero();      ///< ω [rad/s]
};

/// The motion of a body as a state has it; kWorld rests.
[[nodiscard]] BodyMotion motion_of(const model::State& state, Index body);
/// Of all bodies.
void motions_of(const model::State& state, std::vector<BodyMotion>& motions);

/// A function Φ of the poses of two bodies: Φ̇ = row · v, and Φ̈ = row · v̇ + drift.
struct RowTerms {
  JacobianRow row;  ///< width 6
  Real value = 0, rate = 0, drift = 0;
};

/// A frame fixed in a body, and its origin where v̇ = 0: position, velocity, acceleration.
struct FrameMotion {
  Vec3 p, v, acceleration;
  Mat3 E;  ///< its axes as columns
  Vec3 w;  ///< ω of the body

  FrameMotion(const BodyMotion& body, const Vec3& p_B);
  FrameMotion(const BodyMotion& body, const Pose& X_BJ);
};

/// Both frames of a joint, J_A and J_B. O(1), as every function here.
struct JointFrames {
  Index body_a, body_b;  ///< of the rows
  BodyMotion A, B;
  FrameMotion J_A, J_B;
  Vec3 offset;        ///< d = P_B − P_A, between the origins [m]
  Vec3 velocity;      ///< u: of P_B as seen from A = Ṗ_B − v_A − ω_A × (P_B − p_A) [m/s]
  Vec3 acceleration;  ///< u̇ where v̇ = 0 [m/s²]

  JointFrames(Index body_a, Index body_b, const Pose& X_AJ, const Pose& X_BJ, const BodyMotion& A,
              const BodyMotion& B);
};

/// e · d: how far P_B is from P_A along a direction of A. The lever of A is P_B − p_A, so that the
/// rate is exact off the constraint too.
/// @param e unit, fixed in A, world axes.
[[nodiscard]] RowTerms along(const JointFrames& joint, const Vec3& e);

/// ‖d‖, with the direction x of J_A where it is 0.
[[nodiscard]] RowTerms distance(const JointFrames& joint);

/// u_A · u_B, the cosine between a direction of A and one of B.
/// @param u_A, u_B unit, fixed in A and in B, world axes.
[[nodiscard]] RowTerms cosine(const JointFrames& joint, const Vec3& u_A, const Vec3& u_B);

/// The angle in (−π, π] by which a direction of B is turned from x to y of A, both unit and
/// perpendicular: atan2(r · y, r · x). Its rate is the exact gradient whatever the tilt of the two
/// planes; undefined, and taken as 0, where r is perpendicular to both.
[[nodiscard]] RowTerms angle_from_a(const JointFrames& joint, const Vec3& r_B, const Vec3& x_A,
                                    const Vec3& y_A);
/// The same of a direction of A from x to y of B, with the sign of a turn of B against A about y×x.
[[nodiscard]] RowTerms angle_from_b(const JointFrames& joint, const Vec3& r_A, const Vec3& x_B,
                                    const Vec3& y_B);
/// asin(u_A · u_B), in [−π/2, π/2].
[[nodiscard]] RowTerms elevation(const JointFrames& joint, const Vec3& u_A, const Vec3& u_B);

/// The angle θ in [0, π] of the rotation of J_B against J_A, about the axis n: rate n · (ω_B −
/// ω_A). Where θ is 0 it has no axis, and x of J_A is taken.
[[nodiscard]] RowTerms rotation_angle(const JointFrames& joint);

/// The twist of J_B against J_A about z: 2 atan2(q_z, q_w) of the quaternion q of the rotation, the
/// angle about z that is left where the shortest tilt of z has been taken back. It does not depend
/// on where x and y of the frames point; singular where z is turned over.
[[nodiscard]] RowTerms twist_angle(const JointFrames& joint);

/// p + factor · r: of the same two bodies (contract).
[[nodiscard]] RowTerms combined(RowTerms p, const RowTerms& r, Real factor);

/// factor · p.
[[nodiscard]] RowTerms scaled(RowTerms p, Real factor);

/// The angle that differs from a given one by whole turns and is the nearest to another [rad].
[[nodiscard]] Real nearest_turn(Real angle, Real near);

}  // namespace talus::dynamics
