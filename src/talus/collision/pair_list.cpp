#include <talus/collision/pair_list.hpp>

namespace talus::collision {
namespace {

bool contains(const geometry::Aabb& outer, const geometry::Aabb& inner) {
  return (outer.lower.array() <= inner.lower.array()).all() &&
         (inner.upper.array() <= outer.upper.array()).all();
}

}  // namespace

const std::vector<Pair>& PairList::update(std::span<const geometry::Aabb> boxes,
                                          std::span<const Real> skin,
                                          std::span<const unsigned char> is_movable) {
  bool is_valid = fat_.size() == boxes.size();
  for (std::size_t i = 0; is_valid && i < boxes.size(); ++i) is_valid = contains(fat_[i], boxes[i]);
  if (is_valid) return pairs_;

  fat_.resize(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    fat_[i].lower = boxes[i].lower.array() - skin[i];
    fat_[i].upper = boxes[i].upper.array() + skin[i];
  }
  broad_phase_.find(fat_, is_movable, pairs_);
  ++rebuild_count_;
  return pairs_;
}

}  // namespace talus::collision
