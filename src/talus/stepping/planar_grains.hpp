#pragma once

#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping {

/// Whether a planar model is stepped by the scheme of that name in space: grains in the plane.
///
/// Discs are balls whose centres lie in the plane z = 0: so do normals, arms and impulses of their
/// contacts, and Coulomb's cone is met along the one tangent of the plane. A
/// ball on a plane moves as a disc does. What holds in space therefore holds in the plane: the
/// kernels, threads and ranks, sleeping, periodic directions, every solver. A heap of balls in a
/// plane is unstable in space: what rounding takes out of the plane is put back after each step
/// (return_to_plane).
///
/// True for `moreau_jean` where no joint, drive or force is there, all that forces move are discs,
/// walls are discs, rods, half-planes, and boxes or polygons that are thick enough for their side
/// to be nearer than their face (prisms are 1 m thick), no law is a function of place and velocity,
/// and the table for space (stepping/capabilities.hpp) has the rest. At most 24 moving bodies stay
/// with the exact solution of one LCP (planar_moreau_jean.hpp), unless they are asked for what that
/// one does not support; so does `solver: lemke`. O(bodies).
[[nodiscard]] bool are_planar_grains(const model::Model& model, const SchemeOptions& options);

/// Puts what rounding has taken out of the plane z = 0 in a step back into it.
///
///   z = 0,   v_z = 0,   ω_x = ω_y = 0,   q about z.
/// @param h the step [s]. @param state of a planar model; bodies that forces do not move are left.
/// @return the largest of |v_z|, ℓ ‖(ω_x, ω_y)‖ and |z|/h that there was, over the largest
/// ‖v‖ + h ‖g‖ of all, ℓ the bounding radius: some 1e-15; 0 where nothing moves. O(bodies).
[[nodiscard]] Real return_to_plane(const model::Model& model, Real h, model::State& state);

}  // namespace talus::stepping
