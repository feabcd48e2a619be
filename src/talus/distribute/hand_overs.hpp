#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <talus/base/types.hpp>
#include <talus/distribute/deal.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/math/vector.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::distribute {

/// Sweeps over tiles, shared among ranks: each rank visits its tiles, and the velocity of a body is
/// handed from the rank that has touched it last to the one that touches it next.
///
/// Within a phase a body is touched by at most one tile, so by at most one rank. All operations on
/// it are those of one rank, in the same order: results do not depend on the ranks, to the last
/// bit. All ranks hold the whole plan and find the same messages in it without a word; the lists
/// stay as long as the plan stays. Rows are eight numbers per body, of double or single precision:
/// v, –, s, –; six of them are handed over, in double precision, which changes neither.
class HandOvers {
 public:
  static constexpr int kMoved = 6;  ///< numbers of a row that are handed over
  template <class T>
  static void pack(const T* row, Real* to) {
    copy_three(row, to);
    copy_three(row + 4, to + 3);
  }
  template <class T>
  static void unpack(const Real* from, T* row) {
    copy_three(from, row);
    copy_three(from + 3, row + 4);
  }

  /// Nothing is shared from here on.
  void stop() { ranks_ = nullptr; }
  [[nodiscard]] bool is_shared() const { return ranks_ != nullptr; }

  /// Shares the tiles of a plan among ranks, after the same plan as before in the same way.
  /// @param place of every body [m]; may be empty.
  void share(Ranks& ranks, SweepPlan plan, std::span<const Vec3> place);
  /// Shares tiles that are dealt out. @param deal of ranks that outlive this object.
  void share(const std::shared_ptr<const Deal>& deal);
  /// Shares as last time, if that was the same plan. @param plan without tiles.
  /// @return whether it was, as far as layouts say.
  [[nodiscard]] bool share_again(Ranks& ranks, const SweepPlan& plan);

  /// A pass over all phases begins: bodies that another rank has touched last come to the one that
  /// touches them first. @param has_holders whether only the holders' rows are right; without,
  /// all rows are right on all ranks.
  template <class T>
  void begin_pass(T* rows, bool has_holders);
  /// Calls visit(tile) for the tiles of this rank, phase after phase, on all threads.
  template <class T, class Visit>
  void for_phases(T* rows, const Visit& visit) {
    const std::span<const std::uint32_t> first = deal_->own_first();
    for (std::size_t p = 0; p + 1 < first.size(); ++p) {
      before(p, rows);
      const auto own = deal_->own_tiles().subspan(first[p], first[p + 1] - first[p]);
      parallel::for_each(static_cast<Index>(own.size()), [&](Index i) { visit(Index{own[i]}); });
      after(p, rows);
    }
  }
  void end_pass();

  /// Bodies whose rows are right on this rank between two passes, in pieces; some others between
  /// them. Those that no tile touches are held by all.
  [[nodiscard]] std::span<const Range> held() const { return deal_->held(); }
  /// Makes all rows right on all ranks.
  void settle(Real* rows);
  /// Makes one item of every tile known to all ranks.
  template <class Item>
  void complete(std::span<Item> of_tiles);
  /// Calls visit(tile) for all tiles of this rank, on all threads.
  template <class Visit>
  void for_each_own(const Visit& visit) const {
    const std::span<const std::uint32_t> own = deal_->own_tiles();
    parallel::for_each(std::ssize(own), [&](Index i) { visit(Index{own[i]}); });
  }
  /// Whether a statement holds on some rank that shares the sweeps.
  [[nodiscard]] bool agree(bool own) const { return is_shared() ? ranks_->any(own) : own; }

  /// Messages and bytes of a pass between all ranks.
  struct Traffic {
    Index messages = 0, bytes = 0;
  };
  [[nodiscard]] const Traffic& traffic(bool has_holders) const { return traffic_[has_holders]; }
  /// Of a pass with holders: most that one rank sends, each by itself.
  [[nodiscard]] const Traffic& busiest() const { return busiest_; }
  /// How the tiles are dealt out.
  [[nodiscard]] const Deal& deal() const { return *deal_; }

  /// For tests: what is touched last in this phase is not handed over, and what it is handed over
  /// to takes the velocities that it has.
  void leave_out(int phase) { left_out_ = phase; }

 private:
  /// Of a fixed length, which is written out in place: std::copy calls a function that takes
  /// longer.
  template <class From, class To>
  static void copy_three(const From* from, To* to) {
    for (int k = 0; k < 3; ++k) to[k] = static_cast<To>(from[k]);
  }

  struct Message {
    int sent;    // after this phase; −1: before the pass
    int needed;  // before this phase
    std::vector<std::uint32_t> bodies;
    std::vector<Real> buffer;
    Index line = -1;
  };
  void make_messages();
  template <class T>
  void before(std::size_t phase, T* rows);
  template <class T>
  void after(std::size_t phase, const T* rows);
  template <class T>
  void send(Message& message, const T* rows);
  /// Not before a pass for which all rows are right.
  [[nodiscard]] bool takes_part(const Message& message) const {
    return (message.sent >= 0 || has_holders_) && message.sent != left_out_;
  }
  Ranks* ranks_ = nullptr;
  std::shared_ptr<const Deal> deal_;  // of the last plan
  std::unique_ptr<Lines> lines_;
  std::vector<Message> outgoing_, incoming_;
  Traffic traffic_[2], busiest_;
  bool has_holders_ = false;  // in this pass
  int left_out_ = -2;         // phase; −2: none
};

template <class Item>
void HandOvers::complete(std::span<Item> of_tiles) {
  complete_dealt(*ranks_, of_tiles, deal_->tiles());
}

}  // namespace talus::distribute
