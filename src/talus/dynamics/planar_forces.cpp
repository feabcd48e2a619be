#include <cmath>

#include <talus/dynamics/planar_bodies.hpp>

// Forces of the bodies and of what is between them: Q and its potential.

namespace talus::dynamics {
namespace {

/// A point fixed in a body.
struct Attachment {
  Index at;  // first coordinate of the body
  Vec2 arm, position, velocity;

  Attachment(Index body, const Vec2& in_body, const VecX& q, const VecX& v)
      : at(3 * body),
        arm(rotation2d(q[at + 2]) * in_body),
        position(q.segment<2>(at) + arm),
        velocity(v.segment<2>(at) + v[at + 2] * perp(arm)) {}

  void push(const Vec2& force, VecX& Q) const {
    Q.segment<2>(at) += force;
    Q[at + 2] += cross(arm, force);
  }
};

struct Add {
  const model::ForceElement& element;
  Real time;
  const VecX& q;
  const VecX& v;
  VecX& Q;

  void operator()(const model::LineForce& line) const {
    const Attachment a(element.body_a, line.p_A, q, v), b(element.body_b, line.p_B, q, v);
    const Vec2 between = b.position - a.position;
    const Real length = between.norm();
    if (length == 0) return;  // no line, no direction
    const Vec2 u = between / length;
    const Real tension = line.stiffness * (length - line.rest_length) +
                         line.damping * u.dot(b.velocity - a.velocity) +
                         evaluate(line.force, time).value;
    a.push(tension * u, Q);
    b.push(-tension * u, Q);
  }
  void operator()(const model::Torque& torque) const {
    const Index a = 3 * element.body_a + 2, b = 3 * element.body_b + 2;
    const Real moment = -torque.stiffness * (q[b] - q[a] - torque.rest_angle) -
                        torque.damping * (v[b] - v[a]) + evaluate(torque.moment, time).value;
    Q[a] -= moment;
    Q[b] += moment;
  }
  void operator()(const model::PointForce& point) const {
    const Attachment b(element.body_b, point.p_B, q, v);
    const Index a = 3 * element.body_a;
    const Vec2 force =
        evaluate(point.force, time).value * (rotation2d(q[a + 2]) * point.direction_A);
    b.push(force, Q);
    Q.segment<2>(a) -= force;
    Q[a + 2] -= cross(b.position - q.segment<2>(a), force);
  }
};

}  // namespace

void PlanarBodies::force(Real time, const VecX& q, const VecX& v, VecX& Q) const {
  Q.setZero(coordinate_count());
  for (Index i = 0; i < body_count(); ++i) {
    if (!moves(i)) continue;
    const model::Body& body = model_.bodies[i];
    const Index at = 3 * i;
    Q.segment<2>(at) =
        body.mass * (model_.gravity.head<2>() - model_.linear_damping * v.segment<2>(at));
    Q[at + 2] = -body.inertia(2, 2) * model_.angular_damping * v[at + 2];
  }
  for (const model::ForceElement& element : machine().forces)
    std::visit(Add{element, time, q, v, Q}, element.kind);
}

Real PlanarBodies::kinetic_energy(const VecX& /*q*/, const VecX& v) const {
  Real sum = 0;
  for (Index i = 0; i < body_count(); ++i) {
    if (!moves(i)) continue;
    const model::Body& body = model_.bodies[i];
    sum += (body.mass * v.segment<2>(3 * i).squaredNorm() +
            body.inertia(2, 2) * v[3 * i + 2] * v[3 * i + 2]) /
           2;
  }
  return sum;
}

Real PlanarBodies::potential_energy(Real /*time*/, const VecX& q) const {
  Real sum = 0;
  for (Index i = 0; i < body_count(); ++i)
    if (moves(i)) sum -= model_.bodies[i].mass * model_.gravity.head<2>().dot(q.segment<2>(3 * i));
  for (const model::ForceElement& element : machine().forces) {
    if (const auto* line = std::get_if<model::LineForce>(&element.kind)) {
      const Index a = 3 * element.body_a, b = 3 * element.body_b;
      const Vec2 between = q.segment<2>(b) + rotation2d(q[b + 2]) * line->p_B - q.segment<2>(a) -
                           rotation2d(q[a + 2]) * line->p_A;
      const Real stretch = between.norm() - line->rest_length;
      sum += line->stiffness * stretch * stretch / 2;
    } else if (const auto* torque = std::get_if<model::Torque>(&element.kind)) {
      const Real twist = q[3 * element.body_b + 2] - q[3 * element.body_a + 2] - torque->rest_angle;
      sum += torque->stiffness * twist * twist / 2;
    }
  }
  return sum;
}

}  // namespace talus::dynamics
