#include <talus/scene/detail/robots/geom_mass.hpp>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/error.hpp>
#include <talus/geometry/convex_hull.hpp>
#include <talus/geometry/polytope.hpp>
#include <talus/geometry/shape.hpp>

namespace talus::scene::detail {
namespace {

constexpr Real kHalfTurn = 3.14159265358979323846;
constexpr std::size_t kLargestMeshFile = std::size_t{1} << 30U;

/// m (|c|² 1 − c cᵀ): what a mass at a point adds to an inertia.
Mat3 point_inertia(Real mass, const Vec3& c) {
  return mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
}

/// Integrals of 1, x and x xᵀ over the tetrahedra of an apex and every triangle.
RobotInertia enclosed(const geometry::MeshData& mesh, const Vec3& scale,
                      const Vec3& apex = Vec3::Zero()) {
  Real volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const auto& triangle : mesh.triangles) {
    const Vec3 a = mesh.vertices[triangle[0]].cwiseProduct(scale) - apex;
    const Vec3 b = mesh.vertices[triangle[1]].cwiseProduct(scale) - apex;
    const Vec3 c = mesh.vertices[triangle[2]].cwiseProduct(scale) - apex;
    const Real six_volumes = a.dot(b.cross(c));
    const Vec3 sum_of_corners = a + b + c;
    volume += six_volumes / 6;
    first += six_volumes / 24 * sum_of_corners;
    second += six_volumes / 120 *
              (sum_of_corners * sum_of_corners.transpose() + a * a.transpose() + b * b.transpose() +
               c * c.transpose());
  }
  if (volume < 0) {
    volume = -volume;
    first = -first;
    second = -second;
  }
  RobotInertia part;
  if (!(volume > 0)) return part;
  part.mass = volume;
  part.centre = first / volume;
  const Mat3 about_centre = second - volume * part.centre * part.centre.transpose();
  part.inertia = about_centre.trace() * Mat3::Identity() - about_centre;
  part.centre += apex;
  return part;
}

/// Whether triangles enclose space, all the same way round: what they enclose is then the same from
/// every apex. That holds also where the corners of some stand on edges of others, as in files of
/// CAD programs, so that edges do not meet one to one.
bool is_closed(const geometry::MeshData& mesh, const Vec3& scale) {
  constexpr Real kRounding = 1e-6;  // of files in single precision
  Vec3 lower = mesh.vertices.front().cwiseProduct(scale), upper = lower;
  for (const Vec3& x : mesh.vertices) {
    lower = lower.cwiseMin(x.cwiseProduct(scale));
    upper = upper.cwiseMax(x.cwiseProduct(scale));
  }
  const Real size = (upper - lower).norm();
  const RobotInertia part = enclosed(mesh, scale, lower);
  for (int axis = 0; axis < 3; ++axis) {
    const RobotInertia other = enclosed(mesh, scale, lower + size * Vec3::Unit(axis));
    if (std::abs(other.mass - part.mass) > kRounding * part.mass ||
        (other.centre - part.centre).norm() > kRounding * size ||
        (other.inertia - part.inertia).norm() > kRounding * part.mass * size * size)
      return false;
  }
  return true;
}

std::vector<Vec3> points_of(const RobotGeom& geom, const std::filesystem::path& folder,
                            MeshFiles& meshes) {
  if (geom.kind == RobotGeom::Kind::ellipsoid) return ellipsoid_points(geom.size);
  std::vector<Vec3> points =
      geom.file.empty() ? geom.points : meshes.read(folder / geom.file).vertices;
  for (Vec3& x : points) x = x.cwiseProduct(geom.scale);
  return points;
}

geometry::Shape primitive(const RobotGeom& geom) {
  switch (geom.kind) {
    case RobotGeom::Kind::box:
      return geometry::Box{geom.size / 2};
    case RobotGeom::Kind::capsule:
      return geometry::Capsule{geom.size.x(), geom.size.y() / 2};
    case RobotGeom::Kind::cylinder:
      return geometry::Cylinder{geom.size.x(), geom.size.y() / 2};
    default:
      return geometry::Sphere{geom.size.x()};
  }
}

}  // namespace

