#include <talus/geometry/detail/plane_pairs.hpp>

#include <talus/geometry/detail/clip.hpp>
#include <talus/geometry/detail/feature_id.hpp>

namespace talus::geometry::detail {

Manifold plane_core(const Core& core, const Pose& core_in_plane, Real margin) {
  const Mat3 R = core_in_plane.q.toRotationMatrix();
  const Vec3 up = R.row(2);  // e_z of the plane in the core's frame
  CorePatch patch;
  patch.count = 0;
  const auto offer = [&](int vertex) {
    const Vec3& x = core.vertices[vertex];
    const Real height = core_in_plane.p.z() + up.dot(x);
    if (height - core.radius > margin) return;
    CorePoint& point = patch.points[patch.count++];
    point.gap = height;
    point.on_b = core_in_plane.p + R * x;
    point.on_a = Vec3(point.on_b.x(), point.on_b.y(), 0);
    point.feature = feature_id(PointKind::core_vertex, true, 0, vertex);
  };
  const int face = supporting_face(core, -up);
  if (face >= 0) {
    for (const int vertex : core.face(face)) offer(vertex);
  } else {
    for (int vertex = 0; vertex < static_cast<int>(core.vertices.size()); ++vertex) offer(vertex);
  }
  reduce_patch(patch, Manifold::kMaxPoints, kTie * core.size);
  Manifold manifold;
  manifold.normal = Vec3::UnitZ();
  manifold.point_count = patch.count;
  for (int i = 0; i < patch.count; ++i) {
    const CorePoint& point = patch.points[i];
    manifold.points[i].gap = point.gap - core.radius;
    manifold.points[i].position = point.on_b - (point.gap + core.radius) / 2 * Vec3::UnitZ();
    manifold.points[i].feature = point.feature;
  }
  return manifold;
}

}  // namespace talus::geometry::detail
