#include <talus/model/motion.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::model {
namespace {

Pose turned_about(const Vec3& point, const Vec3& axis, Real angle, const Pose& pose) {
  const Quat turn = rotation_exp(angle * axis);
  return {point + turn * (pose.p - point), turn * pose.q};
}

Real harmonic(Real frequency, Real phase, Real time) {
  return std::sin(2 * std::numbers::pi * frequency * time + phase);
}

/// Where a time stands in a table: entry and share of the way to the next one.
struct Position {
  std::size_t entry;
  Real share;
};
Position find(const std::vector<Real>& table, Real time) {
  if (time <= table.front()) return {0, 0};
  if (time >= table.back()) return {table.size() - 1, 0};
  const auto next = std::upper_bound(table.begin(), table.end(), time);
  const auto entry = static_cast<std::size_t>(next - table.begin()) - 1;
  return {entry, (time - table[entry]) / (table[entry + 1] - table[entry])};
}

template <class T>
T between(const std::vector<T>& values, Position at) {
  if (at.share == 0) return values[at.entry];
  return values[at.entry] + at.share * (values[at.entry + 1] - values[at.entry]);
}

struct Apply {
  Real time;
  const Pose& pose;

  Pose operator()(const ConstantRotation& t) const {
    return turned_about(t.point, t.axis, t.speed * time, pose);
  }
  Pose operator()(const HarmonicRotation& t) const {
    return turned_about(t.point, t.axis, t.amplitude * harmonic(t.frequency, t.phase, time), pose);
  }
  Pose operator()(const HarmonicTranslation& t) const {
    return {pose.p + harmonic(t.frequency, t.phase, time) * t.amplitude, pose.q};
  }
  Pose operator()(const ConstantTwist& t) const {
    return {pose.p + time * t.velocity, rotation_exp(time * t.angular_velocity) * pose.q};
  }
  Pose operator()(const TabulatedMotion& t) const {
    const Position at = find(t.time, time);
    Pose moved = t.angle.empty() ? pose : turned_about(t.point, t.axis, between(t.angle, at), pose);
    if (!t.displacement.empty()) moved.p += between(t.displacement, at);
    return moved;
  }
};

}  // namespace

Pose pose_at(const Motion& motion, Real time) {
  Pose pose = motion.rest;
  for (const MotionTerm& term : motion.terms) pose = std::visit(Apply{time, pose}, term);
  pose.q.normalize();
  return pose;
}

Twist twist_between(const Pose& from, const Pose& to, Real duration) {
  Quat turn = to.q * from.q.conjugate();
  if (turn.w() < 0) turn.coeffs() = -turn.coeffs();
  const Real sine = turn.vec().norm();  // of half the angle
  const Real scale = sine > 0 ? 2 * std::atan2(sine, turn.w()) / sine : 0;
  return {(to.p - from.p) / duration, scale / duration * turn.vec()};
}

}  // namespace talus::model
