#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <talus/collision/contact_detector.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/dynamics/joint_play.hpp>
#include <talus/dynamics/step_drag.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::dynamics {

/// A contact as the law sees it, before it is written into a problem.
struct ContactTerm {
  Real bias = 0;      ///< added to the normal relative velocity [m/s]
  Real friction = 0;  ///< μ
  Real arm = 1;       ///< α of a central one (problem::CentralContact)
};

/// Whether contacts of balls can be central ones under a law of friction: nothing but Coulomb's law
/// acts between them, no function of time or velocity and no machine is there. O(materials²).
[[nodiscard]] bool has_central_contacts(const model::Model& model, problem::FrictionLaw law);

/// The bridge from a model to contact problems: what the solver needs of every body, and contacts
/// into rows. Everything that does not change in time is worked out once.
class RigidBodies {
 public:
  /// The model must outlive this object.
  /// @param has_persistent false: no contact is persistent, all are general ones; for contact laws
  /// that the kernel of central contacts does not know.
  explicit RigidBodies(const model::Model& model, bool has_persistent = true);

  [[nodiscard]] const model::Model& model() const { return *model_; }
  [[nodiscard]] collision::ContactDetector& detector() { return detector_; }
  [[nodiscard]] const collision::ContactDetector& detector() const { return detector_; }
  /// Radius [m] of the smallest ball about the centre of mass that holds the body; infinite for a
  /// plane.
  [[nodiscard]] Real bounding_radius(Index body) const { return detector_.radius(body); }
  /// The reach that counts when the body turns [m]: 0 for a centred sphere (its surface stays where
  /// it is) and for a plane (whose reach has no bound).
  [[nodiscard]] Real turning_radius(Index body) const { return turning_radius_[body]; }
  /// A body's size for tolerances [m]: half of the smallest box's shortest edge; infinite for a
  /// plane and for a fixed sheet.
  [[nodiscard]] Real size(Index body) const { return size_[body]; }
  [[nodiscard]] std::span<const Real> sizes() const { return size_; }
  [[nodiscard]] bool is_dynamic(Index body) const {
    return kind_[body] == model::BodyKind::dynamic;
  }

  /// Radius [m] of a ball about its centre of mass; 0 for every other shape.
  [[nodiscard]] Real ball_radius(Index body) const { return ball_radius_[body]; }
  /// The length ℓ [m] that makes the body's spin ℓ ω a velocity.
  [[nodiscard]] Real length(Index body) const { return length_[body]; }
  /// True for a movable ball whose contacts with balls and fixed planes are persistent.
  [[nodiscard]] bool is_persistent(Index body) const {
    return has_persistent_ && detector_.is_centred_sphere(body) && is_central_[body];
  }
  /// Contacts of joints with play.
  [[nodiscard]] const JointPlay& play() const { return play_; }
  /// What the overlap of a contact is compared with [m]: the smaller body's size, the play of a
  /// joint.
  [[nodiscard]] Real size(const collision::Contact& contact) const {
    return JointPlay::has(contact.feature) ? play_.clearance(contact.feature)
                                           : std::min(size_[contact.a], size_[contact.b]);
  }
  /// Bodies that are planes.
  [[nodiscard]] std::span<const Index> planes() const { return planes_; }
  /// What the detector wants to know of a state; it refers to the state.
  [[nodiscard]] static collision::Placement placement(const model::State& state) {
    return {state.position, state.orientation, std::as_bytes(std::span(state.presence))};
  }
  [[nodiscard]] Pose shape_pose(Index body, const model::State& state) const {
    return state.pose(body) * model_->bodies[body].X_BS;
  }
  /// The contact law of two bodies.
  [[nodiscard]] const model::InterfaceLaw& law(Index a, Index b) const {
    return model_->law(material_[a], material_[b]);
  }
  /// The law of a contact, of the two bodies' materials or of their joint.
  [[nodiscard]] const model::InterfaceLaw& law(const collision::Contact& contact) const {
    return JointPlay::has(contact.feature) ? play_.law(contact.feature) : law(contact.a, contact.b);
  }
  /// Whether the bodies of a contact go into each other by its law.
  [[nodiscard]] bool is_compliant(const collision::Contact& contact) const {
    return !model::is_rigid(law(contact).normal);
  }
  /// Whether there can be other contacts than those between balls, or of balls with fixed planes.
  [[nodiscard]] bool has_transient() const { return needs_general_; }

  /// Of a state in parts (model::State::deal), here and below, bodies that are here are written,
  /// moved and found finite.
  ///
  /// Writes the bodies into a problem with their velocities after a step's forces (free_velocities)
  /// and their inverse inertia at the state's poses, both under the drag of a step (StepDrag with
  /// θ); the problem's contacts are left alone.
  void load_free(const model::State& state, Real step_size, Real theta,
                 problem::RigidContact& problem) const;

  /// h ‖g‖: by how much gravity changes velocities in a step [m/s] (RigidContact::force_speed);
  /// without it what moves the thinnest body by 10⁻¹² of its half thickness, which is rounding.
  [[nodiscard]] Real force_speed(Real step_size) const {
    constexpr Real kRoundOff = 1e-12;
    return std::max(step_size * model_->gravity.norm(), kRoundOff * least_size_ / step_size);
  }

  /// One body of load_free.
  [[nodiscard]] problem::BodyVelocity free_velocity(Index body, const model::State& state,
                                                    Real step_size, Real theta) const;
  /// ℓ² I⁻¹ of a body at the state's pose, world [1/kg], as impulses of a step with drag meet it; 0
  /// for what forces do not move.
  [[nodiscard]] Mat3 inverse_inertia(Index body, const model::State& pose,
                                     const StepDrag& drag) const;

