#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/problem/contact_colouring.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::driver::detail {

/// A part of a rigid contact problem that no other part acts on, and where its pieces come from. It
/// is the same to the last bit whatever the other parts are.
struct Island {
  struct Lane {
    std::uint32_t whole, own;  ///< slots of CentralContacts
  };
  Index number = 0;   ///< of RigidContactCertifier
  Index size = 0;     ///< contacts
  Index colours = 0;  ///< > 0: the first ones of the whole are its central contacts, laid out as
                      ///< its own would be; nothing is copied: all behind rows is out of date
  std::vector<Index> rows;
  problem::RigidContact problem;
  std::vector<Index> bodies;    ///< of the whole problem, rising; immovable ones are copies
  std::vector<Index> contacts;  ///< of the whole problem, rising
  std::vector<Lane> lanes;      ///< of the central contacts, in the order of the own slots
  bool is_laid_out = false;     ///< of Islands
};

/// The islands of a problem, bodies that contacts and rows join through movable ones, except those
/// in which impulses of 0 are an answer, in the order of their first contacts and then rows.
///
/// Where the contacts join the same bodies as in the last problem, and were laid out at the same
/// places, the layouts of islands without rows are kept and only their numbers copied: what comes
/// out is the same. An island whose contacts come first in the whole, half of them and more, can be
/// left where it is.
class Islands {
 public:
  /// @param certify the problem's. Cost O(bodies + contacts + rows) and the schedules of what is
  /// laid out, on all threads.
  /// @param may_stay whether an island can be left in the whole (Island::colours).
  void split(const problem::RigidContact& problem, const certify::RigidContactCertifier& certify,
             bool may_stay);
  /// Copies the island that was left there, if there is one. @return its place in all(), or -1.
  Index copy_rest(const problem::RigidContact& problem);

  [[nodiscard]] std::span<const Island* const> all() const { return all_; }

 private:
  /// Numbers by islands, each list rising.
  class Lists {
   public:
    [[nodiscard]] std::span<const Index> of(Index island) const {
      return std::span(items_).subspan(first_[island], first_[island + 1] - first_[island]);
    }
    /// @param island_of of a number in [0, count); negative: in no list.
    template <class IslandOf>
    void sort(Index islands, Index count, const IslandOf& island_of);

   private:
    struct Member {
      std::uint32_t island, number;
    };
    std::vector<Index> first_, items_;
    std::vector<Member> members_, scratch_;
    std::vector<std::vector<Member>> pieces_;
  };
  [[nodiscard]] bool are_as_before(const problem::RigidContact& problem,
                                   const certify::RigidContactCertifier& certify) const;
  void start(const problem::RigidContact& problem, const certify::RigidContactCertifier& certify);
  void find_first(const problem::RigidContact& problem,
                  const certify::RigidContactCertifier& certify);
  void lay_out(const problem::RigidContact& whole, Index number, Island& island);
  void find_bodies(const problem::RigidContact& whole, Index number, Island& island);
  void copy_row(const problem::RigidContact& whole, Index row, problem::RigidContact& own) const;
  static void copy_values(const problem::RigidContact& whole, Island& island);

  std::shared_ptr<const certify::detail::ContactIslands> shape_;  // of the last problem, as the
  std::vector<std::uint32_t> slot_;                               // next: of its central contacts
  std::vector<unsigned char> is_late_;
  std::vector<Vec3> position_;
  std::vector<Island> islands_;           // by their numbers, at least as many as there are
  std::vector<Island*> all_;              // that are not idle
  Index first_ = -1, first_colours_ = 0;  // the island that may stay, and its colours
  Lists movable_, contacts_, rows_;
  std::vector<std::uint32_t> number_;  // of every body of the whole in its last island
  std::vector<std::vector<Index>> piece_bodies_;
  std::vector<Index> held_;                    // immovable bodies of one island
  std::vector<problem::ScheduledPair> pairs_;  // of one island, as the others
  std::vector<Real> friction_;
  std::vector<unsigned char> is_movable_;
  std::vector<Island::Lane> lanes_scratch_;
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
