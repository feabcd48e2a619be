#include "support/classic_machines.hpp"

#include <numbers>

namespace talus::test {

using model::kWorld;

SpatialMachineWorld chain_of_three() {
  SpatialMachineWorld world;
  const Mat3 inertia = Vec3(0.000215, 0.0014821296296296297, 0.0014821296296296297).asDiagonal();
  Index last = kWorld;
  for (int i = 0; i < 3; ++i) {
    const Index link = world.add_body(0.5, inertia, Vec3(0.2 * i + 0.1, 0, 0));
    world.add_joint(model::revolute_joint(), last, link, Vec3(0.2 * i, 0, 0),
                    i % 2 == 0 ? Vec3(0, 0.6, 0.8) : Vec3(0, 1, 0));
    last = link;
  }
  return world;
}

SpatialMachineWorld heavy_top() {
  SpatialMachineWorld world;
  const Index top =
      world.add_body(15, Vec3(0.234375, 0.46875, 0.234375).asDiagonal(), Vec3(0, 1, 0));
  world.state.angular_velocity[top] = Vec3(0, 150, -4.61538);
  world.state.velocity[top] = world.state.angular_velocity[top].cross(Vec3(0, 1, 0));
  world.add_joint(model::ball_joint(), kWorld, top, Vec3::Zero());
  return world;
}

SpatialMachineWorld bricard_loop() {
  const std::vector<Vec3> points{{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const std::vector<Vec3> axes{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  SpatialMachineWorld world(Vec3(0, -9.81, 0));
  Index last = kWorld;
  for (std::size_t i = 0; i < 5; ++i) {
    const Vec3 along = points[i + 1] - points[i];
    Mat3 inertia = Mat3::Identity() / 12;
    inertia -= (1.0 / 12 - 1e-3) * along * along.transpose();
    const Index rod = world.add_body(1, inertia, (points[i] + points[i + 1]) / 2);
    world.add_joint(model::revolute_joint(), last, rod, points[i], axes[i]);
    last = rod;
  }
  world.add_joint(model::revolute_joint(), kWorld, last, points[5], axes[5]);
  return world;
}

SpatialMachineWorld slider_crank() {
  SpatialMachineWorld world(Vec3::Zero());
  const Vec3 centre(0, 0.1, 0.12);
  const Mat3 inertia = 1e-3 * Mat3::Identity();
  const Index crank = world.add_body(0.5, inertia, centre);
  const Index slider = world.add_body(1, inertia, Vec3(0.2, 0, 0));
  const Index crank_pin =
      world.add_joint(model::revolute_joint(), kWorld, crank, centre, Vec3::UnitX());
  world.add_joint(model::prismatic_joint(), kWorld, slider, Vec3::Zero(), Vec3::UnitX());
  model::SpatialJoint rod;
  rod.name = "rod";
  rod.body_a = crank;
  rod.body_b = slider;
  rod.X_AJ.p = Vec3(0, 0, 0.08);
  rod.kind = model::Distance{0.3};
  world.machine->joints.push_back(rod);
  model::SpatialDrive drive;
  drive.name = "drive";
  drive.joint = crank_pin;
  drive.law = model::ConstantLaw{2 * std::numbers::pi};
  drive.is_rate = true;
  world.machine->drives.push_back(drive);
  world.state.angular_velocity[crank] = Vec3(2 * std::numbers::pi, 0, 0);
  return world;
}

SpatialMachineWorld jointed_boxes(Real height) {
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.5);
  world.add_floor();
  Index last = world.add_box(Vec3(0.2, 0.05, 0.05), Vec3(0.2, 0, height));
  for (int i = 1; i < 4; ++i) {
    const Index link = world.add_box(Vec3(0.2, 0.05, 0.05), Vec3(0.2 + 0.42 * i, 0, height));
    world.add_joint(i % 2 == 0 ? model::SpatialJointKind(model::ball_joint())
                               : model::SpatialJointKind(model::revolute_joint()),
                    last, link, Vec3(0.42 * i - 0.01, 0, height), Vec3(0, 1, 0));
    last = link;
  }
  return world;
}

SpatialMachineWorld bob_on_a_rope() {
  SpatialMachineWorld world;
  const Index bob = world.add_body(2, 0.01 * Mat3::Identity(), Vec3(0, 0, -1));
  model::SpatialJoint rope;
  rope.name = "rope";
  rope.body_b = bob;
  rope.kind = model::Rope{1};
  world.machine->joints.push_back(rope);
  world.state.velocity[bob] = Vec3(0, 0, 3);
  return world;
}

namespace {

/// A hinge with a position motor that holds it where it is.
void add_servo(SpatialMachineWorld& world, Index parent, Index link, const Vec3& pivot,
               const Vec3& axis) {
  const Index joint = world.add_joint(model::revolute_joint(), parent, link, pivot, axis);
  model::AxisLaw law;
  law.lower = -1;
  law.upper = 1;
  model::Motor motor;
  motor.mode = model::Motor::Mode::position;
  motor.stiffness = 80;
  motor.damping = 2;
  motor.lower_effort = -33;
  motor.upper_effort = 33;
  law.motor = motor;
  world.machine->joints[static_cast<std::size_t>(joint)].axes.push_back(law);
}

}  // namespace

void add_quadruped(SpatialMachineWorld& world, const Vec3& at) {
  const Index trunk = world.add_box(Vec3(0.25, 0.1, 0.06), at);
  for (const Real x : {-0.2, 0.2})
    for (const Real y : {-0.16, 0.16}) {
      const Vec3 hip = at + Vec3(x, y, 0);
      const Index shoulder = world.add(geometry::Sphere{0.04}, model::BodyKind::dynamic, hip);
      add_servo(world, trunk, shoulder, at + Vec3(x, y > 0 ? 0.1 : -0.1, 0), Vec3::UnitX());
      const auto add_link = [&](Index parent, Real below) {
        const Index link = world.add(geometry::Capsule{0.02, 0.08}, model::BodyKind::dynamic,
                                     hip - Vec3(0, 0, below + 0.1));
        add_servo(world, parent, link, hip - Vec3(0, 0, below), Vec3::UnitY());
        return link;
      };
      add_link(add_link(shoulder, 0), 0.2);
    }
}

Mechanism double_four_bar() {
  Mechanism linkage;
  Index upright[3], lying[2];
  for (int i = 0; i < 3; ++i) upright[i] = linkage.add_bar(1, Vec2(i, 0), Vec2(i, 1));
  for (int i = 0; i < 2; ++i) lying[i] = linkage.add_bar(1, Vec2(i, 1), Vec2(i + 1, 1));
  for (int i = 0; i < 3; ++i) linkage.add_pin(0, upright[i], Vec2(i, 0));
  for (int i = 0; i < 2; ++i) {
    linkage.add_pin(upright[i], lying[i], Vec2(i, 1));
    linkage.add_pin(upright[i + 1], lying[i], Vec2(i + 1, 1));
  }
  for (const Index bar : upright) {
    linkage.state.velocity[bar] = {0.5, 0, 0};
    linkage.state.angular_velocity[bar] = {0, 0, -1};
  }
  for (const Index bar : lying) linkage.state.velocity[bar] = {1, 0, 0};
  return linkage;
}

model::AxisLaw axis_with_effort(Real effort) {
  model::Motor motor;
  motor.mode = model::Motor::Mode::effort;
  motor.target = model::ConstantLaw{effort};
  model::AxisLaw law;
  law.motor = motor;
  return law;
}

SpatialMachineWorld wheel(Real inertia, const model::AxisLaw& law) {
  SpatialMachineWorld world(Vec3::Zero());
  const Index body = world.add_body(1, inertia * Mat3::Identity(), Vec3::Zero());
  const Index pin = world.add_joint(model::revolute_joint(), kWorld, body, Vec3::Zero());
  world.machine->joints[static_cast<std::size_t>(pin)].axes.push_back(law);
  return world;
}

SpatialMachineWorld contradicting_wheel() {
  SpatialMachineWorld world = wheel(0.1, {});
  for (const Real rate : {1.0, 2.0}) {
    model::SpatialDrive drive;
    drive.name = rate == 1 ? "slow" : "fast";
    drive.joint = 0;
    drive.law = model::ConstantLaw{rate};
    drive.is_rate = true;
    world.machine->drives.push_back(drive);
  }
  return world;
}

Index add_geared_wheel(SpatialMachineWorld& world, Real inertia) {
  const Index second = world.add_body(1, inertia * Mat3::Identity(), Vec3(1, 0, 0));
  world.add_joint(model::revolute_joint(), kWorld, second, Vec3(1, 0, 0));
  model::Coupling gear;
  gear.name = "gear";
  gear.terms = {{0, model::Freedom::turn_z, 4}, {1, model::Freedom::turn_z, 1}};
  world.machine->couplings.push_back(gear);
  return second;
}

SpatialMachineWorld lying_in_space(const Mechanism& flat, const Quat& turned) {
  SpatialMachineWorld world(turned * flat.model.gravity);
  for (Index i = 0; i < flat.model.body_count(); ++i) {
    const model::Body& body = flat.model.bodies[i];
    world.add_body(body.mass, body.inertia, turned * flat.state.position[i],
                   turned * flat.state.orientation[i]);
    world.model.bodies[i].kind = body.kind;
    world.state.velocity[i] = turned * flat.state.velocity[i];
    world.state.angular_velocity[i] = turned * flat.state.angular_velocity[i];
    world.machine->visual_only.push_back(i);
  }
  const auto in_space = [](const Vec2& point) { return Vec3(point.x(), point.y(), 0); };
  for (const model::Joint& joint : flat.machine->joints) {
    const auto& pin = std::get<model::RevoluteJoint>(joint.kind);
    model::SpatialJoint own;
    own.name = joint.name;
    own.body_a = joint.body_a;
    own.body_b = joint.body_b;
    own.X_AJ.p = in_space(pin.p_A);
    own.X_BJ.p = in_space(pin.p_B);
    own.kind = model::revolute_joint();
    world.machine->joints.push_back(own);
  }
  for (const model::ForceElement& force : flat.machine->forces) {
    model::SpatialForce own{force.name, force.body_a, force.body_b, model::AppliedTorque{}};
    if (const auto* line = std::get_if<model::LineForce>(&force.kind))
      own.kind = model::LineElement{in_space(line->p_A), in_space(line->p_B), line->stiffness,
                                    line->rest_length,   line->damping,       line->force};
    else
      own.kind = model::AppliedTorque{Vec3::UnitZ(), model::LoadFrame::of_a,
                                      std::get<model::Torque>(force.kind).moment};
    world.machine->forces.push_back(own);
  }
  return world;
}

}  // namespace talus::test
