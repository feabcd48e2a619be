#include <talus/certify/detail/contact_islands.hpp>

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>
#include <talus/parallel/shared_sets.hpp>

namespace talus::certify::detail {
namespace {

using problem::kLanes;
using problem::RigidContact;

constexpr Index kItemsPerPiece = 4096;
constexpr std::uint32_t kEmpty = UINT32_MAX;  // of a slot without bodies

Index slots_of(const RigidContact& problem) {
  return static_cast<Index>(kLanes * problem.central.batches.size() + problem.general.size()) +
         problem.rows.size();
}

/// A piece for each tile of central contacts, then pieces of the others.
std::vector<Index> slot_bounds(const RigidContact& problem) {
  std::vector<Index> bounds(1, 0);
  for (const problem::Tile tile : problem.central.tiles) {
    TALUS_DEMAND_EQ(bounds.back(), kLanes * Index{tile.first});
    bounds.push_back(kLanes * Index{tile.end});
  }
  add_pieces(kLanes * static_cast<Index>(problem.central.batches.size()), bounds);
  add_pieces(slots_of(problem), bounds);
  return bounds;
}

/// The layout of the central contacts where it says which bodies are joined: there are no others.
std::uint64_t layout_of(const RigidContact& problem) {
  return problem.general.empty() && problem.rows.empty() ? problem.central.layout : 0;
}

/// How many bodies are compared.
std::size_t joined_count(const RigidContact& problem) {
  if (layout_of(problem) != 0) return 0;
  return 2 * (kLanes * problem.central.batches.size() + problem.general.size()) +
         problem.rows.parts.size();
}

/// Calls visit(bodies, first) with pieces of the list of all bodies that contacts and rows join,
/// and where they begin in it, on all threads, until it says false.
/// @return whether it never did.
template <class Visit>
bool for_joined_bodies(const RigidContact& problem, const Visit& visit) {
  const auto batches = static_cast<Index>(problem.central.batches.size());
  const auto general = static_cast<Index>(problem.general.size());
  const auto parts = static_cast<Index>(problem.rows.parts.size());
  const Index of_general = 2 * kLanes * batches, of_rows = of_general + 2 * general;
  const auto visit_batch = [&](Index k) {
    const problem::CentralBatch& batch = problem.central.batches[k];
    return visit(std::span(batch.body_a), 2 * kLanes * k) &&
           visit(std::span(batch.body_b), 2 * kLanes * k + kLanes);
  };
  const auto visit_general = [&](Index c) {
    const std::uint32_t pair[] = {problem.general[c].body_a, problem.general[c].body_b};
    return visit(std::span(pair), of_general + 2 * c);
  };
  const auto visit_part = [&](Index k) {
    return visit(std::span(&problem.rows.parts[k].body, 1), of_rows + k);
  };
  return parallel::all_of(batches, kItemsPerPiece / kLanes, visit_batch) &&
         parallel::all_of(general, kItemsPerPiece, visit_general) &&
         parallel::all_of(parts, kItemsPerPiece, visit_part);
}

/// Calls visit(body) for all bodies of a slot.
template <class Visit>
void for_bodies(const RigidContact& problem, Index slot, const Visit& visit) {
  const auto central = kLanes * static_cast<Index>(problem.central.batches.size());
  const auto general = static_cast<Index>(problem.general.size());
  if (slot < central) {
    const problem::CentralBatch& batch = problem.central.batches[slot / kLanes];
    if (batch.body_a[slot % kLanes] == problem.bodies.size()) return;  // empty
    visit(batch.body_a[slot % kLanes]);
    visit(batch.body_b[slot % kLanes]);
  } else if (slot < central + general) {
    visit(problem.general[slot - central].body_a);
    visit(problem.general[slot - central].body_b);
  } else {
    problem.rows.for_each_part(slot - central - general,
                               [&](const problem::RowPart& of) { visit(of.body); });
  }
}

}  // namespace

std::shared_ptr<const ContactIslands> ContactIslands::of(const RigidContact& problem) {
  // Of a whole problem, and of the largest parts of it that are solved by themselves. Small ones do
  // not take the place of large ones; without rows or the number of a layout they are found as
  // quickly as compared.
  constexpr std::size_t kMost = 4;
  constexpr Index kFewSlots = 512;
  const bool is_small = slots_of(problem) < kFewSlots;
  if (is_small && layout_of(problem) == 0 && problem.rows.empty())
    return std::shared_ptr<const ContactIslands>(new ContactIslands(problem));
  static thread_local std::vector<std::shared_ptr<const ContactIslands>> last_large, last_small;
  auto& last = is_small ? last_small : last_large;
  auto own = std::find_if(last.begin(), last.end(),
                          [&](const auto& islands) { return islands->are_of(problem); });
  if (own == last.end()) {
    if (last.size() == kMost) last.pop_back();
    own =
        last.insert(last.end(), std::shared_ptr<const ContactIslands>(new ContactIslands(problem)));
  }
  std::rotate(last.begin(), own, own + 1);
  return last.front();
}

bool ContactIslands::are_of(const RigidContact& problem) const {
  const bool is_alike =
      layout_ == layout_of(problem) && is_movable_.size() == problem.bodies.size() &&
      body_.size() == joined_count(problem) &&
      static_cast<Index>(of_slot_.size()) == slots_of(problem) && row_first_ == problem.rows.first;
  return is_alike &&
         parallel::all_of(static_cast<Index>(is_movable_.size()), kItemsPerPiece,
                          [&](Index i) {
                            return (is_movable_[i] != 0) == (problem.bodies[i].inverse_mass > 0);
                          }) &&
         (layout_ != 0 || for_joined_bodies(problem, [&](auto joined, Index first) {
            return std::equal(joined.begin(), joined.end(), body_.begin() + first);
          }));
}

ContactIslands::ContactIslands(const RigidContact& problem)
    : of_slot_(static_cast<std::size_t>(slots_of(problem))),
      of_body_(problem.bodies.size(), -1),
      layout_(layout_of(problem)),
      body_(joined_count(problem)),
      row_first_(problem.rows.first),
      is_movable_(problem.bodies.size()) {
  const auto bodies = static_cast<Index>(problem.bodies.size());
  const auto slots = static_cast<Index>(of_slot_.size());
  parallel::for_ranges(bodies, kItemsPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) is_movable_[i] = problem.bodies[i].inverse_mass > 0 ? 1 : 0;
  });
  if (layout_ == 0)
    (void)for_joined_bodies(problem, [&](auto joined, Index at) {
      std::copy(joined.begin(), joined.end(), body_.begin() + at);
      return true;
    });

  // of_slot_ has a movable body of every slot first, or any if there is none; then its root.
  parallel::SharedSets sets(bodies);
  parallel::for_ranges(slots, kItemsPerPiece, [&](Index begin, Index end) {
    for (Index slot = begin; slot < end; ++slot) {
      std::uint32_t own = kEmpty;
      for_bodies(problem, slot, [&](std::uint32_t body) {
        if (own == kEmpty || is_movable_[own] == 0)
          own = body;
        else if (is_movable_[body] != 0)
          sets.join(own, body);
      });
      of_slot_[slot] = own;
    }
  });
  std::vector<std::uint32_t> first(problem.bodies.size(), kEmpty);  // slot, of a root
  parallel::for_ranges(slots, kItemsPerPiece, [&](Index begin, Index end) {
    std::uint32_t last = kEmpty;
    for (Index slot = begin; slot < end; ++slot) {
      if (of_slot_[slot] == kEmpty) continue;
      const std::uint32_t root = of_slot_[slot] = sets.root(of_slot_[slot]);
      if (std::exchange(last, root) == root) continue;
      const std::atomic_ref<std::uint32_t> least(first[root]);
      std::uint32_t seen = least.load(std::memory_order_relaxed);
      while (slot < seen && !least.compare_exchange_weak(seen, static_cast<std::uint32_t>(slot),
                                                         std::memory_order_relaxed)) {
      }
    }
  });
  // Roots in the order of their first slots.
  std::vector<std::vector<std::uint32_t>> pieces;
  std::vector<std::uint32_t> roots;
  const auto add_root = [&](Index slot, std::vector<std::uint32_t>& list) {
    if (of_slot_[slot] != kEmpty && first[of_slot_[slot]] == slot) list.push_back(of_slot_[slot]);
  };
  parallel::concatenate(parallel::list_pieces(slots, kItemsPerPiece, pieces, add_root), roots);
  count_ = static_cast<Index>(roots.size());
  std::vector<std::uint32_t>& number = first;  // of a root from now on
  for (Index k = 0; k < count_; ++k) number[roots[k]] = static_cast<std::uint32_t>(k);
  parallel::for_ranges(slots, kItemsPerPiece, [&](Index begin, Index end) {
    for (Index slot = begin; slot < end; ++slot)
      of_slot_[slot] = of_slot_[slot] == kEmpty ? 0 : number[of_slot_[slot]];
  });
  parallel::for_ranges(bodies, kItemsPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      if (is_movable_[i] != 0)
        of_body_[i] = static_cast<std::int32_t>(number[sets.root(static_cast<std::uint32_t>(i))]);
  });
  slot_runs_ = IslandRuns(slot_bounds(problem), [&](Index slot) { return Index{of_slot_[slot]}; });
  std::vector<Index> of_bodies(1, 0);
  add_pieces(bodies, of_bodies);
  body_runs_ = IslandRuns(std::move(of_bodies), [&](Index i) { return Index{of_body_[i]}; });
}

}  // namespace talus::certify::detail
