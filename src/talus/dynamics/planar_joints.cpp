#include <algorithm>
#include <cmath>
#include <numbers>

#include <talus/dynamics/planar_bodies.hpp>

// Rows, values and drifts of joints and drives, and where clearance joints and ropes touch.

namespace talus::dynamics {
namespace {

Vec3 with_moment(const Vec2& direction, const Vec2& arm) {
  return {direction.x(), direction.y(), cross(arm, direction)};
}

/// The same angle in (−π, π].
Real principal(Real angle) {
  constexpr Real kTurn = 2 * std::numbers::pi;
  return angle - kTurn * std::ceil((angle - std::numbers::pi) / kTurn);
}

}  // namespace

PlanarBodies::Point PlanarBodies::point(Index body, const Vec2& in_body, const VecX& q,
                                        const VecX& v) {
  const Index at = 3 * body;
  const Vec2 arm = rotation2d(q[at + 2]) * in_body;
  const Real w = v[at + 2];
  return {q.segment<2>(at) + arm, v.segment<2>(at) + w * perp(arm), -w * w * arm};
}

/// With u the relative velocity at the point and e the direction: rate e·u, drift
/// ė·u + e·(ω_B J (ṗ − v_B) − ω_A J (ṗ − v_A)), ė = turn_rate J e.
PlanarBodies::RowTerms PlanarBodies::relative_row(Index body_a, Index body_b, const VecX& q,
                                                  const VecX& v, const Vec2& point,
                                                  const Vec2& point_rate, const Vec2& direction,
                                                  Real turn_rate) {
  const Index a = 3 * body_a, b = 3 * body_b;
  const Vec2 arm_a = point - q.segment<2>(a), arm_b = point - q.segment<2>(b);
  const Vec2 v_a = v.segment<2>(a), v_b = v.segment<2>(b);
  const Real w_a = v[a + 2], w_b = v[b + 2];
  const Vec2 velocity = v_b + w_b * perp(arm_b) - v_a - w_a * perp(arm_a);
  const Vec2 change = w_b * perp(point_rate - v_b) - w_a * perp(point_rate - v_a);
  return {{body_a, body_b, -with_moment(direction, arm_a), with_moment(direction, arm_b)},
          direction.dot(velocity),
          turn_rate * perp(direction).dot(velocity) + direction.dot(change)};
}

void PlanarBodies::constraints(Real time, const VecX& q, const VecX& v,
                               ConstraintTerms& terms) const {
  const Index count = constraint_count();
  terms.rows.resize(static_cast<std::size_t>(count));
  terms.value.resize(count);
  terms.rate.resize(count);
  terms.drift.resize(count);
  Index next = 0;
  const auto add = [&](const JacobianRow& row, Real value, Real rate, Real drift) {
    terms.rows[static_cast<std::size_t>(next)] = row;
    terms.value[next] = value;
    terms.rate[next] = rate;
    terms.drift[next] = drift;
    ++next;
  };
  const auto add_along = [&](Index a, Index b, const Point& p, const Vec2& direction,
                             Real turn_rate, Real value, const model::TimeValue& law) {
    const RowTerms r = relative_row(a, b, q, v, p.position, p.velocity, direction, turn_rate);
    add(r.row, value - law.value, r.rate - law.rate, r.drift - law.acceleration);
  };
  const auto add_angle = [&](Index a, Index b, const model::TimeValue& law) {
    add({a, b, -Vec3::UnitZ(), Vec3::UnitZ()}, principal(q[3 * b + 2] - q[3 * a + 2] - law.value),
        v[3 * b + 2] - v[3 * a + 2] - law.rate, -law.acceleration);
  };
  const auto add_pin = [&](Index a, Index b, const Point& on_a, const Point& on_b) {
    const Vec2 arm_a = on_a.position - q.segment<2>(3 * a);
    const Vec2 arm_b = on_b.position - q.segment<2>(3 * b);
    for (int i = 0; i < 2; ++i) {
      const Vec2 e = Vec2::Unit(i);
      add({a, b, -with_moment(e, arm_a), with_moment(e, arm_b)},
          on_b.position[i] - on_a.position[i], on_b.velocity[i] - on_a.velocity[i],
          on_b.acceleration[i] - on_a.acceleration[i]);
    }
  };

  for (const model::Joint& joint : machine().joints) {
    const Index a = joint.body_a, b = joint.body_b;
    if (const auto* pin = std::get_if<model::RevoluteJoint>(&joint.kind)) {
      add_pin(a, b, point(a, pin->p_A, q, v), point(b, pin->p_B, q, v));
    } else if (const auto* guide = std::get_if<model::PrismaticJoint>(&joint.kind)) {
      const Point on_a = point(a, guide->p_A, q, v), on_b = point(b, guide->p_B, q, v);
      const Vec2 across = perp(rotation2d(q[3 * a + 2]) * guide->axis_A);
      add_along(a, b, on_b, across, v[3 * a + 2], across.dot(on_b.position - on_a.position), {});
      add_angle(a, b, {guide->angle, 0, 0});
    } else if (const auto* weld = std::get_if<model::WeldJoint>(&joint.kind)) {
      add_pin(a, b, point(a, weld->p_A, q, v), point(b, weld->p_B, q, v));
      add_angle(a, b, {weld->angle, 0, 0});
    } else if (const auto* rod = std::get_if<model::DistanceJoint>(&joint.kind)) {
      const Point on_a = point(a, rod->p_A, q, v), on_b = point(b, rod->p_B, q, v);
      const Vec2 between = on_b.position - on_a.position;
      const Real length = between.norm();
      const Vec2 u = length > 0 ? Vec2(between / length) : Vec2(Vec2::UnitX());
      const Real turn_rate = length > 0 ? perp(u).dot(on_b.velocity - on_a.velocity) / length : 0;
      add_along(a, b, on_b, u, turn_rate, length, {rod->length, 0, 0});
    } else if (const auto* slot = std::get_if<model::SlotJoint>(&joint.kind)) {
      const Point on_a = point(a, slot->p_A, q, v), on_b = point(b, slot->p_B, q, v);
      const Vec2 across = perp(rotation2d(q[3 * a + 2]) * slot->axis_A);
      add_along(a, b, on_b, across, v[3 * a + 2], across.dot(on_b.position - on_a.position), {});
    } else if (const auto* gear = std::get_if<model::GearJoint>(&joint.kind)) {
      const Real i = gear->ratio;
      add({a, b, i * Vec3::UnitZ(), Vec3::UnitZ()}, q[3 * b + 2] + i * q[3 * a + 2] - gear->offset,
          v[3 * b + 2] + i * v[3 * a + 2], 0);
    }
  }
  for (const model::Drive& drive : machine().drives) {
    const Index a = drive.body_a, b = drive.body_b;
    model::TimeValue law =
        drive.is_speed ? evaluate_integral(drive.law, time) : evaluate(drive.law, time);
    if (drive.is_speed) law.value += drive.start;
    if (drive.quantity == model::Drive::Quantity::angle) {
      add_angle(a, b, law);
    } else {
      const Point on_a = point(a, drive.p_A, q, v), on_b = point(b, drive.p_B, q, v);
      const Vec2 along = rotation2d(q[3 * a + 2]) * drive.axis_A;
      add_along(a, b, on_b, along, v[3 * a + 2], along.dot(on_b.position - on_a.position), law);
    }
  }
}

PlanarWitness PlanarBodies::meet_joint(const JointContact& contact, const VecX& q) const {
  const model::Joint& joint = machine().joints[static_cast<std::size_t>(contact.joint)];
  const PlanarPose A = pose(joint.body_a, q), B = pose(joint.body_b, q);
  PlanarWitness touch;
  touch.body_a = joint.body_a;
  touch.body_b = joint.body_b;
  /// A point of B that may not be farther from one of A than a limit.
  const auto hold = [&](const Vec2& p_A, const Vec2& p_B, Real limit, Real radius,
                        const Vec2& slot_A) {
    touch.corner = B.p + B.R * p_B;
    touch.centre = A.p + A.R * p_A;
    touch.is_point = true;
    if (slot_A != Vec2::Zero()) {  // the nearest point of the middle line
      const Vec2 end = A.R * slot_A;
      const Real share = end.dot(touch.corner - touch.centre) / end.squaredNorm();
      touch.centre += std::clamp(share, Real(-1), Real(1)) * end;
      touch.is_point = std::abs(share) > 1;
    }
    const Vec2 between = touch.corner - touch.centre;
    const Real distance = between.norm();
    touch.normal = distance > 0 ? Vec2(-between / distance) : Vec2(-Vec2::UnitX());
    touch.gap = limit - distance;
    touch.centre_distance = -distance;
    touch.offset = radius;
    touch.position = touch.corner - radius * touch.normal;
  };
  if (const auto* rope = std::get_if<model::RopeJoint>(&joint.kind)) {
    hold(rope->p_A, rope->p_B, rope->length, 0, Vec2::Zero());
  } else if (const auto* pin = std::get_if<model::RevoluteClearance>(&joint.kind)) {
    hold(pin->p_A, pin->p_B, pin->clearance, pin->pin_radius, pin->slot_A);
  } else {
    const auto& block = std::get<model::TranslationalClearance>(joint.kind);
    const Real along = contact.corner < 2 ? 0.5 : -0.5;
    const Real across = contact.corner % 2 == 0 ? 0.5 : -0.5;
    const Vec2 corner =
        block.p_B + along * block.length * block.axis_B + across * block.width * perp(block.axis_B);
    touch.corner = touch.position = B.p + B.R * corner;
    touch.normal = (across > 0 ? -1 : 1) * perp(A.R * block.axis_A);
    touch.centre = A.p + A.R * block.p_A;
    touch.centre_distance = touch.normal.dot(touch.corner - touch.centre);
    touch.gap = touch.centre_distance + (block.width + block.clearance) / 2;
  }
  return touch;
}

void PlanarBodies::joint_slip(Index i, Real /*time*/, const VecX& q, const VecX& v,
                              JointSlip& slip) const {
  slip.joint = friction_joints_[static_cast<std::size_t>(i)];
  const model::Joint& joint = machine().joints[static_cast<std::size_t>(slip.joint)];
  slip.first_constraint = rows_of_joint(slip.joint).first;
  const Index a = joint.body_a, b = joint.body_b;
  if (const auto* guide = std::get_if<model::PrismaticJoint>(&joint.kind)) {
    const Point on_b = point(b, guide->p_B, q, v);
    const Vec2 along = rotation2d(q[3 * a + 2]) * guide->axis_A;
    const RowTerms r = relative_row(a, b, q, v, on_b.position, on_b.velocity, along, v[3 * a + 2]);
    slip.row = r.row;
    slip.slip = r.rate;
    slip.drift = r.drift;
  } else {
    const Real radius = std::get<model::RevoluteJoint>(joint.kind).pin_radius;
    slip.row = {a, b, -radius * Vec3::UnitZ(), radius * Vec3::UnitZ()};
    slip.slip = radius * (v[3 * b + 2] - v[3 * a + 2]);
    slip.drift = 0;
  }
}

Real PlanarBodies::joint_normal_force(Index i, const VecX& multipliers) const {
  const Index index = friction_joints_[static_cast<std::size_t>(i)];
  const model::Joint& joint = machine().joints[static_cast<std::size_t>(index)];
  const Index row = rows_of_joint(index).first;
  const Real preload = joint.friction->preload;
  const auto* guide = std::get_if<model::PrismaticJoint>(&joint.kind);
  if (guide == nullptr) return preload + std::hypot(multipliers[row], multipliers[row + 1]);
  const Real force = multipliers[row] / 2;
  const Real pair = guide->length > 0 ? multipliers[row + 1] / guide->length : 0;
  return preload + std::abs(force + pair) + std::abs(force - pair);
}

JointFriction PlanarBodies::joint_friction(Index i) const {
  const auto index = static_cast<std::size_t>(friction_joints_[static_cast<std::size_t>(i)]);
  const model::Joint& joint = machine().joints[index];
  JointFriction friction{&joint.friction->law, joint.friction->preload};
  if (const auto* guide = std::get_if<model::PrismaticJoint>(&joint.kind)) {
    friction.is_guide = true;
    friction.moment_arm = guide->length / 2;
  }
  return friction;
}

void PlanarBodies::report(Real /*time*/, const VecX& q, const VecX& v, const HoldingForces& forces,
                          std::vector<Reaction>& all, std::vector<AxisReaction>& axes) const {
  reactions(*this, q, forces.multipliers, forces.friction, all);
  axes.clear();
  ContactTerms terms;
  for (Index i = 0; i < forces.normal.size(); ++i) {
    const Vec2 force(forces.normal[i], forces.tangential[i]);
    if (joint_of(i) < 0 || force.isZero(0)) continue;
    contact(i, q, v, terms);
    const Vec2 n = terms.direction.head<2>();
    add_contact(*this, q, i, terms.position.head<2>(), force.x() * n - force.y() * perp(n), all);
  }
}

}  // namespace talus::dynamics
