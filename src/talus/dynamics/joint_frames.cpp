#include <talus/dynamics/joint_frames.hpp>

#include <cmath>
#include <numbers>

namespace talus::dynamics {
namespace {

Vec6 joined(const Vec3& linear, const Vec3& angular) {
  Vec6 part;
  part << linear, angular;
  return part;
}

/// A function with the rate n · (ω_B − ω_A).
RowTerms turning(const JointFrames& joint, const Vec3& n, Real value, Real drift) {
  const Vec3 zero = Vec3::Zero();
  return {{joint.body_a, joint.body_b, joined(zero, -n), joined(zero, n)},
          value,
          n.dot(joint.B.w - joint.A.w),
          drift};
}

/// The angle of r, fixed in one body, from x to y, fixed in the other, against which it turns with
/// the angular velocity `spin`. With c = r · x, s = r · y, m = c y − s x and ρ² = c² + s² the angle
/// changes at the rate n · spin, n = r × m/ρ².
struct Angle {
  Real value = 0, drift = 0;
  Vec3 n = Vec3::Zero();

  Angle(const Vec3& r, const Vec3& w_r, const Vec3& x, const Vec3& y, const Vec3& w_xy) {
    const Real c = r.dot(x), s = r.dot(y), square = c * c + s * s;
    value = std::atan2(s, c);
    if (square < 1e-24) return;  // r is along x × y to round-off: no angle
    const Vec3 spin = w_r - w_xy;
    const Vec3 r_rate = w_r.cross(r), x_rate = w_xy.cross(x), y_rate = w_xy.cross(y);
    const Real c_rate = spin.dot(r.cross(x)), s_rate = spin.dot(r.cross(y));
    const Vec3 m = c * y - s * x;
    const Vec3 m_rate = c_rate * y + c * y_rate - s_rate * x - s * x_rate;
    n = r.cross(m) / square;
    const Vec3 n_rate =
        (r_rate.cross(m) + r.cross(m_rate) - 2 * (c * c_rate + s * s_rate) * n) / square;
    drift = spin.dot(n_rate);
  }
};

}  // namespace

BodyMotion motion_of(const model::State& state, Index body) {
  if (body < 0) return {};
  return {state.position[body], state.orientation[body].toRotationMatrix(), state.velocity[body],
          state.angular_velocity[body]};
}

void motions_of(const model::State& state, std::vector<BodyMotion>& motions) {
  motions.resize(state.position.size());
  for (std::size_t i = 0; i < motions.size(); ++i)
    motions[i] = motion_of(state, static_cast<Index>(i));
}

FrameMotion::FrameMotion(const BodyMotion& body, const Vec3& p_B) : E(body.R), w(body.w) {
  const Vec3 arm = body.R * p_B, turning_velocity = w.cross(arm);
  p = body.p + arm;
  v = body.v + turning_velocity;
  acceleration = w.cross(turning_velocity);
}

FrameMotion::FrameMotion(const BodyMotion& body, const Pose& X_BJ) : FrameMotion(body, X_BJ.p) {
  E = body.R * X_BJ.q.toRotationMatrix();
}

JointFrames::JointFrames(Index a, Index b, const Pose& X_AJ, const Pose& X_BJ,
                         const BodyMotion& motion_a, const BodyMotion& motion_b)
    : body_a(a), body_b(b), A(motion_a), B(motion_b), J_A(motion_a, X_AJ), J_B(motion_b, X_BJ) {
  offset = J_B.p - J_A.p;
  velocity = J_B.v - A.v - A.w.cross(J_B.p - A.p);
  acceleration = J_B.acceleration - A.w.cross(J_B.v - A.v);
}

RowTerms along(const JointFrames& joint, const Vec3& e) {
  return {{joint.body_a, joint.body_b, -joined(e, (joint.J_B.p - joint.A.p).cross(e)),
           joined(e, (joint.J_B.p - joint.B.p).cross(e))},
          e.dot(joint.offset),
          e.dot(joint.velocity),
          joint.A.w.cross(e).dot(joint.velocity) + e.dot(joint.acceleration)};
}

RowTerms distance(const JointFrames& joint) {
  const Real length = joint.offset.norm();
  const Vec3 u = length > 0 ? Vec3(joint.offset / length) : Vec3(joint.J_A.E.col(0));
  const Vec3 change = joint.J_B.v - joint.J_A.v;
  const Real rate = u.dot(change);
  const Real spread = length > 0 ? (change.squaredNorm() - rate * rate) / length : 0;
  return {{joint.body_a, joint.body_b, -joined(u, (joint.J_B.p - joint.A.p).cross(u)),
           joined(u, (joint.J_B.p - joint.B.p).cross(u))},
          length,
          rate,
          spread + u.dot(joint.J_B.acceleration - joint.J_A.acceleration)};
}

RowTerms cosine(const JointFrames& joint, const Vec3& u_A, const Vec3& u_B) {
  const Vec3 n_rate = joint.B.w.cross(u_B).cross(u_A) + u_B.cross(joint.A.w.cross(u_A));
  return turning(joint, u_B.cross(u_A), u_A.dot(u_B), n_rate.dot(joint.B.w - joint.A.w));
}

RowTerms angle_from_a(const JointFrames& joint, const Vec3& r_B, const Vec3& x_A, const Vec3& y_A) {
  const Angle angle(r_B, joint.B.w, x_A, y_A, joint.A.w);
  return turning(joint, angle.n, angle.value, angle.drift);
}

RowTerms angle_from_b(const JointFrames& joint, const Vec3& r_A, const Vec3& x_B, const Vec3& y_B) {
  const Angle angle(r_A, joint.A.w, x_B, y_B, joint.B.w);
  return turning(joint, -angle.n, angle.value, angle.drift);
}

RowTerms elevation(const JointFrames& joint, const Vec3& u_A, const Vec3& u_B) {
  const RowTerms sine = cosine(joint, u_A, u_B);
  const Real s = sine.value, c = u_A.cross(u_B).norm();
  if (c < 1e-12) return turning(joint, Vec3::Zero(), std::atan2(s, c), 0);
  return turning(joint, u_B.cross(u_A) / c, std::atan2(s, c),
                 sine.drift / c + s * sine.rate * sine.rate / (c * c * c));
}

RowTerms rotation_angle(const JointFrames& joint) {
  const Quat q(joint.J_A.E.transpose() * joint.J_B.E);
  const Real sine = q.vec().norm(), cosine = std::abs(q.w());  // of θ/2
  const Real angle = 2 * std::atan2(sine, cosine);
  if (sine < 1e-12) return turning(joint, joint.J_A.E.col(0), angle, 0);
  const Vec3 n = joint.J_A.E * q.vec() * ((q.w() < 0 ? -1 : 1) / sine);
  // As seen from A the axis moves by ½ (cot(θ/2) s⊥ − n × s), s = ω_B − ω_A, s⊥ the part across n.
  const Vec3 spin = joint.B.w - joint.A.w, across = spin - n * n.dot(spin);
  return turning(joint, n, angle,
                 joint.A.w.cross(n).dot(spin) + cosine / sine * across.squaredNorm() / 2);
}

RowTerms twist_angle(const JointFrames& joint) {
  const Quat q(joint.J_A.E.transpose() * joint.J_B.E);
  const Real w = q.w(), x = q.x(), y = q.y(), z = q.z(), square = w * w + z * z;
  const Real angle = 2 * std::atan2(z, w);
  if (square < 1e-24) return turning(joint, joint.J_A.E.col(2), angle, 0);  // half a turn across z
  const Vec3 spin = joint.B.w - joint.A.w, own = joint.J_A.E.transpose() * spin;
  const Vec3 along_a(x * z + w * y, y * z - w * x, square);
  // q̇ = ½ (0, own) q.
  const Quat rate = Quat(0, own.x() / 2, own.y() / 2, own.z() / 2) * q;
  const Real square_rate = 2 * (w * rate.w() + z * rate.z());
  const Vec3 along_rate(rate.x() * z + x * rate.z() + rate.w() * y + w * rate.y(),
                        rate.y() * z + y * rate.z() - rate.w() * x - w * rate.x(), square_rate);
  const Vec3 n = joint.J_A.E * along_a / square;
  const Vec3 n_rate = (along_rate - along_a * (square_rate / square)) / square;
  return turning(joint, n, angle, joint.A.w.cross(n).dot(spin) + n_rate.dot(own));
}

RowTerms combined(RowTerms p, const RowTerms& r, Real factor) {
  p.row.add(r.row, factor);
  p.value += factor * r.value;
  p.rate += factor * r.rate;
  p.drift += factor * r.drift;
  return p;
}

RowTerms scaled(RowTerms p, Real factor) {
  p.row.a *= factor;
  p.row.b *= factor;
  p.value *= factor;
  p.rate *= factor;
  p.drift *= factor;
  return p;
}

Real nearest_turn(Real angle, Real near) {
  constexpr Real kTurn = 2 * std::numbers::pi;
  return angle + kTurn * std::round((near - angle) / kTurn);
}

}  // namespace talus::dynamics
