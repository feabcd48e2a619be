#include <fmt/format.h>

#include <talus/driver/solve.hpp>
#include <talus/scene/detail/spec.hpp>
#include <talus/stepping/scheme_registry.hpp>

// The table of everything that can be written in a scene. Keys, units, ranges, defaults and
// descriptions exist here and nowhere else.

namespace talus::scene::detail {
namespace {

constexpr std::size_t kMostJoints = 1'000'000;
constexpr Range kDirections{.low = 4, .high = 64, .multiple_of = 2};

/// A default taken from the struct that the rest of Talus uses.
std::string shown(Real value) { return fmt::format("{}", value); }
std::string shown(Index value) { return fmt::format("{}", value); }

Typed<SpheresSpec> spheres_type() {
  return Object<SpheresSpec>(
             "spheres",
             "Many balls from a CSV file in SI units. Its first line that is no comment (#) names "
             "the columns: x, y, z, r; optional vx, vy, vz, wx, wy, wz; a column id is for people "
             "and not used.")
      .field("file", &SpheresSpec::file, text(), required(),
             "The CSV file, relative to the file that names it.")
      .shorthand("file")
      .done();
}

Typed<LatticeSpec> lattice_type(const Typed<ShapeSpec>& shape) {
  return Object<LatticeSpec>("lattice",
                             "Many bodies of one shape on a rectangular lattice, x counted first, "
                             "then y, then z.")
      .field("shape", &LatticeSpec::shape, shape, required(), "Shape of each member.")
      .field("count", &LatticeSpec::count, counts3(kCount), required(), "Members along x, y and z.")
      .field("spacing", &LatticeSpec::spacing, vector3(Quantity::length, kPositive, true),
             required(), "Distance between neighbours along x, y and z.")
      .field("origin", &LatticeSpec::origin, vector3(Quantity::length), with_default("[0, 0, 0]"),
             "Position of the first member.")
      .field("sizes", &LatticeSpec::sizes, sizes_type(), optional(),
             "Distribution of the members' sizes.")
      .field("size_spread", &LatticeSpec::size_spread, number(Quantity::ratio, kBelowOne),
             with_default("0"),
             "Every member is scaled by a factor drawn from [1 − spread, 1 + spread].")
      .field("jitter", &LatticeSpec::jitter, number(Quantity::length, kNonNegative),
             with_default("0"),
             "Every coordinate is moved by a distance drawn from [−jitter, jitter].")
      .field("random_orientation", &LatticeSpec::random_orientation, boolean(),
             with_default("false"), "Whether every member is turned at random.")
      .field("seed", &LatticeSpec::seed, integer(kSeed), with_default("1"),
             "Seed of the random numbers; the same seed gives the same bodies on every machine.")
      .at_most_one({"sizes", "size_spread"})
      .done();
}

Typed<RandomSpec> random_type(const Typed<ShapeSpec>& shape) {
  return Object<RandomSpec>("random",
                            "Many bodies of one shape at random places of a region, without "
                            "overlap: their bounding balls keep the gap.")
      .field("shape", &RandomSpec::shape, shape, required(), "Shape of each member.")
      .field("count", &RandomSpec::count, integer(kCount), required(), "Number of members.")
      .field("region", &RandomSpec::region, region_type(), required(),
             "Where they are: it holds the whole bodies, but continues across the faces of a "
             "periodic direction that it fills.")
      .field("gap", &RandomSpec::gap, number(Quantity::length, kNonNegative), with_default("0"),
             "Least distance between the bounding balls of two members.")
      .field("sizes", &RandomSpec::sizes, sizes_type(), optional(),
             "Distribution of the members' sizes.")
      .field("size_spread", &RandomSpec::size_spread, number(Quantity::ratio, kBelowOne),
             with_default("0"),
             "Every member is scaled by a factor drawn from [1 − spread, 1 + spread].")
      .field("random_orientation", &RandomSpec::random_orientation, boolean(),
             with_default("false"), "Whether every member is turned at random.")
      .field("seed", &RandomSpec::seed, integer(kSeed), with_default("1"),
             "Seed of the random numbers; the same seed gives the same bodies on every machine.")
      .at_most_one({"sizes", "size_spread"})
      .done();
}

Typed<PackingSpec> packing_type(const Typed<ShapeSpec>& shape) {
  constexpr Range kFraction{.low = 0, .high = 1, .low_open = true};
  return Object<PackingSpec>(
             "packing",
             "Many bodies of one shape packed densely at random, without overlap: their bounding "
             "balls are moved apart from random places until all keep the gap. Equal balls reach a "
             "fraction of 0.6 and a little more in a periodic cell, 0.55 and a little more between "
             "walls; what is not reached is an error. Other shapes are packed by their bounding "
             "balls and fill accordingly less.")
      .field("shape", &PackingSpec::shape, shape, required(), "Shape of each member.")
      .field("count", &PackingSpec::count, integer(kCount), optional(), "Number of members.")
      .field("fraction", &PackingSpec::fraction, number(Quantity::ratio, kFraction), optional(),
             "In the place of a count: share of the region that the bounding balls fill, to half a "
             "body.")
      .field("region", &PackingSpec::region, region_type(), required(),
             "Where they are: it holds the whole bodies, but continues across the faces of a "
             "periodic direction that it fills.")
      .field("gap", &PackingSpec::gap, number(Quantity::length, kNonNegative), with_default("0"),
             "Least distance between the bounding balls of two members.")
      .field("sizes", &PackingSpec::sizes, sizes_type(), optional(),
             "Distribution of the members' sizes.")
      .field("size_spread", &PackingSpec::size_spread, number(Quantity::ratio, kBelowOne),
             with_default("0"),
             "Every member is scaled by a factor drawn from [1 − spread, 1 + spread].")
      .field("random_orientation", &PackingSpec::random_orientation, boolean(),
             with_default("false"), "Whether every member is turned at random.")
      .field("seed", &PackingSpec::seed, integer(kSeed), with_default("1"),
             "Seed of the random numbers; the same seed gives the same bodies on every machine.")
      .exactly_one({"count", "fraction"})
      .at_most_one({"sizes", "size_spread"})
      .done();
}

Typed<BodySpec> body_type() {
  const Typed<ShapeSpec> shape = shape_type();
  return Object<BodySpec>(
             "body",
             "One body (shape), or a set of bodies (spheres, lattice, random, packing, source) "
             "whose members are called name[0], name[1], …. The origin of a body's frame is "
             "its centre of mass.")
      .field("name", &BodySpec::name, name(), required(), "Name, the only one of its kind.")
      .field("shape", &BodySpec::shape, shape, optional(), "Shape of a single body.")
      .field("spheres", &BodySpec::spheres, spheres_type(), optional(),
             "A set of balls from a file.")
      .field("lattice", &BodySpec::lattice, lattice_type(shape), optional(), "A set on a lattice.")
      .field("random", &BodySpec::random, random_type(shape), optional(), "A set at random places.")
      .field("packing", &BodySpec::packing, packing_type(shape), optional(), "A dense random set.")
      .field("source", &BodySpec::source, source_type(shape), optional(),
             "A set that is inserted during the run.")
      .field("material", &BodySpec::material, name(), with_default("default"),
             "Name of the material. The material \"default\" is there without being defined.")
      .field("colour", &BodySpec::colour, text(), optional(),
             "Colour in pictures, of every member of a set: \"#rrggbb\", or red, orange, yellow, "
             "green, teal, blue, purple, pink, brown, grey, black or white; without it the "
             "material's, or one of the page's choice.")
      .field(
          "motion", &BodySpec::motion, motion_type(), optional(),
          "How it moves: dynamic (by forces, the default), fixed, kinematic, or prescribed laws.")
      .field("fixed", &BodySpec::fixed, boolean(), optional(), "Short for motion: fixed when true.")
      .field("mass", &BodySpec::mass, number(Quantity::mass, kPositive), optional(),
             "Mass, of each member of a set; without it the density and the volume give it.")
      .field("density", &BodySpec::density, number(Quantity::density, kPositive), optional(),
             "Density; without it that of the material.")
      .field("inertia", &BodySpec::inertia, inertia(), optional(),
             "Principal moments about the body's axes, or a symmetric 3×3 matrix in its frame, or "
             "one number for all axes (in planar scenes that about z); without it that of the "
             "shape, filled evenly.")
      .field("mass_centre", &BodySpec::mass_centre, spatial_vector(Quantity::length), optional(),
             "Where the centre of mass is, seen from the shape's own origin: its middle, or of a "
             "clump what the positions of its members are seen from; without it in the middle. "
             "Position, velocity and inertia are those of the centre of mass.")
      .field("collides", &BodySpec::collides, boolean(), with_default("true"),
             "Whether it touches other bodies; false for a shape that is for the eye only.")
      .field("position", &BodySpec::position, vector3(Quantity::length), with_default("[0, 0, 0]"),
             "Position of the centre of mass.")
      .field("orientation", &BodySpec::orientation, orientation_type(), optional(),
             "How it is turned; without it not at all.")
      .field("velocity", &BodySpec::velocity, vector3(Quantity::velocity),
             with_default("[0, 0, 0]"),
             "Velocity of the centre of mass; of every member of a set; of a source when it comes "
             "in.")
      .field("angular_velocity", &BodySpec::angular_velocity, vector3(Quantity::angular_velocity),
             with_default("[0, 0, 0]"), "Angular velocity, world frame; of every member of a set.")
      .exactly_one({"shape", "spheres", "lattice", "random", "packing", "source"})
      .at_most_one({"motion", "fixed"})
      .at_most_one({"mass", "density"})
      .needs("position", {"shape"})
      .needs("orientation", {"shape"})
      .needs("inertia", {"shape"})
      .needs("inertia", {"mass"})
      .needs("mass_centre", {"inertia"})
      .done();
}

Typed<RobotSpec> robot_type() {
  return Object<RobotSpec>("robot",
                           "A robot from a URDF or MJCF file. Its bodies, joints and materials are "
                           "called NAME:their name. What its file says of contacts holds among its "
                           "own bodies; with others the laws of the scene do.")
      .field("file", &RobotSpec::file, text(), required(),
             "The file, relative to the file that names it: .urdf, or .xml.")
      .field("name", &RobotSpec::name, name(), required(), "Name, put before all of its names.")
      .field("position", &RobotSpec::position, vector3(Quantity::length), with_default("[0, 0, 0]"),
             "Where the origin of its file is.")
      .field("orientation", &RobotSpec::orientation, orientation_type(), optional(),
             "How its file is turned; without it not at all.")
      .field("base", &RobotSpec::is_fixed, choice<bool>({{"fixed", true}, {"floating", false}}),
             optional(),
             "Whether its base is held: of an MJCF file what carries joints, or else its first "
             "body; without it as the file says.")
      .field("keyframe", &RobotSpec::keyframe, text(), with_default("\"\""),
             "Name of the keyframe of an MJCF file that it starts from.")
      .field("joint_positions", &RobotSpec::joint_positions,
             table(joint_position_type(), kMostJoints), optional(),
             "Where its joints start, by the names of its file, from where it gives its bodies.")
      .field("controllers", &RobotSpec::controllers, table(controller_type(), kMostJoints),
             optional(), "Motors of its joints, by the names of its file.")
      .done();
}

/// The keys that the main file and included files share.
template <class T>
Object<T> with_fragment_fields(Object<T> object) {
  const auto material =
      Object<MaterialSpec>("material", "What a body is made of.")
          .field("density", &MaterialSpec::density, number(Quantity::density, kPositive),
                 optional(), "Density; needed where a body's mass is not given.")
          .field("colour", &MaterialSpec::colour, text(), optional(),
                 "Colour in pictures of bodies that have none of their own; as that of a body.")
          .done();
  return object
      .field("materials", &FragmentSpec::materials, table(material, kMostMaterials), optional(),
             "Materials by name.")
      .field("contacts", &FragmentSpec::contacts, contacts_type(), optional(),
             "Friction and restitution between materials.")
      .field("bodies", &FragmentSpec::bodies, list(body_type()), optional(),
             "The bodies and sets of bodies, in order.")
      .field("joints", &FragmentSpec::joints, list(joint_type()), optional(),
             "What connects bodies.")
      .field("drives", &FragmentSpec::drives, list(drive_type()), optional(),
             "Motors that move bodies exactly as they must.")
      .field("forces", &FragmentSpec::forces, list(force_type()), optional(),
             "Springs, dampers, motors with a given force or torque.")
      .field("couplings", &FragmentSpec::couplings, list(coupling_type()), in_space(optional()),
             "Gears, racks, differentials: equations between coordinates of joints.")
      .field("joint_positions", &FragmentSpec::joint_positions,
             table(joint_position_type(), kMostJoints), in_space(optional()),
             "Where joints start, by their names; those that are not named start as the bodies "
             "are given, or as loops of joints move them along.")
      .field("sensors", &FragmentSpec::sensors, list(sensor_type()), in_space(optional()),
             "What is read of bodies and joints in every step.")
      .field("robots", &FragmentSpec::robots, list(robot_type()), in_space(optional()),
             "Robots from URDF and MJCF files.")
      .field(
          "include", &FragmentSpec::include, list(text(), 0, 1000, /*single_stands_for_list=*/true),
          optional(),
          "Files whose materials, contacts, bodies, joints and what acts on them are read before "
          "those of this file; each file is read once.");
}

Typed<TimeSpec> time_type() {
  constexpr Range kStep{.low = 0, .high = 1e6, .low_open = true};
  const Typed<Real> positive_time = number(Quantity::time, kPositive);
  return Object<TimeSpec>("time", "The time steps.")
      .field("step", &TimeSpec::step, number(Quantity::time, kStep), with_default("1 ms"),
             "Time step h.")
      .field("end", &TimeSpec::end, positive_time, with_default("1 s"), "Time to simulate.")
      .done();
}

Typed<PeriodicSpec> periodic_type() {
  const Typed<Vec2> faces = vector2(Quantity::length);
  const char* meaning = "Where the low and the high face of this direction are.";
  return Object<PeriodicSpec>(
             "periodic cell",
             "Faces that are joined: what leaves through one enters through the other. Positions "
             "are not wrapped. Planes must be along every periodic direction; "
             "any two other bodies, one of them dynamic, must reach less than half the cell's "
             "length, from their origins and together.")
      .field("x", &PeriodicSpec::x, faces, optional(), meaning)
      .field("y", &PeriodicSpec::y, faces, optional(), meaning)
      .field("z", &PeriodicSpec::z, faces, optional(), meaning)
      .done();
}

Typed<DampingSpec> damping_type() {
  const Typed<Real> rate = number(Quantity::rate, kNonNegative);
  return Object<DampingSpec>("damping", "Drag proportional to the velocity.")
      .field("linear", &DampingSpec::linear, rate, with_default("0"),
             "c of the force −c m v on the centre of mass.")
      .field("angular", &DampingSpec::angular, rate, with_default("0"), "c of the torque −c I ω.")
      .done();
}

Typed<BaumgarteSpec> baumgarte_type() {
  constexpr Range kPositiveNumber{.low = 0, .low_open = true};
  return Object<BaumgarteSpec>("baumgarte",
                               "Baumgarte's stabilisation of the constraints Φ = 0; without α and "
                               "β as in Wang and Wang 2015, 1/h and √2/h, h the internal step (the "
                               "scene's where the integrator is adaptive).")
      .field("alpha", &BaumgarteSpec::alpha, number(Quantity::ratio, kPositiveNumber), optional(),
             "α, in 1/s; without it 1/h.")
      .field("beta", &BaumgarteSpec::beta, number(Quantity::ratio, kPositiveNumber), optional(),
             "β, in 1/s² in the form paper, in 1/s in the form squared; without it √2/h.")
      .field("form", &BaumgarteSpec::is_baumgarte_squared,
             choice<bool>({{"paper", false}, {"squared", true}}), with_default("paper"),
             "paper: Φ̈ + αΦ̇ + βΦ = 0; squared: Φ̈ + 2αΦ̇ + β²Φ = 0.")
      .done();
}

/// Which schemes have which option.
Object<SchemeSpec> with_schemes(Object<SchemeSpec> object) {
  const Words implicit = {"stewart_trinkle", "anitescu_potra", "anitescu_potra_stabilised"};
  object.option_of("integrator", "name", {"event_driven"})
      .option_of("tolerance", "name", {"event_driven"})
      .option_of("internal_step", "name", {"event_driven"})
      .option_of("radius", "name", {"event_driven"})
      .option_of("stabilisation", "name", {"event_driven"})
      .option_of("baumgarte", "name", {"event_driven"})
      .option_of("impacts", "name", {"event_driven"})
      .option_of("restitution", "name", {"event_driven", "moreau_jean", "moreau_midpoint"})
      .option_of("on_painleve", "name", {"event_driven"})
      .option_of("theta", "name", {"moreau_jean"})
      .option_of("error_reduction", "name", {"moreau_jean"})
      .option_of("slop", "name", {"moreau_jean"})
      .option_of("sleeping", "name", {"moreau_jean"})
      .option_of("directions", "name", implicit)
      .option_of("tangents", "name", implicit)
      .option_of("overlap", "name", {"stewart_trinkle", "anitescu_potra_stabilised"})
      .option_of("fixed_point", "name", implicit)
      .option_of("max_halvings", "name",
                 {"moreau_jean", "moreau_midpoint", "stewart_trinkle", "anitescu_potra",
                  "anitescu_potra_stabilised", "index_3"});
  return object;
}

/// Options of time stepping.
Object<SchemeSpec> with_step_options(Object<SchemeSpec> object) {
  const stepping::SchemeOptions defaults;
  object
      .field("theta", &SchemeSpec::theta, number(Quantity::ratio, {.low = 0.5, .high = 1}),
             with_default(shown(defaults.theta)),
             "Moreau–Jean's θ: 1 is fully implicit; 0.5 conserves the energy of free "
             "bodies and of springs between their centres; springs that turn bodies change it in "
             "second order of the step, joints and contacts that roll on in first (in "
             "moreau_midpoint in second).")
      .field("error_reduction", &SchemeSpec::error_reduction, number(Quantity::ratio, kShare),
             with_default(shown(defaults.error_reduction)),
             "Share of what is deeper than half the slop that a step removes, by a "
             "displacement "
             "without velocity, once a contact is deeper than the slop.")
      .field("slop", &SchemeSpec::slop, number(Quantity::ratio, kNonNegative),
             with_default(shown(defaults.slop)),
             "Penetration left alone, as a share of the smaller body's size.")
      .field("sleeping", &SchemeSpec::sleeping, boolean(), with_default("false"),
             "Whether bodies that lie still are left out of steps, by islands, until "
             "something "
             "touches them; the answers stay certified. Needs theta 1.")
      .field("directions", &SchemeSpec::directions, integer(kDirections),
             with_default(shown(defaults.directions)),
             "Sides of the polygon that stands for the friction circle.")
      .field("tangents", &SchemeSpec::tangents, choice({"paper", "contact_frame"}),
             with_default(defaults.tangents),
             "Where the polygon's first side points: n × z as in Stewart and Trinkle's "
             "paper, or "
             "the frame that the other schemes use.")
      .field("overlap", &SchemeSpec::overlap, choice({"displacement", "velocity"}),
             with_default(defaults.overlap),
             "How gaps below 0, which bodies that overlap or whose surfaces curve have "
             "where they "
             "are linearised, are taken back: by a displacement without velocity, so "
             "that no step "
             "raises the energy, or by velocities, as the papers have it and "
             "fixed_point always.")
      .field("fixed_point", &SchemeSpec::fixed_point, boolean(), with_default("false"),
             "Whether a step is linearised again at its end until the gaps are closed "
             "to 1e-12 m.")
      .field("max_halvings", &SchemeSpec::max_halvings, integer({.low = 0, .high = 20}),
             with_default(shown(defaults.max_halvings)),
             "How often a step is cut in two that is not certified, or in which impacts "
             "with "
             "restitution follow from each other.");
  return object;
}

/// Options of the event-driven scheme.
Object<SchemeSpec> with_event_options(Object<SchemeSpec> object) {
  const stepping::event_driven::MachineOptions machine;
  object
      .field("integrator", &SchemeSpec::integrator,
             choice({"adaptive", "rk4", "generalized_alpha"}), with_default(machine.integrator),
             "How the smooth motion between events is integrated: adaptive (Dormand and "
             "Prince, "
             "order 5), rk4 (fixed steps) or generalized_alpha (fixed steps, for stiff "
             "contacts).")
      .field("tolerance", &SchemeSpec::tolerance,
             number(Quantity::ratio, {.low = 0, .high = 1, .low_open = true, .high_open = true}),
             with_default(shown(machine.tolerance)),
             "Error that a step of the adaptive integrator may make in a coordinate or "
             "velocity: "
             "in SI units, and relative.")
      .field("internal_step", &SchemeSpec::internal_step, number(Quantity::time, kPositive),
             optional(),
             "Step of rk4 and generalized_alpha; without it the scene's, which may hold "
             "many.")
      .field("radius", &SchemeSpec::radius, number(Quantity::ratio, kShare),
             with_default(shown(machine.rho_infinity)),
             "What generalized_alpha leaves of the highest frequencies in a step: 0 "
             "nothing, 1 all.")
      .field("stabilisation", &SchemeSpec::stabilisation,
             choice({"projection", "baumgarte", "none"}), with_default(machine.stabilisation),
             "What is done against drift off the constraints.")
      .field("baumgarte", &SchemeSpec::baumgarte, baumgarte_type(), with_default("{}"),
             "Numbers of the stabilisation baumgarte.")
      .field("impacts", &SchemeSpec::impacts, choice({"simultaneous", "sequential"}),
             with_default(machine.impacts),
             "Whether contacts that collide in one instant do so together or one after "
             "another.")
      .field("restitution", &SchemeSpec::restitution, choice({"bounded", "as_given"}),
             with_default(machine.restitution),
             "What to do where the laws of restitution raise the energy of an impact, as "
             "they can "
             "with friction and joints, or have no answer: take all its coefficients "
             "smaller by "
             "one factor, just enough; or leave them. event_driven then records the event "
             "`restitution_reduced`, or the impact is uncertified.")
      .field("on_painleve", &SchemeSpec::on_painleve, choice({"stop", "time_step"}),
             with_default(machine.on_painleve),
             "What to do where no acceleration, or more than one, satisfies the laws: "
             "stop, or "
             "take a time step through.");
  return object;
}

Typed<SchemeSpec> scheme_type() {
  Object<SchemeSpec> object("scheme", "How a time step is made.");
  object.field("name", &SchemeSpec::name, choice(stepping::scheme_names()),
               with_default(stepping::SchemeOptions().scheme), "Name of the scheme.");
  return with_schemes(with_event_options(with_step_options(object))).shorthand("name").done();
}

Typed<SolverSpec> solver_type() {
  const driver::Options defaults = stepping::SchemeOptions{}.solver;
  return Object<SolverSpec>("solver", "How the contact problem of a time step is solved.")
      .field("name", &SolverSpec::name, choice(driver::friction_contact_solver_names()),
             with_default(defaults.solver),
             "Name of the solver; auto takes the one that suits the scheme.")
      .field("tolerance", &SolverSpec::tolerance,
             number(Quantity::ratio, {.low = 0, .high = 1, .low_open = true, .high_open = true}),
             with_default(shown(defaults.tolerance)),
             "Largest scaled natural-map residual of a certified step.")
      .field("max_iterations", &SolverSpec::max_iterations, integer({.low = 1, .high = 1e9}),
             with_default(shown(defaults.max_iterations)), "Most sweeps or pivots of a step.")
      .field("relaxation", &SolverSpec::relaxation,
             number(Quantity::ratio, {.low = 0, .high = 2, .low_open = true, .high_open = true}),
             with_default(shown(defaults.relaxation)), "Over-relaxation of Gauss–Seidel.")
      .field("directions", &SolverSpec::directions, integer(kDirections),
             with_default(shown(defaults.directions)),
             "Sides of the polygon that stands for the friction circle.")
      .option_of("relaxation", "name", {"nsgs", "auto"})
      .option_of("directions", "name", {"lemke"})
      .shorthand("name")
      .done();
}

}  // namespace

const Typed<FragmentSpec>& fragment_schema() {
  static const Typed<FragmentSpec> schema =
      with_fragment_fields(Object<FragmentSpec>("included file", "A file that a scene includes."))
          .done();
  return schema;
}

const Typed<SceneSpec>& scene_schema() {
  static const Typed<SceneSpec> schema =
      with_fragment_fields(
          Object<SceneSpec>("scene", "A scene file, or the file scene.yaml of a folder.")
              .field("title", &SceneSpec::title, text(), with_default("\"\""),
                     "What the scene shows.")
              .field("dimension", &SceneSpec::dimension, integer({.low = 2, .high = 3}),
                     with_default("3"),
                     "2 for a planar scene: bodies move in the plane z = 0 and turn about z; mass "
                     "is density times area times 1 m. Vectors may be given by their two numbers "
                     "there, an angular velocity by the one about z.")
              .field("periodic", &SceneSpec::periodic, periodic_type(), optional(),
                     "Directions of the world that are periodic; without it none.")
              .field("gravity", &SceneSpec::gravity, vector3(Quantity::acceleration),
                     with_default("[0, 0, -9.81]"),
                     "Gravity, world frame; in a planar scene [0, -9.81, 0] unless given.")
              .field("damping", &SceneSpec::damping, damping_type(), with_default("{}"),
                     "Drag on every dynamic body.")
              .field("time", &SceneSpec::time, time_type(), with_default("{}"),
                     "Time step and end.")
              .field("scheme", &SceneSpec::scheme, scheme_type(), with_default("{}"),
                     "Time-stepping scheme: its name, or its name and options.")
              .field("solver", &SceneSpec::solver, solver_type(), with_default("{}"),
                     "Solver: its name, or its name and options.")
              .field("on_uncertified", &SceneSpec::on_uncertified,
                     choice<OnUncertified>(
                         {{"accept", OnUncertified::accept}, {"stop", OnUncertified::stop}}),
                     with_default("accept"),
                     "What to do after a step that misses the tolerance: continue and count it, or "
                     "stop.")
              .field("record", &SceneSpec::record,
                     Object<RecordSpec>("record", "What is recorded.")
                         .field("every", &RecordSpec::every, integer({.low = 1, .high = 1e9}),
                                with_default("1"), "Steps from one recorded frame to the next.")
                         .field("contacts_every", &RecordSpec::contacts_every,
                                integer({.low = 0, .high = 1e6}), optional(),
                                "Frames from one with contacts to the next, 0: none has them; "
                                "without it 1 up to 10000 bodies, 10 beyond.")
                         .field("precision", &RecordSpec::is_single,
                                choice<bool>({{"single", true}, {"double", false}}), optional(),
                                "Of positions, orientations, velocities and contacts in frames; "
                                "without it double up to 1000 bodies, single beyond. What a run "
                                "is resumed from is in double always.")
                         .done(),
                     with_default("{}"), "What is recorded.")
              .field("camera", &SceneSpec::camera,
                     Object<CameraSpec>("camera", "Where pictures are taken from, at first.")
                         .field("position", &CameraSpec::position, vector3(Quantity::length),
                                required(), "Where the eye is.")
                         .field("target", &CameraSpec::target, vector3(Quantity::length),
                                required(), "What is in the middle of the picture.")
                         .done(),
                     optional(),
                     "In space: where pictures are taken from, at first; without it all is seen.")
              .field("probes", &SceneSpec::probes, list(probe_type()), optional(),
                     "What is measured during the run.")
              .field("sinks", &SceneSpec::sinks, list(sink_type()), optional(),
                     "Where bodies are taken out.")
              .field("overlap_limit", &SceneSpec::overlap_limit,
                     number(Quantity::ratio, kNonNegative), with_default("10 %"),
                     "Deepest overlap of two bodies at the start, as a share of the smaller one's "
                     "least thickness; deeper is an error."))
          .done();
  return schema;
}

}  // namespace talus::scene::detail
