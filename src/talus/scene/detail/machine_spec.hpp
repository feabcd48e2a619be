#pragma once

#include <optional>
#include <string>
#include <vector>

#include <talus/scene/detail/schema.hpp>

// What a scene says about joints, drives, force elements, sensors and surface laws, in SI units.
// schema_joints.cpp, schema_axis_laws.cpp, schema_drives.cpp, schema_forces.cpp and
// schema_surfaces.cpp say how each field is written.

namespace talus::scene::detail {

struct OrientationSpec : Spec {
  std::optional<Eigen::Matrix<Real, 4, 1>> quaternion;
  std::optional<Vec3> axis;
  std::optional<Real> angle;
  std::optional<Real> turn;
};

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
  std::optional<std::string> table;   ///< a CSV file
  std::optional<std::string> column;  ///< of it
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
  std::optional<Vec3> at;
  std::optional<Vec3> at_a;
  std::optional<Vec3> at_b;
};
/// And a direction: in the world at the start, or in the frame of each.
struct CommonAxisSpec : CommonPointSpec {
  std::optional<Vec3> axis;
  std::optional<Vec3> axis_a;
  std::optional<Vec3> axis_b;
};
/// A point of each body.
struct TwoPointsSpec : Spec {
  std::optional<Vec3> from;
  std::optional<Vec3> to;
  std::optional<Vec3> at_a;
  std::optional<Vec3> at_b;
};
struct RevoluteSpec : CommonAxisSpec {
  Real pin_radius = 0;
};
struct PrismaticSpec : CommonAxisSpec {
  Real length = 0;
};
struct CylindricalSpec : CommonAxisSpec {};
struct ScrewSpec : CommonAxisSpec {
  Real pitch = 0;
};
struct UniversalSpec : CommonAxisSpec {
  std::optional<Vec3> second_axis;
};
struct BallSpec : CommonPointSpec {};
struct PlanarSpec : CommonPointSpec {
  Vec3 normal = Vec3::Zero();
  std::optional<Vec3> along;
};
struct SlotSpec : CommonAxisSpec {};
struct WeldSpec : CommonPointSpec {};
struct DistanceSpec : TwoPointsSpec {
  std::optional<Real> length;
};
struct RopeSpec : TwoPointsSpec {
  std::optional<Real> length;
  Real restitution = 0;
};
struct LineSpec : TwoPointsSpec {};
struct RotationAngleSpec : Spec {};
struct GearSpec : Spec {
  Real ratio = 1;
};
struct SlotHoleSpec : Spec {
  Vec2 axis = Vec2::Zero();
  Real length = 0;
};
struct RevoluteClearanceSpec : CommonAxisSpec {
  Real clearance = 0;
  Real pin_radius = 0;
  Real length = 0;
  std::optional<SlotHoleSpec> slot;
  SurfaceSpec surface;
};
struct BallClearanceSpec : CommonPointSpec {
  Real clearance = 0;
  Real radius = 0;
  SurfaceSpec surface;
};
struct TranslationalClearanceSpec : CommonPointSpec {
  Vec2 axis = Vec2::Zero();
  Real length = 0;
  Real width = 0;
  Real clearance = 0;
  SurfaceSpec surface;
};

struct AxisSpringSpec : Spec {
  Real stiffness = 0;
  Real rest = 0;
};
struct MotorSpec : Spec {
  std::optional<TimeLawSpec> velocity;
  std::optional<TimeLawSpec> position;
  std::optional<TimeLawSpec> effort;
  Real stiffness = 0;
  Real damping = 0;
  std::optional<Real> max_effort;
  std::optional<Vec2> effort_limits;
  Real gear = 1;
};
/// What acts along a free coordinate of a joint.
struct AxisLawSpec : Spec {
  std::optional<Vec2> limits;
  Real restitution = 0;
  std::optional<AxisSpringSpec> spring;
  Real damping = 0;
  Real armature = 0;
  Real dry_friction = 0;
  std::optional<MotorSpec> motor;
};

/// A motor of a joint of a robot's file, along its own coordinate.
struct ControllerSpec : Spec {
  std::optional<MotorSpec> turn, turn_x, turn_y, turn_z, slide;
};

struct JointSpec : Spec {
  std::string name;
  std::vector<std::string> between;
  std::optional<RevoluteSpec> revolute;
  std::optional<PrismaticSpec> prismatic;
  std::optional<CylindricalSpec> cylindrical;
  std::optional<UniversalSpec> universal;
  std::optional<BallSpec> ball;
  std::optional<PlanarSpec> planar;
  std::optional<ScrewSpec> screw;
  std::optional<WeldSpec> weld;
  std::optional<DistanceSpec> distance;
  std::optional<RopeSpec> rope;
  std::optional<LineSpec> line;
  std::optional<RotationAngleSpec> rotation;
  std::optional<GearSpec> gear;
  std::optional<SlotSpec> slot;
  std::optional<RevoluteClearanceSpec> revolute_clearance;
  std::optional<TranslationalClearanceSpec> translational_clearance;
  std::optional<BallClearanceSpec> ball_clearance;
  std::optional<JointFrictionSpec> friction;
  std::optional<AxisLawSpec> turn, second_turn, turn_x, turn_y, turn_z;
  std::optional<AxisLawSpec> slide, slide_x, slide_y;
  bool collides = false;
};

