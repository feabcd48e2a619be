#include <talus/scene/detail/packing.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>

#include <talus/base/random.hpp>
#include <talus/scene/detail/periodic.hpp>

namespace talus::scene::detail {
namespace {

constexpr Index kMostSweeps = 4000;
/// Sum of squared overlaps per ball that is hopeless. Where the sums at 2, 4, 8 … times a number of
/// sweeps continue to fall by the last factor, those that end above this after the most sweeps do
/// not vanish: in a cell equal balls at 0.62 come to 1.4e-5 at most, at 0.63 to 4e-5, at 0.66 to
/// 1e-3.
constexpr Real kLargestSum = 2e-5;
/// Balls are moved a little farther apart than they must be, as a share of their distance, so that
/// the last overlaps vanish in finitely many sweeps.
constexpr Real kSpare = 1e-3;
/// No pair is nearer than it must be after rounding, wherever the region is, within this share.
constexpr Real kMargin = 1e-7;
/// What could be had instead is found by shrinking the balls step by step.
constexpr Real kShrink = 0.99;
constexpr int kMostShrinks = 1000, kSweepsPerShrink = 50;
constexpr std::int64_t kMostCells = 1 << 20;  ///< along one axis
constexpr Real kSkin = 0.4;  ///< how much farther than contact neighbours are listed, in mean radii

class Packer {
 public:
  Packer(const std::vector<Real>& radius, const RegionSpec& region, Real gap,
         const PeriodicCell& cell, std::uint64_t seed)
      : radius_(radius), region_(region), gap_(gap) {
    Vec3 length = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
      if (fills(region, cell, k)) length[k] = cell.length()[k];
    cell_ = PeriodicCell(region.min, length);
    largest_ = *std::max_element(radius.begin(), radius.end());
    skin_ = kSkin * std::accumulate(radius.begin(), radius.end(), Real(0)) /
            static_cast<Real>(radius.size());
    place_at_random(seed);
  }

  Packing run() {
    Packing packing;
    list_neighbours();
    bool is_done = spread();
    for (int k = 0; k < kMostShrinks && !is_done; ++k) {
      packing.shrink *= kShrink;
      for (Real& radius : radius_) radius *= kShrink;
      gap_ *= kShrink;
      for (int sweeps = 0; sweeps < kSweepsPerShrink && !is_done; ++sweeps) is_done = sweep() == 0;
    }
    if (!is_done) packing.shrink = 0;
    for (Vec3& centre : centre_) centre = cell_.wrap(centre);
    packing.centre = std::move(centre_);
    return packing;
  }

 private:
  /// Sweeps until nothing overlaps. False if that is not to be expected.
  bool spread() {
    const Real most = kLargestSum * static_cast<Real>(radius_.size());
    Real sum_before = 0;
    for (Index sweeps = 1; sweeps <= kMostSweeps; ++sweeps) {
      const Real sum = sweep();
      if (sum == 0) return true;
      const int doublings = doublings_left(sweeps);
      if (doublings == 0) continue;
      Real at_the_end = sum;
      for (int k = 0; k < doublings && sum_before > 0; ++k) at_the_end *= sum / sum_before;
      if (sum_before > 0 && at_the_end > most) return false;
      sum_before = sum;
    }
    return false;
  }

  /// How often a number of sweeps can be doubled before there are too many; 0 if they are no such
  /// number or too few to judge by.
  static int doublings_left(Index sweeps) {
    for (int k = 1; k <= 5; ++k)
      if (sweeps << k == kMostSweeps) return k;
    return 0;
  }

  /// Independent uniform places, in the order of a grid: neighbours are close in memory.
  void place_at_random(std::uint64_t seed) {
    Random random(seed);
    std::vector<Vec3> share(radius_.size());
    for (Vec3& point : share)
      for (Real& x : point) x = random.uniform();
    Real rows = 1;
    while (4 * rows * rows * rows < static_cast<Real>(share.size())) ++rows;
    const auto order = [rows](const Vec3& point) {
      return std::tuple(std::floor(point.z() * rows), std::floor(point.y() * rows), point.x());
    };
    std::sort(share.begin(), share.end(),
              [&](const Vec3& a, const Vec3& b) { return order(a) < order(b); });
    for (std::size_t i = 0; i < share.size(); ++i) {
      Vec3 inset;
      for (int k = 0; k < 3; ++k) inset[k] = cell_.is_periodic(k) ? 0 : inset_of(i, k);
      centre_.push_back(region_.min + inset +
                        share[i].cwiseProduct(region_.max - region_.min - 2 * inset));
    }
  }

