#pragma once

#include <memory>

#include <talus/model/machine.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_registry.hpp>

namespace talus::test {

/// A planar mechanism whose joints are given where they are at the start. Shapes touch nothing.
struct Mechanism {
  model::Model model;
  model::State state;
  std::shared_ptr<model::Machine> machine = std::make_shared<model::Machine>();

  explicit Mechanism(Real gravity = 9.81);

  Index add(const model::Body& body, const Vec2& position, Real angle);
  Index add(Real mass, Real inertia, const Vec2& position, Real angle = 0);
  /// A uniform bar from one point to another; its x-axis is along it.
  Index add_bar(Real mass, const Vec2& from, const Vec2& to);

  [[nodiscard]] Real angle(Index body) const;
  /// θ with its whole turns, after a step.
  [[nodiscard]] Real turned(Index body) const;
  /// A point of the world in a body's frame.
  [[nodiscard]] Vec2 in(Index body, const Vec2& world) const;
  /// A point of a body in the world.
  [[nodiscard]] Vec2 at(Index body, const Vec2& in_body) const;
  void add_joint(Index a, Index b, const model::JointKind& kind);
  void add_pin(Index a, Index b, const Vec2& world);
  /// Turning of B against A at a constant rate.
  void add_motor(Index a, Index b, Real speed);
};

}  // namespace talus::test
