#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_registry.hpp>

namespace talus::bench {

struct EngineOptions {
  Real step_size = 1e-3;  // h [s]
  Index iterations = 50;  // of the engine's own solver
  Real tolerance = 1e-4;  // of Talus's certificate; nothing to the others
};

/// How an engine answers a penetration: with a velocity of separation ε max(0, depth − slop)/h.
struct Correction {
  Real error_reduction = 0;
  Real slop = 0;  // a share of the smaller body's size
};

/// One engine with one scene: spheres and boxes that move, planes that do not.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual void step() = 0;
  /// Poses and velocities of the bodies, in the model's order.
  virtual void read(model::State& state) const = 0;
  /// Contacts of the last step as the engine saw them at its start, with the impulses that it
  /// applied; body_a < body_b.
  virtual void read(std::vector<stepping::StepContact>& contacts) const = 0;
  [[nodiscard]] virtual Correction correction() const = 0;
};

/// A kind of engine. The model must outlive what `make` returns.
struct EngineEntry {
  std::string name;     // talus, bullet, ode, mujoco
  std::string version;  // and what it was set to
  std::unique_ptr<Engine> (*make)(const model::Model& model, const model::State& state,
                                  const EngineOptions& options);
};

/// Talus first, then those that were found when this was built.
[[nodiscard]] std::vector<EngineEntry> engines();

// One file each; only those found are compiled.
[[nodiscard]] EngineEntry talus_engine();
[[nodiscard]] EngineEntry bullet_engine();
[[nodiscard]] EngineEntry ode_engine();
[[nodiscard]] EngineEntry mujoco_engine();

/// The contact with body_a < body_b, turned round if need be.
[[nodiscard]] stepping::StepContact ordered(Index body_a, Index body_b, const Vec3& position,
                                            const Vec3& normal, Real gap, const Vec3& impulse);

}  // namespace talus::bench
