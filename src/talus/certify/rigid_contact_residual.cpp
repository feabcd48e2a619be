#include <talus/certify/rigid_contact_residual.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <talus/base/contract.hpp>

namespace talus::certify {
namespace {

using problem::BodyVelocity;
using problem::CentralContact;
using problem::GeneralContact;
using problem::RigidContact;

/// Foot of x on the cone {‖x_T‖ ≤ μ x·n} about a unit axis n, by the angle between x and the axis;
/// not the formula that solvers use.
Vec3 nearest_in_cone(const Vec3& x, const Vec3& n, Real friction) {
  const Real height = x.dot(n);
  const Vec3 radial = x - height * n;
  const Real radius = radial.norm();
  if (height >= 0 && radius <= friction * height) return x;  // height < 0: μ = 0 has 0 ≤ −0
  if (radius == 0) return Vec3::Zero();                      // below the apex on the axis
  const Vec3 edge =
      (n + friction * (radial / radius)) / std::sqrt(1 + friction * friction);  // unit generator
  return std::max(Real(0), x.dot(edge)) * edge;
}

/// Arms and bodies of a contact, and the trace of its block A.
struct Side {
  Vec3 arm_a, arm_b;
};
Side arms(const CentralContact& contact) { return {contact.normal, -contact.normal}; }
Side arms(const GeneralContact& contact) { return {contact.arm_a, contact.arm_b}; }

Real block_trace(const RigidContact& problem, const CentralContact& contact) {
  const BodyVelocity& a = problem.bodies[contact.body_a];
  const BodyVelocity& b = problem.bodies[contact.body_b];
  return 3 * (a.inverse_mass + b.inverse_mass) + 2 * (a.inverse_inertia + b.inverse_inertia);
}

Real block_trace(const RigidContact& problem, const GeneralContact& contact) {
  // tr(−[a]ₓ S [a]ₓ) = ‖a‖² tr S − a·S a
  const auto side = [&](std::uint32_t body, const Vec3& arm) {
    const Mat3& s = problem.inverse_inertia[body];
    return 3 * problem.bodies[body].inverse_mass + arm.squaredNorm() * s.trace() - arm.dot(s * arm);
  };
  return side(contact.body_a, contact.arm_a) + side(contact.body_b, contact.arm_b);
}

Vec3 spin_change(const RigidContact&, const CentralContact&, const BodyVelocity& body,
                 std::uint32_t, const Vec3& torque) {
  return body.inverse_inertia * torque;
}
Vec3 spin_change(const RigidContact& problem, const GeneralContact&, const BodyVelocity&,
                 std::uint32_t index, const Vec3& torque) {
  return problem.inverse_inertia[index] * torque;
}

template <class Contacts>
void add_impulses(const RigidContact& problem, const Contacts& contacts,
                  std::span<const Vec3> impulse, std::vector<BodyVelocity>& bodies) {
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const auto& contact = contacts[c];
    const Vec3& r = impulse[c];
    const auto [arm_a, arm_b] = arms(contact);
    BodyVelocity& a = bodies[contact.body_a];
    BodyVelocity& b = bodies[contact.body_b];
    a.v -= a.inverse_mass * r;
    a.s -= spin_change(problem, contact, a, contact.body_a, arm_a.cross(r));
    b.v += b.inverse_mass * r;
    b.s += spin_change(problem, contact, b, contact.body_b, arm_b.cross(r));
  }
}

/// Sums of squares and products over the contacts; Certificate is made of them.
struct Sums {
  Real map = 0, plain = 0, primal = 0, dual = 0;
  Real round_off = 0, work = 0, scale = 0, impulse = 0, velocity = 0, free = 0, start = 0;
  Real worst = -1, worst_velocity = 0;
  Index worst_contact = -1;
};

template <class Contact>
Vec3 relative_velocity(const Contact& contact, const std::vector<BodyVelocity>& bodies) {
  const auto [arm_a, arm_b] = arms(contact);
  const BodyVelocity& a = bodies[contact.body_a];
  const BodyVelocity& b = bodies[contact.body_b];
  return b.v + b.s.cross(arm_b) - a.v - a.s.cross(arm_a) + contact.bias * contact.normal;
}

// Of a relative velocity: some ten additions and products, each with half a unit of round-off.
constexpr Real kEpsilon = 8 * std::numeric_limits<Real>::epsilon();

/// Size of the numbers that a relative velocity is made of.
template <class Contact>
Real magnitude(const Contact& contact, const std::vector<BodyVelocity>& bodies) {
  const auto [arm_a, arm_b] = arms(contact);
  const BodyVelocity& a = bodies[contact.body_a];
  const BodyVelocity& b = bodies[contact.body_b];
  return a.v.norm() + b.v.norm() + a.s.norm() * arm_a.norm() + b.s.norm() * arm_b.norm() +
         std::abs(contact.bias);
}

template <class Contacts>
void add_residuals(const RigidContact& problem, const Contacts& contacts,
                   std::span<const Vec3> impulse, const std::vector<BodyVelocity>& bodies,
                   Index first, Sums& sums) {
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const auto& contact = contacts[c];
    const Vec3& n = contact.normal;
    const Vec3& r = impulse[c];
    const Real mu = contact.friction;
    const Real rho = 3 / block_trace(problem, contact);
    const Vec3 u = relative_velocity(contact, bodies);
    const Vec3 b = relative_velocity(contact, problem.bodies);
    const Vec3 shifted = u + mu * (u - u.dot(n) * n).norm() * n;  // û, De Saxcé

    const Real map = (r - nearest_in_cone(r - rho * shifted, n, mu)).squaredNorm();
    sums.map += map;
    if (map > sums.worst) {
      sums.worst = map;
      sums.worst_contact = first + static_cast<Index>(c);
    }
    sums.worst_velocity = std::max(sums.worst_velocity, std::sqrt(map) / rho);
    sums.plain += (r - nearest_in_cone(r - shifted, n, mu)).squaredNorm();
    sums.primal += (r - nearest_in_cone(r, n, mu)).squaredNorm();
    sums.dual +=
        rho * rho * nearest_in_cone(-shifted, n, mu).squaredNorm();  // û − P_K*(û) = −P_K(−û)
    sums.work += std::abs(r.dot(shifted));
    sums.scale += r.squaredNorm() / rho;
    sums.impulse += r.squaredNorm();
    sums.velocity += u.squaredNorm();
    sums.free += b.squaredNorm();
    const Real rounding =
        rho * kEpsilon * (magnitude(contact, bodies) + magnitude(contact, problem.bodies));
    sums.round_off += rounding * rounding;
    sums.start += nearest_in_cone(-rho * b, n, mu).squaredNorm();
  }
}

