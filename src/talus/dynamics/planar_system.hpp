#pragma once

#include <vector>

#include <talus/dynamics/planar_contacts.hpp>
#include <talus/geometry/planar.hpp>
#include <talus/model/lagrangian.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::dynamics {

/// Planar bodies as a Lagrangian system: q = (x, y, θ) of every dynamic body.
///
/// Every shape is a convex core with a radius (geometry/planar.hpp), so one kind of contact is
/// enough: a corner p of one core against another shape,
///   f = distance of p from the core − radii.
/// Two shapes touch exactly where one of their corners does (cores that pass through each other
/// like a cross, without a corner inside, are not seen). The friction force acts on the surface: at
/// p − ρ n where the other body does not move, at the other's surface where only that one moves,
/// half-way between the two where both do (so that angular momentum is conserved).
/// Damping is a force −c m v, −c I ω at the start of the step.
class PlanarSystem final : public model::LagrangianSystem {
 public:
  /// Both must outlive the system. The poses of fixed bodies are taken from the state.
  /// @param model dimension 2, dynamic and fixed bodies only (contract).
  PlanarSystem(const model::Model& model, const model::State& state);

  [[nodiscard]] Index coordinate_count() const override {
    return 3 * static_cast<Index>(dynamic_.size());
  }
  [[nodiscard]] MatX mass(const VecX& q) const override;
  [[nodiscard]] VecX force(const VecX& q, const VecX& v, Real time) const override;
  [[nodiscard]] Index contact_count() const override {
    return static_cast<Index>(candidates_.size());
  }
  [[nodiscard]] model::LagrangianContact contact(Index i, const VecX& q) const override;
  [[nodiscard]] Real gap(Index i, const VecX& q) const override { return meet(i, q).gap; }
  [[nodiscard]] Real potential(const VecX& q) const override;

  /// Where contact i is at q. The tangent is (n_y, −n_x).
  [[nodiscard]] PlanarTouch meet(Index i, const VecX& q) const;

  /// Coordinates and velocities of a state; θ in (−2π, 2π].
  [[nodiscard]] VecX coordinates(const model::State& state) const;
  [[nodiscard]] VecX velocities(const model::State& state) const;
  /// Writes coordinates and velocities into a state.
  void store(const VecX& q, const VecX& v, model::State& state) const;

 private:
  [[nodiscard]] Index first_of(Index body) const { return first_[static_cast<std::size_t>(body)]; }

  const model::Model& model_;
  std::vector<Index> dynamic_;                 // model indices
  std::vector<Index> first_;                   // per body: its first coordinate, −1 if fixed
  std::vector<geometry::PlanarShape> shapes_;  // per body, in its frame (fixed: in the world)
  std::vector<CornerCandidate> candidates_;
};

}  // namespace talus::dynamics
