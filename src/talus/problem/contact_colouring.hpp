#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <talus/base/types.hpp>
#include <talus/math/vector.hpp>
#include <talus/problem/central_batch.hpp>

namespace talus::problem {

/// Two bodies in contact, for the schedule.
struct ScheduledPair {
  std::uint32_t a = 0, b = 0;
};

/// An order of contacts for sweeps: batches of eight that share no movable body, in tiles of space,
/// in colours of tiles.
///
/// Movable bodies are sorted into cubes at least as wide as the largest distance between the
/// centres of a pair. A contact belongs to the cube with the componentwise smallest indices of its
/// movable bodies' cubes: so all contacts of a body lie in cubes that differ by at most one in
/// every direction, and cubes of equal parity share no movable body. Eight parities, eight colours.
/// Within a tile contacts are taken in their given order, each into the first open batch that holds
/// neither of its bodies; neighbours stay together, batches are full except the last ones.
///
/// Depends on the arguments alone. Cost O(contacts), on all threads; the buffers are kept. Ranks
/// fill tiles in turn (distribute::gather_lists).
class ContactColouring {
 public:
  static constexpr std::uint32_t kEmpty = UINT32_MAX;
  /// Contacts that a tile should have: enough to be worth a thread's while.
  static constexpr Index kTileContacts = 400;

  /// @param pairs at least one of the two bodies of each is movable (contract).
  /// @param position one per body: where the body is for the tiles [m].
  /// @param is_movable one per body.
  /// @param is_late one per pair: these come after the others of their tile, so that batches of
  /// contacts that bear nothing are left out of sweeps together; may be empty.
  /// @param contacts of all pairs together, where pairs stand for several contacts; 0: one each.
  void build(std::span<const ScheduledPair> pairs, std::span<const Vec3> position,
             std::span<const unsigned char> is_movable, std::span<const unsigned char> is_late = {},
             Index contacts = 0);

  /// The contact in every lane of every batch, or kEmpty.
  [[nodiscard]] std::span<const std::uint32_t> contact_of_slot() const { return slots_; }
  [[nodiscard]] std::span<const Tile> tiles() const { return tiles_; }
  /// Tiles of colour c are those from colours()[c] up to colours()[c + 1].
  [[nodiscard]] std::span<const std::uint32_t> colours() const { return colours_; }

 private:
  void find_tiles(std::span<const ScheduledPair> pairs, std::span<const Vec3> position,
                  std::span<const unsigned char> is_movable, std::span<const unsigned char> is_late,
                  Index contacts);
  /// A contact and the number of its tile, twice, plus one where it is late.
  struct Turn {
    std::uint32_t number = 0, contact = 0;
    [[nodiscard]] std::uint32_t tile() const { return number / 2; }
  };
  struct OpenBatch {
    std::uint32_t contact[kLanes];
    int count = 0;
  };
  void fill_tile(std::span<const ScheduledPair> pairs, std::span<const Turn> contacts,
                 std::span<const unsigned char> is_movable, std::vector<std::uint32_t>& full,
                 std::vector<std::uint32_t>& checked);

  std::vector<std::uint32_t> cell_;          // of each body
  std::vector<Turn> order_, order_scratch_;  // of the contacts, tile by tile
  std::vector<std::uint32_t> first_;         // of every tile in that order, and the end
  std::vector<std::vector<std::uint32_t>> pieces_;
  // The contacts in the lanes of every tile's batches; at least as many lists as tiles.
  std::vector<std::vector<std::uint32_t>> full_, checked_;
  std::vector<std::uint32_t> slots_, colours_;
  std::vector<Tile> tiles_;
  std::vector<std::uint16_t> open_batches_of_body_;  // a bit per open batch; 0 between tiles
};

}  // namespace talus::problem