struct DriveSpec : TwoPointsSpec {
  std::string name;
  std::vector<std::string> between;
  std::string joint;
  std::optional<std::string> coordinate;
  std::optional<TimeLawSpec> angle;
  std::optional<TimeLawSpec> angular_speed;
  std::optional<TimeLawSpec> displacement;
  std::optional<TimeLawSpec> speed;
  std::optional<Vec2> axis;
};

struct CouplingTermSpec : Spec {
  std::string joint;
  std::optional<std::string> coordinate;
  Real factor = 1;
};
struct CouplingSpec : Spec {
  std::string name;
  std::vector<CouplingTermSpec> terms;
  std::optional<Real> offset;
};

/// Where coordinates of a joint start.
struct JointPositionSpec : Spec {
  std::optional<std::string> only;        ///< of the only coordinate: a number with its unit
  std::optional<std::string> coordinate;  ///< that `only` is of, where robots' files name it
  std::optional<Real> turn, second_turn, turn_x, turn_y, turn_z;
  std::optional<Real> slide, slide_x, slide_y;
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
  Vec3 axis = Vec3::Zero();
  Real stiffness = 0;
  std::optional<Real> rest_angle;
  Real damping = 0;
};
struct BushingSpec : CommonPointSpec {
  std::optional<OrientationSpec> orientation;
  Vec3 stiffness = Vec3::Zero();
  Vec3 angular_stiffness = Vec3::Zero();
  Vec3 damping = Vec3::Zero();
  Vec3 angular_damping = Vec3::Zero();
  std::optional<std::vector<std::vector<Real>>> stiffness_matrix;
  std::optional<std::vector<std::vector<Real>>> damping_matrix;
};
struct PointForceSpec : Spec {
  std::optional<TimeLawSpec> force;
  Vec3 direction = Vec3::Zero();
  Real carries = 0;
  std::optional<Vec3> at;
  std::optional<Vec3> at_b;
  bool follows = false;
};
struct MomentSpec : Spec {
  TimeLawSpec torque;
  Vec3 direction = Vec3::Zero();
  bool follows = false;
};
struct ForceSpec : Spec {
  std::string name;
  std::vector<std::string> between;
  std::optional<SpringSpec> spring;
  std::optional<DamperSpec> damper;
  std::optional<PullSpec> pull;
  std::optional<TorsionSpringSpec> torsion_spring;
  std::optional<BushingSpec> bushing;
  std::optional<TimeLawSpec> torque;
  std::optional<MomentSpec> moment;
  std::optional<PointForceSpec> point_force;
};

/// A frame fixed in a body, given in the world as things stand at the start.
struct BodyFrameSpec : Spec {
  std::optional<std::string> body;
  std::optional<Vec3> at;
  std::optional<OrientationSpec> orientation;
};
struct RelativeFrameSpec : BodyFrameSpec {
  std::optional<std::string> relative_to;
};
struct JointLoadSpec : BodyFrameSpec {
  std::string joint;
};
struct ContactSensorSpec : BodyFrameSpec {
  std::optional<std::string> against;
  std::optional<Vec3> box;
};
struct RangefinderSpec : Spec {
  std::string body;
  std::optional<Vec3> at;
  Vec3 direction = Vec3::Zero();
  std::optional<Real> reach;
};
struct SensorSpec : Spec {
  std::string name;
  std::optional<BodyFrameSpec> accelerometer, gyro;
  std::optional<RelativeFrameSpec> orientation, position, velocity, angular_velocity;
  std::optional<JointLoadSpec> force, torque;
  std::optional<ContactSensorSpec> contact_force, touch;
  std::optional<RangefinderSpec> rangefinder;
};

[[nodiscard]] Typed<OrientationSpec> orientation_type();
[[nodiscard]] Typed<JointSpec> joint_type();
[[nodiscard]] Typed<AxisLawSpec> turn_law_type();
[[nodiscard]] Typed<ControllerSpec> controller_type();
[[nodiscard]] Typed<AxisLawSpec> slide_law_type();
[[nodiscard]] Typed<DriveSpec> drive_type();
[[nodiscard]] Typed<CouplingSpec> coupling_type();
[[nodiscard]] Typed<JointPositionSpec> joint_position_type();
[[nodiscard]] Typed<ForceSpec> force_type();
[[nodiscard]] Typed<SensorSpec> sensor_type();
[[nodiscard]] Typed<FrictionLawSpec> friction_law_type();

[[nodiscard]] Typed<SurfaceSpec> surface_type();

}  // namespace talus::scene::detail
