#include "support/mechanism.hpp"

#include <cmath>
#include <string>

namespace talus::test {

Mechanism::Mechanism(Real gravity) {
  model.dimension = 2;
  model.gravity = Vec3(0, -gravity, 0);
  model.materials.push_back({"default", 0});
  model.laws.push_back({});
  model.machine = machine;
  model::Body ground;
  ground.kind = model::BodyKind::fixed;
  add(ground, Vec2::Zero(), 0);
}

Index Mechanism::add(const model::Body& body, const Vec2& position, Real angle) {
  model.bodies.push_back(body);
  model.bodies.back().shape = geometry::Sphere{1e-3};
  const Index index = model.body_count() - 1;
  state.resize(index + 1);
  state.position[index] = {position.x(), position.y(), 0};
  state.orientation[index] = Quat(std::cos(angle / 2), 0, 0, std::sin(angle / 2));
  machine->visual_only.push_back(index);
  return index;
}

Index Mechanism::add(Real mass, Real inertia, const Vec2& position, Real angle) {
  model::Body body;
  body.mass = mass;
  body.inertia = inertia * Mat3::Identity();
  return add(body, position, angle);
}

Index Mechanism::add_bar(Real mass, const Vec2& from, const Vec2& to) {
  const Vec2 along = to - from;
  return add(mass, mass * along.squaredNorm() / 12, (from + to) / 2,
             std::atan2(along.y(), along.x()));
}

Real Mechanism::turned(Index body) const {
  return (*state.internal.find(model::kAngles))[static_cast<std::size_t>(body)];
}

Real Mechanism::angle(Index body) const {
  return 2 * std::atan2(state.orientation[body].z(), state.orientation[body].w());
}

Vec2 Mechanism::in(Index body, const Vec2& world) const {
  return Eigen::Rotation2D<Real>(-angle(body)) * (world - state.position[body].head<2>());
}

Vec2 Mechanism::at(Index body, const Vec2& in_body) const {
  return state.position[body].head<2>() + Eigen::Rotation2D<Real>(angle(body)) * in_body;
}

void Mechanism::add_joint(Index a, Index b, const model::JointKind& kind) {
  machine->joints.push_back(
      {"joint " + std::to_string(machine->joints.size()), a, b, kind, std::nullopt, false});
}

void Mechanism::add_pin(Index a, Index b, const Vec2& world) {
  add_joint(a, b, model::RevoluteJoint{in(a, world), in(b, world), 0});
}

void Mechanism::add_motor(Index a, Index b, Real speed) {
  model::Drive drive;
  drive.name = "motor";
  drive.body_a = a;
  drive.body_b = b;
  drive.law = model::ConstantLaw{speed};
  drive.is_speed = true;
  drive.start = angle(b) - angle(a);
  machine->drives.push_back(drive);
}

}  // namespace talus::test
