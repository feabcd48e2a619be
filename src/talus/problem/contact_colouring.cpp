#include <talus/problem/contact_colouring.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>

namespace talus::problem {
namespace {

constexpr int kWindow = 16;                // open batches
constexpr std::uint32_t kCellMask = 1023;  // ten bits per direction
constexpr Index kPairsPerPiece = 4096, kBodiesPerPiece = 4096;

/// Cubes over the movable bodies.
struct Grid {
  Vec3 origin = Vec3::Zero();
  Real width = 0;  // 0: a single cube
  std::array<std::uint32_t, 3> count = {1, 1, 1};

  [[nodiscard]] std::uint32_t cell(const Vec3& p) const {
    if (width == 0) return 0;
    std::uint32_t packed = 0;
    for (int k = 2; k >= 0; --k) {
      const Real index = std::floor((p[k] - origin[k]) / width);
      packed =
          packed << 10 | static_cast<std::uint32_t>(std::clamp(index, Real(0), Real(count[k] - 1)));
    }
    return packed;
  }
};

std::uint32_t part(std::uint32_t cell, int k) { return cell >> (10 * k) & kCellMask; }

std::uint32_t smaller_parts(std::uint32_t a, std::uint32_t b) {
  std::uint32_t packed = 0;
  for (int k = 2; k >= 0; --k) packed = packed << 10 | std::min(part(a, k), part(b, k));
  return packed;
}

/// The least box of the movable bodies, and the largest distance of two that are a pair, squared.
struct Spread {
  static constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  Vec3 low = Vec3::Constant(kInfinity), high = Vec3::Constant(-kInfinity);
  Real distance2 = 0;

  void add(const Spread& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
    distance2 = std::max(distance2, other.distance2);
  }
};

Spread spread_of(std::span<const ScheduledPair> pairs, std::span<const Vec3> position,
                 std::span<const unsigned char> is_movable) {
  const auto count = static_cast<Index>(pairs.size());
  std::vector<Spread> pieces((count + kPairsPerPiece - 1) / kPairsPerPiece);
  distribute::write_items(std::span(pieces), 1, [&](Index piece, Index) {
    const Index begin = piece * kPairsPerPiece, end = std::min(begin + kPairsPerPiece, count);
    Spread own;
    for (const ScheduledPair pair : pairs.subspan(begin, end - begin)) {
      for (const std::uint32_t body : {pair.a, pair.b})
        if (is_movable[body]) own.add({position[body], position[body], 0});
      if (is_movable[pair.a] && is_movable[pair.b])
        own.distance2 =
            std::max(own.distance2, (position[pair.b] - position[pair.a]).squaredNorm());
    }
    pieces[piece] = own;
  });
  Spread all;
  for (const Spread& piece : pieces) all.add(piece);
  return all;
}

Grid make_grid(std::span<const ScheduledPair> pairs, std::span<const Vec3> position,
               std::span<const unsigned char> is_movable, Index contacts) {
  Grid grid;
  const Real target = static_cast<Real>(contacts) / ContactColouring::kTileContacts;
  if (target < 2) return grid;
  const auto [low, high, distance2] = spread_of(pairs, position, is_movable);
  const Vec3 extent = high - low;
  if (!std::isfinite(extent.sum())) return grid;
  // A little wider than the distance, so that rounding cannot put neighbours two cubes apart.
  Real width = std::max(1.001 * std::sqrt(distance2), extent.maxCoeff() / 1000);
  if (width == 0) return grid;
  const auto cubes = [&](Real w) {
    Real product = 1;
    for (int k = 0; k < 3; ++k) product *= std::floor(extent[k] / w) + 1;
    return product;
  };
  while (cubes(width) > target) width *= 1.1;
  grid.origin = low;
  grid.width = width;
  for (int k = 0; k < 3; ++k)
    grid.count[k] = static_cast<std::uint32_t>(std::floor(extent[k] / width)) + 1;
  return grid;
}

}  // namespace

void ContactColouring::find_tiles(std::span<const ScheduledPair> pairs,
                                  std::span<const Vec3> position,
                                  std::span<const unsigned char> is_movable,
                                  std::span<const unsigned char> is_late, Index contacts) {
  const Grid grid = make_grid(pairs, position, is_movable, contacts);
  const auto [nx, ny, nz] = grid.count;
  cell_.resize(position.size());
  distribute::write_items(std::span(cell_), kBodiesPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) cell_[i] = is_movable[i] ? grid.cell(position[i]) : 0;
  });

  // Tiles are numbered by colour, then z, y, x.
  const std::array<std::uint32_t, 3> half = {(nx + 1) / 2, (ny + 1) / 2, (nz + 1) / 2};
  const std::uint32_t per_colour = half[0] * half[1] * half[2];
  const auto number_of = [&](ScheduledPair pair) {
    const auto [a, b] = pair;
    TALUS_DEMAND(is_movable[a] || is_movable[b]);
    const std::uint32_t cell = !is_movable[a]   ? cell_[b]
                               : !is_movable[b] ? cell_[a]
                                                : smaller_parts(cell_[a], cell_[b]);
    const std::uint32_t x = part(cell, 0), y = part(cell, 1), z = part(cell, 2);
    const std::uint32_t colour = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
    const std::uint32_t place = ((z / 2) * half[1] + y / 2) * half[0] + x / 2;
    return colour * per_colour + place;
  };
  const auto count = static_cast<Index>(pairs.size());
  order_.resize(pairs.size());
  distribute::write_items(std::span(order_), kPairsPerPiece, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      order_[c] = {2 * number_of(pairs[c]) + (is_late.empty() ? 0 : is_late[c]),
                   static_cast<std::uint32_t>(c)};
  });
  distribute::sort_by(order_, order_scratch_, [](const Turn& turn) { return turn.number; });
  const auto begins_tile = [&](Index k, std::vector<std::uint32_t>& first) {
    if (k == 0 || order_[k - 1].tile() != order_[k].tile())
      first.push_back(static_cast<std::uint32_t>(k));
  };
  parallel::concatenate(parallel::list_pieces(count, kPairsPerPiece, pieces_, begins_tile), first_);
  colours_.assign(1, 0);
  for (std::uint32_t t = 1; t < first_.size(); ++t)
    if (order_[first_[t - 1]].tile() / per_colour != order_[first_[t]].tile() / per_colour)
      colours_.push_back(t);
  if (!first_.empty()) colours_.push_back(static_cast<std::uint32_t>(first_.size()));
  first_.push_back(static_cast<std::uint32_t>(count));
}

