#pragma once

#include <string>
#include <variant>
#include <vector>

#include <talus/math/spatial.hpp>
#include <talus/model/axis_law.hpp>
#include <talus/model/interface_law.hpp>
#include <talus/model/time_law.hpp>

// What connects bodies in space. Points and frames are in the frames of the two bodies, whose
// origins are their centres of mass; "of B against A" means B minus A. The body A can be the world
// (kWorld): its frame is then the world's.

namespace talus::model {

/// In place of a body A: the world.
inline constexpr Index kWorld = -1;

/// Some of the six relative freedoms are 0, the others free.
///
/// Turns that are not held are successive: one about its axis; two about the axis of A, then that
/// of B, in cyclic order after the held one (a universal joint, which holds turn_y, turns about z
/// of A, then x of B); three about x, y, z (Cardan's angles).
struct LowerPair {
  FreedomSet held;
};
/// Free: the turn about z.
[[nodiscard]] constexpr LowerPair revolute_joint() {
  using enum Freedom;
  return {{x, y, z, turn_x, turn_y}};
}
/// Free: the way along z.
[[nodiscard]] constexpr LowerPair prismatic_joint() {
  using enum Freedom;
  return {{x, y, turn_x, turn_y, turn_z}};
}
/// Free: along and about z.
[[nodiscard]] constexpr LowerPair cylindrical_joint() {
  using enum Freedom;
  return {{x, y, turn_x, turn_y}};
}
/// z of A stays perpendicular to x of B.
[[nodiscard]] constexpr LowerPair universal_joint() {
  using enum Freedom;
  return {{x, y, z, turn_y}};
}
/// Free: all turns.
[[nodiscard]] constexpr LowerPair ball_joint() {
  using enum Freedom;
  return {{x, y, z}};
}
/// Free: along x and y, the turn about z.
[[nodiscard]] constexpr LowerPair planar_joint() {
  using enum Freedom;
  return {{z, turn_x, turn_y}};
}
/// Free: none.
[[nodiscard]] constexpr LowerPair weld_joint() {
  using enum Freedom;
  return {{x, y, z, turn_x, turn_y, turn_z}};
}
/// The origin of J_B stays on the line z of J_A.
[[nodiscard]] constexpr LowerPair point_on_line_joint() {
  using enum Freedom;
  return {{x, y}};
}

/// z = p/(2π) · angle about z; x, y and the turns about them are held: five constraints. Whole
/// turns of the angle are those nearest to z.
struct Screw {
  Real pitch = 0;  ///< p ≠ 0 [m] per turn; right-handed where positive
};

/// A massless rod between the origins of J_A and J_B: one constraint.
struct Distance {
  Real length = 0;  ///< L > 0 [m]
};

/// A massless rope between the origins, ‖d‖ ≤ L: a unilateral contact without friction.
struct Rope {
  Real length = 0;       ///< L > 0 [m]
  Real restitution = 0;  ///< in [0, 1], where it comes taut
};

/// A straight line between the origins that holds nothing: no constraint. Its length ‖d‖ is its
/// coordinate, along which laws act and which couplings add up: a tendon, or a part of one.
struct Line {};

/// How far B is turned from A about whatever axis, θ in [0, π]: no constraint. θ is its coordinate;
/// an upper limit of it is a cone.
struct Rotation {};

/// A ball of B in a larger socket of A, centres at the origins: a unilateral contact.
struct BallClearance {
  Real clearance = 0;  ///< c > 0 [m], difference of the radii
  Real radius = 0;     ///< of the ball, r > 0 [m]
  InterfaceLaw law;
};

/// A long pin of B along z of J_B in a bearing of A, a bore along z of J_A with its middle at the
/// origin: a contact at each end of the bore. Bore and pin are taken as circles in the planes
/// perpendicular to the pin, which is exact to second order in the tilt.
struct BearingClearance {
  Real clearance = 0;  ///< c > 0 [m], difference of the radii
  Real radius = 0;     ///< of the pin, r > 0 [m]
  Real length = 0;     ///< of the bore, ℓ > 0 [m]
  InterfaceLaw law;
};

using SpatialJointKind =
    std::variant<LowerPair, Screw, Distance, Rope, Line, Rotation, BallClearance, BearingClearance>;

/// The law of the surfaces of a joint with play; null of one without.
[[nodiscard]] const InterfaceLaw* play_law(const SpatialJointKind& kind);

/// A frame J_A of the body A and J_B of the body B, and what holds between them.
struct SpatialJoint {
  std::string name;
  Index body_a = kWorld, body_b = 0;  ///< model indices, different
  Pose X_AJ, X_BJ;                    ///< the frames in the bodies
  SpatialJointKind kind;
  std::vector<AxisLaw> axes;  ///< at most one per free axis
  bool collides = false;      ///< whether the shapes of the two bodies can touch each other
};

/// One coordinate of a coupling: c q.
struct CouplingTerm {
  Index joint = 0;  ///< into SpatialMachine::joints
  Freedom axis = Freedom::turn_z;
  Real coefficient = 1;  ///< c
};

inline constexpr std::size_t kMaxCouplingTerms = 4;

/// Σ cᵢ qᵢ = offset over axes of joints: gear, rack, differential, mimic, fixed tendon. One
/// constraint.
struct Coupling {
  std::string name;
  std::vector<CouplingTerm> terms;  ///< 1 … kMaxCouplingTerms
  Real offset = 0;
};

/// The exact motion of an axis of a joint, a rheonomic constraint: what a motor without bounds
/// does. One constraint.
struct SpatialDrive {
  std::string name;
  Index joint = 0;  ///< into SpatialMachine::joints
  Freedom axis = Freedom::turn_z;
  TimeLaw law;           ///< of the coordinate [m, rad], or of its rate
  bool is_rate = false;  ///< the law is that of the rate: the coordinate is start + its integral
  Real start = 0;        ///< [m, rad]
};

/// Between two points, along the line that joins them; tension positive:
/// F = k (l − l₀) + c l̇ + f(t).
struct LineElement {
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero();  ///< [m]
  Real stiffness = 0, rest_length = 0;          ///< k ≥ 0 [N/m], l₀ [m]
  Real damping = 0;                             ///< c ≥ 0 [N s/m]
  TimeLaw force;                                ///< f, + pulls together [N]
};

/// A moment on B and its reverse on A that does work on the twist φ about z of two frames, whatever
/// their tilt (dynamics::twist_angle): M = −k (φ − φ₀) − c φ̇ + m(t).
struct TorsionElement {
  Pose X_AJ, X_BJ;                     ///< z: the axis, φ = 0 where the frames agree
  Real stiffness = 0, rest_angle = 0;  ///< k ≥ 0 [N m/rad], φ₀ [rad]
  Real damping = 0;                    ///< c ≥ 0 [N m s/rad]
  TimeLaw moment;                      ///< m [N m]
};

/// Between frames: −K s does work on s = (coordinates d of the origin of J_B in J_A, rotation
/// vector of J_B in J_A), ‖rotation vector‖ < π; −D (ḋ, ω_B − ω_A) acts along the axes of J_A.
struct Bushing {
  Pose X_AJ, X_BJ;
  Mat6 stiffness = Mat6::Zero();  ///< K, symmetric ≥ 0 [N/m, N, N m/rad]
  Mat6 damping = Mat6::Zero();    ///< D, symmetric ≥ 0, the same times s
};

/// The frame along whose axes a load has its direction.
enum class LoadFrame : unsigned char {
  of_a,       ///< of A: fixed in space where A does not move
  following,  ///< of B: it follows the body that it acts on
};

/// A force f(t) on a point of B and its reverse on A at the same place.
struct AppliedForce {
  Vec3 p_B = Vec3::Zero();         ///< [m]
  Vec3 direction = Vec3::UnitX();  ///< unit
  LoadFrame frame = LoadFrame::of_a;
  TimeLaw force;  ///< [N]
};

/// A torque m(t) on B and its reverse on A.
struct AppliedTorque {
  Vec3 direction = Vec3::UnitX();  ///< unit
  LoadFrame frame = LoadFrame::of_a;
  TimeLaw moment;  ///< [N m]
};

using SpatialForceKind =
    std::variant<LineElement, TorsionElement, Bushing, AppliedForce, AppliedTorque>;

struct SpatialForce {
  std::string name;
  Index body_a = kWorld, body_b = 0;
  SpatialForceKind kind;
};

/// The law of time of a force element; null of one without.
[[nodiscard]] const TimeLaw* law_of(const SpatialForceKind& kind);

/// Whether a limit or the rope of a joint rebounds.
[[nodiscard]] bool has_restitution(const SpatialJoint& joint);

/// What makes a machine of the bodies of a model in space.
struct SpatialMachine {
  std::vector<SpatialJoint> joints;
  std::vector<Coupling> couplings;
  std::vector<SpatialDrive> drives;
  std::vector<SpatialForce> forces;
  std::vector<Index> visual_only;         ///< visual-only bodies (no collision)
  std::vector<std::vector<Index>> apart;  ///< lists of bodies that never touch one another
};

}  // namespace talus::model
