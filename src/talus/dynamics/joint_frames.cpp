#include <talus/dynamics/joint_frames.hpp>

#include <cmath>
#include <numbers>

namespace talus::dynamics {
namespace {

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
  for (std::size_t i = 0; i < motions.size(); ++i) {
    motions[i].p = state.position[i];
    motions[i].R = state.orientation[i].toRotationMatrix();
    motions[i].v = state.velocity[i];
    motions[i].w = state.angular_velocity[i];
  }
}

Real angle_from_a(const JointPlace&, const Vec3& r_B, const Vec3& x_A, const Vec3& y_A) {
  return std::atan2(r_B.dot(y_A), r_B.dot(x_A));
}

RowTerms angle_from_a(const JointFrames& joint, const Vec3& r_B, const Vec3& x_A, const Vec3& y_A) {
  const Angle angle(r_B, joint.B.w, x_A, y_A, joint.A.w);
  return turning(joint, angle.n, angle.value, angle.drift);
}

Real angle_from_b(const JointPlace&, const Vec3& r_A, const Vec3& x_B, const Vec3& y_B) {
  return std::atan2(r_A.dot(y_B), r_A.dot(x_B));
}

RowTerms angle_from_b(const JointFrames& joint, const Vec3& r_A, const Vec3& x_B, const Vec3& y_B) {
  const Angle angle(r_A, joint.A.w, x_B, y_B, joint.B.w);
  return turning(joint, -angle.n, angle.value, angle.drift);
}

Real elevation(const JointPlace&, const Vec3& u_A, const Vec3& u_B) {
  return std::atan2(u_A.dot(u_B), u_A.cross(u_B).norm());
}

RowTerms elevation(const JointFrames& joint, const Vec3& u_A, const Vec3& u_B) {
  const RowTerms sine = cosine(joint, u_A, u_B);
  const Real s = sine.value, c = u_A.cross(u_B).norm();
  if (c < 1e-12) return turning(joint, Vec3::Zero(), std::atan2(s, c), 0);
  return turning(joint, u_B.cross(u_A) / c, std::atan2(s, c),
                 sine.drift / c + s * sine.rate * sine.rate / (c * c * c));
}

Real rotation_angle(const JointPlace& joint) {
  const Quat q(joint.J_A.E.transpose() * joint.J_B.E);
  return 2 * std::atan2(q.vec().norm(), std::abs(q.w()));
}

RowTerms rotation_angle(const JointFrames& joint) {
  const Quat q(joint.J_A.E.transpose() * joint.J_B.E);
  const Real sine = q.vec().norm(), cosine = std::abs(q.w());  // of θ/2
  const Real angle = 2 * std::atan2(sine, cosine);
  const Vec3 spin = joint.B.w - joint.A.w;
  if (sine < 1e-12) {  // every way leads up: θ̇ = ‖s‖
    const Real rate = spin.norm();
    return turning(joint, rate > 0 ? Vec3(spin / rate) : Vec3(joint.J_A.E.col(0)), angle, 0);
  }
  const Vec3 n = joint.J_A.E * q.vec() * ((q.w() < 0 ? -1 : 1) / sine);
  // As seen from A the axis moves by ½ (cot(θ/2) s⊥ − n × s), s = ω_B − ω_A, s⊥ the part across n.
  const Vec3 across = spin - n * n.dot(spin);
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

Real nearest_turn(Real angle, Real near) {
  constexpr Real kTurn = 2 * std::numbers::pi;
  return angle + kTurn * std::round((near - angle) / kTurn);
}

}  // namespace talus::dynamics
