#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/math/vector.hpp>

namespace talus::geometry {

/// Balls in cubic cells, for the question whether there is room for one more.
///
/// Only the 27 cells about a place are looked at, so no two balls may have radii and gap that reach
/// farther than a cell together. What it answers depends on the balls alone, not on the cells.
class BallGrid {
 public:
  /// @param cell [m] > 0, at least radius + radius + gap of any two balls that are compared.
  /// @param gap [m] to be kept between two balls.
  BallGrid(Real cell, Real gap) : cell_(cell), gap_(gap) {}

  void add(const Vec3& centre, Real radius) {
    cells_[key(cell_of(centre))].push_back({centre, radius});
  }
  /// Whether a ball keeps the gap from all others. O(balls of 27 cells).
  [[nodiscard]] bool has_room(const Vec3& centre, Real radius) const {
    const Cell home = cell_of(centre);
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const auto found = cells_.find(key({home[0] + dx, home[1] + dy, home[2] + dz}));
          if (found == cells_.end()) continue;
          for (const Ball& ball : found->second) {
            const Real distance = radius + ball.radius + gap_;
            if ((ball.centre - centre).squaredNorm() < distance * distance) return false;
          }
        }
    return true;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  struct Ball {
    Vec3 centre;
    Real radius;
  };
  [[nodiscard]] Cell cell_of(const Vec3& point) const {
    Cell cell{};
    for (int i = 0; i < 3; ++i) cell[i] = static_cast<std::int64_t>(std::floor(point[i] / cell_));
    return cell;
  }
  /// Cells that share a key share a list: more to compare, nothing missed.
  [[nodiscard]] static std::uint64_t key(const Cell& cell) {
    std::uint64_t mixed = 0;
    for (const std::int64_t index : cell)
      mixed = Random(mixed ^ static_cast<std::uint64_t>(index)).bits();
    return mixed;
  }

  Real cell_, gap_;
  std::unordered_map<std::uint64_t, std::vector<Ball>> cells_;
};

}  // namespace talus::geometry
