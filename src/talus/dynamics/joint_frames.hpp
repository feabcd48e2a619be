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

/// A frame fixed in a body B, as B sees it.
struct FixedFrame {
  Vec3 p = Vec3::Zero();      ///< its origin [m]
  Mat3 E = Mat3::Identity();  ///< its axes as columns

  FixedFrame() = default;
  FixedFrame(const Pose& X_BJ) : p(X_BJ.p), E(X_BJ.q.toRotationMatrix()) {}
};

/// A frame fixed in a body, world axes.
struct FramePlace {
  Vec3 arm, p;  ///< of its origin about the body's centre, and the origin [m]
  Mat3 E;       ///< its axes as columns

  FramePlace(const BodyMotion& body, const Vec3& p_B)
      : arm(body.R * p_B), p(body.p + arm), E(body.R) {}
  FramePlace(const BodyMotion& body, const FixedFrame& frame)
      : arm(body.R * frame.p), p(body.p + arm), E(body.R * frame.E) {}
};

/// The same in motion: its origin where v̇ = 0.
struct FrameMotion : FramePlace {
  Vec3 v, acceleration;
  Vec3 w;  ///< ω of the body

  /// @param frame p_B, then its axes are those of the body, or a FixedFrame.
  template <class Frame>
  FrameMotion(const BodyMotion& body, const Frame& frame) : FramePlace(body, frame), w(body.w) {
    const Vec3 turning_velocity = w.cross(arm);
    v = body.v + turning_velocity;
    acceleration = w.cross(turning_velocity);
  }
};

/// Both frames of a joint, J_A and J_B. O(1), as every function here.
struct JointPlace {
  FramePlace J_A, J_B;
  Vec3 offset;  ///< d = P_B − P_A, between the origins [m]

  JointPlace(const FixedFrame& in_a, const FixedFrame& in_b, const BodyMotion& A,
             const BodyMotion& B)
      : J_A(A, in_a), J_B(B, in_b), offset(J_B.p - J_A.p) {}
};

/// The same in motion, as far as rows and rates go. The motions outlive it.
struct JointRates : JointPlace {
  Index body_a, body_b;  ///< of the rows
  const BodyMotion &A, &B;
  Vec3 velocity;  ///< u: of P_B as seen from A = Ṗ_B − v_A − ω_A × (P_B − p_A) [m/s]

  JointRates(Index a, Index b, const FixedFrame& in_a, const FixedFrame& in_b,
             const BodyMotion& motion_a, const BodyMotion& motion_b)
      : JointPlace(in_a, in_b, motion_a, motion_b),
        body_a(a),
        body_b(b),
        A(motion_a),
        B(motion_b),
        velocity(B.v + B.w.cross(J_B.arm) - A.v - A.w.cross(J_B.p - A.p)) {}
};

/// The same with what drifts need.
struct JointFrames {
  Index body_a, body_b;  ///< of the rows
  BodyMotion A, B;
  FrameMotion J_A, J_B;
  Vec3 offset;        ///< d
  Vec3 velocity;      ///< u, as in JointRates [m/s]
  Vec3 acceleration;  ///< u̇ where v̇ = 0 [m/s²]

  JointFrames(Index a, Index b, const FixedFrame& in_a, const FixedFrame& in_b,
              const BodyMotion& motion_a, const BodyMotion& motion_b)
      : body_a(a), body_b(b), A(motion_a), B(motion_b), J_A(motion_a, in_a), J_B(motion_b, in_b) {
    offset = J_B.p - J_A.p;
    velocity = J_B.v - A.v - A.w.cross(J_B.p - A.p);
    acceleration = J_B.acceleration - A.w.cross(J_B.v - A.v);
  }
};

/// Force and moment, or v and ω, as one vector.
[[nodiscard]] inline Vec6 joined(const Vec3& linear, const Vec3& angular) {
  Vec6 part;
  part.head<3>() = linear;
  part.tail<3>() = angular;
  return part;
}

/// A function whose gradient is a force on B along e at P_B, and its opposite on A.
/// @param joint JointFrames, or JointRates: without a drift. So in turning().
template <class Joint>
[[nodiscard, gnu::always_inline]] inline RowTerms pushing(const Joint& joint, const Vec3& e,
                                                          Real value, Real rate, Real drift = 0) {
  return {{joint.body_a, joint.body_b, -joined(e, (joint.J_B.p - joint.A.p).cross(e)),
           joined(e, (joint.J_B.p - joint.B.p).cross(e))},
          value,
          rate,
          drift};
}

/// A function with the rate n · (ω_B − ω_A).
template <class Joint>
[[nodiscard, gnu::always_inline]] inline RowTerms turning(const Joint& joint, const Vec3& n,
                                                          Real value, Real drift = 0) {
  return {{joint.body_a, joint.body_b, joined(Vec3::Zero(), -n), joined(Vec3::Zero(), n)},
          value,
          n.dot(joint.B.w - joint.A.w),
          drift};
}

