#pragma once

#include <span>
#include <vector>

#include <talus/collision/contact_detector.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::dynamics {

/// A contact as the law sees it, before it is written into a problem.
struct ContactTerm {
  Real bias = 0;      ///< added to the normal relative velocity [m/s]
  Real friction = 0;  ///< μ
};

/// The bridge from a model to contact problems: what the solver needs of every body, and contacts
/// into rows. Everything that does not change in time is worked out once.
class RigidBodies {
 public:
  /// The model must outlive this object.
  explicit RigidBodies(const model::Model& model);

  [[nodiscard]] const model::Model& model() const { return *model_; }
  [[nodiscard]] collision::ContactDetector& detector() { return detector_; }
  /// Radius [m] of the smallest ball about the centre of mass that holds the body; infinite for a
  /// plane.
  [[nodiscard]] Real reach(Index body) const { return detector_.reach(body); }
  /// The reach that counts when the body turns [m]: 0 for a centred sphere (its surface stays where
  /// it is) and for a plane (whose reach has no bound).
  [[nodiscard]] Real turning_reach(Index body) const { return turning_reach_[body]; }
  /// A body's size for tolerances [m]: half of the smallest box's shortest edge; infinite for a
  /// plane.
  [[nodiscard]] Real size(Index body) const { return size_[body]; }
  [[nodiscard]] bool is_dynamic(Index body) const {
    return model_->bodies[body].kind == model::BodyKind::dynamic;
  }

  /// Velocities after a step's forces and before its contact impulses: v = (v + h g)/(1 + h c) with
  /// the drag c taken implicitly, the same for ω without g. Bodies that forces do not move keep
  /// theirs.
  void free_velocities(const model::State& state, Real step_size, std::vector<Vec3>& velocity,
                       std::vector<Vec3>& angular_velocity) const;

  /// Writes the bodies into a problem: inverse inertia at the state's poses, velocities as given.
  /// No contacts yet.
  void load(const model::State& pose, std::span<const Vec3> velocity,
            std::span<const Vec3> angular_velocity, problem::RigidContact& problem) const;

  /// Adds contacts; `order[k]` becomes the index in `contacts` of the problem's contact k (central
  /// ones come first).
  /// @param terms one per contact. @param position centres of mass [m], world.
  void add(std::span<const collision::Contact> contacts, std::span<const ContactTerm> terms,
           std::span<const Vec3> position, problem::RigidContact& problem,
           std::vector<Index>& order) const;

  /// Normal relative velocity u_N = n·(v_B − v_A) at a contact [m/s].
  [[nodiscard]] static Real normal_velocity(const collision::Contact& contact,
                                            std::span<const Vec3> position,
                                            std::span<const Vec3> velocity,
                                            std::span<const Vec3> angular_velocity);

  /// Velocities of a solved problem: v and ω = s/ℓ, one per body.
  void store(std::span<const problem::BodyVelocity> solved, std::vector<Vec3>& velocity,
             std::vector<Vec3>& angular_velocity) const;

 private:
  const model::Model* model_;
  collision::ContactDetector detector_;
  std::vector<Real> size_, length_, turning_reach_;
  std::vector<Real> inverse_mass_, inverse_inertia_;  // ℓ²/I where the inertia is isotropic
  std::vector<Mat3> body_inverse_inertia_;            // ℓ² I⁻¹ in the body's frame
  std::vector<unsigned char> is_central_;             // contacts of this body may be central ones
  bool needs_general_ = false;                        // some contact may be a general one
};

}  // namespace talus::dynamics
