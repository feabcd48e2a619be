#include <talus/scene/detail/packing.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include <talus/base/random.hpp>
#include <talus/scene/detail/periodic.hpp>
#include <talus/scene/detail/sizes.hpp>

namespace talus::scene::detail {
namespace {

constexpr Index kMostSweeps = 4000;
/// Balls are moved a little farther apart than they must be, as a share of their distance, so that
/// the last overlaps vanish in finitely many sweeps.
constexpr Real kSpare = 1e-3;
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
    Random random(seed);
    for (const Real r : radius) {
      Vec3 place;
      for (int k = 0; k < 3; ++k) {
        const Real inset = cell_.is_periodic(k) ? 0 : r;
        place[k] = random.uniform(region.min[k] + inset, region.max[k] - inset);
      }
      centre_.push_back(place);
    }
  }

  Packing run() {
    Packing packing;
    list_neighbours();
    for (; packing.sweeps < kMostSweeps; ++packing.sweeps) {
      if (has_moved_far()) list_neighbours();
      if (!sweep()) break;
    }
    list_neighbours();
    packing.shrink = shrink_to_fit();
    for (Vec3& centre : centre_) centre = cell_.wrap(centre);
    packing.centre = std::move(centre_);
    return packing;
  }

 private:
  /// Moves overlapping pairs apart. False if there was none.
  bool sweep() {
    bool has_overlap = false;
    for (std::size_t i = 0; i < centre_.size(); ++i) {
      for (std::uint32_t k = first_[i]; k < first_[i + 1]; ++k) {
        const std::uint32_t j = neighbour_[k];
        const Real least = radius_[i] + radius_[j] + gap_;
        const Vec3 difference = cell_.nearest(centre_[j] - centre_[i]);
        const Real squared = difference.squaredNorm();
        const Real aim = least * (1 + kSpare);
        if (squared >= aim * aim) continue;
        has_overlap = has_overlap || squared < least * least;
        const Real distance = std::sqrt(squared);
        const Vec3 push = distance > 0 ? Vec3(0.5 * (aim - distance) / distance * difference)
                                       : Vec3(0, 0, 0.5 * aim);
        centre_[i] -= push;
        centre_[j] += push;
      }
      for (int k = 0; k < 3; ++k) {
        if (cell_.is_periodic(k)) continue;
        const Real low = region_.min[k] + radius_[i], high = region_.max[k] - radius_[i];
        has_overlap = has_overlap || centre_[i][k] < low || centre_[i][k] > high;
        centre_[i][k] = std::clamp(centre_[i][k], low, high);
      }
    }
    return has_overlap;
  }

  [[nodiscard]] bool has_moved_far() const {
    const Real limit = skin_ / 2 * (skin_ / 2);
    for (std::size_t i = 0; i < centre_.size(); ++i)
      if ((centre_[i] - listed_[i]).squaredNorm() > limit) return true;
    return false;
  }

  /// Pairs i < j no farther apart than contact and skin, from a grid of cells that wide.
  void list_neighbours() {
    const Real width = 2 * largest_ * (1 + kSpare) + gap_ + skin_;
    const Vec3 extent = region_.max - region_.min;
    std::array<std::int64_t, 3> count{};
    for (int k = 0; k < 3; ++k)
      count[k] = std::clamp<std::int64_t>(static_cast<std::int64_t>(extent[k] / width), 1, 1000);
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

  /// The factor of all sizes and gaps at which the deepest overlap just vanishes.
  [[nodiscard]] Real shrink_to_fit() const {
    Real shrink = 1;
    for (std::size_t i = 0; i < centre_.size(); ++i)
      for (std::uint32_t k = first_[i]; k < first_[i + 1]; ++k) {
        const std::uint32_t j = neighbour_[k];
        shrink = std::min(shrink, cell_.nearest(centre_[j] - centre_[i]).norm() /
                                      (radius_[i] + radius_[j] + gap_));
      }
    return shrink;
  }

  const std::vector<Real>& radius_;
  const RegionSpec& region_;
  const Real gap_;
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

PackedMembers generate_packing(const PackingSpec& spec, Real radius, const PeriodicCell& cell) {
  const auto seed = static_cast<std::uint64_t>(spec.seed);
  Random random(seed);
  const SizeSampler size(spec.sizes, spec.size_spread);
  const Real room = (spec.region.max - spec.region.min).prod();
  PackedMembers packed;
  std::vector<Real> radii;
  while (true) {
    Member member;
    member.scale = size.draw(random);
    const Quat turned = random_rotation(random);
    if (spec.random_orientation) member.pose.q = turned;
    const Real own = radius * member.scale;
    const Real share = 4 * std::numbers::pi / 3 * own * own * own / room;
    const bool is_full = spec.count ? static_cast<Index>(radii.size()) == *spec.count
                                    : packed.fraction + share / 2 > *spec.fraction;
    if (is_full || static_cast<Index>(radii.size()) > kMostBodies) break;
    packed.fraction += share;
    radii.push_back(own);
    packed.members.push_back(member);
  }
  const Packing packing = pack(radii, spec.region, spec.gap, cell, random.bits());
  for (std::size_t i = 0; i < radii.size(); ++i) packed.members[i].pose.p = packing.centre[i];
  packed.shrink = packing.shrink;
  packed.sweeps = packing.sweeps;
  return packed;
}

}  // namespace talus::scene::detail
