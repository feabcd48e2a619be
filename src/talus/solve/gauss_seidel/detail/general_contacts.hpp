#pragma once

#include <span>
#include <vector>

#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/gauss_seidel/detail/general_kernel.hpp>
#include <talus/solve/gauss_seidel/detail/general_schedule.hpp>
#include <talus/solve/gauss_seidel/detail/single_general.hpp>
#include <talus/solve/gauss_seidel/detail/sweep_step.hpp>
#include <talus/solve/gauss_seidel/local/contact_law.hpp>

namespace talus::solve::detail {

struct Sliding;

/// The general contacts of a problem as the kernels want them, with their impulses and moments: by
/// pairs of bodies, eight pairs at once, in tiles, in colours of tiles. The caller visits the
/// tiles, colour after colour, those of one colour in any order.
///
/// A contact with moments is solved at once where it keeps still all that it resists, of which beds
/// are full; else its force is, the moment held, and then the moment takes one projected step,
/// which is exact between balls: what both leave alone is the law of both.
class GeneralContacts {
 public:
  explicit GeneralContacts(Simd simd)
      : all_kernels_(&general_kernels(simd)), single_sweep_(single_general_sweep(simd)) {}

  /// Takes a problem, which must outlive the sweeps: its schedule is there, its tiles are to be
  /// laid out.
  void load(const problem::RigidContact& problem);
  /// @param guess general impulses and moments, one each per contact, or none. Tiles may be laid
  /// out at the same time.
  void lay_out_tile(Index tile, const problem::ContactImpulses& guess);
  /// Whether store() needs what is laid out of all tiles, not their impulses alone.
  [[nodiscard]] bool stores_surfaces() const { return kind_ != ContactKind::plain; }

  [[nodiscard]] const GeneralSchedule& schedule() const { return schedule_; }

  /// Cuts the guess of a tile back to its cones and adds it to the bodies, which end with a row for
  /// empty lanes.
  void begin(Index tile, std::span<problem::BodyVelocity> bodies);
  /// Sweeps over a tile.
  void visit(Index tile, const SweepPace& pace, std::span<problem::BodyVelocity> bodies);
  /// Of a tile's last visit. Moments count as m √(tr A_m/tr A_r) [N·s], A_r and A_m being the two
  /// diagonal blocks of the contact.
  [[nodiscard]] SweepStep step(Index tile) const {
    return {total(tile_sums_[tile].change), total(tile_sums_[tile].size)};
  }

  /// Whether sweeps may be of single precision: of contacts with Coulomb's friction, or that of
  /// maximum dissipation, and no more.
  [[nodiscard]] bool may_be_single() const {
    return kind_ == ContactKind::plain &&
           (sliding_law_ == SlidingLaw::coulomb || sliding_law_ == SlidingLaw::maximum_dissipation);
  }
  /// Room for the contacts in single precision; then of each tile the contacts and impulses.
  void begin_single(const SingleUnits& units);
  void load_single(Index tile, bool has_old);
  /// A sweep over a tile with momentum. @param bodies rows over the units.
  void visit_single(Index tile, const SweepPace& pace, float* bodies);
  /// Impulses of a tile become those of double precision, not cut to their cones.
  void store_single(Index tile);

  /// Momentum starts from here: the impulses before are those now.
  void remember() { old_impulse_ = impulse_; }
  /// The impulses as the kernels have them, row by row.
  [[nodiscard]] std::span<problem::ImpulseBatch> impulses() { return impulse_; }
  /// Calls add(begin, end) for the impulses of a tile.
  template <class Add>
  void for_impulses(Index tile, const Add& add) const {
    const auto batches = schedule_.batches(tile);
    const Index blocks = blocks_of(kind_);
    add(blocks * batches.front().first, blocks * batches.back().end);
  }
  /// The general impulses and moments in the order of the problem.
  void store(problem::ContactImpulses& impulse) const;

 private:
  struct Block {
    Mat3 frame;  // columns n, t1, t2
    Mat3 A;      // in the frame, of p' and u'
    Real friction;
  };
  [[nodiscard]] const GeneralKernels& kernels() const {
    return all_kernels_->kind[static_cast<int>(kind_)];
  }
  void lay_out(std::uint32_t slot, std::uint32_t contact, const Vec3& r);
  void lay_out_surface(std::uint32_t slot, std::uint32_t contact, Mat3& world, Vec3& r);
  void lay_out_moment(std::uint32_t slot, std::uint32_t contact, const Vec3& m);
  void lay_out_sliding(const Block& block, const Sliding& tangential, SlidingRow& row,
                       std::uint32_t lane) const;
  [[nodiscard]] GeneralSweep data(const SweepPace& pace, std::span<problem::BodyVelocity> bodies);
  static void slip(const void* self, std::uint32_t row, int lane, const double u[3],
                   const double y[3], double r[3]);
  static void slip_single(const void* self, std::uint32_t row, int lane, const double u[3],
                          const double y[3], double r[3]);

  const GeneralKernelsOf* all_kernels_;
  SingleGeneralSweep single_sweep_;
  ContactKind kind_ = ContactKind::plain;  // of all contacts
  const problem::RigidContact* problem_ = nullptr;
  LocalLaw law_;
  SlidingLaw sliding_law_ = SlidingLaw::none;
  GeneralSchedule schedule_;
  std::vector<GeneralRow> rows_;
  std::vector<SlidingRow> sliding_;  // under the laws that have kernels
  std::vector<SurfaceRow> surfaces_;
  std::vector<MomentRow> moments_;
  std::vector<Block> blocks_;  // one per slot
  std::vector<problem::ImpulseBatch> impulse_, old_impulse_;
  struct alignas(64) InertiaRow {
    double x[8] = {};
  };
  std::vector<InertiaRow> inertia_;
  SingleGeneral single_;
  std::vector<LaneSums> tile_sums_;
};

}  // namespace talus::solve::detail