/// e · d: how far P_B is from P_A along a direction of A. The lever of A is P_B − p_A, so that the
/// rate is exact off the constraint too. Of a JointPlace, here and below: the value alone; of
/// JointRates: without the drift.
/// @param e unit, fixed in A, world axes.
[[nodiscard]] inline Real along(const JointPlace& joint, const Vec3& e) {
  return e.dot(joint.offset);
}
[[nodiscard, gnu::always_inline]] inline RowTerms along(const JointRates& joint, const Vec3& e) {
  return pushing(joint, e, e.dot(joint.offset), e.dot(joint.velocity));
}
[[nodiscard]] inline RowTerms along(const JointFrames& joint, const Vec3& e) {
  return pushing(joint, e, e.dot(joint.offset), e.dot(joint.velocity),
                 joint.A.w.cross(e).dot(joint.velocity) + e.dot(joint.acceleration));
}

/// ‖d‖, with the direction x of J_A where it is 0.
[[nodiscard]] inline Real distance(const JointPlace& joint) { return joint.offset.norm(); }
[[nodiscard]] inline RowTerms distance(const JointFrames& joint) {
  const Real length = joint.offset.norm();
  const Vec3 u = length > 0 ? Vec3(joint.offset / length) : Vec3(joint.J_A.E.col(0));
  const Vec3 change = joint.J_B.v - joint.J_A.v;
  const Real rate = u.dot(change);
  const Real spread = length > 0 ? (change.squaredNorm() - rate * rate) / length : 0;
  return pushing(joint, u, length, rate,
                 spread + u.dot(joint.J_B.acceleration - joint.J_A.acceleration));
}

/// u_A · u_B, the cosine between a direction of A and one of B.
/// @param u_A, u_B unit, fixed in A and in B, world axes.
[[nodiscard]] inline Real cosine(const JointPlace&, const Vec3& u_A, const Vec3& u_B) {
  return u_A.dot(u_B);
}
[[nodiscard, gnu::always_inline]] inline RowTerms cosine(const JointRates& joint, const Vec3& u_A,
                                                         const Vec3& u_B) {
  return turning(joint, u_B.cross(u_A), u_A.dot(u_B));
}
[[nodiscard]] inline RowTerms cosine(const JointFrames& joint, const Vec3& u_A, const Vec3& u_B) {
  const Vec3 n_rate = joint.B.w.cross(u_B).cross(u_A) + u_B.cross(joint.A.w.cross(u_A));
  return turning(joint, u_B.cross(u_A), u_A.dot(u_B), n_rate.dot(joint.B.w - joint.A.w));
}

/// The angle in (−π, π] by which a direction of B is turned from x to y of A, both unit and
/// perpendicular: atan2(r · y, r · x). Its rate is the exact gradient whatever the tilt of the two
/// planes; undefined, and taken as 0, where r is perpendicular to both.
[[nodiscard]] Real angle_from_a(const JointPlace& joint, const Vec3& r_B, const Vec3& x_A,
                                const Vec3& y_A);
[[nodiscard]] RowTerms angle_from_a(const JointFrames& joint, const Vec3& r_B, const Vec3& x_A,
                                    const Vec3& y_A);
/// The same of a direction of A from x to y of B, with the sign of a turn of B against A about y×x.
[[nodiscard]] Real angle_from_b(const JointPlace& joint, const Vec3& r_A, const Vec3& x_B,
                                const Vec3& y_B);
[[nodiscard]] RowTerms angle_from_b(const JointFrames& joint, const Vec3& r_A, const Vec3& x_B,
                                    const Vec3& y_B);
/// asin(u_A · u_B), in [−π/2, π/2].
[[nodiscard]] Real elevation(const JointPlace& joint, const Vec3& u_A, const Vec3& u_B);
[[nodiscard]] RowTerms elevation(const JointFrames& joint, const Vec3& u_A, const Vec3& u_B);

/// The angle θ in [0, π] of the rotation of J_B against J_A, about the axis n: rate n · (ω_B −
/// ω_A). Where θ is 0 it grows whichever way B turns: n is the direction of ω_B − ω_A, the rate
/// ‖ω_B − ω_A‖; at rest there x of J_A is taken.
[[nodiscard]] Real rotation_angle(const JointPlace& joint);
[[nodiscard]] RowTerms rotation_angle(const JointFrames& joint);

/// The twist of J_B against J_A about z: 2 atan2(q_z, q_w) of the quaternion q of the rotation, the
/// angle about z that is left where the shortest tilt of z has been taken back. It does not depend
/// on where x and y of the frames point; singular where z is turned over.
[[nodiscard]] RowTerms twist_angle(const JointFrames& joint);

/// p + factor · r: of the same two bodies (contract).
[[nodiscard]] RowTerms combined(RowTerms p, const RowTerms& r, Real factor);

/// factor · p.
[[nodiscard]] inline Real scaled(Real p, Real factor) { return factor * p; }
[[nodiscard]] inline RowTerms scaled(RowTerms p, Real factor) {
  p.row.a *= factor;
  p.row.b *= factor;
  p.value *= factor;
  p.rate *= factor;
  p.drift *= factor;
  return p;
}

/// The angle that differs from a given one by whole turns and is the nearest to another [rad].
[[nodiscard]] Real nearest_turn(Real angle, Real near);

}  // namespace talus::dynamics