  /// Moves overlapping pairs apart and balls back from the walls. @return the sum of the squares of
  /// what they overlapped by, as a share of their distances: 0 where nothing was moved.
  Real sweep() {
    if (has_moved_far()) list_neighbours();
    Real sum = 0;
    for (std::size_t i = 0; i < centre_.size(); ++i) {
      for (std::uint32_t k = first_[i]; k < first_[i + 1]; ++k) {
        const std::uint32_t j = neighbour_[k];
        const Real least = (radius_[i] + radius_[j] + gap_) * (1 + kMargin);
        const Vec3 difference = cell_.nearest(centre_[j] - centre_[i]);
        const Real squared = difference.squaredNorm();
        if (squared >= least * least) continue;
        const Real distance = std::sqrt(squared);
        const Real depth = least * (1 + kSpare) - distance;
        const Vec3 push =
            distance > 0 ? Vec3(0.5 * depth / distance * difference) : Vec3(0, 0, 0.5 * depth);
        centre_[i] -= push;
        centre_[j] += push;
        sum += (depth / least) * (depth / least);
      }
      for (int k = 0; k < 3; ++k) {
        if (cell_.is_periodic(k)) continue;
        const Real inset = inset_of(i, k);
        const Real inside =
            std::max(std::min(centre_[i][k], region_.max[k] - inset), region_.min[k] + inset);
        const Real depth = (inside - centre_[i][k]) / radius_[i];
        sum += depth * depth;
        centre_[i][k] = inside;
      }
    }
    return sum;
  }

  /// How far a ball's centre keeps from the walls; the largest one that fits is left some room.
  [[nodiscard]] Real inset_of(std::size_t i, int k) const {
    return std::min(radius_[i] * (1 + kMargin), (region_.max[k] - region_.min[k]) / 2);
  }

  [[nodiscard]] bool has_moved_far() const {
    const Real limit = skin_ / 2 * (skin_ / 2);
    for (std::size_t i = 0; i < centre_.size(); ++i)
      if ((centre_[i] - listed_[i]).squaredNorm() > limit) return true;
    return false;
  }

  static Real cells_of(const Vec3& extent, Real width) {
    return (extent / width).array().max(1).min(static_cast<Real>(kMostCells)).prod();
  }

  /// Pairs i < j no farther apart than contact and skin, from a grid of cells that wide.
  void list_neighbours() {
    const Vec3 extent = region_.max - region_.min;
    Real width = 2 * largest_ * (1 + kSpare) + gap_ + skin_;
    while (cells_of(extent, width) > 8 * static_cast<Real>(radius_.size())) width *= 2;
    std::array<std::int64_t, 3> count{};
    for (int k = 0; k < 3; ++k)
      count[k] =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(extent[k] / width), 1, kMostCells);
    const auto cells = static_cast<std::size_t>(count[0] * count[1] * count[2]);
    const auto index = [&](const std::array<std::int64_t, 3>& at) {
      return static_cast<std::size_t>(at[0] + count[0] * (at[1] + count[1] * at[2]));
    };
    std::vector<std::array<std::int64_t, 3>> home(centre_.size());
    std::vector<std::uint32_t> start(cells + 1, 0), body(centre_.size());
    for (std::size_t i = 0; i < centre_.size(); ++i) {
      const Vec3 place = cell_.wrap(centre_[i]) - region_.min;
      for (int k = 0; k < 3; ++k)
        home[i][k] = std::clamp<std::int64_t>(
            static_cast<std::int64_t>(place[k] / extent[k] * static_cast<Real>(count[k])), 0,
            count[k] - 1);
      ++start[index(home[i]) + 1];
    }
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (std::size_t i = 0; i < centre_.size(); ++i)
      body[next[index(home[i])]++] = static_cast<std::uint32_t>(i);
    // The cells beside one, each once, along one axis.
    const auto beside = [&](std::int64_t at, int k) {
      std::array<std::int64_t, 3> list = {at, -1, -1};
      if (count[k] == 1) return list;
      const bool wraps = cell_.is_periodic(k) && count[k] > 2;
      list[1] = at + 1 < count[k] ? at + 1 : wraps ? 0 : -1;
      list[2] = at > 0 ? at - 1 : wraps ? count[k] - 1 : -1;
      return list;
    };
    first_.assign(1, 0);
    neighbour_.clear();
    for (std::size_t i = 0; i < centre_.size(); ++i) {
      const std::size_t begin = neighbour_.size();
      for (const std::int64_t z : beside(home[i][2], 2))
        for (const std::int64_t y : beside(home[i][1], 1))
          for (const std::int64_t x : beside(home[i][0], 0)) {
            if (x < 0 || y < 0 || z < 0) continue;
            const std::size_t other = index({x, y, z});
            for (std::uint32_t k = start[other]; k < start[other + 1]; ++k) {
              const std::uint32_t j = body[k];
              const Real reach = (radius_[i] + radius_[j]) * (1 + kSpare) + gap_ + skin_;
              if (j > i && cell_.nearest(centre_[j] - centre_[i]).squaredNorm() < reach * reach)
                neighbour_.push_back(j);
            }
          }
      std::sort(neighbour_.begin() + static_cast<std::ptrdiff_t>(begin), neighbour_.end());
      first_.push_back(static_cast<std::uint32_t>(neighbour_.size()));
    }
    listed_ = centre_;
  }

  std::vector<Real> radius_;
  const RegionSpec& region_;
  Real gap_;
  PeriodicCell cell_;
  Real largest_ = 0, skin_ = 0;
  std::vector<Vec3> centre_, listed_;
  std::vector<std::uint32_t> first_, neighbour_;  // of ball i: from first_[i] to first_[i + 1]
};

}  // namespace

Packing pack(const std::vector<Real>& radius, const RegionSpec& region, Real gap,
             const PeriodicCell& cell, std::uint64_t seed) {
  if (radius.empty()) return {};
  return Packer(radius, region, gap, cell, seed).run();
}

}  // namespace talus::scene::detail
