#include <talus/solve/gauss_seidel/detail/single_general.hpp>

#include <talus/parallel/executor.hpp>

namespace talus::solve::detail {
namespace {

using problem::ImpulseBatch;
using problem::kLanes;

constexpr Index kInertiasPerPiece = 1024;

void write(const Real (&from)[kLanes], float (&to)[kLanes], Real factor = 1) {
  for (int l = 0; l < kLanes; ++l) to[l] = static_cast<float>(from[l] * factor);
}

template <std::size_t n>
void write(const Real (&from)[n][kLanes], float (&to)[n][kLanes], Real factor = 1) {
  for (std::size_t k = 0; k < n; ++k) write(from[k], to[k], factor);
}

void write(const GeneralRow& from, const SingleUnits& units, GeneralRowOf<float>& to) {
  write(from.normal, to.normal);
  write(from.bias, to.bias, 1 / units.speed);
  write(from.friction, to.friction);
  write(from.arm_a, to.arm_a);
  write(from.arm_b, to.arm_b);
  write(from.inverse_block, to.inverse_block, 1 / units.mass);
  write(from.block_normal, to.block_normal, units.mass);
}

/// Where the normal impulse is eliminated.
void write(const SlidingRow& from, const SingleUnits& units, SlidingRowOf<float>& to) {
  for (int t = 0; t < 2; ++t) write(from.tangent[t], to.tangent[t]);
  write(from.matrix, to.matrix);
  write(from.coupling, to.coupling);
  write(from.normal, to.normal, 1 / units.mass);
  write(from.inverse_friction, to.inverse_friction);
  write(from.is_known, to.is_known);
}

}  // namespace

void SingleGeneral::load(const SingleUnits& units, std::span<const Real> inertia,
                         std::size_t rows) {
  units_ = units;
  if (rows > rows_.size()) {
    resize_unwritten(rows_, rows);
    resize_unwritten(sliding_, rows);
    resize_unwritten(impulse_, rows);
    resize_unwritten(old_impulse_, rows);
  }
  resize_unwritten(inertia_, inertia.size() / 8);
  parallel::for_ranges(std::ssize(inertia_), kInertiasPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      for (int k = 0; k < 8; ++k)
        inertia_[i].row[k] = static_cast<float>(inertia[8 * i + k] * units.mass);
  });
}

void SingleGeneral::load_rows(std::uint32_t first, std::uint32_t end,
                              std::span<const GeneralRow> rows, std::span<const SlidingRow> sliding,
                              std::span<const ImpulseBatch> impulse,
                              std::span<const ImpulseBatch> old) {
  for (std::uint32_t k = first; k < end; ++k) {
    write(rows[k], units_, rows_[k]);
    write(sliding[k], units_, sliding_[k]);
    write(impulse[k].r, impulse_[k].r, 1 / units_.impulse());
    write((old.empty() ? impulse : old)[k].r, old_impulse_[k].r, 1 / units_.impulse());
  }
}

void SingleGeneral::store_rows(std::uint32_t first, std::uint32_t end,
                               std::span<ImpulseBatch> impulse) const {
  for (std::uint32_t k = first; k < end; ++k)
    for (int c = 0; c < 3; ++c)
      for (int l = 0; l < kLanes; ++l)
        impulse[k].r[c][l] = units_.impulse() * static_cast<Real>(impulse_[k].r[c][l]);
}

}  // namespace talus::solve::detail