  /// Moves bodies for a time h: x += h v_mean, v_mean = (1 − θ) v + θ v', and turns them with
  /// rotate_by_theta; v' and ω' = s'/ℓ are those of a solved problem. Bodies with a prescribed
  /// twist keep it; what does not move keeps every bit of its pose.
  /// @param struck what contacts change velocities by at the beginning of the step, of every body;
  /// empty: nothing. Other impulses change them at (1 − θ) h.
  /// @param next out: the state at time + h.
  /// @return false if something is no longer finite.
  [[nodiscard]] bool move(const model::State& state, std::span<const problem::BodyVelocity> solved,
                          std::span<const problem::BodyVelocity> struck, Real theta, Real step_size,
                          model::State& next) const;

  /// Moves bodies as if nothing acted on them, at the velocities of the state: move() with these as
  /// the solved ones.
  [[nodiscard]] bool coast(const model::State& state, Real duration, model::State& next) const;

  /// Kinetic and potential energy, as dynamics::energy. Collective where ranks share the bodies; of
  /// all bodies for a state in parts too.
  [[nodiscard]] Energy energy(const model::State& state) const;

  /// Velocities after a step's forces and before its contact impulses, v = decay v + yield h g with
  /// its drag, the same for ω without g. Bodies that forces do not move keep theirs.
  void free_velocities(const model::State& state, Real step_size, const StepDrag& drag,
                       std::vector<Vec3>& velocity, std::vector<Vec3>& angular_velocity) const;

  /// Writes the bodies into a problem: inverse inertia at the state's poses and under a drag,
  /// velocities as given. No contacts yet.
  void load(const model::State& pose, std::span<const Vec3> velocity,
            std::span<const Vec3> angular_velocity, const StepDrag& drag,
            problem::RigidContact& problem) const;

  /// Adds contacts; `order[k]` becomes the index in `contacts` of the problem's contact k (central
  /// ones come first).
  /// @param terms one per contact. @param position centres of mass [m], world.
  void add(std::span<const collision::Contact> contacts, std::span<const ContactTerm> terms,
           std::span<const Vec3> position, problem::RigidContact& problem,
           std::vector<Index>& order) const;

  /// Relative velocity v_B − v_A of the two bodies at a contact [m/s].
  [[nodiscard]] Vec3 relative_velocity(const collision::Contact& contact,
                                       std::span<const Vec3> position,
                                       std::span<const Vec3> velocity,
                                       std::span<const Vec3> angular_velocity) const;

  /// The same at the velocities of a problem's bodies.
  [[nodiscard]] Vec3 relative_velocity(const collision::Contact& contact,
                                       std::span<const Vec3> position,
                                       std::span<const problem::BodyVelocity> velocity) const;

  /// Adds to a problem what its last general contact resists more than friction (ContactLaw). Its
  /// direction of friction is the grain's in the tangent plane; where the grain stands on that
  /// plane, μ₂ holds in all directions. Cohesion pulls, with h times its force, where the gap is at
  /// most a thousandth of the thinner body's half thickness.
  /// @param contact the same. @param orientation of all bodies. @param before relative velocity
  /// before the step [m/s], counted where the contact `closes` in it.
  void add_resistance(const collision::Contact& contact, std::span<const Quat> orientation,
                      Real step_size, const Vec3& before, bool closes,
                      problem::RigidContact& problem) const;

  /// A contact as a row of a problem. @param position centres of mass [m], world.
  [[nodiscard]] problem::GeneralContact general_contact(const collision::Contact& contact,
                                                        const ContactTerm& term,
                                                        std::span<const Vec3> position) const;

  /// Where bodies are for the order in which contacts are solved [m]: neighbours are close to each
  /// other across the faces of a periodic cell too (PeriodicCell::fold).
  void folded(std::span<const Vec3> position, std::vector<Vec3>& place) const;

  /// Velocities of a solved problem: v and ω = s/ℓ, one per body.
  void store(std::span<const problem::BodyVelocity> solved, std::vector<Vec3>& velocity,
             std::vector<Vec3>& angular_velocity) const;

 private:
  struct FreeMotion;
  struct BodyEnergy;
  [[nodiscard]] BodyEnergy energy_of(Index body, const model::State& state) const;
  template <class AddUp>
  void add_in_parts(const model::State& state, std::vector<Energy>& pieces,
                    const AddUp& add_up) const;
  /// From a body's centre, or that of its image at the contact, to the contact [m].
  [[nodiscard]] Vec3 arm(const collision::Contact& contact, std::uint32_t body,
                         std::span<const Vec3> position) const {
    return model_->cell.nearest(contact.position - position[body]);
  }

  const model::Model* model_;
  collision::ContactDetector detector_;
  JointPlay play_;
  std::vector<Real> size_, length_, turning_radius_, ball_radius_;
  Real least_size_ = 0;  // of what has a thickness and moves
  std::vector<Index> planes_;
  std::vector<model::MaterialIndex> material_;
  std::vector<Real> mass_, spin_inertia_;  // spin inertia: I where it is isotropic, else −1
  std::vector<model::BodyKind> kind_;
  std::vector<Real> inverse_mass_, inverse_inertia_;  // ℓ²/I where the inertia is isotropic
  std::vector<Mat3> body_inverse_inertia_;            // ℓ² I⁻¹ in the body's frame
  std::vector<unsigned char> is_central_;             // contacts of this body may be central ones
  bool has_persistent_ = true;
  bool needs_general_ = false;  // some contact may be a general one
};

}  // namespace talus::dynamics
