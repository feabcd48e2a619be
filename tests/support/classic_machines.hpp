#pragma once

#include "support/mechanism.hpp"
#include "support/spatial_machine_world.hpp"

namespace talus::test {

/// Three links of 0.2 m on hinges about (0, 0.6, 0.8) and (0, 1, 0) by turns, along x at rest. An
/// independent integration to 1e-12 has the last link at chain_after_1_s.
[[nodiscard]] SpatialMachineWorld chain_of_three();
inline const Vec3 chain_after_1_s(-0.182466844105, -0.041531751017, -0.259239346301);

/// The heavy top of Géradin and Cardona (2001) on a ball joint; the same at 0.5 s.
[[nodiscard]] SpatialMachineWorld heavy_top();
inline const Vec3 top_after_half_s(-0.702468297058, -0.021165184701, -0.71140025765);

/// Bricard's loop of six hinges and five rods: 30 constraints, 29 of them independent; x of the
/// third rod after 1 s, the same.
[[nodiscard]] SpatialMachineWorld bricard_loop();
inline const Vec3 bricard_after_1_s(0.391453047132, -1.268110311552, -0.161591632113);

/// The slider–crank in space (Haug 1989, chapter 12), a turn of its crank a second: body 0 the
/// crank, 1 the slider, whose x is geometry: 0.274226184016, 0.28 and 0.207846096908 after 1/4, 1/2
/// and 3/4 s.
[[nodiscard]] SpatialMachineWorld slider_crank();
inline constexpr Real kSliderAtQuarters[] = {0.274226184016, 0.28, 0.207846096908};

/// Four boxes of 40 cm in a row above a rough floor, on hinges about y and ball joints by turns.
/// @param height of their middle [m]. They are the bodies 1 to 4.
[[nodiscard]] SpatialMachineWorld jointed_boxes(Real height);
/// A bob of 2 kg 1 m below the origin, on a rope of 1 m, thrown up with 3 m/s.
[[nodiscard]] SpatialMachineWorld bob_on_a_rope();

/// Adds a trunk on four legs of three links each, 13 bodies, whose twelve hinges have position
/// motors that hold them. @param at middle of the trunk; the feet are 0.4 m below.
void add_quadruped(SpatialMachineWorld& world, const Vec3& at);

/// The double four-bar linkage of the IFToMM benchmark library (key gonzalez_2006) in the plane:
/// bars of 1 m and 1 kg, upright ones 1, 2, 3, lying ones 4, 5, start upright with 1 m/s.
[[nodiscard]] Mechanism double_four_bar();

/// A motor with a constant effort.
[[nodiscard]] model::AxisLaw axis_with_effort(Real effort);
/// A wheel on an axle along z with a law on it, without gravity.
[[nodiscard]] SpatialMachineWorld wheel(Real inertia, const model::AxisLaw& law);
/// A wheel that two drives turn at different rates, which no motion satisfies: "slow" and "fast".
[[nodiscard]] SpatialMachineWorld contradicting_wheel();
/// Adds a wheel behind a gear: 4 θ₁ + θ₂ = 0. @return the body.
Index add_geared_wheel(SpatialMachineWorld& world, Real inertia);

/// A planar mechanism of pins, springs between points and given torques (contract), in a plane of
/// space: that of the world's x and y, turned. Bodies keep their numbers.
[[nodiscard]] SpatialMachineWorld lying_in_space(const Mechanism& flat, const Quat& turned);

}  // namespace talus::test
