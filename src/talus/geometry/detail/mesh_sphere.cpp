#include <talus/geometry/detail/mesh_sphere.hpp>

#include <algorithm>
#include <cmath>

#include <talus/geometry/detail/mesh_nearest.hpp>

namespace talus::geometry::detail {
namespace {

using Near = PairContacts::Near;

constexpr Real kSamePoint = 1e-9;  // of the reach: two closest points this near are one
constexpr Real kOnSurface = 1e-9;  // of the reach: nearer than this the direction is round-off

/// Whether every triangle around the edge or vertex has it as its nearest feature.
bool all_agree(const TriangleMesh& mesh, const Near& near, const std::vector<Near>& all) {
  if (near.feature == kFace) return true;
  const MeshFeature feature = mesh_feature(mesh, near);
  const auto agrees = [&](int t) {
    const auto other =
        std::find_if(all.begin(), all.end(), [&](const Near& x) { return x.triangle == t; });
    return other == all.end() || mesh_feature(mesh, *other) == feature;
  };
  if (feature.kind == MeshFeature::Kind::edge) {
    const int neighbour = mesh.neighbour(near.triangle, near.feature - kEdge);
    return neighbour < 0 || agrees(neighbour);
  }
  const auto around = mesh.around(feature.index);
  return std::all_of(around.begin(), around.end(), agrees);
}

}  // namespace

void mesh_sphere(const TriangleMesh& mesh, Real radius, const Vec3& centre, Real margin,
                 PairContacts& contacts) {
  const Real reach = radius + margin;
  auto& near = contacts.near;
  near.clear();
  mesh.visit_near({centre.array() - reach, centre.array() + reach}, [&](int t) {
    const Near found = nearest_point(mesh, t, centre);
    if (found.squared_distance <= reach * reach) near.push_back(found);
  });
  if (near.empty()) return;
  if (mesh.back() != nullptr) find_sides(mesh, centre, contacts);
  std::sort(near.begin(), near.end(), [](const Near& x, const Near& y) {
    return x.squared_distance != y.squared_distance ? x.squared_distance < y.squared_distance
                                                    : x.triangle < y.triangle;
  });
  const auto add = [&](const Near& x, bool is_inside) {
    PairContact contact;
    const Vec3 away = centre - x.point;
    const Real distance = away.norm();
    if (x.feature == kFace)
      contact.normal = (x.is_behind ? -1 : 1) * mesh.normal(x.triangle);
    else if (distance > kOnSurface * reach)
      contact.normal = (is_inside ? -1 : 1) / distance * away;
    else
      contact.normal = (x.is_behind ? -1 : 1) * outward_at(mesh, x).normalized();
    contact.gap = (is_inside ? -distance : distance) - radius;
    contact.position = (x.point + centre - radius * contact.normal) / 2;
    contact.feature = name_of(mesh_feature(mesh, x));
    contacts.points.push_back(contact);
  };
  const auto is_outside = [&](const Near& x) {
    return (x.is_behind ? -1 : 1) * outward_at(mesh, x).dot(centre - x.point) >= 0;
  };
  const Near& nearest = near.front();
  if (!is_outside(nearest)) {
    if (!is_at_rim(mesh, nearest)) add(nearest, true);
    return;
  }
  const std::size_t first = contacts.points.size();
  for (const Near& x : near) {
    const bool counts =
        &x == &nearest || x.is_nearest || (is_outside(x) && all_agree(mesh, x, near));
    if (!counts) continue;
    // Round-off can put one point on two faces of a plane, or an edge is found from both sides.
    const Vec3 middle = (x.point + centre) / 2;
    const bool is_known = std::any_of(contacts.points.begin() + static_cast<std::ptrdiff_t>(first),
                                      contacts.points.end(), [&](const PairContact& y) {
                                        const Vec3 other = y.position + radius / 2 * y.normal;
                                        return (other - middle).norm() <= kSamePoint * reach;
                                      });
    if (!is_known) add(x, false);
  }
}

}  // namespace talus::geometry::detail
