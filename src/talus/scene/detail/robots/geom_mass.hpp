#pragma once

#include <filesystem>
#include <map>
#include <memory>

#include <talus/geometry/mesh_file.hpp>
#include <talus/scene/detail/robots/robot.hpp>

// Masses and inertias of the parts of robots.

namespace talus::scene::detail {

/// Mesh files, each read once.
class MeshFiles {
 public:
  /// The triangles of a file. @throws InputError if it cannot be read.
  [[nodiscard]] const geometry::MeshData& read(const std::filesystem::path& path);

 private:
  std::map<std::filesystem::path, geometry::MeshData> meshes_;
};

/// Volume [m³], its centre [m] and its inertia at unit density about the centre, all in the link.
/// Of a mesh those of the space that its triangles enclose (integrals of 1, x and x xᵀ over signed
/// tetrahedra), of points without a file those of their hull. Contract: no plane.
/// @param folder where files of hulls are. @throws InputError for files, meshes that are not
/// closed, and hulls without volume.
[[nodiscard]] RobotInertia unit_inertia(const RobotGeom& geom, const std::filesystem::path& folder,
                                        MeshFiles& meshes);

/// So many unit vectors, evenly spread along a spiral.
[[nodiscard]] std::vector<Vec3> spread_directions(int count);

/// Points of an ellipsoid's surface [m].
[[nodiscard]] std::vector<Vec3> ellipsoid_points(const Vec3& semi_axes);

/// The lowest z of a geom [m] at a pose of its link.
[[nodiscard]] Real lowest_point(const RobotGeom& geom, const Pose& X_WL,
                                const std::filesystem::path& folder, MeshFiles& meshes);

/// Two rigid parts as one, both in the same frame.
[[nodiscard]] RobotInertia sum(const RobotInertia& a, const RobotInertia& b);

/// The same part seen from another frame. @param X_AB pose of its frame in the other one.
[[nodiscard]] RobotInertia moved(const RobotInertia& part, const Pose& X_AB);

}  // namespace talus::scene::detail
