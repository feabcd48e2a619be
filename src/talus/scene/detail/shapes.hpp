#pragma once

#include <talus/geometry/shape.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// What turns +z to a plane's normal.
[[nodiscard]] Quat plane_rotation(const Vec3& normal);

/// The least thickness [m] in any direction: of a polytope across its faces, of a compound that of
/// its thickest member; infinite for a plane and a mesh.
[[nodiscard]] Real least_thickness(const geometry::Shape& shape);

/// How deep two shapes overlap [m], 0 if they do not.
[[nodiscard]] Real overlap_depth(const geometry::Shape& a, const Pose& X_WA,
                                 const geometry::Shape& b, const Pose& X_WB);

}  // namespace talus::scene::detail