void ContactColouring::build(std::span<const ScheduledPair> pairs, std::span<const Vec3> position,
                             std::span<const unsigned char> is_movable,
                             std::span<const unsigned char> is_late, Index contacts) {
  TALUS_DEMAND(is_late.empty() || is_late.size() == pairs.size());
  find_tiles(pairs, position, is_movable, is_late,
             contacts == 0 ? static_cast<Index>(pairs.size()) : contacts);
  open_batches_of_body_.resize(position.size(), 0);
  const auto count = static_cast<Index>(first_.size()) - 1;
  for (auto* lists : {&full_, &checked_})
    if (std::ssize(*lists) < count) lists->resize(count);
  distribute::Ranks* const with = count < 2 ? nullptr : distribute::ranks();
  parallel::for_phases(colours_, [&](Index t) {
    if (with == nullptr || t % with->count() == with->rank())
      fill_tile(pairs, std::span(order_).subspan(first_[t], first_[t + 1] - first_[t]), is_movable,
                full_[t], checked_[t]);
  });
  if (with != nullptr)
    for (auto* lists : {&full_, &checked_})
      distribute::gather_lists(
          *with, std::span(*lists).first(count),
          distribute::deal_out_lists(static_cast<std::size_t>(count), with->count(),
                                     distribute::DealBy::in_turn));
  tiles_.resize(count);
  std::uint32_t batches = 0;
  for (Index t = 0; t < count; ++t) {
    Tile& tile = tiles_[t];
    tile.first = batches;
    tile.checked = tile.first + static_cast<std::uint32_t>(full_[t].size() / kLanes);
    batches = tile.end = tile.checked + static_cast<std::uint32_t>(checked_[t].size() / kLanes);
  }
  slots_.resize(std::size_t{kLanes} * batches);
  parallel::for_each(count, [&](Index t) {
    const auto at = [&](std::uint32_t batch) {
      return slots_.begin() + std::ptrdiff_t{kLanes} * batch;
    };
    std::copy(full_[t].begin(), full_[t].end(), at(tiles_[t].first));
    std::copy(checked_[t].begin(), checked_[t].end(), at(tiles_[t].checked));
  });
}

// Tiles of one colour share no movable body, and nothing is kept of the others.
void ContactColouring::fill_tile(std::span<const ScheduledPair> pairs,
                                 std::span<const Turn> contacts,
                                 std::span<const unsigned char> is_movable,
                                 std::vector<std::uint32_t>& all_full,
                                 std::vector<std::uint32_t>& checked) {
  std::array<OpenBatch, kWindow> open;
  std::uint32_t used = 0;  // bits of open batches that hold something
  int oldest = 0;
  const auto for_movable = [&](std::uint32_t c, const auto& visit) {
    for (const std::uint32_t body : {pairs[c].a, pairs[c].b})
      if (is_movable[body]) visit(open_batches_of_body_[body]);
  };
  const auto close = [&](int slot, std::vector<std::uint32_t>& out) {
    OpenBatch& batch = open[slot];
    const auto bit = static_cast<std::uint16_t>(1u << slot);
    for (int l = 0; l < batch.count; ++l)
      for_movable(batch.contact[l],
                  [&](std::uint16_t& bits) { bits &= static_cast<std::uint16_t>(~bit); });
    out.insert(out.end(), batch.contact, batch.contact + batch.count);
    out.insert(out.end(), kLanes - batch.count, kEmpty);
    batch.count = 0;
    used &= ~std::uint32_t{bit};
  };
  const auto place = [&](std::uint32_t c, std::vector<std::uint32_t>& full) {
    std::uint32_t known = 0;
    for_movable(c, [&](std::uint16_t bits) { known |= bits; });
    std::uint32_t free = ~known & ((1u << kWindow) - 1);
    if (free == 0) {
      close(oldest, checked);
      free = 1u << oldest;
      oldest = (oldest + 1) % kWindow;
    }
    // The first batch that is open already, else the first unused one.
    const int slot = std::countr_zero((free & used) != 0 ? free & used : free);
    OpenBatch& batch = open[slot];
    batch.contact[batch.count++] = c;
    used |= 1u << slot;
    for_movable(c, [&](std::uint16_t& bits) { bits |= static_cast<std::uint16_t>(1u << slot); });
    if (batch.count == kLanes) close(slot, full);
  };
  all_full.clear();
  checked.clear();
  for (const bool are_movable : {true, false}) {  // both bodies
    for (const Turn turn : contacts)
      if ((is_movable[pairs[turn.contact].a] && is_movable[pairs[turn.contact].b]) == are_movable)
        place(turn.contact, are_movable ? all_full : checked);
    for (int slot = 0; slot < kWindow; ++slot)
      if (open[slot].count > 0) close(slot, checked);
  }
}

}  // namespace talus::problem
