#pragma once

#include <optional>
#include <string>
#include <vector>

#include <talus/model/model.hpp>
#include <talus/scene/detail/machine_spec.hpp>
#include <talus/scene/detail/schema.hpp>
#include <talus/scene/scene.hpp>

// What a scene file says, as plain data in SI units, before it becomes a model. scene_schema.cpp
// says how each field is written.

namespace talus::scene::detail {

struct SphereSpec : Spec {
  Real radius = 0;
};
struct PlaneSpec : Spec {
  Vec3 normal = Vec3::Zero();
};
struct BoxSpec : Spec {
  Vec3 size = Vec3::Zero();
};
struct CapsuleSpec : Spec {
  Real radius = 0;
  Real length = 0;
};
struct DiscSpec : Spec {
  Real radius = 0;
};
struct RodSpec : Spec {
  Real radius = 0;
  Real length = 0;
};
struct PolygonSpec : Spec {
  std::vector<Vec2> corners;
};
struct HalfPlaneSpec : Spec {
  Vec2 normal = Vec2::Zero();
};
struct CylinderSpec : Spec {
  Real radius = 0;
  Real length = 0;
};
struct PipeSpec : Spec {
  Real radius = 0;
  Real length = 0;
  bool ends = true;
};
struct HullSpec : Spec {
  std::optional<std::vector<Vec3>> points;
  std::optional<std::string> file;
  Vec3 scale = Vec3::Ones();
  bool centred = true;
};
struct MeshSpec : Spec {
  std::optional<std::string> file;
  Real scale = 1;
  std::optional<std::vector<std::vector<Real>>> heights;
  Vec2 size = Vec2::Zero();
  bool open = false;
};
struct ClumpMemberSpec : Spec {
  std::optional<SphereSpec> sphere;
  std::optional<BoxSpec> box;
  std::optional<CapsuleSpec> capsule;
  std::optional<CylinderSpec> cylinder;
  std::optional<HullSpec> hull;
  Vec3 position = Vec3::Zero();
  std::optional<OrientationSpec> orientation;
};
struct ShapeSpec : Spec {
  std::optional<SphereSpec> sphere;
  std::optional<PlaneSpec> plane;
  std::optional<BoxSpec> box;
  std::optional<CapsuleSpec> capsule;
  std::optional<CylinderSpec> cylinder;
  std::optional<HullSpec> hull;
  std::optional<PipeSpec> pipe;
  std::optional<MeshSpec> mesh;
  std::optional<std::vector<ClumpMemberSpec>> clump;
  std::optional<DiscSpec> disc;
  std::optional<RodSpec> rod;
  std::optional<PolygonSpec> polygon;
  std::optional<HalfPlaneSpec> half_plane;
};

struct SpheresSpec : Spec {
  std::string file;
};
struct UniformSizesSpec : Spec {
  Real min = 0;
  Real max = 0;
};
struct NormalSizesSpec : UniformSizesSpec {
  Real mean = 0;
  Real deviation = 0;
};
struct LogNormalSizesSpec : UniformSizesSpec {
  Real median = 0;
  Real deviation = 0;
};
struct TableSizesSpec : Spec {
  std::vector<Real> sizes;
  std::vector<Real> shares;
  std::string by;
};
struct SizesSpec : Spec {
  std::optional<UniformSizesSpec> uniform;
  std::optional<NormalSizesSpec> normal;
  std::optional<LogNormalSizesSpec> log_normal;
  std::optional<TableSizesSpec> table;
};
struct LatticeSpec : Spec {
  ShapeSpec shape;
  Vec3 count = Vec3::Zero();
  Vec3 spacing = Vec3::Zero();
  Vec3 origin = Vec3::Zero();
  Real size_spread = 0;
  std::optional<SizesSpec> sizes;
  Real jitter = 0;
  bool random_orientation = false;
  Index seed = 0;
};
struct RegionSpec : Spec {
  Vec3 min = Vec3::Zero();
  Vec3 max = Vec3::Zero();
};
struct RandomSpec : Spec {
  ShapeSpec shape;
  Index count = 0;
  RegionSpec region;
  Real gap = 0;
  Real size_spread = 0;
  std::optional<SizesSpec> sizes;
  bool random_orientation = false;
  Index seed = 0;
};

struct SourceSpec : Spec {
  ShapeSpec shape;
  Index count = 0;
  std::optional<Real> rate;
  std::optional<Real> mass_rate;
  Real start = 0;
  RegionSpec region;
  Real gap = 0;
  Real velocity_spread = 0;
  Real size_spread = 0;
  std::optional<SizesSpec> sizes;
  bool random_orientation = false;
  Index seed = 0;
};
struct OpenRegionSpec : Spec {
  std::optional<Vec3> min;
  std::optional<Vec3> max;
};
struct SinkSpec : Spec {
  std::string name;
  std::optional<OpenRegionSpec> region;
  std::optional<OpenRegionSpec> outside;
  std::vector<std::string> bodies;
};

struct PackingSpec : Spec {
  ShapeSpec shape;
  std::optional<Index> count;
  std::optional<Real> fraction;
  RegionSpec region;
  Real gap = 0;
  Real size_spread = 0;
  std::optional<SizesSpec> sizes;
  bool random_orientation = false;
  Index seed = 0;
};

struct RotationSpec : Spec {
  Vec3 axis = Vec3::Zero();
  Vec3 through = Vec3::Zero();
  Real speed = 0;
};
struct SwingSpec : Spec {
  Vec3 axis = Vec3::Zero();
  Vec3 through = Vec3::Zero();
  Real amplitude = 0;
  Real frequency = 0;
  Real phase = 0;
};
struct ShakeSpec : Spec {
  Vec3 amplitude = Vec3::Zero();
  Real frequency = 0;
  Real phase = 0;
};
struct TableSpec : Spec {
  std::vector<Real> times;
  std::vector<Vec3> displacements;
  std::vector<Real> angles;
  Vec3 axis = Vec3::Zero();
  Vec3 through = Vec3::Zero();
};
struct MotionSpec : Spec {
  std::optional<model::BodyKind> kind;
  std::optional<RotationSpec> rotation;
  std::optional<SwingSpec> swing;
  std::optional<TableSpec> table;
  std::optional<ShakeSpec> shake;
};

struct BodySpec : Spec {
  std::string name;
  std::optional<ShapeSpec> shape;
  std::optional<SpheresSpec> spheres;
  std::optional<LatticeSpec> lattice;
  std::optional<RandomSpec> random;
  std::optional<PackingSpec> packing;
  std::optional<SourceSpec> source;
  std::string material;
  std::optional<std::string> colour;
  std::optional<MotionSpec> motion;
  std::optional<bool> fixed;
  std::optional<Real> mass;
  std::optional<Real> density;
  std::optional<Mat3> inertia;
  std::optional<Vec3> mass_centre;
  bool collides = true;
  Vec3 position = Vec3::Zero();
  std::optional<OrientationSpec> orientation;
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();

