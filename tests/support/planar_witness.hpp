#pragma once

#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::test {

// The witness of motion (witness.hpp) in the plane: for discs, rods with round ends, boxes, prisms
// of convex polygons, and half-planes. Exact.

/// Signed distance of two bodies [m]: separating axes where the cores overlap, else the distances
/// of their corners and sides.
Real planar_apart(const model::Body& a, const Pose& at_a, const model::Body& b, const Pose& at_b);

/// Radius of a disc about a body's centre that holds it [m]; infinite for a half-plane.
Real planar_reach(const model::Body& body);

/// Half of the smaller extent of a body in its frame [m]; infinite for a half-plane.
Real planar_half_thickness(const model::Body& body);

}  // namespace talus::test
