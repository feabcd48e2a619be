#pragma once

#include <talus/geometry/shape.hpp>

namespace talus::model {

/// Radius of a ball about a body's frame that its shape lies in [m]; in the plane of a circle that
/// the shape's shadow lies in. Infinite for a plane.
/// @param dimension that of the model: 2 or 3. @param X_BS pose of the shape in the body's frame.
[[nodiscard]] Real bounding_radius(int dimension, const geometry::Shape& shape, const Pose& X_BS);

}  // namespace talus::model
