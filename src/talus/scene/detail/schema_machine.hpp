#pragma once

#include <talus/scene/detail/spec.hpp>

// What the types of joints, drives and force elements have in common.

namespace talus::scene::detail {

inline constexpr const char* kBetween =
    "Names of the two bodies, A and B: \"of B against A\" is meant. In space A can be the "
    "`world`, and B stand alone.";

/// A law of time: a constant, a ramp, a harmonic, or a table, told apart by their keys.
[[nodiscard]] Typed<TimeLawSpec> law_type(const char* title, Quantity value, Quantity slope);
/// The laws that drives and motors share.
[[nodiscard]] Typed<TimeLawSpec> angle_law_type();
[[nodiscard]] Typed<TimeLawSpec> angular_speed_law_type();
[[nodiscard]] Typed<TimeLawSpec> displacement_law_type();
[[nodiscard]] Typed<TimeLawSpec> speed_law_type();
[[nodiscard]] Typed<TimeLawSpec> force_law_type();
[[nodiscard]] Typed<TimeLawSpec> torque_law_type();

/// "turn", "slide", …: a coordinate of a joint.
[[nodiscard]] Typed<std::string> coordinate_type();

/// One point in both bodies, given in the world or in each of them.
template <class T>
Object<T> with_common_point(Object<T> object) {
  const Typed<Vec3> point = spatial_vector(Quantity::length);
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
  const Typed<Vec3> point = spatial_vector(Quantity::length);
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

}  // namespace talus::scene::detail
