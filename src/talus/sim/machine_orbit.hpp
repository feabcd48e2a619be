#pragma once

#include <memory>
#include <vector>

#include <talus/dynamics/system.hpp>
#include <talus/scene/scene.hpp>
#include <talus/sim/periodic_orbit.hpp>

namespace talus::sim {

/// The return map of a planar machine over the period of what drives it, by its own scheme.
///
/// A state is (q, v) of all bodies at the scene's initial time, on the constraints Φ(q, t) = 0,
/// Φ̇ = 0. The chart at a state has coordinates of Φ_q's kernel, orthonormal in the mass matrix:
/// NᵀM Δq and NᵀM Δv, units √kg m and √kg m/s; to move is to go along N and to project on the
/// constraints. Angles count modulo whole turns. A machine that the laws cannot tell from the same
/// one shifted along a direction may drift along it: that coordinate is left out.
class MachineOrbit {
 public:
  /// @param scene dimension 2. Its period starts at the scene's initial time, at which the drives
  /// and their rates must be what they are a period later.
  /// @param steps of the scheme in a period. @param drift directions of the plane, at most two,
  /// independent. @throws InputError if a constraint forbids to drift so.
  MachineOrbit(const scene::Scene& scene, Real period, Index steps, std::vector<Vec2> drift);

  [[nodiscard]] ReturnMap map() const;
  /// The state of the scene after whole periods; empty where the run fails.
  [[nodiscard]] VecX settle(Index periods, const std::function<bool()>& should_stop = {}) const;
  /// The scene that starts at a state and runs for one period.
  [[nodiscard]] scene::Scene scene_from(const VecX& state) const;
  /// How far the machine moves along the first direction of drift in a period [m].
  [[nodiscard]] Real drift(const VecX& from, const VecX& to) const;
  [[nodiscard]] Real period() const { return period_; }

 private:
  /// What spans a chart; columns of `position` and `velocity` are orthonormal in M.
  struct Basis {
    MatX position, velocity;
  };
  [[nodiscard]] Basis basis(const VecX& state) const;
  [[nodiscard]] VecX after(const VecX& state) const;
  [[nodiscard]] VecX move(const VecX& base, const VecX& coordinates) const;
  [[nodiscard]] VecX difference(const VecX& state, const VecX& base) const;
  [[nodiscard]] VecX state_of(const model::State& state) const;

  scene::Scene scene_;
  Real period_;
  Index steps_;
  MatX shifts_;  // a column per direction of drift: its unit velocity of all bodies that move
  std::unique_ptr<dynamics::System> machine_;
  VecX root_mass_;  // √m per coordinate, 0 for what no force moves
};

}  // namespace talus::sim
