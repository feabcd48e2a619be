#pragma once

#include <memory>
#include <numbers>

#include <talus/base/random.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::test {

/// A model and its state, built body by body; one material, one contact law.
struct World {
  model::Model model;
  model::State state;

  explicit World(Real friction = 0, Real restitution = 0, const Vec3& gravity = Vec3(0, 0, -9.81)) {
    model.materials = {{"stuff", 1000}};
    model.laws = {{friction, restitution}};
    model.gravity = gravity;
  }

  Index add(const geometry::Shape& shape, model::BodyKind kind, const Vec3& position,
            const Quat& orientation = Quat::Identity(), Real density = 1000) {
    model::Body body;
    body.kind = kind;
    body.shape = shape;
    if (kind == model::BodyKind::dynamic) {
      const geometry::MassProperties properties = geometry::mass_properties(shape, density);
      body.mass = properties.mass;
      body.inertia = properties.inertia;
    }
    const Index index = model.body_count();
    model.groups.push_back({"body" + std::to_string(index), index, 1, false});
    model.bodies.push_back(body);
    state.resize(index + 1);
    state.position[index] = position;
    state.orientation[index] = orientation;
    return index;
  }
  Index add_floor(const Quat& orientation = Quat::Identity()) {
    return add(geometry::Plane{}, model::BodyKind::fixed, Vec3::Zero(), orientation);
  }
  Index add_sphere(Real radius, const Vec3& position) {
    return add(geometry::Sphere{radius}, model::BodyKind::dynamic, position);
  }
  Index add_box(const Vec3& half_size, const Vec3& position,
                const Quat& orientation = Quat::Identity()) {
    return add(geometry::Box{half_size}, model::BodyKind::dynamic, position, orientation);
  }
  [[nodiscard]] Real energy() const { return dynamics::energy(model, state).total(); }
};

/// Scheme options with a tolerance; solver "auto".
inline stepping::SchemeOptions options(const char* scheme, Real tolerance) {
  stepping::SchemeOptions options;
  options.scheme = scheme;
  options.solver.tolerance = tolerance;
  options.solver.max_iterations = 200000;
  return options;
}

inline Vec3 random_vector(Random& random, Real size) {
  const Real x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}
inline Quat random_rotation(Random& random) {
  const Real w = random.uniform(-1, 1), x = random.uniform(-1, 1), y = random.uniform(-1, 1);
  return Quat(w, x, y, random.uniform(-1, 1)).normalized();
}

}  // namespace talus::test
