#include <talus/scene/detail/generate.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>

#include <talus/base/random.hpp>
#include <talus/scene/detail/periodic.hpp>
#include <talus/scene/detail/sizes.hpp>

namespace talus::scene::detail {
namespace {

constexpr int kTries = 2000;  ///< places tried for one member

/// Balls in cubic cells that are no smaller than the largest of them.
class BallGrid {
 public:
  /// @param periodic balls at images of each other's places count too, as far as `reach` from the
  /// region that all balls are in.
  BallGrid(const RegionSpec& region, Real cell, const PeriodicCell& periodic)
      : region_(region), origin_(region.min), cell_(cell), periodic_(periodic) {}

  [[nodiscard]] bool is_free(const Vec3& centre, Real radius, Real gap) const {
    if (!periodic_.is_periodic()) return is_free_here(centre, radius, gap);
    Vec3 step;
    for (step.x() = -1; step.x() <= 1; ++step.x())
      for (step.y() = -1; step.y() <= 1; ++step.y())
        for (step.z() = -1; step.z() <= 1; ++step.z()) {
          const Vec3 image = centre + step.cwiseProduct(periodic_.length());
          bool is_near = true;  // cells of centres that could be too close
          for (int k = 0; k < 3; ++k) {
            is_near &= step[k] == 0 || periodic_.is_periodic(k);
            is_near &=
                image[k] >= region_.min[k] - 2 * cell_ && image[k] <= region_.max[k] + 2 * cell_;
          }
          if (is_near && !is_free_here(image, radius, gap)) return false;
        }
    return true;
  }
  void add(const Vec3& centre, Real radius) {
    cells_[key(cell_of(centre))].push_back({centre, radius});
  }

 private:
  [[nodiscard]] bool is_free_here(const Vec3& centre, Real radius, Real gap) const {
    const Cell home = cell_of(centre);
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const auto found = cells_.find(key({home[0] + dx, home[1] + dy, home[2] + dz}));
          if (found == cells_.end()) continue;
          for (const Ball& ball : found->second) {
            const Real distance = radius + ball.radius + gap;
            if ((ball.centre - centre).squaredNorm() < distance * distance) return false;
          }
        }
    return true;
  }
  using Cell = std::array<std::int64_t, 3>;
  struct Ball {
    Vec3 centre;
    Real radius;
  };
  [[nodiscard]] Cell cell_of(const Vec3& point) const {
    Cell cell{};
    for (int i = 0; i < 3; ++i)
      cell[i] = static_cast<std::int64_t>(std::floor((point[i] - origin_[i]) / cell_));
    return cell;
  }
  /// Cells that share a key share a list: more to compare, nothing missed.
  [[nodiscard]] static std::uint64_t key(const Cell& cell) {
    std::uint64_t mixed = 0;
    for (const std::int64_t index : cell)
      mixed = Random(mixed ^ static_cast<std::uint64_t>(index)).bits();
    return mixed;
  }

  RegionSpec region_;
  Vec3 origin_;
  Real cell_;
  PeriodicCell periodic_;
  std::unordered_map<std::uint64_t, std::vector<Ball>> cells_;
};

}  // namespace

/// Uniform on the rotations: a point of the 4-ball by rejection, normalised (Marsaglia 1972, key
/// `marsaglia_1972`); only exact operations, the same on every machine.
Quat random_rotation(Random& random) {
  while (true) {
    Eigen::Matrix<Real, 4, 1> point;
    for (Real& component : point) component = random.uniform(-1, 1);
    const Real squared = point.squaredNorm();
    if (squared > 1 || squared < 1e-4) continue;
    point /= std::sqrt(squared);
    return {point[0], point[1], point[2], point[3]};
  }
}

std::vector<Member> generate_lattice(const LatticeSpec& lattice) {
  Random random(static_cast<std::uint64_t>(lattice.seed));
  const SizeSampler size(lattice.sizes, lattice.size_spread);
  std::vector<Member> members;
  members.reserve(static_cast<std::size_t>(lattice.count.prod()));
  for (Real z = 0; z < lattice.count.z(); ++z)
    for (Real y = 0; y < lattice.count.y(); ++y)
      for (Real x = 0; x < lattice.count.x(); ++x) {
        Member member;
        member.scale = size.draw(random);
        Vec3 jitter;
        for (Real& component : jitter) component = lattice.jitter * random.uniform(-1, 1);
        member.pose.p = lattice.origin + lattice.spacing.cwiseProduct(Vec3(x, y, z)) + jitter;
        const Quat turned = random_rotation(random);
        if (lattice.random_orientation) member.pose.q = turned;
        members.push_back(member);
      }
  return members;
}

std::vector<Member> generate_source(const SourceSpec& source) {
  Random random(static_cast<std::uint64_t>(source.seed));
  const SizeSampler size(source.sizes, source.size_spread);
  std::vector<Member> members(static_cast<std::size_t>(source.count));
  for (Member& member : members) {
    member.scale = size.draw(random);
    member.pose.p = 0.5 * (source.region.min + source.region.max);
    const Quat turned = random_rotation(random);
    if (source.random_orientation) member.pose.q = turned;
  }
  return members;
}

std::vector<Member> generate_random(const RandomSpec& spec, Real radius, const PeriodicCell& cell) {
  Random random(static_cast<std::uint64_t>(spec.seed));
  const SizeSampler size(spec.sizes, spec.size_spread);
  std::vector<Member> members(static_cast<std::size_t>(spec.count));
  for (Member& member : members) {
    member.scale = size.draw(random);
    const Quat turned = random_rotation(random);
    if (spec.random_orientation) member.pose.q = turned;
  }
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return members[a].scale > members[b].scale;
  });

  const Vec3 extent = spec.region.max - spec.region.min;
  BallGrid grid(spec.region,
                std::max(2 * radius * size.largest() + spec.gap, extent.maxCoeff() * 1e-9), cell);
  std::size_t placed = 0;
  for (; placed < order.size(); ++placed) {
    Member& member = members[order[placed]];
    const Real own_radius = radius * member.scale;
    Vec3 low = spec.region.min + Vec3::Constant(own_radius);
    Vec3 high = spec.region.max - Vec3::Constant(own_radius);
    for (int k = 0; k < 3; ++k)
      if (fills(spec.region, cell, k)) {
        low[k] = spec.region.min[k];
        high[k] = spec.region.max[k];
      }
    if ((low.array() > high.array()).any()) break;
    int tries = 0;
    for (; tries < kTries; ++tries) {
      for (int i = 0; i < 3; ++i) member.pose.p[i] = random.uniform(low[i], high[i]);
      if (grid.is_free(member.pose.p, own_radius, spec.gap)) break;
    }
    if (tries == kTries) break;
    grid.add(member.pose.p, own_radius);
  }
  if (placed < members.size()) members.resize(placed);
  return members;
}

}  // namespace talus::scene::detail
