#pragma once

#include <memory>
#include <numbers>

#include <talus/base/random.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_registry.hpp>

namespace talus::test {

/// A model and its state, built body by body; one material, one contact law.
struct World {
  model::Model model;
  model::State state;

  explicit World(Real friction = 0, Real restitution = 0, const Vec3& gravity = Vec3(0, 0, -9.81));

  Index add(const geometry::Shape& shape, model::BodyKind kind, const Vec3& position,
            const Quat& orientation = Quat::Identity(), Real density = 1000);
  Index add_floor(const Quat& orientation = Quat::Identity());
  Index add_sphere(Real radius, const Vec3& position);
  Index add_box(const Vec3& half_size, const Vec3& position,
                const Quat& orientation = Quat::Identity());
  [[nodiscard]] Real energy() const { return dynamics::energy(model, state).total(); }
};

/// Scheme options with a tolerance; solver "auto".
stepping::SchemeOptions options(const char* scheme, Real tolerance);

Vec3 random_vector(Random& random, Real size);
Quat random_rotation(Random& random);

}  // namespace talus::test
