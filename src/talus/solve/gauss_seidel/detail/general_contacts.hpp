#pragma once

#include <span>
#include <vector>

#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/gauss_seidel/detail/general_kernel.hpp>
#include <talus/solve/gauss_seidel/detail/general_schedule.hpp>
#include <talus/solve/gauss_seidel/detail/idle_batches.hpp>
#include <talus/solve/gauss_seidel/local/contact_law.hpp>

namespace talus::solve::detail {

struct Sliding;

/// The general contacts of a problem as the kernels want them, with their impulses: by pairs of
/// bodies, eight pairs at once, in tiles, in colours of tiles.
class GeneralContacts {
 public:
  explicit GeneralContacts(Simd simd) : kernels_(&general_kernels(simd)) {}

  /// Lays out a problem, which must outlive the sweeps. @param guess one per contact, or empty.
  void load(const problem::RigidContact& problem, std::span<const Vec3> guess);

  /// Cuts the guess back to its cones and adds it to the bodies, which end with a row for empty
  /// lanes.
  void begin(std::span<problem::BodyVelocity> bodies);

  /// One sweep. @return ‖Δr‖² and ‖r‖².
  struct Step {
    Real change = 0, size = 0;
  };
  /// @param is_whole with all batches; without those that bear nothing, if not.
  Step sweep(bool momentum, Real beta, Real relaxation, bool is_whole,
             std::span<problem::BodyVelocity> bodies);
  /// Finds the batches that bear nothing, nor did in the sweep before. @return whether there are
  /// any.
  bool find_idle(bool has_old);

  /// Momentum starts from here: the impulses before are those now.
  void remember() { old_impulse_ = impulse_; }
  /// The impulses in the order of the problem.
  void store(std::vector<Vec3>& impulse) const;

 private:
  struct Block {
    Mat3 frame;  // columns n, t1, t2
    Mat3 A;      // in the frame
    Real friction;
  };
  void lay_out(std::uint32_t slot, std::uint32_t contact);
  void lay_out_sliding(const Block& block, const Sliding& tangential, SlidingRow& row,
                       std::uint32_t lane) const;
  [[nodiscard]] GeneralSweep data(Real beta, Real relaxation, bool is_whole,
                                  std::span<problem::BodyVelocity> bodies);
  static void slip(const void* self, std::uint32_t row, int lane, const double u[3],
                   const double y[3], double r[3]);

  const GeneralKernels* kernels_;
  const problem::RigidContact* problem_ = nullptr;
  ContactLaw law_;
  SlidingLaw sliding_law_ = SlidingLaw::none;
  GeneralSchedule schedule_;
  std::vector<GeneralRow> rows_;
  std::vector<SlidingRow> sliding_;  // under the laws that have kernels
  std::vector<Block> blocks_;        // one per slot
  std::vector<problem::ImpulseBatch> impulse_, old_impulse_;
  struct alignas(64) InertiaRow {
    double x[8] = {};
  };
  std::vector<InertiaRow> inertia_;
  std::vector<LaneSums> tile_sums_;
  IdleBatches idle_;
};

}  // namespace talus::solve::detail
