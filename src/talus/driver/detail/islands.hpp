#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/problem/contact_colouring.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::driver::detail {

/// A part of a rigid contact problem that no other part acts on, and where its pieces come from. It
/// is the same to the last bit whatever the other parts are.
struct Island {
  problem::RigidContact problem;
  std::vector<Index> bodies;    ///< of the whole problem, rising; immovable ones are copies
  std::vector<Index> contacts;  ///< of the whole problem, rising
  std::vector<Index> rows;
};

/// The islands of a problem, bodies that contacts and rows join through movable ones, except those
/// in which impulses of 0 are an answer, in the order of their first contacts and then rows.
/// Keeps its buffers.
class Islands {
 public:
  /// @param certify the problem's. Cost O(bodies + contacts + rows) and the schedules of what is
  /// copied.
  void split(const problem::RigidContact& problem, const certify::RigidContactCertifier& certify);

  [[nodiscard]] std::span<const Island> all() const { return std::span(islands_).first(count_); }

 private:
  /// Numbers by islands, each list rising.
  struct Lists {
    std::vector<Index> first, items;
    [[nodiscard]] std::span<const Index> of(Index island) const {
      return std::span(items).subspan(first[island], first[island + 1] - first[island]);
    }
    /// @param island_of of a number in [0, count); negative: in no list.
    template <class IslandOf>
    void sort(Index islands, Index count, const IslandOf& island_of);
  };
  void copy_bodies(const problem::RigidContact& whole, std::span<const Index> movable,
                   Island& island);
  void copy_contact(const problem::RigidContact& whole, Index contact, problem::RigidContact& own);
  void copy_row(const problem::RigidContact& whole, Index row, problem::RigidContact& own) const;
  void lay_out(const problem::RigidContact& whole, Island& island);

  std::vector<Island> islands_;
  std::size_t count_ = 0;
  Lists movable_, contacts_, rows_;
  std::vector<std::uint32_t> place_;           // of every body of the whole in its last island
  std::vector<problem::ScheduledPair> pairs_;  // of one island, as the others
  std::vector<Real> friction_;
  std::vector<unsigned char> is_movable_;
  problem::ContactColouring schedule_;
};

/// The impulses of an island out of those of the whole problem, kind by kind; empty where these
/// are.
void impulses_of(const Island& island, const problem::RigidContact& problem,
                 const problem::ContactImpulses& whole, problem::ContactImpulses& own);
/// Puts them back.
void put_impulses(const Island& island, const problem::ContactImpulses& impulse,
                  const problem::RigidContact& problem, problem::ContactImpulses& whole);

}  // namespace talus::driver::detail
