#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <talus/dynamics/planar_bodies.hpp>
#include <talus/model/lagrangian.hpp>

namespace talus::dynamics {

/// Planar bodies as a Lagrangian system: q = (x, y, θ) of every body, all else from PlanarBodies:
/// joints, drives, force elements, and the contacts of shapes, ropes and joints with play. Fixed
/// bodies are at rest: nothing acts on them, and no row is of their coordinates.
///
/// Every shape is a convex core with a radius (geometry/planar.hpp), so one kind of contact is
/// enough: a corner p of one core against another shape,
///   f = distance of p from the core − radii.
/// Two shapes touch exactly where one of their corners does (cores that pass through each other
/// like a cross, without a corner inside, are not seen). The friction force acts on the surface: at
/// p − ρ n where the other body does not move, at the other's surface where only that one moves,
/// half-way between the two where both do (so that angular momentum is conserved).
/// Drag −c m v, −c I ω is that of the velocities at the end of a step (step_mass). Of the laws of
/// surfaces only μ counts, unless a caller sets another coefficient (set_friction).
class PlanarSystem : public model::LagrangianSystem {
 public:
  /// Both must outlive the system.
  /// @param model dimension 2, dynamic and fixed bodies only (contract).
  PlanarSystem(const model::Model& model, const model::State& state);

  [[nodiscard]] Index coordinate_count() const override { return machine_.coordinate_count(); }
  /// Blocks of 3×3; fixed bodies have 1 kg and 1 kg m², which nothing moves.
  [[nodiscard]] MatX mass(const VecX& q) const override { return step_mass(q, 0); }
  [[nodiscard]] MatX step_mass(const VecX& q, Real h) const override;
  [[nodiscard]] VecX force(const VecX& q, const VecX& v, Real time) const override {
    return step_force(q, v, time, 0);
  }
  [[nodiscard]] VecX step_force(const VecX& q, const VecX& v, Real time, Real h) const override;
  [[nodiscard]] model::LagrangianSprings springs(const VecX& q) const override;
  [[nodiscard]] Index contact_count() const override { return machine_.contact_count(); }
  [[nodiscard]] model::LagrangianContact contact(Index i, const VecX& q) const override;
  [[nodiscard]] Real gap(Index i, const VecX& q) const override { return machine_.gap(i, q); }
  void near_contacts(const VecX& q, std::vector<Index>& contacts) const override;
  [[nodiscard]] std::vector<model::LagrangianMeeting> meetings(const VecX& q, const VecX& q_end,
                                                               Real tolerance) const override;
  [[nodiscard]] model::LagrangianBilateral bilateral_at(const VecX& q, Real time) const override;
  [[nodiscard]] Real potential(const VecX& q) const override;

  /// The friction coefficients of contacts from now on.
  void set_friction(std::function<Real(Index contact)> friction) {
    friction_ = std::move(friction);
  }

  /// Contact i at q.
  [[nodiscard]] ContactTerms meet(Index i, const VecX& q) const;
  [[nodiscard]] const PlanarBodies& machine() const { return machine_; }

  /// Writes coordinates and velocities into a state; the angles, as System::store, of machines
  /// alone: others have no internal variables.
  void store(const VecX& q, const VecX& v, model::State& state) const;

 private:
  const model::Model& model_;
  PlanarBodies machine_;
  std::function<Real(Index)> friction_;  // of a contact; null: μ of its law
  VecX rest_;                            // velocities of all bodies, 0
};

}  // namespace talus::dynamics
