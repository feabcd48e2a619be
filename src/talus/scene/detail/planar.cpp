#include <talus/scene/detail/planar.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <talus/base/contract.hpp>
#include <talus/geometry/planar.hpp>
#include <talus/geometry/polytope.hpp>

namespace talus::scene::detail {
namespace {

bool is_planar(const ShapeSpec& shape) {
  return shape.disc || shape.rod || shape.polygon || shape.half_plane;
}

void check_motion(const MotionSpec& motion, Problems& problems) {
  const auto check_axis = [&](const Vec3& axis, const Place& place) {
    if (axis.x() != 0 || axis.y() != 0)
      problems.add(place.at("axis"), "in a planar scene bodies turn about z only");
  };
  const auto check_flat = [&](const Vec3& value, const Place& place) {
    if (value.z() != 0)
      problems.add(place, fmt::format("expected z = 0 in a planar scene, got {:g}", value.z()));
  };
  if (motion.rotation) check_axis(motion.rotation->axis, motion.rotation->place);
  if (motion.swing) check_axis(motion.swing->axis, motion.swing->place);
  if (motion.table) check_axis(motion.table->axis, motion.table->place);
  if (motion.shake) check_flat(motion.shake->amplitude, motion.shake->place.at("amplitude"));
  if (motion.table)
    for (const Vec3& displacement : motion.table->displacements)
      check_flat(displacement, motion.table->place.at("displacements"));
}

/// A corner that the others surround is no corner: the hull would be another shape than was meant.
void check_polygon(const PolygonSpec& spec, Problems& problems) {
  constexpr Real kOnSide = 1e-9;  // of the polygon's size: on a side, which does no harm
  const std::vector<Vec2> hull = geometry::convex_hull(spec.corners);
  if (hull.size() < 3) return problems.add(spec.place, "the corners lie on a line");
  Real size = 0;
  for (const Vec2& corner : hull) size = std::max(size, (corner - hull[0]).norm());
  for (const Vec2& corner : spec.corners) {
    Real depth = size;
    for (std::size_t i = 0; i < hull.size(); ++i) {
      const Vec2 side = hull[(i + 1) % hull.size()] - hull[i], to = corner - hull[i];
      depth = std::min(depth, (side.x() * to.y() - side.y() * to.x()) / side.norm());
    }
    if (depth <= kOnSide * size) continue;
    return problems.add(spec.place.at("corners"),
                        fmt::format("a polygon is convex: the corner ({:g}, {:g}) is {:g} m inside",
                                    corner.x(), corner.y(), depth),
                        "make it of several bodies, welded together");
  }
}

bool check_plane(const BodySpec& spec, Problems& problems) {
  const std::size_t before = problems.count();
  const ShapeSpec* shape = spec.shape     ? &*spec.shape
                           : spec.lattice ? &spec.lattice->shape
                           : spec.random  ? &spec.random->shape
                           : spec.source  ? &spec.source->shape
                                          : nullptr;
  if (shape == nullptr)
    problems.add(
        spec.place,
        "planar scenes have single bodies, lattices, random sets and sources, no other ones",
        "give it a shape, lattice, random or source");
  else if (!is_planar(*shape) && !shape->box)
    problems.add(shape->place, "this shape is not one of the plane",
                 "take disc, rod, box, polygon or half_plane, or remove dimension: 2");
  if (shape != nullptr && shape->polygon) check_polygon(*shape->polygon, problems);
  if (spec.lattice && spec.lattice->count.z() != 1)
    problems.add(spec.lattice->place.at("count"), "a planar scene has one layer along z",
                 "give two numbers");
  const RegionSpec* region = spec.random   ? &spec.random->region
                             : spec.source ? &spec.source->region
                                           : nullptr;
  if (region != nullptr && !(region->min.z() == 0 && region->max.z() == 0))
    problems.add(region->place, "the regions of planar scenes have no extent in z",
                 "give two numbers for min and max");
  const auto check_flat = [&](const Vec3& value, const Place& place) {
    if (value.z() != 0)
      problems.add(place, fmt::format("expected z = 0 in a planar scene, got {:g}", value.z()));
  };
  check_flat(spec.position, spec.place.at("position"));
  check_flat(spec.velocity, spec.place.at("velocity"));
  if (spec.lattice) check_flat(spec.lattice->origin, spec.lattice->place.at("origin"));
  if (spec.angular_velocity.x() != 0 || spec.angular_velocity.y() != 0)
    problems.add(spec.place.at("angular_velocity"), "in a planar scene bodies turn about z only");
  if (spec.motion) check_motion(*spec.motion, problems);
  if (spec.orientation) {
    const OrientationSpec& turn = *spec.orientation;
    const Vec3 axis = turn.axis         ? *turn.axis
                      : turn.quaternion ? Vec3(turn.quaternion->tail<3>())
                                        : Vec3(Vec3::Zero());
    if (axis.x() != 0 || axis.y() != 0)
      problems.add(turn.place, "in a planar scene bodies turn about z only");
  }
  return problems.count() == before;
}

}  // namespace

bool check_dimension(const BodySpec& spec, int dimension, Problems& problems) {
  if (dimension == 2) return check_plane(spec, problems);
  if (!spec.shape || !is_planar(*spec.shape)) return true;
  problems.add(spec.shape->place, "this shape is one of the plane",
               "write dimension: 2 at the top of the scene, or take a solid shape");
  return false;
}

geometry::Shape prism(const std::vector<Vec2>& corners) {
  const std::vector<Vec2> hull = geometry::convex_hull(corners);
  const int n = static_cast<int>(hull.size());
  TALUS_DEMAND(n >= 3);
  const Vec2 centre = geometry::area_properties({hull, 0, false, Vec2::UnitY()}).centre;
  std::vector<Vec3> vertices;
  for (const Real z : {-0.5, 0.5})
    for (const Vec2& corner : hull)
      vertices.emplace_back(corner.x() - centre.x(), corner.y() - centre.y(), z);
  std::vector<std::vector<int>> faces(2);
  for (int i = 0; i < n; ++i) {
    faces[0].push_back(n - 1 - i);
    faces[1].push_back(n + i);
    const int next = (i + 1) % n;
    faces.push_back({i, next, n + next, n + i});
  }
  return std::make_shared<const geometry::Polytope>(
      geometry::Polytope::from_faces(vertices, faces));
}

Pose shape_pose(const ShapeSpec& spec) {
  if (!spec.rod) return {};
  return {Vec3::Zero(), rotation_between(Vec3::UnitZ(), Vec3::UnitX())};
}

geometry::MassProperties planar_mass_properties(const model::Body& body) {
  const auto area = geometry::area_properties(geometry::project_to_plane(body.shape, body.X_BS));
  return {area.area, Vec3(area.centre.x(), area.centre.y(), 0), area.moment * Mat3::Identity()};
}

}  // namespace talus::scene::detail
