#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <talus/base/unwritten.hpp>
#include <talus/distribute/deal.hpp>
#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/gauss_seidel/detail/central_kernel.hpp>
#include <talus/solve/gauss_seidel/detail/idle_batches.hpp>
#include <talus/solve/gauss_seidel/detail/single_general.hpp>

namespace talus::solve::detail {

/// Whether rows of bodies are more than what a second-level cache holds beside contacts; a matter
/// of time alone.
template <class Row>
[[nodiscard]] bool are_far(std::span<Row> rows) {
  return rows.size_bytes() > std::size_t{1} << 19;
}

/// Central contacts, their impulses and the bodies in single precision: half of the bytes that a
/// sweep moves, and twice the lanes.
///
/// A batch of sixteen is two batches of eight of a tile that share no movable body: one, and the
/// first of those behind it that goes with it. Batches of one half of a tile alternate with those
/// of the other. So they come in another order than in double precision, which depends on the
/// layout alone. Velocities are over a power of two near the largest free one, masses over one near
/// the least: no square of a number is out of range because of the units, and nothing is rounded
/// but to single precision.
class SingleSweeps {
 public:
  using Batch = problem::CentralBatchOf<float>;
  using Impulses = problem::ImpulseBatchOf<float>;

  void stop() { is_loaded_ = false; }
  [[nodiscard]] bool is_loaded() const { return is_loaded_; }

  /// The bodies, and room for so many tiles, which load_tile() fills.
  /// @param velocity, old of all bodies, and the row for empty lanes. @param old may be empty: as
  /// `velocity`. @param parts not null: only the bodies that are here are right. Collective then.
  /// Cost O(bodies), on all threads.
  void load(const problem::RigidContact& problem, std::span<const problem::Tile> tiles,
            std::span<const problem::BodyVelocity> velocity,
            std::span<const problem::BodyVelocity> old, const distribute::Deal* parts);
  /// Contacts and impulses of one tile, from other threads too. Cost O(its contacts).
  /// @param old may be empty: as `impulse`.
  void load_tile(Index tile, std::span<const problem::ImpulseBatch> impulse,
                 std::span<const problem::ImpulseBatch> old);
  /// The impulses of one tile in double precision, not cut to their cones.
  void store_tile(Index tile, std::span<problem::ImpulseBatch> impulse) const;

  /// Of load_tile(), one for each tile there; batches of different tiles may leave room between.
  [[nodiscard]] std::span<const problem::Tile> tiles() const {
    return std::span(tiles_).first(eights_.size());
  }
  [[nodiscard]] std::span<const Impulses> impulse() const { return impulse_; }
  [[nodiscard]] std::span<const Impulses> old_impulse() const { return old_impulse_; }
  [[nodiscard]] IdleBatches& idle() { return idle_; }
  [[nodiscard]] const SingleUnits& units() const { return units_; }
  [[nodiscard]] float* rows() { return rows_.data()->row; }
  [[nodiscard]] float* old_rows() { return old_rows_.data()->row; }
  [[nodiscard]] CentralSweepOf<float> sweep(Real beta, bool is_whole);

 private:
  struct alignas(32) Body {
    float row[8];
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;
  using Halves = std::array<std::uint32_t, 2>;  // batches of eight; kNone: empty lanes

  void pair(Index tile);
  void write_rows(std::span<const problem::BodyVelocity> from, std::vector<Body>& to) const;
  template <class Visit>
  void for_halves(Index tile, const Visit& visit) const;

  const problem::RigidContact* problem_ = nullptr;
  std::span<const problem::Tile> eights_;  // the tiles of batches of eight
  std::vector<problem::Tile> tiles_;
  std::vector<std::uint64_t> layout_;  // for which each tile is paired; 0: none
  // Those of a tile begin where its batches of eight do.
  UnwrittenList<Halves> halves_;
  UnwrittenList<Batch> batches_;
  UnwrittenList<Impulses> impulse_, old_impulse_;
  std::vector<Body> rows_, old_rows_;
  IdleBatches idle_;
  SingleUnits units_;
  bool is_loaded_ = false;
};

}  // namespace talus::solve::detail
