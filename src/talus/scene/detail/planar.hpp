#pragma once

#include <talus/geometry/shape.hpp>
#include <talus/model/model.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Whether a body fits a scene of a dimension: shapes of the plane in a planar scene and no others,
/// position and velocity in the plane, turned about z only. Notes what does not.
bool check_dimension(const BodySpec& spec, int dimension, Problems& problems);

/// A prism of thickness 1 m over the convex hull of corners, its centroid at the origin.
/// @param corners not all on one line (contract).
[[nodiscard]] geometry::Shape prism(const std::vector<Vec2>& corners);

/// Where the shape stands in its body: a rod lies along x.
[[nodiscard]] Pose shape_pose(const ShapeSpec& spec);

/// Mass [kg] and inertia of a planar body at unit density: area times 1 m, and its polar second
/// moment in all three directions (only the one about z counts).
[[nodiscard]] geometry::MassProperties planar_mass_properties(const model::Body& body);

}  // namespace talus::scene::detail
