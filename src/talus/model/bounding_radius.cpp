#include <talus/model/bounding_radius.hpp>

#include <talus/geometry/planar.hpp>

namespace talus::model {

Real bounding_radius(int dimension, const geometry::Shape& shape, const Pose& X_BS) {
  if (dimension == 2) return geometry::bounding_radius(geometry::project_to_plane(shape, X_BS));
  return geometry::bounding_radius(shape) + X_BS.p.norm();
}

}  // namespace talus::model
