#include <talus/scene/detail/schema_machine.hpp>

// How joints are written.

namespace talus::scene::detail {
namespace {

/// The direction of a guide or a pin, in the world or in each body.
template <class T>
Object<T> with_axis(Object<T> object, Presence axis = optional()) {
  const Typed<Vec3> direction = vector3(Quantity::ratio);
  return with_common_point(object)
      .field("axis", &CommonAxisSpec::axis, spatial_vector(Quantity::ratio), axis,
             "Its direction at the start, world frame, any length but zero; fixed in A.")
      .field("axis_a", &CommonAxisSpec::axis_a, direction, in_space(optional()),
             "In its place, its direction in A.")
      .field("axis_b", &CommonAxisSpec::axis_b, direction, in_space(optional()),
             "And its direction in B.")
      .exactly_one({"axis", "axis_a"})
      .needs("axis_a", {"axis_b"})
      .needs("axis_b", {"axis_a"});
}

/// The direction that a guide with play has at the start.
template <class T>
Object<T> with_planar_axis(Object<T> object) {
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
      .field("static_friction", &JointFrictionSpec::static_friction, ratio, in_plane(optional()),
             "μ₀ ≥ μ; without it μ.")
      .field("friction_law", &JointFrictionSpec::friction_law, friction_law_type(),
             in_plane(optional()), "How friction depends on slip; without it not at all.")
      .field("preload", &JointFrictionSpec::preload, number(Quantity::force, kNonNegative),
             in_plane(with_default("0")), "Normal force that is there without a reaction.")
      .shorthand("friction")
      .done();
}

}  // namespace

Typed<JointSpec> joint_type() {
  const Typed<Real> length = number(Quantity::length, kPositive);
  const Typed<Real> no_length = number(Quantity::length, kNonNegative);
  const auto revolute =
      with_axis(Object<RevoluteSpec>("revolute",
                                     "A pin: a point of A and one of B stay together; in space B "
                                     "turns about the axis only."),
                in_space(optional()))
          .field("pin_radius", &RevoluteSpec::pin_radius, no_length, with_default("0"),
                 "Radius at which friction acts.")
          .done();
  const auto prismatic =
      with_axis(Object<PrismaticSpec>("prismatic",
                                      "B slides along a line of A and does not turn against it."))
          .field(
              "length", &PrismaticSpec::length, no_length, in_plane(with_default("0")),
              "Length of the guide, for friction under a moment: that of a pair of forces at its "
              "ends; 0: none.")
          .done();
  const auto weld =
      with_common_point(Object<WeldSpec>("weld", "B does not move against A.")).done();
  const auto slot =
      with_axis(Object<SlotSpec>(
                    "slot", "A point of B, a pin, stays on a line of A, a slot, without play."))
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
                 with_default("0"), "Coefficient of restitution where it comes taut.")
          .done();
  const auto line =
      with_two_points(
          Object<LineSpec>("line",
                           "A straight line between two points that holds nothing: its length is "
                           "`slide`, along which springs, limits and motors act. Couplings add "
                           "lines up to tendons through several points."))
          .done();
  const auto rotation = Object<RotationAngleSpec>(
                            "rotation angle",
                            "Holds nothing: `turn`, from 0 to 180 deg, is how far B is turned "
                            "against A from how the bodies are given, about whatever axis. Limits "
                            "of it bound a ball's turns by a cone.")
                            .done();
  const auto gear =
      Object<GearSpec>("gear", "B turns against A: θ_B + ratio · θ_A stays what it is.")
          .field("ratio", &GearSpec::ratio, number(Quantity::ratio), required(),
                 "r_A/r_B of wheels outside of each other; below zero for an inner wheel or a "
                 "belt.")
          .shorthand("ratio")
          .done();
  const auto revolute_clearance =
      with_axis(Object<RevoluteClearanceSpec>(
                    "revolute clearance",
                    "A pin of B in a larger hole or slot of A: they touch where the pin's "
                    "centre is `clearance` away from the hole's. Points in the two bodies "
                    "may be apart by that. In space a long pin in a bore, that touch at its ends."),
                in_space(optional()))
          .field("clearance", &RevoluteClearanceSpec::clearance, length, required(),
                 "Radius of the hole minus that of the pin.")
          .field("pin_radius", &RevoluteClearanceSpec::pin_radius, length, required(),
                 "Radius of the pin.")
          .field("length", &RevoluteClearanceSpec::length, length, in_space(required()),
                 "Of the bore; its middle is the point in A.")
          .field("slot", &RevoluteClearanceSpec::slot,
                 with_planar_axis(Object<SlotHoleSpec>("slot hole",
                                                       "A hole with straight sides and round "
                                                       "ends."))
                     .field("length", &SlotHoleSpec::length, length, required(),
                            "Of the straight sides; its middle is the point in A.")
                     .done(),
                 in_plane(optional()), "For a slot in the place of a round hole.")
          .field("surface", &RevoluteClearanceSpec::surface, surface_type(), with_default("{}"),
                 "What happens where they touch.")
          .done();
  const auto translational_clearance =
      with_planar_axis(
          with_common_point(Object<TranslationalClearanceSpec>(
              "translational clearance",
              "A rectangular block of B in a straight guide of A with play: its four corners "
              "against the guide's two walls. The point is the block's middle.")))
          .field("length", &TranslationalClearanceSpec::length, length, required(),
                 "Of the block, along the guide.")
          .field("width", &TranslationalClearanceSpec::width, length, required(), "Of the block.")
          .field("clearance", &TranslationalClearanceSpec::clearance, length, required(),
                 "Width of the guide minus that of the block.")
          .field("surface", &TranslationalClearanceSpec::surface, surface_type(),
                 with_default("{}"), "What happens where they touch.")
          .done();
  const auto cylindrical =
      with_axis(Object<CylindricalSpec>("cylindrical",
                                        "B slides along a line of A and turns about "
                                        "it: `slide` and `turn`."))
          .done();
  const auto universal =
      with_axis(
          Object<UniversalSpec>(
              "universal",
              "A cross of two shafts: B turns about `axis`, fixed in A (`turn`), and about "
              "`second_axis`, fixed in B (`second_turn`), which stays perpendicular to it. In "
              "the frames of the bodies they are axis_a and axis_b."))
          .field("second_axis", &UniversalSpec::second_axis, vector3(Quantity::ratio), optional(),
                 "Its direction at the start, world frame; fixed in B.")
          .needs("axis", {"second_axis"})
          .needs("second_axis", {"axis"})
          .done();
  const auto ball =
      with_common_point(Object<BallSpec>("ball",
                                         "A point of A and one of B stay together. Its angles "
                                         "are Cardan's about x, y and z of A, as the world's axes "
                                         "are at the start: `turn_x`, `turn_y`, `turn_z`."))
          .done();
  const auto planar =
      with_common_point(Object<PlanarSpec>("planar",
                                           "A point of B stays in a plane of A, and B turns about "
                                           "its normal only: `slide_x`, `slide_y`, `turn`."))
          .field("normal", &PlanarSpec::normal, vector3(Quantity::ratio), required(),
                 "Of the plane at the start, world frame; fixed in A.")
          .field("along", &PlanarSpec::along, vector3(Quantity::ratio), optional(),
                 "Of slide_x at the start, world frame, in the plane; without it a direction as "
                 "near to the world's x as can be.")
          .done();
  const auto screw =
      with_axis(Object<ScrewSpec>("screw",
                                  "B turns about a line of A and slides by the pitch in a "
                                  "turn: `turn` or `slide`."))
          .field("pitch", &ScrewSpec::pitch, number(Quantity::length), required(),
                 "Per turn, not 0; below zero for a left-handed thread.")
          .done();
  const auto ball_clearance =
      with_common_point(Object<BallClearanceSpec>(
                            "ball clearance",
                            "A ball of B in a larger socket of A. Points in the two bodies may be "
                            "apart by the clearance."))
          .field("clearance", &BallClearanceSpec::clearance, length, required(),
                 "Radius of the socket minus that of the ball.")
          .field("radius", &BallClearanceSpec::radius, length, required(), "Of the ball.")
          .field("surface", &BallClearanceSpec::surface, surface_type(), with_default("{}"),
                 "What happens where they touch.")
          .done();
  const Typed<AxisLawSpec> turn = turn_law_type(), slide = slide_law_type();
  const char* meaning = "What acts along this coordinate; without it nothing.";
  return Object<JointSpec>("joint",
                           "What connects two bodies, exactly one of these kinds. Points and axes "
                           "are those at the start, as the bodies are given, in the world frame; "
                           "they stay fixed in the bodies. `turn` is the angle about the axis, "
                           "`slide` the displacement along it.")
      .field("name", &JointSpec::name, name(), required(), "Name, the only one of its kind.")
      .field("between", &JointSpec::between, list(name(), 1, 2, true), required(), kBetween)
      .field("revolute", &JointSpec::revolute, revolute, optional(), "A pin.")
      .field("prismatic", &JointSpec::prismatic, prismatic, optional(), "A guide.")
      .field("weld", &JointSpec::weld, weld, optional(), "A rigid connection.")
      .field("cylindrical", &JointSpec::cylindrical, cylindrical, in_space(optional()),
             "A guide that turns.")
      .field("universal", &JointSpec::universal, universal, in_space(optional()), "A cross.")
      .field("ball", &JointSpec::ball, ball, in_space(optional()), "A ball without play.")
      .field("planar", &JointSpec::planar, planar, in_space(optional()), "A plane on a plane.")
      .field("screw", &JointSpec::screw, screw, in_space(optional()), "A thread.")
      .field("distance", &JointSpec::distance, distance, optional(), "A rod.")
      .field("rope", &JointSpec::rope, rope, optional(), "A rope.")
      .field("line", &JointSpec::line, line, in_space(optional()), "A length between two points.")
      .field("rotation", &JointSpec::rotation, rotation, in_space(optional()),
             "The angle of a rotation.")
      .field("gear", &JointSpec::gear, gear, in_plane(optional()),
             "A pair of wheels; in space one of the couplings.")
      .field("slot", &JointSpec::slot, slot, optional(), "A pin in a slot.")
      .field("revolute_clearance", &JointSpec::revolute_clearance, revolute_clearance, optional(),
             "A pin with play, in a hole or a slot.")
      .field("translational_clearance", &JointSpec::translational_clearance,
             translational_clearance, in_plane(optional()), "A block in a guide with play.")
      .field("ball_clearance", &JointSpec::ball_clearance, ball_clearance, in_space(optional()),
             "A ball with play.")
      .field("friction", &JointSpec::friction, joint_friction_type(), optional(),
             "Friction of a revolute or prismatic joint; without it none.")
      .field("turn", &JointSpec::turn, turn, in_space(optional()), meaning)
      .field("second_turn", &JointSpec::second_turn, turn, in_space(optional()), meaning)
      .field("turn_x", &JointSpec::turn_x, turn, in_space(optional()), meaning)
      .field("turn_y", &JointSpec::turn_y, turn, in_space(optional()), meaning)
      .field("turn_z", &JointSpec::turn_z, turn, in_space(optional()), meaning)
      .field("slide", &JointSpec::slide, slide, in_space(optional()), meaning)
      .field("slide_x", &JointSpec::slide_x, slide, in_space(optional()), meaning)
      .field("slide_y", &JointSpec::slide_y, slide, in_space(optional()), meaning)
      .field("collides", &JointSpec::collides, boolean(), with_default("false"),
             "Whether the shapes of the two bodies can touch each other.")
      .exactly_one({"revolute", "prismatic", "weld", "distance", "rope", "gear", "slot",
                    "revolute_clearance", "translational_clearance", "cylindrical", "universal",
                    "ball", "planar", "screw", "ball_clearance", "line", "rotation"})
      .needs("friction", {"revolute", "prismatic"})
      .done();
}

}  // namespace talus::scene::detail
