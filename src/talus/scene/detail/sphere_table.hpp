#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include <talus/scene/detail/document.hpp>

#include <talus/math/vector.hpp>

namespace talus::scene::detail {

/// A ball of a CSV file, SI units, world frame.
struct SphereRow {
  Vec3 position = Vec3::Zero();
  Real radius = 0;
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();
};

struct SphereTable {
  std::vector<SphereRow> rows;
  bool has_velocity = false;  ///< some column of vx … wz is there
};

/// Reads a CSV text with the columns x, y, z, r and optional vx, vy, vz, wx, wy, wz, id. Lines that
/// start with # are comments. Mistakes go to the problems with their line and column. O(bytes), one
/// allocation per doubling of the rows.
[[nodiscard]] SphereTable parse_sphere_table(const std::filesystem::path& path,
                                             std::string_view text, Problems& problems);

}  // namespace talus::scene::detail
