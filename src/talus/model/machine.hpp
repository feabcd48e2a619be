#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <talus/math/vector.hpp>
#include <talus/model/interface_law.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/model/time_law.hpp>

// What connects the bodies of a planar model. Points and directions are in the frames of the two
// bodies, whose origins are their centres of mass; "of B against A" means B minus A.

namespace talus::model {

/// A point of A and one of B coincide: two constraints.
struct RevoluteJoint {
  Vec2 p_A = Vec2::Zero(), p_B = Vec2::Zero();  ///< [m]
  Real pin_radius = 0;  ///< r ≥ 0 [m]: friction in the pin is a moment of r times a force
};

/// B slides along a line of A and does not turn against it: two constraints.
struct PrismaticJoint {
  Vec2 p_A = Vec2::Zero();      ///< a point on the line [m]
  Vec2 axis_A = Vec2::UnitX();  ///< unit
  Vec2 p_B = Vec2::Zero();      ///< of B, on the line [m]
  Real angle = 0;               ///< θ_B − θ_A [rad]
  Real length = 0;  ///< of the guided part, ℓ ≥ 0 [m]: the friction of a moment M on the guide is
                    ///< that of the forces ±M/ℓ at its ends; 0: none
};

/// All three relative coordinates are held.
struct WeldJoint {
  Vec2 p_A = Vec2::Zero(), p_B = Vec2::Zero();  ///< [m]
  Real angle = 0;                               ///< θ_B − θ_A [rad]
};

/// A massless rod between two points: ‖p_B − p_A‖ = L.
struct DistanceJoint {
  Vec2 p_A = Vec2::Zero(), p_B = Vec2::Zero();  ///< [m]
  Real length = 0;                              ///< L > 0 [m]
};

/// A massless rope: ‖p_B − p_A‖ ≤ L, a unilateral contact without friction.
struct RopeJoint {
  Vec2 p_A = Vec2::Zero(), p_B = Vec2::Zero();  ///< [m]
  Real length = 0;                              ///< L > 0 [m]
  Real restitution = 0;                         ///< ε_N in [0, 1] where it comes taut
};

/// θ_B = c − i θ_A with c such that the start fits (wheels outside of each other: i = r_A/r_B > 0;
/// a belt or an inner wheel: i < 0): one constraint.
struct GearJoint {
  Real ratio = 1;   ///< i ≠ 0
  Real offset = 0;  ///< c [rad]
};

/// A pin of B in a larger hole of A: gap = c − ‖p_B − p_A‖, a unilateral contact. Of a slot the
/// hole is at the point of its middle line that is nearest to the pin.
struct RevoluteClearance {
  Vec2 p_A = Vec2::Zero(), p_B = Vec2::Zero();  ///< centres [m]
  Real clearance = 0;                           ///< c > 0 [m], difference of the radii
  Real pin_radius = 0;                          ///< r > 0 [m], where friction acts
  InterfaceLaw law;
  Vec2 slot_A = Vec2::Zero();  ///< from p_A to the end of the slot's middle line; 0: a round hole
};

/// A block of B in a straight guide of A with play: four corners against two walls.
struct TranslationalClearance {
  Vec2 p_A = Vec2::Zero();      ///< a point on the guide's middle line [m]
  Vec2 axis_A = Vec2::UnitX();  ///< unit
  Vec2 p_B = Vec2::Zero();      ///< the block's middle [m]
  Vec2 axis_B = Vec2::UnitX();  ///< unit, along the block
  Real length = 0, width = 0;   ///< of the block [m], > 0
  Real clearance = 0;           ///< c > 0 [m], the guide's width minus the block's
  InterfaceLaw law;
};

/// A point of B stays on a line of A, a pin in a slot without play: one constraint.
struct SlotJoint {
  Vec2 p_A = Vec2::Zero();      ///< a point on the line [m]
  Vec2 axis_A = Vec2::UnitX();  ///< unit
  Vec2 p_B = Vec2::Zero();      ///< [m]
};

using JointKind = std::variant<RevoluteJoint, PrismaticJoint, WeldJoint, DistanceJoint, RopeJoint,
                               GearJoint, RevoluteClearance, TranslationalClearance, SlotJoint>;

/// Friction in a bilateral joint that can move (revolute, prismatic).
struct JointFriction {
  FrictionModel law;  ///< μ and the rest, against the reaction force |λ|
  Real preload = 0;   ///< [N] ≥ 0: the normal force is |λ| + preload
};

struct Joint {
  std::string name;
  Index body_a = 0, body_b = 0;  ///< model indices, different
  JointKind kind;
  std::optional<JointFriction> friction;
  bool collides = false;  ///< whether the shapes of the two bodies can touch each other
};

/// A rheonomic constraint: what a motor without limits does. One constraint.
struct Drive {
  enum class Quantity : unsigned char {
    angle,         ///< θ_B − θ_A [rad]
    displacement,  ///< of p_B from p_A along axis_A [m]
  };
  std::string name;
  Index body_a = 0, body_b = 0;
  Quantity quantity = Quantity::angle;
  Vec2 p_A = Vec2::Zero(), p_B = Vec2::Zero(), axis_A = Vec2::UnitX();
  TimeLaw law;            ///< of the quantity, or of its rate
  bool is_speed = false;  ///< the law is that of the rate: the quantity is start + its integral
  Real start = 0;
};

/// Between two points, along the line that joins them; tension positive:
/// F = k (l − l₀) + c l̇ + f(t).
struct LineForce {
  Vec2 p_A = Vec2::Zero(), p_B = Vec2::Zero();  ///< [m]
  Real stiffness = 0, rest_length = 0;          ///< k [N/m], l₀ [m]
  Real damping = 0;                             ///< c [N s/m]
  TimeLaw force;                                ///< f, + pulls together [N]
};

/// A moment on B and its reverse on A: M = −k (φ − φ₀) − c φ̇ + m(t), φ = θ_B − θ_A.
struct Torque {
  Real stiffness = 0, rest_angle = 0;  ///< k [N m/rad], φ₀ [rad]
  Real damping = 0;                    ///< c [N m s/rad]
  TimeLaw moment;                      ///< m [N m]
};

/// A force on a point of B and its reverse on A at the same place, along a direction of A (the
/// world, where A is fixed and not turned): f(t).
struct PointForce {
  Vec2 p_B = Vec2::Zero();           ///< [m]
  Vec2 direction_A = Vec2::UnitX();  ///< unit
  TimeLaw force;                     ///< [N]
};

using ForceKind = std::variant<LineForce, Torque, PointForce>;

struct ForceElement {
  std::string name;
  Index body_a = 0, body_b = 0;
  ForceKind kind;
};

/// What makes a machine of the bodies of a planar model.
struct Machine {
  std::vector<Joint> joints;
  std::vector<Drive> drives;
  std::vector<ForceElement> forces;
  std::vector<Index> visual_only;  ///< visual-only bodies (no collision)
};

/// Whether two bodies of a model can touch at all: not two that no force moves, not a visual-only
/// one, and not two that a joint connects which does not let their shapes collide. O(joints).
[[nodiscard]] bool can_touch(const Model& model, Index a, Index b);

/// The orientation that a body of a planar model has at θ = 0: the identity; of the half-plane of a
/// body that forces do not move, that of its rest (its frame is then along the world's axes).
[[nodiscard]] Quat upright_orientation(const Model& model, const State& state, Index body);

/// θ of an orientation against the upright one, in (−2π, 2π].
[[nodiscard]] Real planar_angle(const Quat& orientation, const Quat& upright);

}  // namespace talus::model
