#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include <talus/base/types.hpp>

namespace talus::distribute {

/// Messages of fixed length that are sent again and again. Of messages between the same two ranks
/// with the same tag the first one sent is the first one received.
class Lines {
 public:
  Lines() = default;
  virtual ~Lines() = default;
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  /// @param tag ≥ 0. @param buffer stays where it is as long as the line is used.
  /// @return the number of the line for start() and wait().
  virtual Index add_outgoing(int to, int tag, std::span<const Real> buffer) = 0;
  virtual Index add_incoming(int from, int tag, std::span<Real> buffer) = 0;
  /// From here on the buffer belongs to the message, until wait() returns.
  virtual void start(Index line) = 0;
  virtual void wait(Index line) = 0;
};

/// What distributed work of one rank has been so far.
struct Work {
  Index sweeps = 0;          ///< shared ones: passes over all contacts of a problem
  Index steps_in_parts = 0;  ///< of which each rank does what its tiles touch
  double messages = 0;       ///< of hand-overs between all ranks, as the lists have it
  double bytes = 0;          ///< the same
  double sent_messages = 0;  ///< those that this rank has sent, counted
  double sent_bytes = 0;
  double imbalance = 0;        ///< Σ over the sweeps of most contacts of a rank/mean [-]
  double border_share = 0;     ///< Σ over the sweeps of bodies touched by several ranks/bodies [-]
  double waiting_seconds = 0;  ///< in messages: sending, receiving, waiting
};

/// Another rank has failed and has said why: this one ends too, without a word.
class OtherRankFailed : public std::exception {
 public:
  explicit OtherRankFailed(int exit_code) : exit_code_(exit_code) {}
  [[nodiscard]] const char* what() const noexcept override { return "another rank has failed"; }
  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

/// The processes that run a scene together, as one of them sees them. All of them hold the same
/// scene and take the same decisions, so that all call the same collective functions in the same
/// order.
class Ranks {
 public:
  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] virtual int count() const = 0;
  [[nodiscard]] virtual int rank() const = 0;  ///< of this process, from 0
  [[nodiscard]] bool is_first() const { return rank() == 0; }

  /// Completes bytes of which every rank has a piece. Collective.
  /// @param all the piece of rank r is [begin[r], begin[r + 1]); in: the own one; out: all of them.
  virtual void gather(std::span<std::byte> all, std::span<const std::size_t> begin) = 0;
  /// Replaces numbers by the largest of all ranks, each by itself. Collective.
  virtual void take_largest(std::span<Real> numbers) = 0;
  /// Lines of a set of their own; to be made by all ranks in the same order.
  [[nodiscard]] virtual std::unique_ptr<Lines> lines() = 0;

  /// The numbers of all ranks, in the order of ranks. Collective.
  [[nodiscard]] std::vector<std::uint64_t> numbers(std::uint64_t own);
  /// Whether a statement holds on some rank. Collective.
  [[nodiscard]] bool any(bool own);

  /// All ranks meet and say how they fare. Collective.
  /// @return whether some rank wants to stop. @throws OtherRankFailed
  [[nodiscard]] bool agree_to_stop(bool wants_to_stop);
  /// This rank ends with an error, while others may be anywhere: it waits for them where they meet,
  /// for some seconds; one that does not come in time is ended with it.
  /// @return whether this rank is the first one of those that fail, which says why.
  [[nodiscard]] bool fail(int exit_code);

  [[nodiscard]] Work& work() { return work_; }

 protected:
  /// The numbers of all ranks that meet, or nothing if they do not within so many seconds.
  [[nodiscard]] virtual std::vector<std::uint64_t> meet(std::uint64_t own, double seconds) = 0;
  /// Ends all ranks when this object goes.
  virtual void break_off(int exit_code) = 0;

 private:
  Work work_;
};

/// The ranks that this thread shares its work with; null: it works alone, as every thread does
/// until Sharing says otherwise, those of parallel loops always.
[[nodiscard]] Ranks* ranks();

/// While it lives, this thread shares its work with other ranks.
class Sharing {
 public:
  explicit Sharing(Ranks& with);
  ~Sharing();
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

 protected:
  explicit Sharing(Ranks* with);

 private:
  Ranks* before_;
};

/// While it lives, this thread works alone: other ranks may do the same or something else.
class Alone : Sharing {
 public:
  Alone() : Sharing(nullptr) {}
};

}  // namespace talus::distribute
