#pragma once

#include <memory>
#include <numbers>

#include <talus/base/random.hpp>
#include <talus/dynamics/planar_bodies.hpp>
#include <talus/geometry/polytope.hpp>

// Planar models with every kind of joint, drive, force element and shape, at random states.

namespace talus::test {

inline Vec2 point(Random& random) { return {random.uniform(-1, 1), random.uniform(-1, 1)}; }
inline Vec2 direction(Random& random) {
  const Real angle = random.uniform(-3, 3);
  return {std::cos(angle), std::sin(angle)};
}

/// A model with its state.
struct PlanarModel {
  model::Model model;
  model::State state;
  std::shared_ptr<model::Machine> machine = std::make_shared<model::Machine>();

  PlanarModel() {
    model.dimension = 2;
    model.gravity = Vec3(0, -9.81, 0);
    model.materials.push_back({"default", 0});
    model.laws.push_back(model::coulomb_law(0.3, 0.5));
    model.machine = machine;
  }
  Index add(const geometry::Shape& shape, model::BodyKind kind = model::BodyKind::dynamic,
            const Pose& X_BS = {}) {
    model::Body body;
    body.kind = kind;
    body.mass = 1.5;
    body.inertia = 0.7 * Mat3::Identity();
    body.shape = shape;
    body.X_BS = X_BS;
    model.bodies.push_back(body);
    state.resize(model.body_count());
    return model.body_count() - 1;
  }
};

/// Lying along x.
inline Pose rod_pose() { return {Vec3::Zero(), rotation_between(Vec3::UnitZ(), Vec3::UnitX())}; }

inline geometry::Shape triangle() {
  std::vector<Vec3> corners;
  for (const Real z : {-0.5, 0.5}) {
    corners.emplace_back(-0.4, -0.3, z);
    corners.emplace_back(0.5, -0.2, z);
    corners.emplace_back(0, 0.6, z);
  }
  const std::vector<std::vector<int>> faces = {
      {2, 1, 0}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
  return std::make_shared<const geometry::Polytope>(geometry::Polytope::from_faces(corners, faces));
}

/// All joints, drives and force elements between the bodies a and b, with random data.
inline void add_everything_between(Index a, Index b, Random& random, model::Machine& machine) {
  const auto joint = [&](const model::JointKind& kind) {
    machine.joints.push_back({"joint", a, b, kind, std::nullopt, false});
  };
  joint(model::RevoluteJoint{point(random), point(random), 0.1});
  machine.joints.back().friction = model::JointFriction{};
  joint(model::PrismaticJoint{point(random), direction(random), point(random), 0.3, 0.5});
  machine.joints.back().friction = model::JointFriction{};
  joint(model::WeldJoint{point(random), point(random), -0.2});
  joint(model::DistanceJoint{point(random), point(random), 0.8});
  joint(model::GearJoint{-1.7, 0.4});
  joint(model::RopeJoint{point(random), point(random), 1.3, 0});
  joint(model::RevoluteClearance{point(random), point(random), 0.1, 0.3, {}, Vec2::Zero()});
  joint(model::RevoluteClearance{point(random), point(random), 0.1, 0.3, {}, {0.3, 0.4}});
  joint(model::SlotJoint{point(random), direction(random), point(random)});
  joint(model::TranslationalClearance{
      point(random), direction(random), point(random), direction(random), 0.6, 0.3, 0.05, {}});
  using Quantity = model::Drive::Quantity;
  for (const Quantity quantity : {Quantity::angle, Quantity::displacement})
    for (const bool is_speed : {false, true})
      machine.drives.push_back({"drive", a, b, quantity, point(random), point(random),
                                direction(random), model::HarmonicLaw{0.2, 0.5, 0.4, 0.1}, is_speed,
                                0.3});
  machine.forces.push_back(
      {"line", a, b,
       model::LineForce{point(random), point(random), 20, 0.4, 3, model::RampLaw{1, 2}}});
  machine.forces.push_back({"torque", a, b, model::Torque{5, 0.2, 0.4, model::ConstantLaw{0.7}}});
  machine.forces.push_back(
      {"push", a, b, model::PointForce{point(random), direction(random), model::RampLaw{2, -1}}});
}

/// (x, y, θ) of n bodies, near each other.
inline VecX random_vector(Random& random, Index size, Real scale) {
  VecX x(size);
  for (Index i = 0; i < size; ++i) x[i] = scale * random.uniform(-1, 1);
  return x;
}

}  // namespace talus::test
