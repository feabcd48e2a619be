#pragma once

#include <span>

#include <talus/base/types.hpp>
#include <talus/base/unwritten.hpp>
#include <talus/solve/gauss_seidel/detail/general_kernel.hpp>

namespace talus::solve::detail {

/// What numbers of single precision are over: powers of two, so that nothing is rounded by them.
struct SingleUnits {
  Real speed = 1, mass = 1;  ///< [m/s], [kg]
  [[nodiscard]] Real impulse() const { return speed * mass; }
};

/// General contacts with friction and no more, and their impulses, in single precision: half of the
/// bytes that a sweep moves, twice the lanes in a register. Batches and rows are those of double
/// precision.
class SingleGeneral {
 public:
  using Impulses = VectorsOf<float>::Type;

  /// Room for so many rows, which load_rows() fills.
  /// @param inertia rows of eight numbers, one for each body, and that for empty lanes.
  void load(const SingleUnits& units, std::span<const Real> inertia, std::size_t rows);
  /// The rows first … end − 1 of lists of all, from other threads too.
  /// @param old may be empty: as `impulse`.
  void load_rows(std::uint32_t first, std::uint32_t end, std::span<const GeneralRow> rows,
                 std::span<const SlidingRow> sliding,
                 std::span<const problem::ImpulseBatch> impulse,
                 std::span<const problem::ImpulseBatch> old);
  /// Their impulses in double precision, not cut to their cones.
  void store_rows(std::uint32_t first, std::uint32_t end,
                  std::span<problem::ImpulseBatch> impulse) const;
  [[nodiscard]] const SingleUnits& units() const { return units_; }

  /// What a sweep needs of these.
  [[nodiscard]] const GeneralRowOf<float>* rows() const { return rows_.data(); }
  [[nodiscard]] const SlidingRowOf<float>* sliding() const { return sliding_.data(); }
  [[nodiscard]] Impulses* impulse() { return impulse_.data(); }
  [[nodiscard]] Impulses* old_impulse() { return old_impulse_.data(); }
  [[nodiscard]] const float* inertia() const { return inertia_.data()->row; }

 private:
  struct alignas(32) Inertia {
    float row[8];
  };
  SingleUnits units_;
  UnwrittenList<GeneralRowOf<float>> rows_;
  UnwrittenList<SlidingRowOf<float>> sliding_;
  UnwrittenList<Impulses> impulse_, old_impulse_;
  UnwrittenList<Inertia> inertia_;
};

}  // namespace talus::solve::detail
