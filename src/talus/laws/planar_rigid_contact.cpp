#include <talus/laws/planar_rigid_contact.hpp>

#include <cmath>

#include <talus/dynamics/planar_narrow_phase.hpp>

namespace talus::laws {
namespace {

using dynamics::perp;

Vec3 in_space(const Vec2& v) { return {v.x(), v.y(), 0}; }

/// r with r × n = across and r × left_of(n) = along.
Vec3 arm_of(const Vec2& n, Real across, Real along) {
  return in_space(along * n - across * perp(n));
}

}  // namespace

PlanarRigidContact::PlanarRigidContact(const StepProblem& step, std::span<const Index> friction)
    : step_(step), friction_(friction.begin(), friction.end()) {
  problem_.force_speed = step.bodies.force_speed;
  for (std::size_t i = 0; i < step.normals.size(); ++i) add(i, friction_[i]);
  bool has_slip_bias = false;
  for (const problem::Resistance& resistance : problem_.resistance)
    has_slip_bias = has_slip_bias || !resistance.slip_bias.isZero(0);
  if (!has_slip_bias) problem_.resistance.clear();
}

std::uint32_t PlanarRigidContact::place_of(Index body) {
  const auto [found, is_new] =
      place_.try_emplace(body, static_cast<std::uint32_t>(problem_.bodies.size()));
  if (!is_new) return found->second;
  const VecX& inverse = step_.bodies.mass->inverse_diagonal();
  const Real per_mass = inverse[3 * body], per_inertia = inverse[3 * body + 2];
  const Real length = per_mass > 0 ? std::sqrt(per_mass / per_inertia) : 1;
  const Vec3 velocity = step_.bodies.free->segment<3>(3 * body);
  problem::BodyVelocity one;
  one.v = in_space(velocity.head<2>());
  one.s = {0, 0, length * velocity.z()};
  one.inverse_mass = per_mass;
  one.inverse_inertia = length * length * per_inertia;
  problem_.bodies.push_back(one);
  problem_.inverse_inertia.emplace_back(one.inverse_inertia * Mat3::Identity());
  problem_.length.push_back(length);
  problem_.place.push_back(in_space(step_.bodies.place->segment<2>(3 * body)));
  return found->second;
}

void PlanarRigidContact::add(std::size_t i, Index f) {
  const std::vector<dynamics::JacobianRow>& rows = step_.bodies.rows;
  const dynamics::JacobianRow& normal = rows[i];
  problem::GeneralContact contact;
  contact.body_a = place_of(normal.body_a);
  contact.body_b = place_of(normal.body_b);
  const Vec2 n = normal.b.head<2>();
  contact.normal = in_space(n);
  contact.bias = step_.normals[i].shift + step_.turn[static_cast<Index>(i)];
  Vec2 tangent = perp(n);
  Real along_a = 0, along_b = 0;  // r × left_of(n); nothing acts along it without friction
  problem::Resistance resistance;
  if (f >= 0) {
    const StepFriction& friction = step_.frictions[static_cast<std::size_t>(f)];
    const std::size_t row = step_.normals.size() + static_cast<std::size_t>(f);
    const dynamics::JacobianRow& slip = rows[row];
    const Real sign = slip.b.head<2>().dot(tangent) > 0 ? 1 : -1;
    tangent *= sign;
    along_a = -sign * slip.a[2];
    along_b = sign * slip.b[2];
    contact.friction = friction.element->kinetic_friction;
    resistance.friction_across = contact.friction;
    const Real bias = step_.turn[static_cast<Index>(row)] + friction.restitution * friction.before;
    resistance.slip_bias = bias * in_space(tangent);
  }
  contact.arm_a = arm_of(n, -normal.a[2], along_a) / problem_.length[contact.body_a];
  contact.arm_b = arm_of(n, normal.b[2], along_b) / problem_.length[contact.body_b];
  problem_.general.push_back(contact);
  problem_.resistance.push_back(resistance);
  tangent_.push_back(in_space(tangent));
}

problem::ContactImpulses PlanarRigidContact::impulses(const VecX& step) const {
  problem::ContactImpulses all = problem::zero_impulses(problem_);
  if (step.size() == 0) return all;
  const auto normals = static_cast<Index>(friction_.size());
  for (std::size_t i = 0; i < friction_.size(); ++i) {
    all.general[i] = step[static_cast<Index>(i)] * problem_.general[i].normal;
    if (friction_[i] >= 0) all.general[i] += step[normals + friction_[i]] * tangent_[i];
  }
  return all;
}

VecX PlanarRigidContact::step_impulses(const problem::ContactImpulses& impulses) const {
  VecX step = VecX::Zero(step_.b.size());
  const auto normals = static_cast<Index>(friction_.size());
  for (std::size_t i = 0; i < friction_.size(); ++i) {
    const Vec3& r = impulses.general[i];
    step[static_cast<Index>(i)] = r.dot(problem_.general[i].normal);
    if (friction_[i] >= 0) step[normals + friction_[i]] = r.dot(tangent_[i]);
  }
  return step;
}

}  // namespace talus::laws
