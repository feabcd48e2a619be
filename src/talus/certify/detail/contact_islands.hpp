#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <talus/certify/detail/add_by_islands.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::certify::detail {

/// The islands of a rigid problem: bodies that contacts and rows join through movable ones. They
/// depend on who touches whom and on what is movable, not on where the bodies are, and are numbered
/// in the order of the slots (RigidIslands).
class ContactIslands {
 public:
  /// Those of a problem. Where they are those of one of the last problems on this thread they are
  /// kept, which a comparison of all pairs of bodies finds out: 1 ns per contact, instead of about
  /// 20; of central contacts alone that of their layouts. On all threads.
  [[nodiscard]] static std::shared_ptr<const ContactIslands> of(
      const problem::RigidContact& problem);

  [[nodiscard]] Index count() const { return count_; }
  /// Island of every slot of central batches, of the general contacts, of the rows; 0 in empty
  /// slots.
  [[nodiscard]] const std::vector<std::uint32_t>& of_slot() const { return of_slot_; }
  /// Island of every movable body; −1 for bodies without contacts and immovable ones.
  [[nodiscard]] const std::vector<std::int32_t>& of_body() const { return of_body_; }
  /// The slots of the islands, in a piece for each tile and pieces of the other contacts and rows,
  /// and their bodies.
  [[nodiscard]] const IslandRuns& slot_runs() const { return slot_runs_; }
  [[nodiscard]] const IslandRuns& body_runs() const { return body_runs_; }

 private:
  explicit ContactIslands(const problem::RigidContact& problem);
  [[nodiscard]] bool are_of(const problem::RigidContact& problem) const;

  Index count_ = 0;
  std::vector<std::uint32_t> of_slot_;
  std::vector<std::int32_t> of_body_;
  IslandRuns slot_runs_, body_runs_;
  std::uint64_t layout_ = 0;               // of central contacts that are all there are, or 0
  std::vector<std::uint32_t> body_;        // of every slot and row, in the problem's order; else
  std::vector<std::uint32_t> row_first_;   // BoundedRows::first
  std::vector<unsigned char> is_movable_;  // of every body
};

}  // namespace talus::certify::detail