/// ‖v − velocity‖ over the larger of ‖v‖ and ‖v_free‖, every component weighted with the body's
/// mass.
Real motion_residual(const RigidContact& problem, const std::vector<BodyVelocity>& bodies,
                     std::span<const BodyVelocity> velocity) {
  Real difference = 0, end = 0, start = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyVelocity& free = problem.bodies[i];
    if (free.inverse_mass == 0) {  // no force moves it: any change at all is wrong
      if (velocity[i].v != free.v || velocity[i].s != free.s) return INFINITY;
      continue;
    }
    const Real mass = 1 / free.inverse_mass;
    difference += mass * ((bodies[i].v - velocity[i].v).squaredNorm() +
                          (bodies[i].s - velocity[i].s).squaredNorm());
    end += mass * (bodies[i].v.squaredNorm() + bodies[i].s.squaredNorm());
    start += mass * (free.v.squaredNorm() + free.s.squaredNorm());
  }
  const Real scale = std::max(end, start);
  return difference == 0 ? 0 : std::sqrt(difference / scale);
}

Real ratio(Real numerator, Real denominator) {
  return numerator == 0 ? 0 : numerator / denominator;
}

}  // namespace

Certificate certify(const RigidContact& problem, std::span<const Vec3> impulse,
                    std::span<const BodyVelocity> velocity) {
  TALUS_DEMAND(static_cast<Index>(impulse.size()) == problem.contact_count());
  TALUS_DEMAND(velocity.empty() || velocity.size() == problem.bodies.size());
  const auto central = impulse.first(problem.central.size());
  const auto general = impulse.subspan(problem.central.size());
  std::vector<BodyVelocity> bodies = problem.bodies;
  add_impulses(problem, problem.central, central, bodies);
  add_impulses(problem, problem.general, general, bodies);

  Sums sums;
  add_residuals(problem, problem.central, central, bodies, 0, sums);
  add_residuals(problem, problem.general, general, bodies,
                static_cast<Index>(problem.central.size()), sums);

  const Real scale = std::sqrt(sums.impulse > 0 ? sums.impulse : sums.start);
  Certificate certificate;
  certificate.natural_map = ratio(std::sqrt(sums.map), scale);
  certificate.plain =
      ratio(std::sqrt(sums.plain), std::sqrt(std::max({sums.free, sums.impulse, sums.velocity})));
  certificate.primal = ratio(std::sqrt(sums.primal), scale);
  certificate.dual = ratio(std::sqrt(sums.dual), scale);
  certificate.complementarity = ratio(sums.work, sums.scale);
  certificate.round_off = ratio(std::sqrt(sums.round_off), scale);
  certificate.equation_of_motion =
      velocity.empty() ? 0 : motion_residual(problem, bodies, velocity);
  certificate.worst_velocity = sums.worst_velocity;
  certificate.worst_contact = sums.worst_contact;
  certificate.worst_share = ratio(sums.worst, sums.map);
  certificate.is_finite =
      std::isfinite(certificate.natural_map) && std::isfinite(certificate.plain) &&
      std::isfinite(certificate.dual) && std::isfinite(certificate.complementarity) &&
      std::isfinite(certificate.equation_of_motion) && std::isfinite(sums.velocity);
  return certificate;
}

}  // namespace talus::certify
