#include <talus/problem/contact_colouring.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>

namespace talus::problem {
namespace {

constexpr int kWindow = 16;  // open batches
constexpr std::uint32_t kColours = 8;
constexpr std::uint32_t kCellMask = 1023;  // ten bits per direction

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

Grid make_grid(std::span<const ScheduledPair> pairs, std::span<const Vec3> position,
               std::span<const unsigned char> is_movable, Index contacts) {
  Grid grid;
  const Real target = static_cast<Real>(contacts) / ContactColouring::kTileContacts;
  if (target < 2) return grid;
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  Vec3 low = Vec3::Constant(kInfinity), high = Vec3::Constant(-kInfinity);
  Real distance2 = 0;
  for (const ScheduledPair pair : pairs) {
    for (const std::uint32_t body : {pair.a, pair.b})
      if (is_movable[body]) {
        low = low.cwiseMin(position[body]);
        high = high.cwiseMax(position[body]);
      }
    if (is_movable[pair.a] && is_movable[pair.b])
      distance2 = std::max(distance2, (position[pair.b] - position[pair.a]).squaredNorm());
  }
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
  for (std::size_t i = 0; i < position.size(); ++i)
    cell_[i] = is_movable[i] ? grid.cell(position[i]) : 0;

  // Tiles are numbered by colour, then z, y, x.
  const std::array<std::uint32_t, 3> half = {(nx + 1) / 2, (ny + 1) / 2, (nz + 1) / 2};
  const std::uint32_t per_colour = half[0] * half[1] * half[2];
  tile_of_contact_.resize(pairs.size());
  offsets_.assign(std::size_t{kColours} * per_colour + 1, 0);
  for (std::size_t c = 0; c < pairs.size(); ++c) {
    const auto [a, b] = pairs[c];
    TALUS_DEMAND(is_movable[a] || is_movable[b]);
    const std::uint32_t cell = !is_movable[a]   ? cell_[b]
                               : !is_movable[b] ? cell_[a]
                                                : smaller_parts(cell_[a], cell_[b]);
    const std::uint32_t x = part(cell, 0), y = part(cell, 1), z = part(cell, 2);
    const std::uint32_t colour = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
    const std::uint32_t place = ((z / 2) * half[1] + y / 2) * half[0] + x / 2;
    tile_of_contact_[c] = colour * per_colour + place;
    ++offsets_[tile_of_contact_[c] + 1];
  }
  for (std::size_t t = 1; t < offsets_.size(); ++t) offsets_[t] += offsets_[t - 1];
  order_.resize(pairs.size());
  std::vector<std::uint32_t>& next = late_;  // borrowed
  next.assign(offsets_.begin(), offsets_.end() - 1);
  for (const unsigned char turn : {0, 1})
    for (std::size_t c = 0; c < pairs.size(); ++c)
      if ((is_late.empty() ? 0 : is_late[c]) == turn)
        order_[next[tile_of_contact_[c]]++] = static_cast<std::uint32_t>(c);
}

void ContactColouring::build(std::span<const ScheduledPair> pairs, std::span<const Vec3> position,
                             std::span<const unsigned char> is_movable,
                             std::span<const unsigned char> is_late, Index contacts) {
  TALUS_DEMAND(is_late.empty() || is_late.size() == pairs.size());
  slots_.clear();
  tiles_.clear();
  colours_.assign(1, 0);
  open_batches_of_body_.assign(position.size(), 0);
  find_tiles(pairs, position, is_movable, is_late,
             contacts == 0 ? static_cast<Index>(pairs.size()) : contacts);
  const std::size_t per_colour = (offsets_.size() - 1) / kColours;
  for (std::size_t colour = 0; colour < kColours; ++colour) {
    for (std::size_t t = colour * per_colour; t < (colour + 1) * per_colour; ++t)
      if (offsets_[t] < offsets_[t + 1])
        fill_tile(pairs, std::span(order_).subspan(offsets_[t], offsets_[t + 1] - offsets_[t]),
                  is_movable);
    if (tiles_.size() > colours_.back())
      colours_.push_back(static_cast<std::uint32_t>(tiles_.size()));
  }
}

void ContactColouring::fill_tile(std::span<const ScheduledPair> pairs,
                                 std::span<const std::uint32_t> contacts,
                                 std::span<const unsigned char> is_movable) {
  std::array<OpenBatch, kWindow> open;
  std::uint32_t used = 0;  // bits of open batches that hold something
  int oldest = 0;
  const auto close = [&](int slot, std::vector<std::uint32_t>& out) {
    OpenBatch& batch = open[slot];
    const auto bit = static_cast<std::uint16_t>(1u << slot);
    for (int l = 0; l < batch.count; ++l)
      for (const std::uint32_t body : {pairs[batch.contact[l]].a, pairs[batch.contact[l]].b})
        open_batches_of_body_[body] &= static_cast<std::uint16_t>(~bit);
    out.insert(out.end(), batch.contact, batch.contact + batch.count);
    out.insert(out.end(), kLanes - batch.count, kEmpty);
    batch.count = 0;
    used &= ~std::uint32_t{bit};
  };
  const auto place = [&](std::uint32_t c, std::vector<std::uint32_t>& full) {
    const auto [a, b] = pairs[c];
    const std::uint32_t known = (is_movable[a] ? open_batches_of_body_[a] : 0u) |
                                (is_movable[b] ? open_batches_of_body_[b] : 0u);
    std::uint32_t free = ~known & ((1u << kWindow) - 1);
    if (free == 0) {
      close(oldest, checked_slots_);
      free = 1u << oldest;
      oldest = (oldest + 1) % kWindow;
    }
    // The first batch that is open already, else the first unused one.
    const int slot = std::countr_zero((free & used) != 0 ? free & used : free);
    OpenBatch& batch = open[slot];
    batch.contact[batch.count++] = c;
    used |= 1u << slot;
    for (const std::uint32_t body : {a, b})
      open_batches_of_body_[body] |= static_cast<std::uint16_t>(1u << slot);
    if (batch.count == kLanes) close(slot, full);
  };
  const auto close_all = [&] {
    for (int slot = 0; slot < kWindow; ++slot)
      if (open[slot].count > 0) close(slot, checked_slots_);
  };

  Tile tile;
  tile.first = static_cast<std::uint32_t>(slots_.size() / kLanes);
  checked_slots_.clear();
  late_.clear();
  for (const std::uint32_t c : contacts) {
    if (is_movable[pairs[c].a] && is_movable[pairs[c].b])
      place(c, slots_);
    else
      late_.push_back(c);
  }
  close_all();
  tile.checked = static_cast<std::uint32_t>(slots_.size() / kLanes);
  for (const std::uint32_t c : late_) place(c, checked_slots_);
  close_all();
  slots_.insert(slots_.end(), checked_slots_.begin(), checked_slots_.end());
  tile.end = static_cast<std::uint32_t>(slots_.size() / kLanes);
  tiles_.push_back(tile);
}

}  // namespace talus::problem
