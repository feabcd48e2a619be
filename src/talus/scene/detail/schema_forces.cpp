#include <talus/scene/detail/schema_machine.hpp>

// How force elements are written.

namespace talus::scene::detail {
namespace {

Typed<BushingSpec> bushing_type() {
  const auto matrix = list(list(number(Quantity::ratio), 6, 6), 6, 6);
  return with_common_point(
             Object<BushingSpec>(
                 "bushing",
                 "A piece of rubber: a force and a moment against the displacement of B from A "
                 "along three axes and the rotation vector, both 0 as the bodies are given, and "
                 "against their relative velocity along the axes and angular velocity about them."))
      .field("orientation", &BushingSpec::orientation, orientation_type(), optional(),
             "How its axes are turned at the start, world frame; without it not at all.")
      .field("stiffness", &BushingSpec::stiffness, vector3(Quantity::stiffness, kNonNegative, true),
             with_default("0"), "Along its axes.")
      .field("angular_stiffness", &BushingSpec::angular_stiffness,
             vector3(Quantity::angular_stiffness, kNonNegative, true), with_default("0"),
             "About its axes.")
      .field("damping", &BushingSpec::damping, vector3(Quantity::damping, kNonNegative, true),
             with_default("0"), "Along its axes.")
      .field("angular_damping", &BushingSpec::angular_damping,
             vector3(Quantity::angular_damping, kNonNegative, true), with_default("0"),
             "About its axes.")
      .field("stiffness_matrix", &BushingSpec::stiffness_matrix, matrix, optional(),
             "In the place of both: 6×6, symmetric without negative eigenvalues, in SI units.")
      .field("damping_matrix", &BushingSpec::damping_matrix, matrix, optional(),
             "In the place of both: 6×6, symmetric without negative eigenvalues, in SI units.")
      .at_most_one({"stiffness", "stiffness_matrix"})
      .at_most_one({"angular_stiffness", "stiffness_matrix"})
      .at_most_one({"damping", "damping_matrix"})
      .at_most_one({"angular_damping", "damping_matrix"})
      .done();
}

}  // namespace

Typed<ForceSpec> force_type() {
  const auto force_law = force_law_type();
  const Typed<Real> damping = number(Quantity::damping, kNonNegative);
  const auto spring =
      with_two_points(Object<SpringSpec>("spring", "A spring between two points, with a damper."))
          .field("stiffness", &SpringSpec::stiffness, number(Quantity::stiffness, kPositive),
                 required(), "k.")
          .field("rest_length", &SpringSpec::rest_length, number(Quantity::length, kNonNegative),
                 optional(), "Length without force; without it that of the bodies as given.")
          .field("damping", &SpringSpec::damping, damping, with_default("0"), "c.")
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
          .field("axis", &TorsionSpringSpec::axis, vector3(Quantity::ratio), in_space(required()),
                 "About which B turns against A: at the start, world frame.")
          .field("stiffness", &TorsionSpringSpec::stiffness,
                 number(Quantity::angular_stiffness, kNonNegative), required(), "k.")
          .field("rest_angle", &TorsionSpringSpec::rest_angle, number(Quantity::angle), optional(),
                 "θ_B − θ_A without moment, in space from how the bodies are given; without it "
                 "that of the bodies as given.")
          .field("damping", &TorsionSpringSpec::damping,
                 number(Quantity::angular_damping, kNonNegative), with_default("0"), "c.")
          .done();
  const auto point_force =
      Object<PointForceSpec>("point force",
                             "A given force on a point of B, its reverse on A at the same place.")
          .field("force", &PointForceSpec::force, force_law, optional(), "Along the direction.")
          .field("carries", &PointForceSpec::carries, number(Quantity::mass), in_space(optional()),
                 "In its place: the mass whose weight it carries, whatever the gravity is.")
          .field("direction", &PointForceSpec::direction, spatial_vector(Quantity::ratio),
                 optional(),
                 "At the start, world frame, any length but zero; fixed in A unless it follows B.")
          .field("at", &PointForceSpec::at, spatial_vector(Quantity::length), optional(),
                 "The point at the start, world frame; without it the centre of mass of B.")
          .field("at_b", &PointForceSpec::at_b, spatial_vector(Quantity::length), optional(),
                 "In its place, where it is in B.")
          .field("follows", &PointForceSpec::follows, boolean(), in_space(with_default("false")),
                 "Whether the direction is fixed in B.")
          .exactly_one({"force", "carries"})
          .needs("force", {"direction"})
          .at_most_one({"direction", "carries"})
          .at_most_one({"follows", "carries"})
          .at_most_one({"at", "at_b"})
          .done();
  return Object<ForceSpec>("force element",
                           "A force between two bodies, exactly one of these kinds. A force from "
                           "outside is one between a fixed body and another.")
      .field("name", &ForceSpec::name, name(), required(), "Name, the only one of its kind.")
      .field("between", &ForceSpec::between, list(name(), 1, 2, true), required(), kBetween)
      .field("spring", &ForceSpec::spring, spring, optional(), "A spring with a damper.")
      .field("damper", &ForceSpec::damper, damper, optional(), "A damper alone.")
      .field("pull", &ForceSpec::pull, pull, optional(), "A motor with a given force.")
      .field("torsion_spring", &ForceSpec::torsion_spring, torsion_spring, optional(),
             "A torsion spring with a damper.")
      .field("torque", &ForceSpec::torque, torque_law_type(), in_plane(optional()),
             "A motor with a given moment: on B, its reverse on A.")
      .field("bushing", &ForceSpec::bushing, bushing_type(), in_space(optional()),
             "Springs and dampers along and about three axes.")
      .field("moment", &ForceSpec::moment,
             Object<MomentSpec>("moment", "A given torque on B, its reverse on A.")
                 .field("torque", &MomentSpec::torque, torque_law_type(), required(),
                        "About the direction.")
                 .field("direction", &MomentSpec::direction, vector3(Quantity::ratio), required(),
                        "At the start, world frame, any length but zero; fixed in A unless it "
                        "follows B.")
                 .field("follows", &MomentSpec::follows, boolean(), with_default("false"),
                        "Whether the direction is fixed in B.")
                 .done(),
             in_space(optional()), "A motor with a given torque about a direction.")
      .field("point_force", &ForceSpec::point_force, point_force, optional(), "A force at a point.")
      .exactly_one({"spring", "damper", "pull", "torsion_spring", "torque", "moment", "bushing",
                    "point_force"})
      .done();
}

}  // namespace talus::scene::detail
