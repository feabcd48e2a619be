#include "support/units.hpp"

#include <talus/base/contract.hpp>

namespace talus::test {
namespace {

/// @param value the unit of the law's values.
void change(model::TimeLaw& law, Real value, const Units& units) {
  if (auto* constant = std::get_if<model::ConstantLaw>(&law)) {
    constant->value *= value;
  } else if (auto* ramp = std::get_if<model::RampLaw>(&law)) {
    ramp->value *= value;
    ramp->slope *= value / units.time;
  } else if (auto* wave = std::get_if<model::HarmonicLaw>(&law)) {
    wave->mean *= value;
    wave->amplitude *= value;
    wave->frequency /= units.time;
  } else {
    TALUS_DEMAND(false);
  }
}

void change(model::Model& model, model::State& state, const Units& units) {
  model.gravity *= units.speed() / units.time;
  model.linear_damping /= units.time;
  model.angular_damping /= units.time;
  for (model::Body& body : model.bodies) {
    body.mass *= units.mass;
    body.inertia *= units.mass * units.length * units.length;
    body.X_BS.p *= units.length;
    if (auto* sphere = std::get_if<geometry::Sphere>(&body.shape)) sphere->radius *= units.length;
  }
  state.time *= units.time;
  for (Vec3& p : state.position) p *= units.length;
  for (Vec3& v : state.velocity) v *= units.speed();
  for (Vec3& w : state.angular_velocity) w /= units.time;
}

/// Effort per coordinate of an axis.
Real stiffness(bool is_turn, const Units& units) {
  return is_turn ? units.moment() : units.force() / units.length;
}

void change(model::AxisLaw& law, const Units& units) {
  const bool is_turn = model::is_turn(law.axis);
  const Real k = stiffness(is_turn, units), coordinate = is_turn ? 1 : units.length;
  law.stiffness *= k;
  law.damping *= k * units.time;
  law.armature *= k * units.time * units.time;
  law.rest *= coordinate;
  if (!law.motor) return;
  model::Motor& motor = *law.motor;
  motor.stiffness *= k;
  motor.damping *= k * units.time;
  motor.lower_effort *= k * coordinate;
  motor.upper_effort *= k * coordinate;
  using enum model::Motor::Mode;
  change(motor.target,
         motor.mode == effort     ? k * coordinate
         : motor.mode == position ? coordinate
                                  : coordinate / units.time,
         units);
}

/// LineElement and LineForce.
template <class Element>
void change_line(Element& line, const Units& units) {
  line.p_A *= units.length;
  line.p_B *= units.length;
  line.stiffness *= stiffness(false, units);
  line.rest_length *= units.length;
  line.damping *= stiffness(false, units) * units.time;
  change(line.force, units.force(), units);
}

void change(model::Bushing& bushing, const Units& units) {
  bushing.X_AJ.p *= units.length;
  bushing.X_BJ.p *= units.length;
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j) {
      const Real of_turns = (i < 3 ? 1 : units.length) * (j < 3 ? 1 : units.length);
      bushing.stiffness(i, j) *= stiffness(false, units) * of_turns;
      bushing.damping(i, j) *= stiffness(false, units) * of_turns * units.time;
    }
}

void change(model::SpatialForceKind& kind, const Units& units) {
  if (auto* line = std::get_if<model::LineElement>(&kind)) {
    change_line(*line, units);
  } else if (auto* torsion = std::get_if<model::TorsionElement>(&kind)) {
    torsion->X_AJ.p *= units.length;
    torsion->X_BJ.p *= units.length;
    torsion->stiffness *= units.moment();
    torsion->damping *= units.moment() * units.time;
    change(torsion->moment, units.moment(), units);
  } else if (auto* bushing = std::get_if<model::Bushing>(&kind)) {
    change(*bushing, units);
  } else if (auto* force = std::get_if<model::AppliedForce>(&kind)) {
    force->p_B *= units.length;
    change(force->force, units.force(), units);
  } else if (auto* torque = std::get_if<model::AppliedTorque>(&kind)) {
    change(torque->moment, units.moment(), units);
  }
}

}  // namespace

void change_units(SpatialMachineWorld& world, const Units& units) {
  change(world.model, world.state, units);
  for (model::SpatialJoint& joint : world.machine->joints) {
    joint.X_AJ.p *= units.length;
    joint.X_BJ.p *= units.length;
    if (auto* screw = std::get_if<model::Screw>(&joint.kind)) screw->pitch *= units.length;
    if (auto* rod = std::get_if<model::Distance>(&joint.kind)) rod->length *= units.length;
    for (model::AxisLaw& law : joint.axes) change(law, units);
  }
  for (model::SpatialDrive& drive : world.machine->drives) {
    const Real value = model::is_turn(drive.axis) ? 1 : units.length;
    change(drive.law, drive.is_rate ? value / units.time : value, units);
    drive.start *= value;
  }
  for (model::SpatialForce& force : world.machine->forces) change(force.kind, units);
}

void change_units(Mechanism& mechanism, const Units& units) {
  change(mechanism.model, mechanism.state, units);
  for (model::Joint& joint : mechanism.machine->joints)
    std::visit(
        [&](auto& kind) {
          if constexpr (requires { kind.p_A; }) {
            kind.p_A *= units.length;
            kind.p_B *= units.length;
          }
          if constexpr (requires { kind.length; }) kind.length *= units.length;
          if constexpr (requires { kind.pin_radius; }) kind.pin_radius *= units.length;
        },
        joint.kind);
  for (model::Drive& drive : mechanism.machine->drives) {
    const Real value = drive.quantity == model::Drive::Quantity::angle ? 1 : units.length;
    drive.p_A *= units.length;
    drive.p_B *= units.length;
    change(drive.law, drive.is_speed ? value / units.time : value, units);
    drive.start *= value;
  }
  for (model::ForceElement& force : mechanism.machine->forces) {
    if (auto* line = std::get_if<model::LineForce>(&force.kind)) {
      change_line(*line, units);
    } else if (auto* torque = std::get_if<model::Torque>(&force.kind)) {
      torque->stiffness *= units.moment();
      torque->damping *= units.moment() * units.time;
      change(torque->moment, units.moment(), units);
    } else if (auto* point = std::get_if<model::PointForce>(&force.kind)) {
      point->p_B *= units.length;
      change(point->force, units.force(), units);
    }
  }
}

}  // namespace talus::test
