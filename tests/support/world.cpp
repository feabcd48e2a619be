#include "support/world.hpp"

#include <string>

namespace talus::test {

World::World(Real friction, Real restitution, const Vec3& gravity) {
  model.materials = {{"stuff", 1000}};
  model.laws = {model::coulomb_law(friction, restitution)};
  model.gravity = gravity;
}

Index World::add(const geometry::Shape& shape, model::BodyKind kind, const Vec3& position,
                 const Quat& orientation, Real density) {
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

Index World::add_floor(const Quat& orientation) {
  return add(geometry::Plane{}, model::BodyKind::fixed, Vec3::Zero(), orientation);
}

Index World::add_sphere(Real radius, const Vec3& position) {
  return add(geometry::Sphere{radius}, model::BodyKind::dynamic, position);
}

Index World::add_box(const Vec3& half_size, const Vec3& position, const Quat& orientation) {
  return add(geometry::Box{half_size}, model::BodyKind::dynamic, position, orientation);
}

stepping::SchemeOptions options(const char* scheme, Real tolerance) {
  stepping::SchemeOptions options;
  options.scheme = scheme;
  options.solver.tolerance = tolerance;
  options.solver.max_iterations = 200000;
  return options;
}

Vec3 random_vector(Random& random, Real size) {
  const Real x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

Quat random_rotation(Random& random) {
  const Real w = random.uniform(-1, 1), x = random.uniform(-1, 1), y = random.uniform(-1, 1);
  return Quat(w, x, y, random.uniform(-1, 1)).normalized();
}

}  // namespace talus::test
