#include <talus/dynamics/prescribed_motion.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus::dynamics {
namespace {

/// A scalar with its first and second derivative in time.
struct Course {
  Real value = 0, rate = 0, acceleration = 0;
};

Course harmonic(Real amplitude, Real frequency, Real phase, Real time) {
  const Real circular = 2 * std::numbers::pi * frequency;
  const Real s = amplitude * std::sin(circular * time + phase);
  return {s, amplitude * circular * std::cos(circular * time + phase), -circular * circular * s};
}

struct Apply {
  Real time;
  PrescribedMotion& m;

  /// R becomes S R, where S turns with the angular velocity s.
  void spin(const Quat& S, const Vec3& s, const Vec3& s_rate) const {
    const Vec3 carried = S * m.w;
    m.pose.q = S * m.pose.q;
    m.w_rate = s_rate + s.cross(carried) + S * m.w_rate;
    m.w = s + carried;
  }
  /// r = p − c becomes S r: its derivatives are s × S r + S ṙ and
  /// ṡ × S r + s × (s × S r) + 2 s × S ṙ + S r̈.
  void turn(const Vec3& point, const Vec3& axis, const Course& phi) const {
    const Quat S = rotation_exp(phi.value * axis);
    const Vec3 s = phi.rate * axis, s_rate = phi.acceleration * axis;
    const Vec3 r = S * (m.pose.p - point), r_rate = S * m.v;
    m.pose.p = point + r;
    m.v = s.cross(r) + r_rate;
    m.acceleration =
        s_rate.cross(r) + s.cross(s.cross(r)) + 2 * s.cross(r_rate) + S * m.acceleration;
    spin(S, s, s_rate);
    m.turn += axis.z() * phi.value;
  }
  void move(const Vec3& value, const Vec3& rate, const Vec3& acceleration) const {
    m.pose.p += value;
    m.v += rate;
    m.acceleration += acceleration;
  }

  void operator()(const model::ConstantRotation& t) const {
    turn(t.point, t.axis, {t.speed * time, t.speed});
  }
  void operator()(const model::HarmonicRotation& t) const {
    turn(t.point, t.axis, harmonic(t.amplitude, t.frequency, t.phase, time));
  }
  void operator()(const model::HarmonicTranslation& t) const {
    const Course s = harmonic(1, t.frequency, t.phase, time);
    move(s.value * t.amplitude, s.rate * t.amplitude, s.acceleration * t.amplitude);
  }
  void operator()(const model::ConstantTwist& t) const {
    move(time * t.velocity, t.velocity, Vec3::Zero());
    spin(rotation_exp(time * t.angular_velocity), t.angular_velocity, Vec3::Zero());
    m.turn += time * t.angular_velocity.z();
  }
  void operator()(const model::TabulatedMotion& t) const {
    const auto next = std::upper_bound(t.time.begin(), t.time.end(), time);
    const auto after = static_cast<std::size_t>(next - t.time.begin());
    const std::size_t before = after == 0 ? 0 : after - 1;
    const bool is_inside = after > 0 && after < t.time.size();
    const Real span = is_inside ? t.time[after] - t.time[before] : 1;
    const Real share = is_inside ? (time - t.time[before]) / span : 0;
    const std::size_t to = is_inside ? after : before;
    if (!t.angle.empty()) {
      const Real change = t.angle[to] - t.angle[before];
      turn(t.point, t.axis, {t.angle[before] + share * change, change / span});
    }
    if (!t.displacement.empty()) {
      const Vec3 change = t.displacement[to] - t.displacement[before];
      move(t.displacement[before] + share * change, change / span, Vec3::Zero());
    }
  }
};

}  // namespace

PrescribedMotion prescribed_motion(const std::vector<model::MotionTerm>& terms, const Pose& rest,
                                   Real time) {
  PrescribedMotion motion{rest};
  for (const model::MotionTerm& term : terms) std::visit(Apply{time, motion}, term);
  return motion;
}

Real next_kink(const std::vector<model::MotionTerm>& terms, Real time) {
  Real first = std::numeric_limits<Real>::infinity();
  for (const model::MotionTerm& term : terms)
    if (const auto* table = std::get_if<model::TabulatedMotion>(&term)) {
      const auto next = std::upper_bound(table->time.begin(), table->time.end(), time);
      if (next != table->time.end()) first = std::min(first, *next);
    }
  return first;
}

void prescribe(const model::Model& model, Real start, Real end, Real h, model::State& state) {
  const Real last = end - 1e-9 * h;  // a jump there is one of the next step
  const bool rebounds = !model.motions.empty() && model.has_restitution();
  for (const model::Motion& motion : model.motions) {
    const Pose now = model::pose_at(motion, start);
    Twist twist = model::twist_between(now, model::pose_at(motion, end), h);
    const auto next_jump = [&](Real after) { return next_kink(motion.terms, after); };
    if (rebounds && jumps_once(next_jump, start, last, h)) {
      const PrescribedMotion after =
          prescribed_motion(motion.terms, motion.rest, (next_jump(start) + end) / 2);
      twist = {after.v, after.w};
    }
    state.position[motion.body] = now.p;
    state.orientation[motion.body] = now.q;
    state.velocity[motion.body] = twist.v;
    state.angular_velocity[motion.body] = twist.w;
  }
}

}  // namespace talus::dynamics
