#include <talus/scene/detail/spec.hpp>

// How joints, drives and force elements are written.

namespace talus::scene::detail {
namespace {

const char* const kBetween = "Names of the two bodies, A and B: \"of B against A\" is meant.";

/// A law of time: a constant, a ramp, a harmonic, or a table, told apart by their keys.
Typed<TimeLawSpec> law_type(const char* title, Quantity value, Quantity slope) {
  constexpr std::size_t kMostRows = 100'000;
  return Object<TimeLawSpec>(title,
                             "A function of time: constant; ramp, start + slope · t; harmonic, "
                             "mean + amplitude · sin(2π frequency · t + phase); or table, values "
                             "at times, straight lines or a smooth curve (natural cubic spline) "
                             "between, constant outside.")
      .field("constant", &TimeLawSpec::constant, number(value), optional(), "The same always.")
      .field("slope", &TimeLawSpec::slope, number(slope), optional(), "Of a ramp.")
      .field("start", &TimeLawSpec::start, number(value), otherwise("0"),
             "Of a ramp, at the time zero.")
      .field("amplitude", &TimeLawSpec::amplitude, number(value), optional(), "Of a harmonic.")
      .field("mean", &TimeLawSpec::mean, number(value), otherwise("0"), "Of a harmonic.")
      .field("frequency", &TimeLawSpec::frequency, number(Quantity::rate, kPositive), optional(),
             "Of a harmonic: oscillations per second.")
      .field("phase", &TimeLawSpec::phase, number(Quantity::angle), otherwise("0"),
             "Of a harmonic.")
      .field("times", &TimeLawSpec::times, list(number(Quantity::time), 1, kMostRows), optional(),
             "Of a table: increasing.")
      .field("values", &TimeLawSpec::values, list(number(value), 1, kMostRows), optional(),
             "Of a table: one per time.")
      .field("smooth", &TimeLawSpec::smooth, boolean(), otherwise("false"),
             "Whether a table is a smooth curve.")
      .exactly_one({"constant", "slope", "amplitude", "times"})
      .needs("start", {"slope"})
      .needs("mean", {"amplitude"})
      .needs("frequency", {"amplitude"})
      .needs("amplitude", {"frequency"})
      .needs("phase", {"amplitude"})
      .needs("values", {"times"})
      .needs("times", {"values"})
      .needs("smooth", {"times"})
      .shorthand("constant")
      .done();
}

/// One point in both bodies, given in the world or in each of them.
template <class T>
Object<T> with_common_point(Object<T> object) {
  const Typed<Vec2> point = vector2(Quantity::length);
  return object
      .field("at", &CommonPointSpec::at, point, optional(),
             "Where it is at the start, world frame.")
      .field("at_a", &CommonPointSpec::at_a, point, optional(),
             "In its place, where it is in A: from the centre of mass, along the body's axes.")
      .field("at_b", &CommonPointSpec::at_b, point, optional(), "And where it is in B.")
      .exactly_one({"at", "at_a"})
      .needs("at_a", {"at_b"})
      .needs("at_b", {"at_a"});
}

/// A point in each body.
template <class T>
Object<T> with_two_points(Object<T> object) {
  const Typed<Vec2> point = vector2(Quantity::length);
  return object
      .field("from", &TwoPointsSpec::from, point, optional(),
             "Where the end at A is at the start, world frame; without it the centre of mass.")
      .field("to", &TwoPointsSpec::to, point, optional(),
             "Where the end at B is at the start, world frame; without it the centre of mass.")
      .field("at_a", &TwoPointsSpec::at_a, point, optional(),
             "In the place of from: in A, from the centre of mass, along the body's axes.")
      .field("at_b", &TwoPointsSpec::at_b, point, optional(), "In the place of to: in B.")
      .at_most_one({"from", "at_a"})
      .at_most_one({"to", "at_b"});
}

/// The direction that a guide has at the start.
template <class T>
Object<T> with_axis(Object<T> object) {
  return object.field("axis", &T::axis, vector2(Quantity::ratio), required(),
                      "Its direction at the start, world frame, any length but zero; fixed in A.");
}

Typed<JointFrictionSpec> joint_friction_type() {
  const Typed<Real> ratio = number(Quantity::ratio, kNonNegative);
  return Object<JointFrictionSpec>(
             "joint friction",
             "Friction in a revolute or prismatic joint, under the joint's own reaction: in a pin "
             "a moment of the pin's radius times the friction force.")
      .field("friction", &JointFrictionSpec::friction, ratio, required(), "μ.")
      .field("static_friction", &JointFrictionSpec::static_friction, ratio, optional(),
             "μ₀ ≥ μ; without it μ.")
      .field("friction_law", &JointFrictionSpec::friction_law, friction_law_type(), optional(),
             "How friction depends on slip; without it not at all.")
      .field("preload", &JointFrictionSpec::preload, number(Quantity::force, kNonNegative),
             otherwise("0"), "Normal force that is there without a reaction.")
      .shorthand("friction")
      .done();
}

}  // namespace

namespace {

Typed<RevoluteClearanceSpec> revolute_clearance_type() {
  const Typed<Real> length = number(Quantity::length, kPositive);
  return with_common_point(
             Object<RevoluteClearanceSpec>(
                 "revolute clearance",
                 "A pin of B in a larger hole or slot of A: they touch where the pin's "
                 "centre is `clearance` away from the hole's. Points in the two bodies "
                 "may be apart by that."))
      .field("clearance", &RevoluteClearanceSpec::clearance, length, required(),
             "Radius of the hole minus that of the pin.")
      .field("pin_radius", &RevoluteClearanceSpec::pin_radius, length, required(),
             "Radius of the pin.")
      .field("slot", &RevoluteClearanceSpec::slot,
             with_axis(Object<SlotHoleSpec>("slot hole",
                                            "A hole with straight sides and round "
                                            "ends."))
                 .field("length", &SlotHoleSpec::length, length, required(),
                        "Of the straight sides; its middle is the point in A.")
                 .done(),
             optional(), "For a slot in the place of a round hole.")
      .field("surface", &RevoluteClearanceSpec::surface, surface_type(), otherwise("{}"),
             "What happens where they touch.")
      .done();
}

Typed<TranslationalClearanceSpec> translational_clearance_type() {
  const Typed<Real> length = number(Quantity::length, kPositive);
  return with_axis(
             with_common_point(Object<TranslationalClearanceSpec>(
                 "translational clearance",
                 "A rectangular block of B in a straight guide of A with play: its four corners "
                 "against the guide's two walls. The point is the block's middle.")))
      .field("length", &TranslationalClearanceSpec::length, length, required(),
             "Of the block, along the guide.")
      .field("width", &TranslationalClearanceSpec::width, length, required(), "Of the block.")
      .field("clearance", &TranslationalClearanceSpec::clearance, length, required(),
             "Width of the guide minus that of the block.")
      .field("surface", &TranslationalClearanceSpec::surface, surface_type(), otherwise("{}"),
             "What happens where they touch.")
      .done();
}

}  // namespace

Typed<JointSpec> joint_type() {
  const Typed<Real> length = number(Quantity::length, kPositive);
  const Typed<Real> no_length = number(Quantity::length, kNonNegative);
  const auto revolute =
      with_common_point(Object<RevoluteSpec>("revolute",
                                             "A pin: a point of A and one of B stay "
                                             "together."))
          .field("pin_radius", &RevoluteSpec::pin_radius, no_length, otherwise("0"),
                 "Radius at which friction acts.")
          .done();
  const auto prismatic =
      with_axis(with_common_point(Object<PrismaticSpec>(
                    "prismatic", "B slides along a line of A and does not turn against it.")))
          .field(
              "length", &PrismaticSpec::length, no_length, otherwise("0"),
              "Length of the guide, for friction under a moment: that of a pair of forces at its "
              "ends; 0: none.")
          .done();
  const auto weld =
      with_common_point(Object<WeldSpec>("weld", "B does not move against A.")).done();
  const auto slot =
      with_axis(with_common_point(Object<SlotSpec>(
                    "slot", "A point of B, a pin, stays on a line of A, a slot, without play.")))
          .done();
  const auto distance =
      with_two_points(Object<DistanceSpec>("distance", "A massless rod between two points."))
          .field("length", &DistanceSpec::length, length, optional(),
                 "Its length; without it the distance at the start.")
          .done();
  const auto rope =
      with_two_points(Object<RopeSpec>("rope", "A massless rope between two points."))
          .field("length", &RopeSpec::length, length, optional(),
                 "Its length; without it the distance at the start.")
          .field("restitution", &RopeSpec::restitution, number(Quantity::ratio, kShare),
                 otherwise("0"), "Coefficient of restitution where it comes taut.")
          .done();
  const auto gear =
      Object<GearSpec>("gear", "B turns against A: θ_B + ratio · θ_A stays what it is.")
          .field("ratio", &GearSpec::ratio, number(Quantity::ratio), required(),
                 "r_A/r_B of wheels outside of each other; below zero for an inner wheel or a "
                 "belt.")
          .shorthand("ratio")
          .done();
  return Object<JointSpec>("joint",
                           "What connects two bodies, exactly one of these kinds. Points and axes "
                           "are those at the start, in the world frame; they stay fixed in the "
                           "bodies.")
      .field("name", &JointSpec::name, name(), required(), "Name, the only one of its kind.")
      .field("between", &JointSpec::between, list(name(), 2, 2), required(), kBetween)
      .field("revolute", &JointSpec::revolute, revolute, optional(), "A pin.")
      .field("prismatic", &JointSpec::prismatic, prismatic, optional(), "A guide.")
      .field("weld", &JointSpec::weld, weld, optional(), "A rigid connection.")
      .field("distance", &JointSpec::distance, distance, optional(), "A rod.")
      .field("rope", &JointSpec::rope, rope, optional(), "A rope.")
      .field("gear", &JointSpec::gear, gear, optional(), "A pair of wheels.")
      .field("slot", &JointSpec::slot, slot, optional(), "A pin in a slot.")
      .field("revolute_clearance", &JointSpec::revolute_clearance, revolute_clearance_type(),
             optional(), "A pin with play, in a hole or a slot.")
      .field("translational_clearance", &JointSpec::translational_clearance,
             translational_clearance_type(), optional(), "A block in a guide with play.")
      .field("friction", &JointSpec::friction, joint_friction_type(), optional(),
             "Friction of a revolute or prismatic joint; without it none.")
      .field("collides", &JointSpec::collides, boolean(), otherwise("false"),
             "Whether the shapes of the two bodies can touch each other.")
      .exactly_one({"revolute", "prismatic", "weld", "distance", "rope", "gear", "slot",
                    "revolute_clearance", "translational_clearance"})
      .needs("friction", {"revolute", "prismatic"})
      .done();
}

Typed<DriveSpec> drive_type() {
  return with_two_points(
             Object<DriveSpec>(
                 "drive",
                 "A motor that moves B against A exactly as it must: exactly one of these "
                 "quantities. An angle is θ_B − θ_A, from how the two are turned; a displacement "
                 "is that of the point of B from the one of A along the axis. They must be at the "
                 "start what the law says."))
      .field("name", &DriveSpec::name, name(), required(), "Name, the only one of its kind.")
      .field("between", &DriveSpec::between, list(name(), 2, 2), required(), kBetween)
      .field("angle", &DriveSpec::angle,
             law_type("angle law", Quantity::angle, Quantity::angular_velocity), optional(),
             "Angle over time.")
      .field(
          "angular_speed", &DriveSpec::angular_speed,
          law_type("angular speed law", Quantity::angular_velocity, Quantity::angular_acceleration),
          optional(), "Angular velocity over time.")
      .field("displacement", &DriveSpec::displacement,
             law_type("displacement law", Quantity::length, Quantity::velocity), optional(),
             "Displacement over time.")
      .field("speed", &DriveSpec::speed,
             law_type("speed law", Quantity::velocity, Quantity::acceleration), optional(),
             "Velocity along the axis over time.")
      .field("axis", &DriveSpec::axis, vector2(Quantity::ratio), optional(),
             "Direction of a displacement or speed at the start, world frame; fixed in A.")
      .exactly_one({"angle", "angular_speed", "displacement", "speed"})
      .needs("axis", {"displacement", "speed"})
      .needs("displacement", {"axis"})
      .needs("speed", {"axis"})
      .needs("from", {"displacement", "speed"})
      .needs("to", {"displacement", "speed"})
      .needs("at_a", {"displacement", "speed"})
      .needs("at_b", {"displacement", "speed"})
      .done();
}

Typed<ForceSpec> force_type() {
  const auto force_law = law_type("force law", Quantity::force, Quantity::force_rate);
  const Typed<Real> damping = number(Quantity::damping, kNonNegative);
  const auto spring =
      with_two_points(Object<SpringSpec>("spring", "A spring between two points, with a damper."))
          .field("stiffness", &SpringSpec::stiffness, number(Quantity::stiffness, kPositive),
                 required(), "k.")
          .field("rest_length", &SpringSpec::rest_length, number(Quantity::length, kNonNegative),
                 optional(), "Length without force; without it that at the start.")
          .field("damping", &SpringSpec::damping, damping, otherwise("0"), "c.")
          .done();
  const auto damper = with_two_points(Object<DamperSpec>("damper", "A damper between two points."))
                          .field("damping", &DamperSpec::damping, damping, required(), "c.")
                          .done();
  const auto pull =
      with_two_points(Object<PullSpec>("pull",
                                       "A given force between two points, along the line "
                                       "that joins them."))
          .field("force", &PullSpec::force, force_law, required(),
                 "Positive pulls together, negative pushes apart.")
          .done();
  const auto torsion_spring =
      Object<TorsionSpringSpec>("torsion spring", "A moment against turning, with a damper.")
          .field("stiffness", &TorsionSpringSpec::stiffness,
                 number(Quantity::angular_stiffness, kNonNegative), required(), "k.")
          .field("rest_angle", &TorsionSpringSpec::rest_angle, number(Quantity::angle), optional(),
                 "θ_B − θ_A without moment; without it that at the start.")
          .field("damping", &TorsionSpringSpec::damping,
                 number(Quantity::angular_damping, kNonNegative), otherwise("0"), "c.")
          .done();
  const auto point_force =
      Object<PointForceSpec>("point force",
                             "A given force on a point of B, its reverse on A at the same place.")
          .field("force", &PointForceSpec::force, force_law, required(), "Along the direction.")
          .field("direction", &PointForceSpec::direction, vector2(Quantity::ratio), required(),
                 "At the start, world frame, any length but zero; fixed in A.")
          .field("at", &PointForceSpec::at, vector2(Quantity::length), optional(),
                 "The point at the start, world frame; without it the centre of mass of B.")
          .field("at_b", &PointForceSpec::at_b, vector2(Quantity::length), optional(),
                 "In its place, where it is in B.")
          .at_most_one({"at", "at_b"})
          .done();
  return Object<ForceSpec>("force element",
                           "A force between two bodies, exactly one of these kinds. A force from "
                           "outside is one between a fixed body and another.")
      .field("name", &ForceSpec::name, name(), required(), "Name, the only one of its kind.")
      .field("between", &ForceSpec::between, list(name(), 2, 2), required(), kBetween)
      .field("spring", &ForceSpec::spring, spring, optional(), "A spring with a damper.")
      .field("damper", &ForceSpec::damper, damper, optional(), "A damper alone.")
      .field("pull", &ForceSpec::pull, pull, optional(), "A motor with a given force.")
      .field("torsion_spring", &ForceSpec::torsion_spring, torsion_spring, optional(),
             "A torsion spring with a damper.")
      .field("torque", &ForceSpec::torque,
             law_type("torque law", Quantity::torque, Quantity::torque_rate), optional(),
             "A motor with a given moment: on B, its reverse on A.")
      .field("point_force", &ForceSpec::point_force, point_force, optional(), "A force at a point.")
      .exactly_one({"spring", "damper", "pull", "torsion_spring", "torque", "point_force"})
      .done();
}

}  // namespace talus::scene::detail