const geometry::MeshData& MeshFiles::read(const std::filesystem::path& path) {
  const auto [entry, is_new] = meshes_.try_emplace(path);
  if (is_new) {
    try {
      entry->second = geometry::parse_mesh(read_bytes(path, kLargestMeshFile), path.string());
    } catch (const InputError&) {
      meshes_.erase(entry);
      throw;
    }
  }
  return entry->second;
}

RobotInertia unit_inertia(const RobotGeom& geom, const std::filesystem::path& folder,
                          MeshFiles& meshes) {
  RobotInertia part;
  if (geom.kind == RobotGeom::Kind::ellipsoid) {
    const Vec3 squares = geom.size.cwiseAbs2();
    part.mass = 4 * kHalfTurn / 3 * geom.size.prod();
    part.inertia =
        Mat3(part.mass / 5 *
             Vec3(squares.y() + squares.z(), squares.z() + squares.x(), squares.x() + squares.y())
                 .asDiagonal());
  } else if (geom.kind == RobotGeom::Kind::hull && !geom.file.empty()) {
    const geometry::MeshData& mesh = meshes.read(folder / geom.file);
    if (!is_closed(mesh, geom.scale))
      throw InputError(Diagnostic{{mesh.file},
                                  "",
                                  "the mesh is not closed, or its triangles are not all the same "
                                  "way round: what it encloses depends on the origin",
                                  "",
                                  ""});
    part = enclosed(mesh, geom.scale);
  } else {
    const geometry::Shape shape = geom.kind == RobotGeom::Kind::hull
                                      ? std::make_shared<const geometry::Polytope>(
                                            geometry::convex_hull(points_of(geom, folder, meshes)))
                                      : primitive(geom);
    const geometry::MassProperties unit = geometry::mass_properties(shape, 1);
    part.mass = unit.mass;
    part.centre = unit.centre;
    part.inertia = unit.inertia;
  }
  part.place = geom.place;
  return moved(part, geom.X_LG);
}

std::vector<Vec3> spread_directions(int count) {
  const Real golden = kHalfTurn * (3 - std::sqrt(Real(5)));
  std::vector<Vec3> directions;
  for (int i = 0; i < count; ++i) {
    const Real z = 1 - (2 * i + Real(1)) / count, r = std::sqrt(1 - z * z);
    directions.emplace_back(r * std::cos(golden * i), r * std::sin(golden * i), z);
  }
  return directions;
}

std::vector<Vec3> ellipsoid_points(const Vec3& semi_axes) {
  constexpr int kPoints = 200;
  std::vector<Vec3> points = spread_directions(kPoints);
  for (Vec3& x : points) x = x.cwiseProduct(semi_axes);
  return points;
}

Real lowest_point(const RobotGeom& geom, const Pose& X_WL, const std::filesystem::path& folder,
                  MeshFiles& meshes) {
  const Pose X_WG = X_WL * geom.X_LG;
  if (geom.kind != RobotGeom::Kind::hull && geom.kind != RobotGeom::Kind::ellipsoid)
    return geometry::bounds(primitive(geom), X_WG).lower.z();
  Real lowest = std::numeric_limits<Real>::infinity();
  for (const Vec3& x : points_of(geom, folder, meshes)) lowest = std::min(lowest, (X_WG * x).z());
  return lowest;
}

RobotInertia sum(const RobotInertia& a, const RobotInertia& b) {
  if (a.mass == 0 && a.inertia.isZero(0)) return b;
  if (b.mass == 0 && b.inertia.isZero(0)) return a;
  RobotInertia both = a;
  both.mass = a.mass + b.mass;
  both.centre =
      both.mass > 0 ? Vec3((a.mass * a.centre + b.mass * b.centre) / both.mass) : a.centre;
  both.inertia = a.inertia + b.inertia + point_inertia(a.mass, a.centre - both.centre) +
                 point_inertia(b.mass, b.centre - both.centre);
  return both;
}

RobotInertia moved(const RobotInertia& part, const Pose& X_AB) {
  RobotInertia there = part;
  there.centre = X_AB * part.centre;
  if (X_AB.q.vec().isZero(0)) return there;  // bit for bit what the file says
  const Mat3 R = X_AB.q.toRotationMatrix();
  const Mat3 turned = R * part.inertia * R.transpose();
  there.inertia = (turned + turned.transpose()) / 2;
  return there;
}

}  // namespace talus::scene::detail
