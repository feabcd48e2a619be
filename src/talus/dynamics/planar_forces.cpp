#include <cmath>

#include <talus/dynamics/line_rows.hpp>
#include <talus/dynamics/planar_bodies.hpp>
#include <talus/dynamics/step_drag.hpp>
#include <talus/model/time_law.hpp>

// Forces of the bodies and of what is between them: Q and its potential.

namespace talus::dynamics {
namespace {

/// A point fixed in a body.
struct Attachment {
  Index at;  // first coordinate of the body
  Vec2 arm, position;

  Attachment(Index body, const Vec2& in_body, const VecX& q)
      : at(3 * body), arm(rotation2d(q[at + 2]) * in_body), position(q.segment<2>(at) + arm) {}

  void push(const Vec2& force, VecX& Q) const {
    Q.segment<2>(at) += force;
    Q[at + 2] += cross(arm, force);
  }
  /// The row of its velocity along a direction.
  [[nodiscard]] Vec3 along(const Vec2& direction) const {
    return {direction.x(), direction.y(), cross(arm, direction)};
  }
};

/// The two ends of a line force.
struct Line {
  Attachment a, b;
  Vec2 between;
  Real length;

  Line(const model::ForceElement& element, const model::LineForce& line, const VecX& q)
      : a(element.body_a, line.p_A, q),
        b(element.body_b, line.p_B, q),
        between(b.position - a.position),
        length(between.norm()) {}
};

/// Adds the springs and dampers of an element.
struct AddElastic {
  const model::ForceElement& element;
  Index index;
  const VecX& q;
  std::vector<ElasticRow>& rows;

  void operator()(const model::LineForce& line) const {
    if (line.stiffness == 0 && line.damping == 0) return;
    const Line at(element, line, q);
    for_each_line_row(
        at.between, line.stiffness, line.rest_length, line.damping,
        [&](const Vec2& e, Real stretch, Real stiffness, Real damping) {
          rows.push_back({index,
                          {element.body_a, element.body_b, -at.a.along(e), at.b.along(e)},
                          stretch,
                          stiffness,
                          damping});
        });
  }
  void operator()(const model::Torque& torque) const {
    if (torque.stiffness == 0 && torque.damping == 0) return;
    rows.push_back({index,
                    {element.body_a, element.body_b, -Vec3::UnitZ(), Vec3::UnitZ()},
                    q[3 * element.body_b + 2] - q[3 * element.body_a + 2] - torque.rest_angle,
                    torque.stiffness,
                    torque.damping});
  }
  void operator()(const model::PointForce& /*point*/) const {}
};

/// Adds what the law of time of an element exerts.
struct AddGiven {
  const model::ForceElement& element;
  model::TimeSpan time;
  const VecX& q;
  VecX& Q;

  void operator()(const model::LineForce& line) const {
    const Line at(element, line, q);
    if (at.length == 0) return;
    const Vec2 tension = mean(line.force, time).value / at.length * at.between;
    at.a.push(tension, Q);
    at.b.push(-tension, Q);
  }
  void operator()(const model::Torque& torque) const {
    const Real moment = mean(torque.moment, time).value;
    Q[3 * element.body_a + 2] -= moment;
    Q[3 * element.body_b + 2] += moment;
  }
  void operator()(const model::PointForce& point) const {
    const Attachment b(element.body_b, point.p_B, q);
    const Index a = 3 * element.body_a;
    const Vec2 force = mean(point.force, time).value * (rotation2d(q[a + 2]) * point.direction_A);
    b.push(force, Q);
    Q.segment<2>(a) -= force;
    Q[a + 2] -= cross(b.position - q.segment<2>(a), force);
  }
};

}  // namespace

const MassMatrix& PlanarBodies::step_mass(Real h, Real theta) const {
  if (model_.linear_damping == 0 && model_.angular_damping == 0) return mass_;
  const StepDrag drag(model_, h, theta);
  for (Index i = 0; i < body_count(); ++i)
    if (moves(i))
      step_mass_.set(i, model_.bodies[i].mass / drag.linear.yield,
                     model_.bodies[i].inertia(2, 2) / drag.angular.yield);
  return step_mass_;
}

void PlanarBodies::elastic_rows(const VecX& q, std::vector<ElasticRow>& rows) const {
  rows.clear();
  Index index = 0;
  for (const model::ForceElement& element : machine().forces)
    std::visit(AddElastic{element, index++, q, rows}, element.kind);
}

void PlanarBodies::given_force(const model::TimeSpan& time, const VecX& q, const VecX& v,
                               VecX& Q) const {
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
    std::visit(AddGiven{element, time, q, Q}, element.kind);
}

void PlanarBodies::force(const model::TimeSpan& time, const VecX& q, const VecX& v, VecX& Q) const {
  given_force(time, q, v, Q);
  elastic_rows(q, elastic_);
  add_elastic(elastic_, v, Q);
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
      const Real stretch = Line(element, *line, q).length - line->rest_length;
      sum += line->stiffness * stretch * stretch / 2;
    } else if (const auto* torque = std::get_if<model::Torque>(&element.kind)) {
      const Real twist = q[3 * element.body_b + 2] - q[3 * element.body_a + 2] - torque->rest_angle;
      sum += torque->stiffness * twist * twist / 2;
    }
  }
  return sum;
}

}  // namespace talus::dynamics
