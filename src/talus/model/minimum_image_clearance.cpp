#include <talus/model/minimum_image_clearance.hpp>

#include <algorithm>
#include <limits>

namespace talus::model {

Vec3 image_reach(const Body& body, const Pose& X_WB) {
  if (std::holds_alternative<geometry::Plane>(body.shape) || body.kind != BodyKind::fixed)
    return Vec3::Constant(geometry::bounding_radius(body.shape) + body.X_BS.p.norm());
  const geometry::Aabb box = geometry::bounds(body.shape, X_WB * body.X_BS);
  return (box.upper - X_WB.p).cwiseMax(X_WB.p - box.lower);
}

Real minimum_image_clearance(const Model& model, const State& state) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  if (!model.cell.is_periodic()) return kInfinity;
  Vec3 dynamic = Vec3::Constant(-kInfinity), any = Vec3::Zero();
  for (Index i = 0; i < model.body_count(); ++i) {
    const Body& body = model.bodies[i];
    if (std::holds_alternative<geometry::Plane>(body.shape)) continue;
    const Vec3 reach = image_reach(body, state.pose(i));
    any = any.cwiseMax(reach);
    if (body.kind == BodyKind::dynamic) dynamic = dynamic.cwiseMax(reach);
  }
  Real slack = kInfinity;
  for (int k = 0; k < 3; ++k)
    if (model.cell.is_periodic(k))
      slack = std::min(slack, model.cell.length()[k] / 2 - dynamic[k] - any[k]);
  return slack;
}

}  // namespace talus::model
