#pragma once

#include <limits>

#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::test {

// A witness of motion: overlap, motion and energy by a few lines of their own, which share nothing
// with the engine but its types. For balls, boxes, capsules, cylinders, and planes that do not
// move.

/// Signed distance of two bodies as far as directions show it [m]: the largest over the unit
/// vectors n that were tried of min over B of n·x − max over A of n·x. Positive: they are apart by
/// that much at least. Negative: they overlap, by no more than that much.
/// @param enough the search ends where they are apart by that much [m].
Real apart(const model::Body& a, const Pose& at_a, const model::Body& b, const Pose& at_b,
           Real enough = std::numeric_limits<Real>::infinity());

/// Radius of a ball about a body's centre that holds it [m]; infinite for a plane.
Real reach(const model::Body& body);

/// Half of the smallest extent of a body [m]; infinite for a plane.
Real half_thickness(const model::Body& body);

/// Kinetic energy [J] of the dynamic bodies.
Real kinetic_energy_of(const model::Model& model, const model::State& state);

/// Where a body would be after a share of a step h if nothing touched it, as time stepping moves
/// it: with v + h g, turning about a fixed axis.
Pose moved_freely(const Pose& pose, const Vec3& v, const Vec3& w, const Vec3& gravity, Real h,
                  Real share);

}  // namespace talus::test
