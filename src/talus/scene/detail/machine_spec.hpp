#pragma once

#include <optional>
#include <string>
#include <vector>

#include <talus/scene/detail/schema.hpp>

// What a planar scene says about joints, drives, force elements and surface laws, in SI units.
// schema_machine.cpp and schema_surfaces.cpp say how each field is written.

namespace talus::scene::detail {

struct TimeLawSpec : Spec {
  std::optional<Real> constant;
  std::optional<Real> slope;
  Real start = 0;
  std::optional<Real> amplitude;
  Real mean = 0;
  std::optional<Real> frequency;
  Real phase = 0;
  std::optional<std::vector<Real>> times;
  std::vector<Real> values;
  bool smooth = false;
};

struct StribeckSpec : Spec {
  Real velocity = 0;
  Real exponent = 2;
};
struct SmoothedSpec : Spec {
  Real velocity = 0;
};
struct PiecewiseLinearSpec : Spec {
  Real from = 0;
  Real to = 0;
};
struct DahlSpec : Spec {
  Real stiffness = 0;
  Real exponent = 1;
};
struct FrictionLawSpec : Spec {
  std::optional<StribeckSpec> stribeck;
  std::optional<SmoothedSpec> tanh;
  std::optional<SmoothedSpec> atan;
  std::optional<PiecewiseLinearSpec> piecewise_linear;
  std::optional<DahlSpec> dahl;
  Real viscous = 0;
  Real rolling = 0;
};
struct HertzSpec : Spec {
  Real stiffness = 0;
  Real exponent = 1.5;
};
struct DampedSpec : HertzSpec {
  Real restitution = 0;
};
struct ViscousSpec : HertzSpec {
  Real damping = 0;
};
struct NormalSpec : Spec {
  bool is_rigid = false;  ///< the word
  std::optional<HertzSpec> hertz;
  std::optional<DampedSpec> hunt_crossley;
  std::optional<DampedSpec> lankarani_nikravesh;
  std::optional<DampedSpec> flores;
  std::optional<ViscousSpec> viscous;
};
/// What two surfaces do to each other; what is not given is that of the default.
struct SurfaceSpec : Spec {
  std::optional<Real> friction;
  std::optional<Real> restitution;
  std::optional<Real> static_friction;
  std::optional<FrictionLawSpec> friction_law;
  std::optional<NormalSpec> normal;
  std::optional<bool> is_poisson;
  std::optional<Real> tangential_restitution;
};

struct JointFrictionSpec : Spec {
  Real friction = 0;
  std::optional<Real> static_friction;
  std::optional<FrictionLawSpec> friction_law;
  Real preload = 0;
};

/// One point of two bodies: in the world at the start, or in the frame of each.
struct CommonPointSpec : Spec {
  std::optional<Vec2> at;
  std::optional<Vec2> at_a;
  std::optional<Vec2> at_b;
};
/// A point of each body.
struct TwoPointsSpec : Spec {
  std::optional<Vec2> from;
  std::optional<Vec2> to;
  std::optional<Vec2> at_a;
  std::optional<Vec2> at_b;
};
struct RevoluteSpec : CommonPointSpec {
  Real pin_radius = 0;
};
struct PrismaticSpec : CommonPointSpec {
  Vec2 axis = Vec2::Zero();
  Real length = 0;
};
struct SlotSpec : CommonPointSpec {
  Vec2 axis = Vec2::Zero();
};
struct WeldSpec : CommonPointSpec {};
struct DistanceSpec : TwoPointsSpec {
  std::optional<Real> length;
};
struct RopeSpec : TwoPointsSpec {
  std::optional<Real> length;
  Real restitution = 0;
};
struct GearSpec : Spec {
  Real ratio = 1;
};
struct SlotHoleSpec : Spec {
  Vec2 axis = Vec2::Zero();
  Real length = 0;
};
struct RevoluteClearanceSpec : CommonPointSpec {
  Real clearance = 0;
  Real pin_radius = 0;
  std::optional<SlotHoleSpec> slot;
  SurfaceSpec surface;
};
struct TranslationalClearanceSpec : CommonPointSpec {
  Vec2 axis = Vec2::Zero();
  Real length = 0;
  Real width = 0;
  Real clearance = 0;
  SurfaceSpec surface;
};
struct JointSpec : Spec {
  std::string name;
  std::vector<std::string> between;
  std::optional<RevoluteSpec> revolute;
  std::optional<PrismaticSpec> prismatic;
  std::optional<WeldSpec> weld;
  std::optional<DistanceSpec> distance;
  std::optional<RopeSpec> rope;
  std::optional<GearSpec> gear;
  std::optional<SlotSpec> slot;
  std::optional<RevoluteClearanceSpec> revolute_clearance;
  std::optional<TranslationalClearanceSpec> translational_clearance;
  std::optional<JointFrictionSpec> friction;
  bool collides = false;
};

struct DriveSpec : TwoPointsSpec {
  std::string name;
  std::vector<std::string> between;
  std::optional<TimeLawSpec> angle;
  std::optional<TimeLawSpec> angular_speed;
  std::optional<TimeLawSpec> displacement;
  std::optional<TimeLawSpec> speed;
  std::optional<Vec2> axis;
};

struct SpringSpec : TwoPointsSpec {
  Real stiffness = 0;
  std::optional<Real> rest_length;
  Real damping = 0;
};
struct DamperSpec : TwoPointsSpec {
  Real damping = 0;
};
struct PullSpec : TwoPointsSpec {
  TimeLawSpec force;
};
struct TorsionSpringSpec : Spec {
  Real stiffness = 0;
  std::optional<Real> rest_angle;
  Real damping = 0;
};
struct PointForceSpec : Spec {
  TimeLawSpec force;
  Vec2 direction = Vec2::Zero();
  std::optional<Vec2> at;
  std::optional<Vec2> at_b;
};
struct ForceSpec : Spec {
  std::string name;
  std::vector<std::string> between;
  std::optional<SpringSpec> spring;
  std::optional<DamperSpec> damper;
  std::optional<PullSpec> pull;
  std::optional<TorsionSpringSpec> torsion_spring;
  std::optional<TimeLawSpec> torque;
  std::optional<PointForceSpec> point_force;
};

[[nodiscard]] Typed<JointSpec> joint_type();
[[nodiscard]] Typed<DriveSpec> drive_type();
[[nodiscard]] Typed<ForceSpec> force_type();
[[nodiscard]] Typed<FrictionLawSpec> friction_law_type();

[[nodiscard]] Typed<SurfaceSpec> surface_type();

}  // namespace talus::scene::detail
