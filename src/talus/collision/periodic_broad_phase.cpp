#include <talus/collision/periodic_broad_phase.hpp>

#include <algorithm>
#include <iterator>
#include <limits>

namespace talus::collision {
namespace {

using geometry::Aabb;

Aabb moved(const Aabb& box, const Vec3& shift) { return {box.lower + shift, box.upper + shift}; }

/// One of every shift and its reverse, by whole lengths along the periodic axes.
std::vector<Vec3> half_of_shifts(const PeriodicCell& cell) {
  std::vector<Vec3> shifts;
  for (int x = 0; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        const Vec3 steps(x, y, z);
        bool is_possible = x > 0 || y > 0 || (y == 0 && z > 0);
        for (int k = 0; k < 3; ++k) is_possible &= steps[k] == 0 || cell.is_periodic(k);
        if (is_possible) shifts.emplace_back(steps.cwiseProduct(cell.length()));
      }
  return shifts;
}

}  // namespace

void PeriodicBroadPhase::wrap(std::span<const Aabb> boxes, const PeriodicCell& cell) {
  boxes_.assign(boxes.begin(), boxes.end());
  for (Aabb& box : boxes_) {
    if (!is_bounded(box)) continue;
    const Vec3 centre = 0.5 * (box.lower + box.upper);
    box = moved(box, cell.wrap(centre) - centre);
  }
}

void PeriodicBroadPhase::add_ghosts(std::span<const unsigned char> is_movable,
                                    const PeriodicCell& cell) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  Aabb all{Vec3::Constant(kInfinity), Vec3::Constant(-kInfinity)};
  for (const Aabb& box : boxes_) {
    if (!is_bounded(box)) continue;
    all.lower = all.lower.cwiseMin(box.lower);
    all.upper = all.upper.cwiseMax(box.upper);
  }
  is_movable_.assign(is_movable.begin(), is_movable.end());
  owner_.clear();
  const auto count = static_cast<std::uint32_t>(boxes_.size());
  for (const Vec3& shift : half_of_shifts(cell))
    for (std::uint32_t i = 0; i < count; ++i) {
      const Aabb ghost = moved(boxes_[i], shift);
      if (!is_bounded(boxes_[i]) || !overlap(ghost, all)) continue;
      boxes_.push_back(ghost);
      is_movable_.push_back(is_movable[i]);
      owner_.push_back(i);
    }
}

void PeriodicBroadPhase::find(std::span<const Aabb> boxes,
                              std::span<const unsigned char> is_movable, const PeriodicCell& cell,
                              std::vector<Pair>& pairs, const Keeps& keeps) {
  if (!cell.is_periodic()) return broad_phase_.find(boxes, is_movable, pairs, keeps);
  wrap(boxes, cell);
  add_ghosts(is_movable, cell);
  const auto count = static_cast<std::uint32_t>(boxes.size());
  const auto owners = [&](Pair pair) {
    const std::uint32_t b = pair.b < count ? pair.b : owner_[pair.b - count];
    return Pair{std::min(pair.a, b), std::max(pair.a, b)};
  };
  // Two ghosts meet where their owners do, or where one meets another ghost of the other's owner.
  const auto keeps_images = [&](Pair pair) {
    if (pair.a >= count) return false;
    const Pair both = owners(pair);
    return both.a != both.b && (!keeps || keeps(both));
  };
  broad_phase_.find(boxes_, is_movable_, pairs, keeps_images);
  of_ghosts_.clear();
  for (const Pair pair : pairs)
    if (pair.b >= count) of_ghosts_.push_back(owners(pair));
  std::erase_if(pairs, [&](const Pair& pair) { return pair.b >= count; });
  std::sort(of_ghosts_.begin(), of_ghosts_.end());
  merged_.clear();
  std::set_union(pairs.begin(), pairs.end(), of_ghosts_.begin(),
                 std::unique(of_ghosts_.begin(), of_ghosts_.end()), std::back_inserter(merged_));
  pairs.swap(merged_);
}

}  // namespace talus::collision
