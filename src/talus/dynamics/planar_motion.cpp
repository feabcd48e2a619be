#include <talus/dynamics/planar_motion.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <talus/dynamics/planar_narrow_phase.hpp>

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
  PlanarMotion& m;

  /// r = p − c becomes R(φ) r: its derivatives are R (ṙ + φ̇ J r) and
  /// R (r̈ + 2 φ̇ J ṙ + φ̈ J r − φ̇² r).
  void turn(const Vec3& point, const Vec3& axis, Course phi) const {
    const Real sign = axis.z() < 0 ? -1 : 1;
    phi = {sign * phi.value, sign * phi.rate, sign * phi.acceleration};
    const Mat2 R = rotation2d(phi.value);
    const Vec2 r = m.q.head<2>() - point.head<2>(), r1 = m.v.head<2>(),
               r2 = m.acceleration.head<2>();
    m.q.head<2>() = point.head<2>() + R * r;
    m.v.head<2>() = R * (r1 + phi.rate * perp(r));
    m.acceleration.head<2>() =
        R * (r2 + 2 * phi.rate * perp(r1) + phi.acceleration * perp(r) - phi.rate * phi.rate * r);
    m.q[2] += phi.value;
    m.v[2] += phi.rate;
    m.acceleration[2] += phi.acceleration;
  }
  void move(const Vec3& value, const Vec3& rate, const Vec3& acceleration) const {
    m.q.head<2>() += value.head<2>();
    m.v.head<2>() += rate.head<2>();
    m.acceleration.head<2>() += acceleration.head<2>();
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
    m.q[2] += time * t.angular_velocity.z();
    m.v[2] += t.angular_velocity.z();
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

PlanarMotion planar_motion(const std::vector<model::MotionTerm>& terms, const Vec3& rest,
                           Real time) {
  PlanarMotion motion{rest};
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

}  // namespace talus::dynamics