  [[nodiscard]] model::BodyKind kind() const {
    if (motion) return motion->kind.value_or(model::BodyKind::kinematic);
    return fixed.value_or(false) ? model::BodyKind::fixed : model::BodyKind::dynamic;
  }
};

struct PlainSpec : Spec {};
struct MassFlowSpec : Spec {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::Zero();
  std::optional<Real> radius;
  std::optional<Vec2> size;
  std::optional<Vec3> along;
};
struct ForcesSpec : Spec {
  Index bins = 0;
  Real range = 0;
};
struct ReposeSpec : Spec {
  std::string surface;
  Real cell = 0;
  Real low = 0;
  Real high = 0;
};
struct MixingSpec : Spec {
  std::vector<std::string> tracers;
  Vec3 cells = Vec3::Zero();
};
struct ProbeSpec : Spec {
  std::string name;
  Index every = 1;
  std::vector<std::string> bodies;
  std::optional<RegionSpec> region;
  std::optional<MassFlowSpec> mass_flow;
  std::optional<PlainSpec> solid_fraction;
  std::optional<PlainSpec> coordination;
  std::optional<ForcesSpec> forces;
  std::optional<PlainSpec> fabric;
  std::optional<PlainSpec> stress;
  std::optional<ReposeSpec> repose;
  std::optional<MixingSpec> mixing;
  std::optional<PlainSpec> energy;
  std::optional<PlainSpec> centre;
};

struct MaterialSpec : Spec {
  std::optional<Real> density;
  std::optional<std::string> colour;
};
/// The law of contacts: of a surface, with rolling, torsion and cohesion.
struct LawSpec : SurfaceSpec {
  std::optional<Real> rolling_friction;
  std::optional<Real> torsional_friction;
  std::optional<Real> cohesion;
};
struct GrainSpec : Spec {
  std::string of;
  Vec3 direction = Vec3::Zero();
  Real friction_across = 0;
};
struct PairSpec : LawSpec {
  std::vector<std::string> between;
  std::optional<GrainSpec> grain;
};
struct ContactsSpec : Spec {
  std::optional<problem::FrictionLaw> law;
  std::optional<LawSpec> fallback;
  std::vector<PairSpec> pairs;
  std::vector<std::vector<std::string>> apart;
};

/// A robot from a URDF or MJCF file.
struct RobotSpec : Spec {
  std::string file;
  std::string name;
  Vec3 position = Vec3::Zero();
  std::optional<OrientationSpec> orientation;
  std::optional<bool> is_fixed;
  std::string keyframe;
  std::vector<Entry<JointPositionSpec>> joint_positions;
  std::vector<Entry<ControllerSpec>> controllers;
};

/// What an included file may hold.
struct FragmentSpec : Spec {
  std::vector<std::string> include;
  std::vector<Entry<MaterialSpec>> materials;
  std::optional<ContactsSpec> contacts;
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;
  std::vector<DriveSpec> drives;
  std::vector<ForceSpec> forces;
  std::vector<CouplingSpec> couplings;
  std::vector<Entry<JointPositionSpec>> joint_positions;
  std::vector<SensorSpec> sensors;
  std::vector<RobotSpec> robots;
};

struct TimeSpec : Spec {
  Real step = 0;
  Real end = 0;
};
struct BaumgarteSpec : Spec {
  std::optional<Real> alpha, beta;
  bool is_baumgarte_squared = false;
};
struct SchemeSpec : Spec {
  std::string name;
  Real theta = 0;
  Real error_reduction = 0;
  Real slop = 0;
  bool sleeping = false;
  Index directions = 0;
  std::string tangents;
  std::string overlap;
  bool fixed_point = false;
  Index max_halvings = 0;
  std::string integrator;
  Real tolerance = 0;
  std::optional<Real> internal_step;
  Real radius = 0;
  std::string stabilisation;
  BaumgarteSpec baumgarte;
  std::string impacts;
  std::string restitution;
  std::string on_painleve;
};
struct SolverSpec : Spec {
  std::string name;
  Real tolerance = 0;
  Index max_iterations = 0;
  Real relaxation = 0;
  Index directions = 0;
};
struct DampingSpec : Spec {
  Real linear = 0;
  Real angular = 0;
};
struct PeriodicSpec : Spec {
  std::optional<Vec2> x, y, z;
};
struct RecordSpec : Spec {
  Index every = 1;
  std::optional<Index> contacts_every;
  bool is_single = false;
};

struct CameraSpec : Spec {
  Vec3 position = Vec3::Zero();
  Vec3 target = Vec3::Zero();
};

/// What the main file may hold.
struct SceneSpec : FragmentSpec {
  std::string title;
  Index dimension = 3;
  std::optional<PeriodicSpec> periodic;
  Vec3 gravity = Vec3::Zero();
  DampingSpec damping;
  TimeSpec time;
  SchemeSpec scheme;
  SolverSpec solver;
  OnUncertified on_uncertified = OnUncertified::accept;
  RecordSpec record;
  std::optional<CameraSpec> camera;
  std::vector<ProbeSpec> probes;
  std::vector<SinkSpec> sinks;
  Real overlap_limit = 0;
};

/// Most bodies of a scene, most materials, most steps.
inline constexpr Index kMostBodies = 10'000'000;
inline constexpr Index kMostMaterials = 1000;
inline constexpr Real kMostSteps = 1e9;

/// Parts of the schema that have a file of their own.
inline constexpr Range kSeed{.low = 0, .high = 9007199254740992.0};
inline constexpr Range kCount{.low = 1, .high = static_cast<Real>(kMostBodies)};
inline constexpr Range kShare{.low = 0, .high = 1};
inline constexpr Range kBelowOne{.low = 0, .high = 1, .high_open = true};
[[nodiscard]] Typed<MotionSpec> motion_type();
[[nodiscard]] Typed<RegionSpec> region_type();
[[nodiscard]] Typed<ProbeSpec> probe_type();
[[nodiscard]] Typed<SourceSpec> source_type(const Typed<ShapeSpec>& shape);
[[nodiscard]] Typed<SinkSpec> sink_type();
[[nodiscard]] Typed<SizesSpec> sizes_type();

[[nodiscard]] Typed<ContactsSpec> contacts_type();
[[nodiscard]] Typed<ShapeSpec> shape_type();
[[nodiscard]] const Typed<SceneSpec>& scene_schema();
[[nodiscard]] const Typed<FragmentSpec>& fragment_schema();

}  // namespace talus::scene::detail
